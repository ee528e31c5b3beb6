package web

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"fieldmark/internal/identify"
)

func TestObserveWithoutJavaScript(t *testing.T) {
	b := newBench(t, owner)
	p := b.do(upload(t, "2", picture(red), picture(blue)), http.StatusSeeOther)
	if got := p.Header.Get("Location"); got != "/?shown=1,2&label_set=2#results" {
		t.Errorf("leads to %q", got)
	}
}

func TestObserveFragment(t *testing.T) {
	b := newBench(t, owner)
	p := b.do(fragment(upload(t, "0", picture(red))), http.StatusCreated)
	if len(p.find(".card")) != 1 || len(p.find("main")) != 0 {
		t.Error("the answer is not one card")
	}
	if got := p.text("h2"); got != "Tits and chickadees" {
		t.Errorf("an unsure answer names %q, want the common ancestor", got)
	}
	b.want(p, "Probably a member of the family", "Perhaps Great Tit", "Parus major")
	if got := p.Header.Get("Location"); got != "/observations/1" {
		t.Errorf("Location is %q", got)
	}
}

func TestObserveRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		photos [][]byte
		status int
		says   string
	}{
		"no file":      {nil, 422, "Choose a photo first"},
		"not a photo":  {[][]byte{[]byte("eggs, flour")}, 415, "cannot be read as a photo"},
		"too large":    {[][]byte{bytes.Repeat([]byte("x"), 2<<20)}, 413, "larger than 1 MB"},
		"one of them":  {[][]byte{picture(red), []byte("eggs")}, 422, "photo-2.png"},
		"two of three": {[][]byte{[]byte("eggs"), picture(red), []byte("flour")}, 422, "photo-3.png"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, owner)
			p := b.do(upload(t, "0", c.photos...), c.status)
			b.want(p, c.says)
			if len(p.find(".upload")) != 1 {
				t.Error("the form is gone")
			}
			good := 0
			for _, photo := range c.photos {
				if bytes.HasPrefix(photo, []byte("\x89PNG")) {
					good++
				}
			}
			if len(b.fake.list) != good {
				t.Errorf("%d photos were kept, want %d", len(b.fake.list), good)
			}
		})
	}
}

func TestObserveRefusalAsFragment(t *testing.T) {
	b := newBench(t, owner)
	p := b.do(fragment(upload(t, "0", []byte("eggs"))), http.StatusUnsupportedMediaType)
	b.want(p, "cannot be read as a photo")
}

func TestObserveBrokenOff(t *testing.T) {
	b := newBench(t, owner)
	whole := upload(t, "0", picture(red), picture(blue))
	var body bytes.Buffer
	if _, err := body.ReadFrom(whole.Body); err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest("POST", "/observations", strings.NewReader(body.String()[:body.Len()-60]))
	r.Header = whole.Header
	p := b.do(r, 422)
	b.want(p, "broke off")
	if len(b.fake.list) != 1 {
		t.Errorf("%d photos were kept, want the one that came in whole", len(b.fake.list))
	}
}

func TestObserveWithoutAForm(t *testing.T) {
	newBench(t, owner).do(form("/observations", "photo", "x"), 422)
}

func TestObserveAsViewer(t *testing.T) {
	newBench(t, viewer).do(upload(t, "0", picture(red)), http.StatusForbidden)
}

// fields is an upload of one photo with fields before it.
func fields(t *testing.T, pairs ...string) *http.Request {
	t.Helper()
	var body bytes.Buffer
	m := multipart.NewWriter(&body)
	for i := 0; i < len(pairs); i += 2 {
		if err := m.WriteField(pairs[i], pairs[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	part, err := m.CreateFormFile("photo", "photo.png")
	if err == nil {
		_, err = part.Write(picture(red))
	}
	if err == nil {
		err = m.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest("POST", "/observations", &body)
	r.Header.Set("Content-Type", m.FormDataContentType())
	return r
}

func TestObserveRow(t *testing.T) {
	b := newBench(t, owner)
	p := b.do(fragment(fields(t, "observer", "1", "row", "1", "label_set", "2")), http.StatusCreated)
	if row := p.find(".row-answer"); len(row) != 1 || attr(row[0], "href") != "/observations/1?label_set=2" || attr(row[0], "data-sent") != "1" {
		t.Errorf("%s", p.body)
	}
	if len(p.find(".card")) != 0 {
		t.Error("a row came with a card")
	}
}

// A guess is never listed as if it were an answer.
func TestSentRowOfAGuess(t *testing.T) {
	for name, c := range map[string]struct {
		headline     identify.Headline
		name, status string
	}{
		"certain":  {identify.Headline{Taxon: 1, Label: "Great Tit", Probability: 0.9, Certain: true}, "Great Tit", "90%"},
		"a guess":  {identify.Headline{Taxon: 1, Label: "Great Tit", Probability: 0.02}, "Perhaps Great Tit", "2%"},
		"a family": {identify.Headline{Taxon: 7, Label: "Tits and chickadees", Probability: 0.7}, "Tits and chickadees", "perhaps Great Tit"},
	} {
		t.Run(name, func(t *testing.T) {
			p := identify.Prediction{Headline: c.headline, Candidates: []identify.Candidate{{Taxon: 1, Label: "Great Tit"}}}
			if row := sentRow(t.Context(), sighting{prediction: p}); row.Name != c.name || row.Status != c.status {
				t.Errorf("%q, %q; want %q, %q", row.Name, row.Status, c.name, c.status)
			}
		})
	}
}

// Photos that someone else put into the browser's queue are not taken as one's own.
func TestObserveForAnother(t *testing.T) {
	b := newBench(t, owner)
	b.do(fragment(fields(t, "observer", "7")), http.StatusConflict)
	if len(b.fake.list) != 0 {
		t.Error("it was stored")
	}
}

func TestAskForOneOfAFew(t *testing.T) {
	b := newBench(t, owner)
	p := b.do(fields(t, "label", "Great Tit, Blue tit\nmy  robin"), http.StatusSeeOther)
	if got := p.Header.Get("Location"); got != "/?shown=1&label=Great+Tit&label=Blue+tit&label=my+robin#results" {
		t.Errorf("leads to %q", got)
	}
	p = b.get("/?shown=1&label=Great+Tit&label=my+robin", 200)
	if got := p.text("#labels"); got != "Great Tit, my robin" {
		t.Errorf("the field has %q", got)
	}
	p = b.get("/observations/1?label=Great+Tit,my+robin", 200)
	if got := p.text("#ask-labels"); got != "Great Tit, my robin" {
		t.Errorf("the field has %q", got)
	}
}
