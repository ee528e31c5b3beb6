package browsertest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"fieldmark/models"
)

// withAnother puts a second encoder into a data folder: the built-in one, whose
// photos are a little brighter to it.
func withAnother(t *testing.T, name string) (data string) {
	t.Helper()
	data = t.TempDir()
	dir := filepath.Join(data, "models", name)
	path := filepath.Join(dir, "manifest.json")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(dir, 0o755))
	must(os.CopyFS(dir, models.Builtin()))
	text, err := os.ReadFile(path)
	must(err)
	var manifest map[string]any
	must(json.Unmarshal(text, &manifest))
	manifest["name"], manifest["title"] = name, "A brighter Fieldmark"
	manifest["image"].(map[string]any)["mean"] = []float64{0.4, 0.4, 0.4}
	text, err = json.Marshal(manifest)
	must(err)
	must(os.Chmod(path, 0o644))
	must(os.WriteFile(path, text, 0o600))
	return data
}

// Another encoder is chosen on its page, which follows the work by itself; two
// are compared; and to go back takes a form alone.
func TestChoosingAnEncoder(t *testing.T) {
	t.Parallel()
	data := withAnother(t, "brighter")
	url := startOn(t, data)
	b := open(t)
	b.do(chromedp.Navigate(url + "/"))
	b.upload(photograph(t, "beetle", ladybird, view{zoom: 0.7, light: 1, seed: 1}),
		photograph(t, "butterfly", brimstone, view{zoom: 0.8, turn: 0.4, light: 1, seed: 4}))
	b.do(chromedp.Click(chromedp.CSS(firstCard + ` [data-accept="1"]`)))
	b.until("it is taught", `document.querySelector(".lesson")`)

	// Photos that are gone do not keep it from being chosen.
	taken, err := filepath.Glob(filepath.Join(data, "photos", "*", "*"))
	if err != nil || len(taken) != 2 {
		t.Fatalf("%v, %v", taken, err)
	}
	for _, path := range taken {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}

	b.do(chromedp.Navigate(url + "/encoders"))
	b.submit(`form[action="/encoders/use"] button`)
	b.until("brighter serves", `[...document.querySelectorAll(".set")].find((s) => s.querySelector(".tag"))?.innerText.includes("brighter") && !document.querySelector(".work")`)
	if got := b.text(".lost table"); !strings.Contains(got, "missing") {
		t.Errorf("the lesson without a photo is not listed: %q", got)
	}
	b.widths("encoders")
	b.do(chromedp.Navigate(url + "/compare"))
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#cmp-photo"), []string{photograph(t, "flower", daisy, view{zoom: 0.8, light: 1, seed: 3})}))
	b.widths("compare-ask")
	b.submit(".compare-form button")
	if got := b.text(".sides"); !strings.Contains(got, "brighter") || !strings.Contains(got, "fieldmark-1") {
		t.Errorf("compared: %q", got)
	}
	b.widths("compare")

	b.withoutScripts()
	b.do(chromedp.Navigate(url + "/encoders"))
	b.submit(`form[action="/encoders/use"] button`)
	for range 200 {
		b.do(chromedp.Navigate(url + "/encoders"))
		if b.is(`document.querySelector(".set .tag")?.closest(".set").innerText.includes("fieldmark-1")`) {
			return
		}
	}
	t.Errorf("fieldmark-1 does not serve again: %s", b.text("main"))
}

// widths checks that the page is no wider than the window, and that what can be
// touched is large enough.
func (b *tab) widths(name string) {
	b.t.Helper()
	for _, width := range []int64{1280, 320, 390} {
		b.width(width)
		b.fits(width)
	}
	if small := b.small(); small != "" {
		b.t.Errorf("%s: too small to touch: %s", name, small)
	}
	b.gallery(name)
	b.width(1280)
}
