package web

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

var curator = identify.User{ID: 3, Name: "Cleo", Role: identify.Curator}

// count counts the elements of a tag with an attribute.
func (p reply) count(tag, key, value string) (n int) {
	for _, e := range p.find(tag) {
		if attr(e, key) == value {
			n++
		}
	}
	return n
}

func TestEncodersPage(t *testing.T) {
	b := newBench(t, owner)
	p := b.get("/encoders", 200)
	b.want(p, "fake-1", "serves", "It has read all 1,240 photos.", "BioCLIP, ViT-B/16", "It has read 300 of 1,238 photos. 2 more cannot be read.", "600.0 MB", "Cannot be used: manifest.json is not JSON")
	if got := p.count("form", "action", "/encoders/use"); got != 1 {
		t.Errorf("%d encoders can be used, want only bioclip", got)
	}
	if len(p.find(".work")) != 0 || len(p.find(".lost")) != 0 {
		t.Error("it shows work or losses where there are none")
	}
	b.fake.lost = []identify.LostLesson{{Observation: 12, Label: "Great Tit", TaughtBy: "Ana", Reason: identify.PlainNotice("The file of this photo is missing.")}}
	p = b.get("/encoders", 200)
	b.want(p, "Exemplars without a photo", "No. 12", "Great Tit", "The file of this photo is missing.")

	newBench(t, viewer).get("/encoders", http.StatusForbidden)
	c := newBench(t, curator)
	p = c.get("/encoders", 200)
	c.want(p, "takes the role “admin”")
	if p.count("form", "action", "/encoders/use") != 0 {
		t.Error("a curator is offered to choose")
	}
}

// What an encoder cannot be shown is not what it has yet to read: photos that
// came as another encoder's embeddings would else hold its bar near nothing.
func TestAnEncoderThatHasReadAllItCan(t *testing.T) {
	b := newBench(t, owner)
	b.fake.states[1].Counts = identify.EmbeddingCounts{Photos: 23_260, Embedded: 260, Failed: 23_000}
	b.want(b.get("/encoders", 200), "It has read all 260 photos. 23,000 more cannot be read.")
	b.fake.work = &identify.EncoderWork{Model: "bioclip", Switch: true, Paused: true, Phase: identify.Embedding, Done: 8, Failed: 23_000, Total: 23_260}
	p := b.get("/encoders", 200)
	b.want(p, "is paused at 8 of 260 photos.")
	if got := attr(p.find(".bar-fill")[0], "width"); got != "31" { // 8/260 of 1,000
		t.Errorf("the bar is %s of 1,000", got)
	}
}

func TestEncoderForms(t *testing.T) {
	b := newBench(t, owner)
	for _, step := range [][]string{{"use", "bioclip"}, {"pause"}, {"resume"}, {"cancel"}, {"retry", "bioclip"}} {
		r := form("/encoders/"+step[0], "encoder", strings.Join(step[1:], ""))
		if got := b.do(r, http.StatusSeeOther).Header.Get("Location"); got != "/encoders" {
			t.Errorf("%v leads to %q", step, got)
		}
	}
	if want := []string{"use bioclip", "pause", "resume", "cancel", "retry bioclip"}; !slices.Equal(b.fake.asked, want) {
		t.Errorf("asked %q, want %q", b.fake.asked, want)
	}
	b.do(form("/encoders/use", "encoder", "none-such"), http.StatusNotFound)
	newBench(t, curator).do(form("/encoders/use", "encoder", "bioclip"), http.StatusForbidden)
}

// Every page says what is done in the background; the figures renew themselves.
func TestWorkIsSaidOnEveryPage(t *testing.T) {
	b := newBench(t, owner)
	b.fake.work = &identify.EncoderWork{Model: "bioclip", Switch: true, Phase: identify.Embedding, Done: 300, Failed: 2, Total: 1240, Left: 200 * time.Second}
	b.observe(picture(red))
	for _, path := range []string{"/", "/observations", "/observations/1", "/label-sets", "/about", "/encoders"} {
		p := b.get(path, 200)
		b.want(p, "bioclip is being prepared; the present encoder answers meanwhile: 300 of 1,238 photos, 2 more cannot be read, about 3 minutes left.")
		if n := len(p.find(".work")); n != 1 {
			t.Errorf("%s says it %d times", path, n)
		}
	}
	p := b.get("/encoders", 200)
	if p.count("form", "action", "/encoders/pause") != 1 || p.count("form", "action", "/encoders/cancel") != 1 || p.count("form", "action", "/encoders/resume") != 0 {
		t.Error("the work cannot be paused and given up")
	}
	from := attr(p.find(".work-progress")[0], "hx-get")
	b.fake.work.Done = 500
	p = b.do(fragment(httptest.NewRequest("GET", from, nil)), 200)
	b.want(p, "500 of 1,238 photos")
	if p.Header.Get("HX-Refresh") != "" || attr(p.find(".work-progress")[0], "hx-get") != from {
		t.Error("new figures are not taken as such")
	}
	b.fake.work.Paused = true
	if p = b.do(fragment(httptest.NewRequest("GET", from, nil)), 200); p.Header.Get("HX-Refresh") != "true" {
		t.Error("the page is not read anew after a pause")
	}
	b.want(b.get("/encoders", 200), "The work for bioclip is paused at 500 of 1,238 photos.", "Go on")
	other := strings.TrimSuffix(from, "&refresh=1")
	b.fake.work = nil
	p = b.do(fragment(httptest.NewRequest("GET", other, nil)), 200)
	b.want(p, "fake-1 answers, with 0 exemplars.")
	if p.Header.Get("HX-Refresh") != "" || attr(p.find(".work-progress")[0], "hx-get") != "" {
		t.Error("a page on which somebody types is read anew, or asks on for ever")
	}
	b.fake.work = &identify.EncoderWork{Model: "bioclip", Switch: true, Problem: identify.PlainNotice("Its weights are damaged.")}
	b.want(b.get("/", 200), "The work for bioclip has stopped. Its weights are damaged.")
	b.fake.work = &identify.EncoderWork{Model: "fake-1", Phase: identify.Embedding, Done: 1, Total: 1240}
	b.want(b.get("/", 200), "The stored photos are being read again with fake-1, and what was taught comes back with them: 1 of 1,240 photos.")
}

func TestCompareAnObservation(t *testing.T) {
	b := newBench(t, curator)
	b.fake.Observe(t.Context(), owner, identify.Upload{Photo: picture(red)}, identify.Question{})
	if p := b.get("/observations/1", 200); p.count("a", "href", "/compare?observation=1") != 1 {
		t.Error("the observation does not lead there")
	}
	p := b.get("/compare?observation=1", 200)
	b.want(p, "answers with 0 exemplars", "answers with 1,200 exemplars; it has read 300 of 1,238 photos", "Tits and chickadees")
	if len(p.find(".side")) != 2 || len(p.find(".candidate-key")) == 0 || p.count("button", "data-accept", "1") != 0 {
		t.Error("want two sides on which nothing can be taught")
	}
	p = b.get("/compare?observation=1&encoder=bioclip&encoder=fake-1", 200)
	if got := p.text(".side-of"); !strings.HasPrefix(got, "bioclip") {
		t.Errorf("the first side is %q", got)
	}
	b.get("/compare?observation=1&encoder=bioclip&encoder=none-such", http.StatusNotFound)
	b.get("/compare?observation=x", 422)
	b.get("/compare?observation=9", 404)
	newBench(t, viewer).get("/compare", http.StatusForbidden)

	// The folder of the encoder that serves was removed: the others can still be
	// compared.
	b.fake.states[1].Serving, b.fake.states[0].Serving, b.fake.states[1].Fault = true, false, identify.PlainNotice("its folder is gone")
	p = b.get("/compare?observation=1", 200)
	b.want(p, "There is only one encoder here")
	if p.count("form", "class", "compare-form") != 0 {
		t.Error("there is a form for it all the same")
	}
}

func TestCompareAPhoto(t *testing.T) {
	b := newBench(t, owner)
	b.get("/compare", 200)
	send := func(photo []byte) *http.Request {
		var body bytes.Buffer
		w := multipart.NewWriter(&body)
		w.WriteField("encoder", "fake-1")
		w.WriteField("encoder", "bioclip")
		if photo != nil {
			part, _ := w.CreateFormFile("photo", "red.png")
			part.Write(photo)
		}
		w.Close()
		r := httptest.NewRequest("POST", "/compare", &body)
		r.Header.Set("Content-Type", w.FormDataContentType())
		return r
	}
	if p := b.do(send(picture(red)), 200); len(p.find(".side")) != 2 {
		t.Error("want two sides")
	}
	b.want(b.do(send(nil), 422), "Choose a photo first")
	b.do(send(bytes.Repeat([]byte{1}, 2<<20+1<<19)), http.StatusRequestEntityTooLarge)
	if len(b.fake.list) != 0 {
		t.Error("the photo was kept")
	}
}
