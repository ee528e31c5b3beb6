package browsertest

import (
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestLabelSetByKeyboard makes a label set without a mouse: names are searched for, and
// what is chosen goes to the end of the list, once.
func TestLabelSetByKeyboard(t *testing.T) {
	t.Parallel()
	url := start(t)
	b := open(t)
	b.do(chromedp.Navigate(url + "/label-sets"))
	focus := func(id string) {
		b.do(chromedp.Evaluate[chromedp.Void](`document.getElementById("` + id + `").focus()`))
	}
	focus("set-name")
	b.typed("By the wall")
	focus("set-names")
	b.typed("Parus major")
	focus("set-q")
	// As a keyboard sends it: a page that takes the key keeps it from sending the form.
	enter := func() {
		const code = 13
		b.do(
			call(input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: "Enter", Text: "\r", WindowsVirtualKeyCode: code}),
			call(input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyUp, Key: "Enter", WindowsVirtualKeyCode: code}),
		)
	}
	choose := func(typed, species, said string) {
		b.typed(typed)
		option := `document.querySelector("[role=option][aria-selected=true]")`
		b.until("names are found", `document.querySelector("#set-q-list").dataset.query === "`+typed+`" && document.querySelector("[role=option]")`)
		if b.is(`document.querySelector("[role=option][data-new]")`) {
			t.Error("a new name is offered, which a label set cannot have")
		}
		for range 12 {
			if b.is(option + `?.dataset.name === "` + species + `"`) {
				break
			}
			b.keys(kb.ArrowDown)
		}
		enter()
		b.until("it is said", `document.querySelector("[data-added]").textContent === "`+said+`"`)
		if !b.is(`document.activeElement.id === "set-q" && document.activeElement.value === "" && document.querySelector("#set-q-list").hidden`) {
			t.Error("the field is not ready for the next name")
		}
	}
	choose("common daisy", "Bellis perennis", "Bellis perennis is in the list now: 2 names.")
	choose("great tit", "Parus major", "Parus major is in the list already.")
	b.gallery("label-set")
	enter() // in an empty field sends the form
	b.until("it is made", `location.pathname.match(/^\/label-sets\/\d+$/) && document.querySelector(".taxon-links")`)
	if !b.is(`document.querySelectorAll(".taxon-links li").length === 2 && document.querySelector(".taxon-links").innerText.includes("Bellis perennis")`) {
		t.Errorf("its names: %s", b.text(".taxon-links"))
	}
}
