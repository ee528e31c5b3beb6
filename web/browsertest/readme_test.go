package browsertest

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestReadmePictures leaves the README's pictures, in which there are drawings
// alone: an answer and its correction, photos that look alike, and the map.
func TestReadmePictures(t *testing.T) {
	if os.Getenv("FIELDMARK_SCREENSHOTS") == "" {
		t.Skip("FIELDMARK_SCREENSHOTS names no folder for the pictures")
	}
	url := start(t)
	b := open(t)
	b.scheme("light")
	b.do(chromedp.Navigate(url + "/"))
	b.upload(photograph(t, "beetle", ladybird, view{zoom: 0.7, light: 1, seed: 1}))
	b.keys("/")
	b.typed("coccinella sept")
	b.until("the name is found", `document.querySelector("[role=option][aria-selected=true] i")?.textContent === "Coccinella septempunctata"`)
	b.keys(kb.Enter)
	b.until("it is taught", `document.querySelector("#o1 .lesson")`)
	b.upload(photograph(t, "beetle-2", ladybird, view{x: 0.15, y: -0.05, zoom: 0.62, turn: 0.2, light: 0.94, seed: 2}))
	b.stretch(1280)
	b.shoot("readme-answer")
	drawAndTeach(t, url)

	b.window(1280, 760)
	b.do(chromedp.Navigate(url + "/review/groups"))
	b.until("photos that look alike are shown", `document.querySelectorAll("[data-tile]").length >= 3 && [...document.images].every((i) => i.complete)`)
	b.shoot("readme-review")
	b.window(1280, 1000)
	b.do(chromedp.Navigate(url + "/memory/map?by=name"))
	b.until("the map is drawn", `!document.querySelector("[data-map-live]").hidden`)
	b.shoot("readme-map")
}

// drawAndTeach stores ten drawings each of three kinds, named, and six that wait.
func drawAndTeach(t *testing.T, url string) {
	t.Helper()
	kinds := []struct {
		label string
		draw  creature
	}{{"Seven-spot Ladybird", ladybird}, {"Oxeye Daisy", daisy}, {"Brimstone", brimstone}}
	pose := func(kind, i int) view {
		d := float64(i)
		return view{x: 0.06*d - 0.2, y: 0.1 - 0.03*d, zoom: 0.55 + 0.03*d, turn: 0.35 * d, light: 1.05 - 0.02*d, seed: uint64(100*kind + i)}
	}
	taught := 2 // two are here already
	for k, kind := range kinds {
		for i := range 10 {
			taught++
			send(t, url, snapshot(t, fmt.Sprintf("taught-%d", taught), kind.draw, pose(k, i)))
			post(t, fmt.Sprintf("%s/api/v1/observations/%d/identifications", url, taught), "application/json",
				strings.NewReader(fmt.Sprintf(`{"label":%q}`, kind.label)))
		}
	}
	for i := range 6 {
		v := pose(4, i)
		v.turn, v.zoom = 0.12*float64(i), 0.68
		send(t, url, photograph(t, fmt.Sprintf("waiting-%d", i), []creature{ladybird, brimstone}[i/5], v))
	}
}
