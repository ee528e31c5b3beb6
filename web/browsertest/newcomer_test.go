package browsertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const (
	firstCard = "#results [data-card]"
	chooser   = ".choose input[type=file]"
)

// TestNewcomer shows a photo, corrects the answer with a name of its own, shows
// another photo of the same thing, and undoes the lesson: with the keyboard
// only, but for the file dialogue, which no page can fill in.
func TestNewcomer(t *testing.T) {
	t.Parallel()
	url := start(t)
	b := open(t)
	b.do(chromedp.Navigate(url + "/"))
	b.gallery("home-empty")

	b.upload(photograph(t, "beetle", ladybird, view{zoom: 0.7, light: 1, seed: 1}))
	if b.text(firstCard+" .headline-name h2") == "" {
		t.Fatal("the answer has no name")
	}
	b.gallery("answer")

	// A name that nothing has: search, see that it can be taught, teach it.
	b.keys("/")
	b.until("the search has the focus", `document.activeElement.matches("[data-search]")`)
	b.typed("Dotty the ladybird")
	b.until("the new name is offered", `document.querySelector("[role=option][data-new][aria-selected=true], [role=option][data-new]") && document.querySelector("[role=listbox]").dataset.query === "Dotty the ladybird"`)
	b.gallery("search")
	b.until("the field has the focus still", `document.activeElement.matches("[data-search]")`)
	for !b.is(`document.querySelector("[role=option][aria-selected=true]")?.hasAttribute("data-new")`) {
		b.keys(kb.ArrowDown)
	}
	b.keys(kb.Enter)
	b.until("it is taught", `document.querySelector("#results .lesson")`)
	if got := b.text(".lesson"); !strings.Contains(got, "Dotty the ladybird") {
		t.Errorf("the lesson says %q", got)
	}
	if !b.is(`document.querySelector(".reading-before") && document.querySelector(".reading-after")`) {
		t.Error("before and after are not shown")
	}
	if got := b.text(".reading-after .reading-name"); got != "Dotty the ladybird" {
		t.Errorf("after the lesson it says %q", got)
	}
	if got := b.text(".reading-before .reading-name"); got == "Dotty the ladybird" {
		t.Errorf("before the lesson it said %q already", got)
	}
	b.gallery("taught")

	// Another photo of the same thing.
	b.upload(photograph(t, "again", ladybird, view{x: 0.15, y: -0.05, zoom: 0.62, turn: 0.2, light: 0.94, seed: 2}))
	if got := b.text(firstCard + " .headline-name h2"); got != "Dotty the ladybird" {
		t.Errorf("the second photo of the same thing is named %q", got)
	}
	if !b.is(`document.querySelector("#results [data-card] .neighbours img")`) {
		t.Error("the photo that taught it is not shown as evidence")
	}
	b.gallery("named-as-taught")

	// Undo: back to the first photo with j, then u.
	b.do(chromedp.Evaluate[chromedp.Void]("document.activeElement.blur()"))
	b.keys("j")
	b.until("a photo has the focus", `document.activeElement.matches("[data-card]")`)
	for !b.is(`document.activeElement.querySelector(".lesson")`) {
		b.keys("j")
	}
	b.keys("u")
	b.until("the lesson is undone", `!document.querySelector("#results .lesson")`)
	if got := b.text(".reading-after .reading-name"); got == "Dotty the ladybird" {
		t.Errorf("after the undo it still says %q", got)
	}
	b.gallery("undone")

	// Accepting with a key.
	b.keys("1")
	b.until("the first name is accepted", `document.querySelector("#results .lesson")`)
	b.keys("?")
	b.until("the keys are shown", `document.querySelector("#keys").open`)
	b.keys(kb.Escape)
	b.until("the keys are gone", `!document.querySelector("#keys").open`)
}

// TestNotAPhoto shows that a file that is no photo gets a sentence, and the
// photo beside it its answer.
func TestNotAPhoto(t *testing.T) {
	t.Parallel()
	url := start(t)
	b := open(t)
	b.do(chromedp.Navigate(url + "/"))
	b.do(chromedp.SetUploadFiles(chromedp.CSS(chooser), []string{
		photograph(t, "flower", daisy, view{zoom: 0.8, light: 1, seed: 3}),
		noPhoto(t),
	}))
	b.until("one is read and one is refused", `document.querySelectorAll("#results [data-card]").length === 1 && document.querySelector(".card-failed")`)
	if got := b.text(".card-failed .problem"); !strings.Contains(got, "cannot be read") && !strings.Contains(got, "photo") {
		t.Errorf("the refusal says %q", got)
	}
	b.gallery("refused")
}

// TestDropAndPaste gives a photo in the two ways that no file dialogue takes part
// in. It is the one that is there already, and is said to be.
func TestDropAndPaste(t *testing.T) {
	t.Parallel()
	url := start(t)
	b := open(t)
	b.do(chromedp.Navigate(url + "/"))
	b.upload(photograph(t, "flower", daisy, view{zoom: 0.8, light: 1, seed: 3}))
	for i, event := range []string{
		`new DragEvent("drop", {dataTransfer: files, bubbles: true, cancelable: true})`,
		`new ClipboardEvent("paste", {clipboardData: files, bubbles: true})`,
	} {
		b.do(chromedp.Evaluate[chromedp.Void](`fetch("/observations/1/photo").then((r) => r.blob()).then((photo) => {
			const files = new DataTransfer();
			files.items.add(new File([photo], "again.jpg", {type: "image/jpeg"}));
			document.querySelector("[data-drop]").dispatchEvent(` + event + `);
		})`))
		b.until("it is recognised", `document.querySelectorAll("#results [data-card]").length === 1 + `+fmt.Sprint(i)+` && document.querySelector(".known")`)
		b.do(chromedp.Click(chromedp.CSS(".known button")))
		b.until("it is stored once more", fmt.Sprintf(`document.querySelectorAll("#results [data-card]").length === %d`, 2+i))
		b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".known")?.remove()`))
	}
	b.do(chromedp.Reload())
	if !b.is(`document.querySelectorAll("#results [data-card]").length === 3`) {
		t.Error("the answers are gone after a reload")
	}
}

// TestEnterAsksWhichIsMeant types a name that many taxa share: Enter teaches
// none of them, but asks; the arrow chooses one.
func TestEnterAsksWhichIsMeant(t *testing.T) {
	t.Parallel()
	url := start(t)
	b := open(t)
	b.do(chromedp.Navigate(url + "/"))
	b.upload(photograph(t, "beetle", ladybird, view{zoom: 0.7, light: 1, seed: 1}))
	b.until("the answer has the focus", `document.activeElement.matches("[data-card]")`)
	b.keys("/")
	b.typed("robin")
	b.until("names are found", `document.querySelector("[role=listbox]").dataset.query === "robin" && document.querySelector("[role=option]")`)
	if b.is(`document.querySelector("[role=option][aria-selected=true]")`) {
		t.Error("a name is chosen before anyone chose it")
	}
	if got := b.text("[role=option] .match-name"); !strings.Contains(got, "Robin") || strings.Contains(got, "Robinia") {
		t.Errorf("the first name for robin is %q", got)
	}
	b.gallery("robin")
	b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("[data-search]").focus()`))
	b.keys(kb.Enter)
	b.until("it asks which is meant", `document.activeElement.matches("#o1 .match")`)
	if b.is(`document.querySelector(".lesson")`) {
		t.Fatal("something was taught")
	}
	b.gallery("which")
	b.keys("/")
	b.typed("robins")
	b.until("names are found again", `document.querySelector("[role=listbox]").dataset.query === "robins"`)
	b.keys(kb.ArrowDown, kb.Enter)
	b.until("the first is taught", `document.querySelector("#o1 .lesson")`)
	if got := b.text(".lesson strong"); !strings.Contains(got, "Robin") {
		t.Errorf("taught %q", got)
	}

	// The same two keys teach the only taxon there is, and not what was typed of it.
	b.do(chromedp.Navigate(url + "/"))
	b.upload(photograph(t, "flower", daisy, view{zoom: 0.8, light: 1, seed: 3}))
	b.keys("/")
	b.typed("bellis peren")
	b.until("the daisy is offered", `document.querySelector("[role=listbox]").dataset.query === "bellis peren" && document.querySelectorAll("[role=option]").length === 2`)
	b.keys(kb.ArrowDown, kb.Enter)
	b.until("it is taught", firstLesson)
	if got := b.text(".lesson strong"); !strings.Contains(got, "Daisy") {
		t.Errorf("taught %q", got)
	}
}

const firstLesson = `document.querySelector("#results .lesson")`
