package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// noPhoto is a file that is called a photo and is none.
func noPhoto(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shopping-list.jpg")
	if err := os.WriteFile(path, []byte("eggs, flour, honey\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestWithoutJavaScript uploads, corrects, undoes and browses with links and
// forms alone.
func TestWithoutJavaScript(t *testing.T) {
	t.Parallel()
	url := start(t)
	b := open(t)
	b.withoutScripts()
	b.do(chromedp.Navigate(url + "/"))
	b.gallery("plain-home")
	b.do(chromedp.SetUploadFiles(chromedp.CSS(chooser), []string{
		photograph(t, "flower", daisy, view{zoom: 0.8, light: 1, seed: 3}),
		photograph(t, "butterfly", brimstone, view{zoom: 0.8, turn: 0.4, light: 1, seed: 4}),
	}))
	b.submit("form.upload button.unscripted")
	if !b.is(`document.querySelectorAll("#results [data-card]").length === 2`) {
		t.Fatalf("two photos gave this page: %s", b.text("main"))
	}
	b.gallery("plain-answers")

	// A name that nothing has is asked about first.
	b.do(chromedp.SendKeys(chromedp.CSS(firstCard+" [data-search]"), "Pot daisy of mine"))
	b.submit(firstCard + " .teach button")
	if !b.is(`document.querySelector(".match-new")`) {
		t.Fatalf("the new name is not offered: %s", b.text("main"))
	}
	b.gallery("plain-choose")
	b.submit(".match-new")
	if got := b.text(".lesson"); !strings.Contains(got, "Pot daisy of mine") {
		t.Fatalf("it was not taught: %q", got)
	}
	b.submit(".lesson button")
	if b.is(`document.querySelector(".lesson")`) {
		t.Fatal("the lesson was not undone")
	}
	b.submit(firstCard + ` [data-accept="1"]`)
	if !b.is(`document.querySelector(".lesson")`) {
		t.Fatal("the first name was not accepted")
	}
}

// submit clicks and waits for the page that comes.
func (b *tab) submit(selector string) {
	b.t.Helper()
	if _, err := chromedp.RunResponse(b.ctx, chromedp.Click(chromedp.CSS(selector))); err != nil {
		b.shoot("failed")
		b.t.Fatalf("%s: %v", selector, err)
	}
}

// small lists the buttons and fields that are less than 44 pixels high or wide.
func (b *tab) small() string {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](fmt.Sprintf(`[...document.querySelectorAll(%q)]
		.filter((e) => e.checkVisibility() && (e.getBoundingClientRect().height < 43.5 || e.getBoundingClientRect().width < 43.5))
		.map((e) => e.outerHTML.slice(0, 90)).join("; ")`,
		"button:not([aria-hidden]), .button, input:not([type=hidden], [type=file], [type=checkbox]), select, summary, .nav a, .tabs a, .chip, .match")))
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}
