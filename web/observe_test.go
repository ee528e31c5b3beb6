package web

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
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
