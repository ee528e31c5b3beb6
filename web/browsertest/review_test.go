package browsertest

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// send stores a photo as a program would.
func send(t *testing.T, url, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sendFile(t, url+"/api/v1/observations", "photo", filepath.Base(path), data)
}

// sendFile sends a file as the field of a form.
func sendFile(t *testing.T, address, field, name string, data []byte) *http.Response {
	t.Helper()
	var body bytes.Buffer
	m := multipart.NewWriter(&body)
	part, err := m.CreateFormFile(field, name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := part.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	return post(t, address, m.FormDataContentType(), &body)
}

// tenPhotos stores four beetles that look alike, three flowers and three
// butterflies, numbered in that order.
func tenPhotos(t *testing.T, url string) {
	t.Helper()
	for i := range 4 {
		d := float64(i)
		send(t, url, snapshot(t, fmt.Sprintf("beetle-%d", i), ladybird, view{x: 0.03 * d, zoom: 0.66 + 0.02*d, turn: 0.05 * d, light: 1 - 0.02*d, seed: uint64(10 + i)}))
	}
	for i := range 3 {
		send(t, url, snapshot(t, fmt.Sprintf("flower-%d", i), daisy, view{zoom: 0.6 + 0.15*float64(i), turn: 0.7 * float64(i), light: 1, seed: uint64(20 + i)}))
	}
	for i := range 3 {
		send(t, url, snapshot(t, fmt.Sprintf("butterfly-%d", i), brimstone, view{zoom: 0.5 + 0.2*float64(i), turn: 0.9 * float64(i), light: 1, seed: uint64(30 + i)}))
	}
}

// shows waits until the review asks about a photo.
func (b *tab) shows(number int) {
	b.t.Helper()
	b.until(fmt.Sprintf("photo %d is asked about", number),
		fmt.Sprintf(`document.activeElement.matches("#review [data-card='%d']") && !document.querySelector(".htmx-request")`, number))
}

// TestReviewByKeyboard goes through ten photos with the keyboard alone: accepting,
// searching, skipping, setting aside, undoing, and naming a group at once.
func TestReviewByKeyboard(t *testing.T) {
	t.Parallel()
	url := start(t)
	tenPhotos(t, url)
	b := open(t)
	b.do(chromedp.Navigate(url + "/review?order=time"))
	b.shows(1)
	b.gallery("review")

	// 1 is skipped, then four beetles become three: g shows them, Space leaves one out.
	b.keys("s")
	b.shows(2)
	b.keys("g")
	b.until("its look-alikes are there", `document.querySelectorAll("[data-tile]").length >= 2`)
	b.gallery("review-like")
	if b.is(`document.querySelector("[data-tile]:not(:checked)")`) { // it reads otherwise
		b.keys("a")
	}
	tiles, err := chromedp.Run(b.ctx, chromedp.Evaluate[int](`document.querySelectorAll("[data-tile]").length`))
	if err != nil {
		t.Fatal(err)
	}
	b.keys(kb.ArrowRight)
	b.until("a tile has the focus", `document.activeElement.matches("[data-tile]")`)
	b.keys(kb.ArrowRight, kb.ArrowRight, kb.ArrowRight, kb.ArrowRight, " ")
	b.until("one is left out", fmt.Sprintf(`document.querySelector("[data-selected]").textContent === "%d of %d selected"`, tiles-1, tiles))
	b.keys("/")
	b.typed("coccinella sept")
	b.until("the name is found", `document.querySelector("[role=option][aria-selected=true] i")?.textContent === "Coccinella septempunctata"`)
	b.keys(kb.Enter)
	b.until("all of them are taught", `/^Taught as .*: \d photos\.$/.test(document.querySelector(".last-line p")?.textContent)`)
	b.until("what changed elsewhere is told", `document.querySelector(".elsewhere-lead")`)
	b.gallery("review-taught")

	// u takes the whole of it back.
	b.keys("u")
	b.until("nothing is taught", `document.querySelector(".last-line p")?.textContent.startsWith("Skipped")`)
	b.shows(2) // where it was decided, though the group has a lower number
	b.keys("u")
	b.until("nothing is skipped", `!document.querySelector(".last")`)
	b.shows(1)

	// x sets aside; 1 accepts, photo by photo, to the end.
	b.keys("x")
	b.shows(2)
	if got := b.text(".last-line p"); !strings.HasPrefix(got, "Set aside") {
		t.Errorf("x says %q", got)
	}
	for next := 3; next <= 10; next++ {
		b.keys("1")
		b.shows(next)
	}
	b.keys("1")
	b.until("nothing waits", `document.querySelector(".state-lead")?.textContent.startsWith("Nothing waits")`)
	b.gallery("review-done")
	b.keys("?")
	b.until("the keys are shown", `document.getElementById("keys").open`)
	if got := b.text("#keys"); !strings.Contains(got, "nobody can tell") {
		t.Errorf("the keys are %q", got)
	}
	b.do(chromedp.Navigate(url + "/review/aside"))
	b.gallery("review-aside")
	b.submit("main form button")
	b.do(chromedp.Navigate(url + "/review"))
	b.shows(1)
}

// TestReviewWithoutScripts decides by forms alone.
func TestReviewWithoutScripts(t *testing.T) {
	t.Parallel()
	url := start(t)
	tenPhotos(t, url)
	b := open(t)
	b.withoutScripts()
	b.do(chromedp.Navigate(url + "/review?order=time"))
	b.submit(`[data-accept="1"]`)
	if !b.is(`document.querySelector("[data-card='2']") && document.querySelector(".last-line p").textContent.startsWith("Taught as")`) {
		t.Fatalf("after the first: %s", b.text("main"))
	}
	b.gallery("plain-review")
	b.submit("[data-skip]")
	b.submit("[data-aside]")
	b.submit("[data-undo-last]")
	if !b.is(`document.querySelector("[data-card='3']")`) {
		t.Fatalf("after the undo: %s", b.text("main"))
	}
	b.do(chromedp.Navigate(url+"/review/groups"), chromedp.Evaluate[chromedp.Void](`document.querySelectorAll("[data-tile]").forEach((tile) => { tile.checked = true; })`))
	b.submit(`[data-accept="1"]`)
	if got := b.text(".last-line p"); !strings.Contains(got, "photos") {
		t.Errorf("the group was not taught: %q", got)
	}
}

// stopwatch notes, in the page, when a key goes down, when the next photo is drawn
// and when its answer is.
const stopwatch = `(() => {
	window.times = [];
	const shown = () => document.querySelector("#review [data-photo] figcaption")?.textContent.trim().match(/\d+/)?.[0];
	document.addEventListener("keydown", (event) => {
		const from = event.timeStamp, was = shown(), card = document.querySelector("[data-card]");
		let photo = 0;
		const look = () => {
			const image = document.querySelector("#review [data-photo] img");
			if (!photo && shown() !== was && image?.complete && image.naturalWidth > 0) photo = performance.now() - from;
			if (photo && document.querySelector("[data-card]") !== card) window.times.push([photo, performance.now() - from]);
			else requestAnimationFrame(look);
		};
		requestAnimationFrame(look);
	}, { capture: true });
	return true;
})()`

// TestReviewPace measures, where it is asked to, how long the next photo, and its
// answer, take to be on screen after a name was accepted. It judges nothing: the
// machine may be busy.
//
//	FIELDMARK_MEASURE=1 go test ./web/browsertest -run TestReviewPace -v
func TestReviewPace(t *testing.T) {
	if os.Getenv("FIELDMARK_MEASURE") == "" {
		t.Skip("it measures only where FIELDMARK_MEASURE is set")
	}
	url := start(t)
	tenPhotos(t, url)
	b := open(t)
	b.do(chromedp.Navigate(url + "/review?order=time"))
	b.shows(1)
	if !b.is(stopwatch) {
		t.Fatal("the stopwatch is not set")
	}
	for next := 2; next <= 10; next++ {
		b.keys("1")
		b.shows(next)
		b.until("it was timed", "times.length === "+strconv.Itoa(next-1))
	}
	times, err := chromedp.Run(b.ctx, chromedp.Evaluate[[][2]float64]("times"))
	if err != nil {
		t.Fatal(err)
	}
	for i, what := range []string{"the next photo", "its answer"} {
		var ms []float64
		for _, pair := range times {
			ms = append(ms, pair[i])
		}
		slices.Sort(ms)
		t.Logf("%s is on screen after %.0f ms (median of %d; %.0f to %.0f ms)", what, ms[len(ms)/2], len(ms), ms[0], ms[len(ms)-1])
	}
}
