package web

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"fieldmark/internal/identify"
)

func TestNewRefusesWhatIsNotWhole(t *testing.T) {
	for name, c := range map[string]Config{
		"nothing":                {},
		"nobody to ask who asks": {Service: newFake(), Log: slog.New(slog.DiscardHandler)},
	} {
		if _, err := New(c); err == nil {
			t.Errorf("%s: New took it", name)
		}
	}
}

func TestErrorsByKind(t *testing.T) {
	for _, c := range []struct {
		path   string
		status int
	}{
		{"/nowhere", 404}, {"/observations/99", 404}, {"/observations/x", 404}, {"/observations/1/photo?size=huge", 404},
		{"/?label_set=x", 422}, {"/?shown=a", 422}, {"/observations?taxon=x", 422}, {"/observations?status=odd", 422},
	} {
		p := newBench(t, owner).get(c.path, c.status)
		if len(p.find("main")) != 1 {
			t.Errorf("%s: the error is not a page", c.path)
		}
	}
}

func TestErrorFragment(t *testing.T) {
	b := newBench(t, owner)
	p := b.do(fragment(form("/observations/99/identifications", "suggestion", "1")), http.StatusNotFound)
	if p.Header.Get("HX-Retarget") != "#notices" || len(p.find(".notice")) != 1 || len(p.find("main")) != 0 {
		t.Errorf("headers %v, body %s", p.Header, p.body)
	}
}

func TestPanicIsAPage(t *testing.T) {
	calls := 0
	b := newBench(t, owner, func(c *Config) {
		c.User = func(*http.Request) identify.User {
			if calls++; calls == 1 {
				panic("a bug")
			}
			return owner
		}
	})
	p := b.get("/", http.StatusInternalServerError)
	b.want(p, "could not do this")
	if strings.Contains(p.body, "a bug") {
		t.Error("the page tells what only the log should")
	}
}

func TestCrossOriginIsRefused(t *testing.T) {
	b := newBench(t, owner)
	r := form("/label-sets", "name", "Mine", "names", "Great Tit")
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	b.do(r, http.StatusForbidden)
	if len(b.fake.sets) != 3 {
		t.Error("another site's page made a label set")
	}
}

func TestSecurityHeaders(t *testing.T) {
	p := newBench(t, owner).get("/about", 200)
	for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "Cache-Control": "no-store"} {
		if got := p.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestFormsAreBounded(t *testing.T) {
	b := newBench(t, owner)
	p := b.do(form("/label-sets", "name", "Mine", "names", strings.Repeat("Great Tit\n", 500_000)), http.StatusRequestEntityTooLarge)
	b.want(p, "At most 4 MB")
}

// A form that broke off is its sender's to send again: it is no fault of ours, which the
// log would tell.
func TestFormsThatAreNone(t *testing.T) {
	signIn, _, _ := stranger(t)
	for path, b := range map[string]*bench{
		"/sign-in":                            signIn,
		"/people/invitations":                 newBench(t, owner, func(c *Config) { c.People = newFakePeople() }),
		"/observations/1/identifications":     newBench(t, owner),
		"/lesson/teach":                       newBench(t, owner),
		"/label-sets":                         newBench(t, owner),
		"/memory/sources/people/3/quarantine": newBench(t, owner, func(c *Config) { c.Sources = &fakeCuration{} }),
	} {
		r := httptest.NewRequest("POST", path, strings.NewReader("name=%zz"))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		b.want(b.do(r, http.StatusUnprocessableEntity), "The form did not come in whole")
	}
}

// A form with a file in it that breaks off is no other.
func TestALabelSetThatBreaksOff(t *testing.T) {
	r := httptest.NewRequest("POST", "/label-sets", strings.NewReader("--cut\r\nContent-Disposition: form-data; name=\"names\"\r\n\r\nGreat T"))
	r.Header.Set("Content-Type", "multipart/form-data; boundary=cut")
	b := newBench(t, owner)
	b.want(b.do(r, http.StatusUnprocessableEntity), "The form did not come in whole")
	if len(b.fake.sets) != 3 {
		t.Error("half a form made a label set")
	}
}

func TestStatic(t *testing.T) {
	b := newBench(t, owner)
	p := b.get("/", 200)
	checked := 0
	for _, tag := range []string{"link", "script"} {
		for _, n := range p.find(tag) {
			if attr(n, "rel") == "manifest" {
				continue // at an address of its own, so that it can change
			}
			path := attr(n, "href") + attr(n, "src")
			f := b.get(path, 200)
			if !strings.Contains(f.Header.Get("Cache-Control"), "immutable") {
				t.Errorf("%s is not kept by browsers", path)
			}
			checked++
		}
	}
	if checked < 6 {
		t.Errorf("the page asks for %d files", checked)
	}
	b.get("/static/0000000000000000/js/app.js", 404)
}

func TestStaticIsZipped(t *testing.T) {
	b := newBench(t, owner)
	path := attr(b.get("/", 200).find("script")[0], "src")
	r := httptest.NewRequest("GET", path, nil)
	r.Header.Set("Accept-Encoding", "gzip")
	if p := b.do(r, 200); p.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("%s comes as %q", path, p.Header.Get("Content-Encoding"))
	}
}

func TestHead(t *testing.T) {
	b := newBench(t, owner)
	b.do(httptest.NewRequest("HEAD", "/", nil), 200)
	b.do(httptest.NewRequest("DELETE", "/", io.NopCloser(strings.NewReader(""))), http.StatusMethodNotAllowed)
}
