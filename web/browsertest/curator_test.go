package browsertest

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestCurator goes the way of whoever answers for what the memory was taught: a wrong
// name among the doubts is found, withdrawn, taken back and kept, by keys; all that
// one person taught goes into quarantine and comes back; and what stands is exported.
func TestCurator(t *testing.T) {
	t.Parallel()
	url := start(t)
	tenPhotos(t, url)
	for number, name := range map[int]string{1: "Coccinella septempunctata", 2: "Coccinella septempunctata", 3: "Common Daisy", 5: "Common Daisy", 6: "Common Daisy"} {
		post(t, fmt.Sprintf("%s/api/v1/observations/%d/identifications", url, number), "application/json", strings.NewReader(fmt.Sprintf(`{"label": %q}`, name)))
	}
	b := open(t)
	b.do(chromedp.Navigate(url + "/memory/doubts"))
	const wrong = `[...document.querySelectorAll("[data-doubt]")].some((d) => d.querySelector("a[href='/observations/3']"))`
	b.until("the beetle that is called a daisy is in doubt", wrong)
	b.gallery("curator-doubts")
	for !b.is(`document.activeElement?.matches("[data-doubt]") && document.activeElement.querySelector("a[href='/observations/3']")`) {
		b.keys("j")
	}
	b.leads("w", "it is withdrawn", `document.querySelector("[data-doubt-undo]") && !(`+wrong+`)`)
	b.remembers(4)
	b.leads("u", "it is taught again", `!document.querySelector("[data-doubt-undo]")`)
	b.remembers(5)
	b.do(chromedp.Navigate(url + "/memory/doubts"))
	b.until("it is in doubt again", wrong)
	for !b.is(`document.activeElement?.matches("[data-doubt]") && document.activeElement.querySelector("a[href='/observations/3']")`) {
		b.keys("j")
	}
	b.leads("k", "it is kept", `document.querySelector("[data-settled]") && !(`+wrong+`)`)
	b.remembers(5)

	b.do(chromedp.Navigate(url + "/memory/sources"))
	b.submit("main a[href$='?preview=1']")
	if got := b.text("main"); !strings.Contains(got, "would") {
		t.Errorf("what would change is not told: %q", got)
	}
	b.do(chromedp.SendKeys(chromedp.CSS("#reason"), "to see what it does"))
	b.submit("form[action$='/quarantine'] button")
	if got := b.text("main"); !strings.Contains(got, "to see what it does") {
		t.Errorf("the reason is not shown: %q", got)
	}
	b.remembers(0)
	b.gallery("curator-quarantine")
	b.submit("form[action$='/release'] button")
	b.remembers(5)

	b.do(chromedp.Navigate(url + "/export"))
	b.do(chromedp.Evaluate[chromedp.Void](`(() => {
		const status = document.querySelector("#x-status");
		status.value = "identified";
		status.dispatchEvent(new Event("change", {bubbles: true}));
	})()`))
	b.until("what is saved follows the form", `[...document.querySelectorAll("a[download]")].every((a) => a.href.includes("status=identified"))`)
	if b.text("#export-said") == "" {
		t.Error("how much it is was not said")
	}
	links, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](`[...document.querySelectorAll("a[download]")].map((a) => a.href)`))
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(links, func(link string) bool { return strings.Contains(link, "csv") })
	if i < 0 {
		t.Fatalf("no table among %q", links)
	}
	if rows := table(t, links[i]); !strings.Contains(strings.Join(rows[0], " "), "name") || len(rows) < 6 {
		t.Errorf("%s has %d rows, the first %q", links[i], len(rows), rows[0])
	}
}

// leads presses a key that sends a form, and waits for what its page shows.
func (b *tab) leads(key, what, condition string) {
	b.t.Helper()
	b.keys(key)
	b.until(what, condition)
}

// table reads a table of comma-separated values.
func table(t *testing.T, address string) [][]string {
	t.Helper()
	r, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	rows, err := csv.NewReader(r.Body).ReadAll()
	if err != nil || len(rows) == 0 {
		t.Fatalf("%s: %s, %v", address, r.Status, err)
	}
	return rows
}
