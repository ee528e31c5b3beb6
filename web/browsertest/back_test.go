package browsertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestBackAndForward goes, with keys alone but for the file dialogue, from a page to the
// first one, shows a photo and corrects the answer, goes back and forward, decides in the
// review, looks at what is alike, and goes back again. Nothing is lost, nothing is sent
// a second time, and the focus is on the photo that had it.
func TestBackAndForward(t *testing.T) {
	t.Parallel()
	url := start(t)
	for i := range 3 {
		d := float64(i)
		send(t, url, snapshot(t, fmt.Sprintf("beetle-%d", i), ladybird, view{x: 0.03 * d, zoom: 0.66 + 0.02*d, turn: 0.05 * d, light: 1 - 0.02*d, seed: uint64(10 + i)}))
	}
	b := open(t)
	b.do(chromedp.Navigate(url + "/about"))
	b.follows(`.nav a[href="/"]`)
	b.upload(photograph(t, "flower", daisy, view{zoom: 0.8, light: 1, seed: 3}))
	b.until("the answer has the focus", `document.activeElement.matches("#results [data-card='4']")`)
	b.keys("/")
	b.typed("bellis per")
	b.until("the name is found", `document.querySelector("[role=option][aria-selected=true] i")?.textContent === "Bellis perennis"`)
	b.keys(kb.Enter)
	b.taught(4, 1)

	b.goes(chromedp.NavigateBack(), "/about")
	b.goes(chromedp.NavigateForward(), "/")
	b.taught(4, 1)

	b.follows(`.nav a[href="/review"]`)
	b.until("a photo has the focus", `document.activeElement.matches("#review [data-card]")`)
	first := b.text("#review figcaption a")
	b.keys("g")
	b.until("its look-alikes are there", `location.pathname === "/review/like" && document.activeElement.matches("#review [data-card]") && document.querySelectorAll("[data-tile]").length >= 2`)
	b.do(chromedp.Evaluate[chromedp.Void]("history.back()"))
	b.until("the photo is there again, by itself", `location.pathname === "/review" && document.activeElement.matches("#review [data-card]") && !document.querySelector("[data-tile]")`)
	if got := b.text("#review figcaption a"); got != first {
		t.Errorf("back from the look-alikes of %s there is %s", first, got)
	}
	b.do(chromedp.Evaluate[chromedp.Void]("history.forward()"))
	b.until("forward are the look-alikes", `location.pathname === "/review/like" && document.querySelectorAll("[data-tile]").length >= 2`)
	b.do(chromedp.Evaluate[chromedp.Void]("history.back()"))
	b.until("the photo is there once more", `location.pathname === "/review" && document.activeElement.matches("#review [data-card]") && !document.querySelector(".htmx-request")`)
	b.keys("1")
	b.until("it is taught", `document.querySelector(".last-line p")?.textContent.startsWith("Taught as")`)
	b.happened(2)
	next := b.text("#review figcaption a")

	b.goes(chromedp.NavigateBack(), "/")
	b.taught(4, 2)
	b.keys("u")
	b.until("the lesson is undone", `!document.querySelector("#results .lesson") && document.activeElement.matches("#results [data-card='4']")`)
	b.happened(3)
	b.goes(chromedp.NavigateForward(), "/review")
	b.until("the photo that followed has the focus", fmt.Sprintf(`document.activeElement.matches("#review [data-card]") && document.querySelector("#review figcaption a").innerText.trim() === %q`, next))
	if got := b.text(".last-line p"); !strings.HasPrefix(got, "Taught as") {
		t.Errorf("what was decided last is %q", got)
	}
	b.happened(3)
	b.stored(4)
}

// follows comes to a link with Tab and follows it with Enter.
func (b *tab) follows(selector string) {
	b.t.Helper()
	for n := 0; !b.is(fmt.Sprintf("document.activeElement.matches(%q)", selector)); n++ {
		if n > 100 {
			b.t.Fatalf("Tab does not lead to %s", selector)
		}
		b.keys(kb.Tab)
	}
	if _, err := chromedp.RunResponse(b.ctx, chromedp.KeyEvent(kb.Enter)); err != nil {
		b.t.Fatalf("%s: %v", selector, err)
	}
}

// goes moves through the history to another page.
func (b *tab) goes(move chromedp.Action[chromedp.Void], path string) {
	b.t.Helper()
	b.do(move)
	b.until("the page is "+path, fmt.Sprintf("location.pathname === %q", path))
}

// taught waits until a photo's card has the focus and its lesson, and checks that the log
// has so many events.
func (b *tab) taught(number, events int) {
	b.t.Helper()
	b.until("the lesson stands and its card has the focus", fmt.Sprintf(`document.activeElement.matches("#results [data-card='%d']") && document.activeElement.querySelector(".lesson")`, number))
	b.happened(events)
}

// happened checks how many events the log has: each lesson and each undo is one.
func (b *tab) happened(events int) {
	b.t.Helper()
	got, err := chromedp.Run(b.ctx, chromedp.Evaluate[int](`fetch("/api/v1/stats").then((r) => r.json()).then((s) => s.memory_seq)`, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatal(err)
	}
	if got != events {
		b.t.Errorf("the log has %d events, want %d", got, events)
	}
}
