package browsertest

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// drawPhotos is JavaScript that draws n small photos, each unlike the others, as
// files from a number on, and resolves to a DataTransfer of them.
func drawPhotos(from, n int) string {
	return fmt.Sprintf(`(async () => {
		const files = new DataTransfer();
		for (let i = %d; i < %d + %d; i++) {
			const canvas = Object.assign(document.createElement("canvas"), {width: 240, height: 180});
			const g = canvas.getContext("2d");
			g.fillStyle = "hsl(" + (i * 37) %% 360 + " 40%% 40%%)";
			g.fillRect(0, 0, 240, 180);
			g.fillStyle = "hsl(" + (i * 91) %% 360 + " 70%% 60%%)";
			g.beginPath();
			g.ellipse(60 + i %% 120, 90, 20 + i %% 40, 30, i, 0, 7);
			g.fill();
			g.fillText("no. " + i, 10, 20);
			const blob = await new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.9));
			files.items.add(new File([blob], "IMG_" + String(i).padStart(4, "0") + ".jpg", {type: "image/jpeg"}));
		}
		return files;
	})()`, from, from, n)
}

// drop lets files fall on the page, which are an expression of a DataTransfer or a
// promise of one.
func (b *tab) drop(files string) {
	b.t.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](`Promise.resolve(` + files + `).then((files) =>
		document.querySelector("[data-drop]").dispatchEvent(new DragEvent("drop", {dataTransfer: files, bubbles: true, cancelable: true})))`))
}

const queueText = "[data-queue-text]"

// stored is how many observations the server has.
func (b *tab) stored(want int) {
	b.t.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](`fetch("/api/v1/stats").then((r) => r.json()).then((s) => { window.stored = s.observations; })`))
	b.until("the server was asked", `window.stored !== undefined`)
	if !b.is(fmt.Sprintf("window.stored === %d", want)) {
		b.t.Errorf("the server does not have %d observations", want)
	}
	b.do(chromedp.Evaluate[chromedp.Void](`window.stored = undefined`))
}

// TestManyPhotos drops sixty photos at once: the first few become cards, the others
// rows; all lead to the review. Dropped again, they are recognised.
func TestManyPhotos(t *testing.T) {
	t.Parallel()
	url := start(t)
	b := open(t)
	b.do(chromedp.Navigate(url + "/"))
	b.drop(drawPhotos(0, 60))
	b.until("the queue is shown", `!document.querySelector("[data-queue]").hidden && document.querySelectorAll("[data-row]").length === 54`)
	b.gallery("upload-many")
	b.until("all are in", `document.querySelector("`+queueText+`").textContent === "60 photos are in."`)
	if cards := `document.querySelectorAll("#results [data-card]").length`; !b.is(cards + " === 6") {
		t.Error("not six photos became cards")
	}
	if !b.is(`document.querySelector("[data-queue-review]").checkVisibility() && document.querySelectorAll("[data-row] [data-sent]").length === 54`) {
		t.Error("the rows or the way to the review are missing")
	}
	b.stored(60)
	b.gallery("upload-done")

	b.drop(drawPhotos(50, 20))
	b.until("they are recognised", `document.querySelector("`+queueText+`").textContent === "20 photos are in, 10 of them here already."`)
	if !b.is(`document.querySelectorAll(".known").length + document.querySelectorAll("[data-row][data-state=known]").length === 10`) {
		t.Error("ten of them were here already, and not ten are said to be")
	}
	b.stored(70)
	b.gallery("upload-known")
	b.do(chromedp.Click(chromedp.CSS(".known button")))
	b.until("it is stored once more", `document.querySelector("`+queueText+`").textContent === "21 photos are in, 10 of them here already."`)
	b.stored(71)
}

// TestALongList: rows come as the list is scrolled, and one that did not work stands
// first, wherever it was dropped.
func TestALongList(t *testing.T) {
	t.Parallel()
	url := start(t)
	b := open(t)
	b.do(chromedp.Navigate(url + "/"))
	b.drop(drawPhotos(400, 80) + `.then((files) => { files.items.add(new File(["no photo"], "broken.jpg", {type: "image/jpeg"})); return files; })`)
	b.until("the rest is said", `document.querySelector("[data-more]").checkVisibility()`)
	b.until("all are in", `document.querySelector("`+queueText+`").textContent === "80 photos are in. 1 did not work."`)
	if !b.is(`document.querySelectorAll("[data-row]").length === 61 && document.querySelector("[data-row]").innerText.includes("broken.jpg")`) {
		t.Error("the list does not have sixty rows and, before them, what did not work")
	}
	b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("[data-rows]").scrollTo(0, 1e6)`))
	b.until("the others come", `document.querySelectorAll("[data-row]").length === 75 && document.querySelectorAll("[data-row] [data-sent]").length === 74`)
	if b.is(`document.querySelector("[data-more]").checkVisibility()`) {
		t.Error("more are offered than there are")
	}
	b.stored(80)
}

// TestReloadInTheMiddle pauses with the keyboard, reloads, and finds the rest in the
// queue; none is sent twice.
func TestReloadInTheMiddle(t *testing.T) {
	t.Parallel()
	url := start(t)
	b := open(t)
	b.do(chromedp.Navigate(url + "/"))
	b.drop(drawPhotos(100, 30))
	b.until("some are in", `document.querySelectorAll("[data-sent]").length >= 2`)
	b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("[data-queue-pause]").focus()`))
	b.keys(kb.Enter)
	b.until("it is paused", `document.querySelector("[data-queue-pause]").textContent === "Continue"`)
	b.until("the rest is kept", keptPhotos(`n > 0 && n + document.querySelectorAll("[data-sent], #results [data-card]").length === 30`))
	b.gallery("upload-paused")
	b.do(chromedp.Reload())
	b.until("the rest is sent", keptPhotos(`n === 0`))
	b.until("it says so", `document.querySelector("`+queueText+`").textContent.endsWith("in.") && !document.querySelector("[data-queue-pause]").checkVisibility()`)
	b.stored(30)
}

// keptPhotos is a condition of n, the number of photos in the browser's store.
func keptPhotos(condition string) string {
	return `(() => {
		const ask = indexedDB.open("fieldmark", 1);
		ask.onsuccess = () => {
			const count = ask.result.transaction("photos").objectStore("photos").count();
			count.onsuccess = () => { window.kept = count.result; ask.result.close(); };
		};
		const n = window.kept;
		return n !== undefined && ` + condition + `;
	})()`
}

// TestRefusedPhotos shows what is said of files that cannot be taken, and that the
// others are not kept from it.
func TestRefusedPhotos(t *testing.T) {
	t.Parallel()
	url := start(t)
	b := open(t)
	b.do(chromedp.Navigate(url + "/"))
	b.drop(drawPhotos(200, 9) + `.then((files) => {
		files.items.add(new File(["II*\0 a raw photo by NIKON"], "IMG_1.NEF", {type: "image/x-nikon-nef"}));
		files.items.add(new File([new Uint8Array(17 << 20)], "large.jpg", {type: "image/jpeg"}));
		files.items.add(new File(["eggs, flour"], "list.jpg", {type: "image/jpeg"}));
		return files;
	})`)
	b.until("the good ones are in", `document.querySelector("`+queueText+`").textContent === "9 photos are in. 3 did not work."`)
	for _, want := range []string{"a Nikon camera", "17 MB, and at most 16 MB", "not a photo"} {
		if !b.is(fmt.Sprintf(`[...document.querySelectorAll("[data-problem]:not([hidden])")].some((p) => p.textContent.includes(%q))`, want)) {
			t.Errorf("it does not say %q", want)
		}
	}
	if !b.is(`[...document.querySelectorAll("[data-row]")].map((row) => row.dataset.state).join() === "refused,refused,sent,sent,sent,sent"`) {
		t.Error("the rows that did not work are not the first")
	}
	b.stored(9)
	b.gallery("upload-refused")
	b.do(chromedp.Click(chromedp.CSS("[data-queue-close]")))
	b.until("they are gone", `document.querySelector("[data-queue]").hidden && !document.querySelector(".card-failed")`)
	b.do(chromedp.Reload())
	b.until("they stay gone", keptPhotos(`n === 0`))
}

// TestFolder chooses a folder, then another: what lies there beside photos is left
// out, and that is said.
func TestFolder(t *testing.T) {
	t.Parallel()
	url := start(t)
	b := open(t)
	b.do(chromedp.Navigate(url + "/"))
	for i, n := range []int{2, 3} {
		b.until("a folder can be chosen", `document.querySelector(".folder").checkVisibility()`)
		b.do(chromedp.Evaluate[chromedp.Void](drawPhotos(300+10*i, n) + `.then((files) => {
			files.items.add(new File(["heath, then bog"], "route.txt", {type: "text/plain"}));
			const input = document.querySelector("[data-folder]");
			input.files = files.files;
			input.dispatchEvent(new Event("change"));
		})`))
		b.until("its photos are in", fmt.Sprintf(`document.querySelector("`+queueText+`").textContent === "%d photos are in."`, n))
		b.until("it says what was left out", `document.querySelector("[data-queue-advice]").textContent === "1 file that is no photo was left out."`)
	}
	b.stored(5)
}
