package browsertest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// speaks makes the browser ask for pages in a language.
func (b *tab) speaks(language string) {
	b.t.Helper()
	agent, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("navigator.userAgent"))
	if err != nil {
		b.t.Fatal(err)
	}
	b.do(call(emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{UserAgent: agent, AcceptLanguage: language}))
}

// TestGerman corrects a photo with the keyboard in the language that the browser asks
// for, and goes on in the one that is chosen at the foot of the page: on the page
// where it was chosen, and on every page after.
func TestGerman(t *testing.T) {
	t.Parallel()
	url := start(t)
	b := open(t)
	b.speaks("de-AT,de,en")
	b.do(chromedp.Navigate(url + "/"))
	if got := b.text("h1"); got != "Was ist das?" || !b.is(`document.documentElement?.lang === "de"`) {
		t.Fatalf("a browser that asks for German is shown %q", got)
	}
	b.upload(photograph(t, "beetle", ladybird, view{zoom: 0.7, light: 1, seed: 1}))
	b.keys("/")
	b.until("the search has the focus", `document.activeElement.matches("[data-search]")`)
	b.typed("Punkti")
	b.until("the new name is offered", `document.querySelector("[role=option][data-new]") && document.querySelector("[role=listbox]").dataset.query === "Punkti"`)
	for !b.is(`document.querySelector("[role=option][aria-selected=true]")?.hasAttribute("data-new")`) {
		b.keys(kb.ArrowDown)
	}
	if got := b.text("[role=option][data-new]"); got != "Einen neuen Namen lehren: Punkti" {
		t.Errorf("the new name is offered as %q", got)
	}
	b.keys(kb.Enter)
	b.until("it is taught", `document.querySelector("#results .lesson")`)
	if got := b.text(".lesson"); !strings.Contains(got, "als Punkti gelehrt") {
		t.Errorf("the lesson says %q", got)
	}
	b.until("it is announced", `document.querySelector("#live").textContent.startsWith("Gelehrt als Punkti. Jetzt sagt es: Punkti")`)

	// A script says it in German too: a file that is empty is not sent.
	empty := filepath.Join(t.TempDir(), "empty.jpg")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.SetUploadFiles(chromedp.CSS(chooser), []string{empty}))
	b.until("the empty file is refused", `document.querySelector(".card-failed")?.innerText.includes("Diese Datei ist leer.")`)

	b.do(chromedp.Navigate(url + "/observations?status=identified"))
	b.until("the list is there", `document.querySelector("h1")?.innerText === "Beobachtungen"`)
	if got := b.text(".languages"); got != "English" {
		t.Errorf("the other languages are %q", got)
	}
	b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".languages button").focus()`))
	b.keys(kb.Enter)
	b.until("the page is in English", `document.documentElement?.lang === "en" && document.querySelector("h1")?.innerText === "Observations"`)
	if !b.is(`location.pathname + location.search === "/observations?status=identified"`) {
		t.Error("the choice of a language leads to another page")
	}
	b.do(chromedp.Navigate(url + "/"))
	if got := b.text("h1"); got != "What is it?" {
		t.Errorf("the next page says %q", got)
	}
}
