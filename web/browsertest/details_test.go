package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestDetails changes place and notes of an observation, once wrongly, and asks a
// stored photo which of a few names it is.
func TestDetails(t *testing.T) {
	t.Parallel()
	url := start(t)
	b := open(t)
	b.do(chromedp.Navigate(url + "/"))
	b.upload(photograph(t, "beetle", ladybird, view{zoom: 0.7, light: 1, seed: 1}))
	b.do(chromedp.Navigate(url + "/observations/1"))
	b.do(chromedp.Click(chromedp.CSS("#details summary")))
	b.do(chromedp.SendKeys(chromedp.CSS("#d-latitude"), "somewhere"), chromedp.SendKeys(chromedp.CSS("#d-notes"), "on a nettle"))
	b.submit("#details button")
	if got := b.text("#d-latitude-problem"); !strings.Contains(got, "in degrees") {
		t.Fatalf("it says %q", got)
	}
	b.gallery("details-refused")
	b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("#d-latitude").value = ""`))
	b.do(chromedp.SendKeys(chromedp.CSS("#d-latitude"), `48° 8' 13" N, 11° 34' 30" E`))
	b.submit("#details button")
	if got := b.text("#record"); !strings.Contains(got, "48.1369° N, 11.5750° E") || !strings.Contains(got, "on a nettle") {
		t.Errorf("the record says %q", got)
	}

	b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("#ask-labels").closest("details").open = true`))
	b.do(chromedp.SendKeys(chromedp.CSS("#ask-labels"), "seven-spotted ladybird, Colorado potato beetle, a red button"))
	b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("#ask-labels").focus()`))
	b.keys(kb.Tab)
	b.submit("#ask-labels ~ button, form.stacked button")
	if got := b.text(".headline-among"); got != "of these 3 names" {
		t.Errorf("it compared %q", got)
	}
	if got := b.text(".candidates"); !strings.Contains(got, "scored by its text alone") {
		t.Errorf("it does not say which name it does not know: %q", got)
	}
	b.gallery("details-asked")
}
