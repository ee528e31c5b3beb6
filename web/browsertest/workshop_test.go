package browsertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestWorkshop is a whole workshop: a host starts it, two phones join by the code and
// send a photo each, one corrects its answer with a name of its own, the wall and the
// host's page show it without being asked, a phone that forgot its guest is let in again,
// the host ends it, carries the lesson away, resets and takes that back.
func TestWorkshop(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	url := startOn(t, data, "--sign-in")
	host := open(t)
	host.join(url + "/join/" + invite(t, data))
	host.do(chromedp.Navigate(url+"/workshop"), chromedp.SendKeys(chromedp.CSS("#title"), "Beetles of the bank"))
	host.submit("form[action='/workshop'] button")
	code := host.text(".workshop-code")
	if code == "" {
		t.Fatalf("there is no code: %s", host.text("main"))
	}
	host.gallery("workshop-host")
	page, err := chromedp.Run(host.ctx, chromedp.Evaluate[string]("location.pathname"))
	if err != nil {
		t.Fatal(err)
	}
	wall := host.another(url + page + "/projector")
	wall.until("it is connected", `performance.getEntriesByType("resource").some((e) => e.initiatorType === "script") && document.querySelector("[data-state]").textContent === ""`)

	mia, ben := guest(t, url, code, "Mia"), guest(t, url, code, "Ben")
	wall.until("the guests are counted", figure("guests", "2"))
	host.until("they are listed, the latest first", `[...document.querySelectorAll("#workshop-guests h3")].map((h) => h.textContent).join() === "Ben,Mia"`)
	host.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("#workshop-guests li:last-child summary").focus()`))
	host.keys(kb.Enter)
	host.until("what may be changed of Mia is open", mias+`.querySelector("[open]")`)
	mia.upload(photograph(t, "beetle", ladybird, view{zoom: 0.7, light: 1, seed: 1}))
	ben.upload(photograph(t, "flower", daisy, view{zoom: 0.8, light: 1, seed: 3}))
	wall.until("both photos are on it", `document.querySelectorAll("[data-tiles] .tile").length === 2`)
	wall.until("they are counted", figure("photos", "2"))

	mia.keys("/")
	mia.typed("Dotty of the bank")
	mia.until("the new name is offered", `document.querySelector("[role=listbox]").dataset.query === "Dotty of the bank" && document.querySelector("[role=option][data-new]")`)
	for !mia.is(`document.querySelector("[role=option][aria-selected=true]")?.hasAttribute("data-new")`) {
		mia.keys(kb.ArrowDown)
	}
	mia.keys(kb.Enter)
	mia.until("it is taught", `document.querySelector("#results .lesson")`)
	wall.until("the lesson is on it", `document.querySelector("[data-lines] .line b")?.textContent === "Dotty of the bank"`)
	if got := wall.text("[data-lines] .line-who"); got != "Mia" {
		t.Errorf("it is said to be the lesson of %q", got)
	}
	wall.until("the photo has its new name", `[...document.querySelectorAll(".tile-taught .tile-name")].some((n) => n.textContent === "Dotty of the bank")`)
	wall.until("the lesson is counted", figure("lessons", "1"))
	wall.gallery("workshop-wall")
	host.until("what Mia taught is told", mias+`.innerText.includes("1 lesson")`)
	host.until("the lesson can be exported", `document.querySelector("#workshop-end a[download]")`)
	if !host.is(mias + `.querySelector("[open]").contains(document.activeElement)`) {
		t.Error("what the host had opened was taken away")
	}

	mia.do(call(network.ClearBrowserCookies, cdp.Empty{}), chromedp.Navigate(url+"/workshop/mine"))
	if !mia.is(`location.pathname === "/sign-in"`) {
		t.Fatal("a phone without its cookie is let in")
	}
	host.submit("#workshop-guests li:last-child form[action$='/return'] button")
	mia.entersCode(url, host.text(".once-code"))
	if got := mia.text("h1"); got != "Welcome back" {
		t.Errorf("she is greeted with %q", got)
	}
	mia.submit("main form button")

	if got := mia.text("main"); !strings.Contains(got, "Mia") || !strings.Contains(got, "1 photo") {
		t.Errorf("her page says %q", got)
	}
	mia.gallery("workshop-mine")
	guest(t, url, code, "Zoe")
	host.until("who joins is seen where a code was made, too", `document.querySelectorAll("#workshop-guests > li").length === 3`)

	host.do(chromedp.Navigate(url + page))
	host.do(chromedp.Click(chromedp.CSS(".workshop-end summary")))
	host.submit("form[action$='/end'] button")
	wall.until("it is over", `document.querySelector(".wall-over")`)
	ben.do(chromedp.Navigate(url + "/"))
	if !ben.is(`location.pathname === "/sign-in"`) {
		t.Error("a guest is still let in")
	}
	host.carriesAway(page + "/bundle")
	host.do(chromedp.Navigate(url + page + "/reset"))
	host.submit(".workshop-reset button")
	if got := host.text(".workshop-said"); !strings.HasPrefix(got, "1 lesson has left") {
		t.Errorf("the reset says %q", got)
	}
	host.remembers(0)
	host.submit("form[action$='/restore'] button")
	host.remembers(1)
	host.gallery("workshop-over")
}

// guest joins by the code, typed as on a phone, and goes to where photos are taken.
func guest(t *testing.T, url, code, name string) *tab {
	t.Helper()
	b := open(t)
	b.width(390)
	b.entersCode(url, code)
	b.do(chromedp.SendKeys(chromedp.CSS("main input[name=name]"), name))
	b.submit("main form button")
	b.submit(".workshop-send a")
	return b
}

// entersCode types a code as it is typed on a phone.
func (b *tab) entersCode(url, code string) {
	b.t.Helper()
	b.do(chromedp.Navigate(url+"/join"), chromedp.SendKeys(chromedp.CSS("#code"), strings.ToLower(strings.ReplaceAll(code, "-", ""))))
	b.submit("main form button")
}

// mias is how the host's page lists Mia, who joined first.
const mias = `document.querySelector("#workshop-guests li:last-child")`

// figure is whether the wall says a number.
func figure(what, number string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("[data-figures] dt")].some((dt) => dt.textContent === %q && dt.nextElementSibling.textContent === %q)`, what, number)
}

// carriesAway downloads a bundle.
func (b *tab) carriesAway(path string) {
	b.t.Helper()
	said, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](fmt.Sprintf(`fetch(%q).then(async (r) =>
		[r.status, r.headers.get("Content-Disposition"), (await r.arrayBuffer()).byteLength > 1000].join(" "))`, path), chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatal(err)
	}
	if !strings.HasPrefix(said, "200 attachment") || !strings.HasSuffix(said, " true") || !strings.Contains(said, ".fieldmark") {
		b.t.Errorf("%s: %s", path, said)
	}
}

// remembers waits until the memory holds a number of lessons.
func (b *tab) remembers(lessons int) {
	b.t.Helper()
	b.until(fmt.Sprintf("the memory holds %d", lessons),
		fmt.Sprintf(`(fetch("/api/v1/stats").then((r) => r.json()).then((s) => { window.exemplars = s.exemplars; }), window.exemplars === %d)`, lessons))
}
