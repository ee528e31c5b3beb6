package web

import (
	"bytes"
	"fmt"
	"image/color"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"fieldmark/internal/identify"
	"fieldmark/web/spool"
)

var (
	owner  = identify.User{ID: 1, Name: "Ana", Role: identify.Admin}
	viewer = identify.User{ID: 2, Name: "Vic", Role: identify.Viewer}
	red    = color.RGBA{200, 30, 20, 255}
	blue   = color.RGBA{20, 30, 200, 255}
)

// bench is a site over a fake domain, as one user sees it.
type bench struct {
	*testing.T
	fake    *fake
	config  Config
	handler http.Handler
}

func newBench(t *testing.T, u identify.User, change ...func(*Config)) *bench {
	t.Helper()
	b := &bench{T: t, fake: newFake()}
	b.config = Config{Service: b.fake, Taxa: &fakeTaxa{fake: b.fake}, Names: b.fake, Checklists: spool.NewShelf(t.TempDir()), DefaultSet: 1, Log: slog.New(slog.DiscardHandler), MaxUpload: 1 << 20,
		User: func(*http.Request) identify.User { return u }}
	for _, f := range change {
		f(&b.config)
	}
	h, err := New(b.config)
	if err != nil {
		t.Fatalf("the pages cannot be served (files from make setup missing?): %v", err)
	}
	b.handler = h
	return b
}

// reply is an answer, with its body read and checked for what no page may have.
type reply struct {
	*http.Response
	body string
	root *html.Node
}

func (b *bench) do(r *http.Request, status int) reply {
	b.Helper()
	w := httptest.NewRecorder()
	b.handler.ServeHTTP(w, r)
	p := reply{Response: w.Result(), body: w.Body.String()}
	if p.StatusCode != status {
		b.Fatalf("%s %s answered %d, want %d: %s", r.Method, r.URL, p.StatusCode, status, p.body)
	}
	if strings.HasPrefix(p.Header.Get("Content-Type"), "text/html") {
		root, err := html.Parse(strings.NewReader(p.body))
		if err != nil {
			b.Fatal(err)
		}
		p.root = root
		b.checkPolicy(p)
		b.checkNames(p)
	}
	return p
}

// checkPolicy finds what the content security policy would block: style and
// event attributes, and scripts and styles within the page.
func (b *bench) checkPolicy(p reply) {
	b.Helper()
	csp := p.Header.Get("Content-Security-Policy")
	if !strings.Contains(csp, "default-src 'self'") || strings.Contains(csp, "unsafe") {
		b.Errorf("content security policy is %q", csp)
	}
	for n := range p.root.Descendants() {
		if n.Data == "style" || n.Data == "script" && n.FirstChild != nil && !isDataBlock(n) {
			b.Errorf("inline %s", n.Data)
		}
		for _, a := range n.Attr {
			if a.Key == "style" || strings.HasPrefix(a.Key, "on") || strings.HasPrefix(a.Key, "hx-on") {
				b.Errorf("inline %s on <%s>", a.Key, n.Data)
			}
		}
	}
}

// checkNames makes sure that every link and button says what it does: in words, or by
// the picture within it.
func (b *bench) checkNames(p reply) {
	b.Helper()
	for n := range p.root.Descendants() {
		if n.Type != html.ElementNode || n.Data != "a" && n.Data != "button" || attr(n, "aria-label") != "" || textOf(n) != "" {
			continue
		}
		named := false
		for within := range n.Descendants() {
			named = named || within.Data == "img" && attr(within, "alt") != ""
		}
		if !named {
			b.Errorf("<%s class=%q href=%q> does not say what it does", n.Data, attr(n, "class"), attr(n, "href"))
		}
	}
}

// isDataBlock says whether a script element holds data, which no browser runs.
func isDataBlock(n *html.Node) bool {
	return slices.Contains(n.Attr, html.Attribute{Key: "type", Val: "application/json"})
}

func (b *bench) get(path string, status int) reply {
	b.Helper()
	return b.do(httptest.NewRequest("GET", path, nil), status)
}

func fragment(r *http.Request) *http.Request {
	r.Header.Set("HX-Request", "true")
	return r
}

func form(path string, pairs ...string) *http.Request {
	v := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		v.Add(pairs[i], pairs[i+1])
	}
	r := httptest.NewRequest("POST", path, strings.NewReader(v.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r
}

// upload is a request with photos, each by its bytes.
func upload(t *testing.T, set string, photos ...[]byte) *http.Request {
	t.Helper()
	var body bytes.Buffer
	m := multipart.NewWriter(&body)
	if err := m.WriteField("label_set", set); err != nil {
		t.Fatal(err)
	}
	for i, p := range photos {
		part, err := m.CreateFormFile("photo", fmt.Sprintf("photo-%d.png", i+1))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := part.Write(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest("POST", "/observations", &body)
	r.Header.Set("Content-Type", m.FormDataContentType())
	return r
}

// observe puts photos in.
func (b *bench) observe(photos ...[]byte) {
	b.Helper()
	b.do(upload(b.T, "0", photos...), http.StatusSeeOther)
}

// find returns the elements that have a class, or match on a tag or #id.
func (p reply) find(what string) []*html.Node {
	var found []*html.Node
	if p.root == nil {
		return nil
	}
	for n := range p.root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch {
		case strings.HasPrefix(what, "."):
			for class := range strings.FieldsSeq(attr(n, "class")) {
				if class == what[1:] {
					found = append(found, n)
				}
			}
		case strings.HasPrefix(what, "#"):
			if attr(n, "id") == what[1:] {
				found = append(found, n)
			}
		case n.Data == what:
			found = append(found, n)
		}
	}
	return found
}

// text is the text of the first such element, with single spaces.
func (p reply) text(what string) string {
	found := p.find(what)
	if len(found) == 0 {
		return ""
	}
	return textOf(found[0])
}

func textOf(n *html.Node) string {
	var s strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			s.WriteString(d.Data + " ")
		}
	}
	return strings.Join(strings.Fields(s.String()), " ")
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// want checks that the body has each text.
func (b *bench) want(p reply, texts ...string) {
	b.Helper()
	flat := textOf(p.root)
	for _, t := range texts {
		if !strings.Contains(flat, t) {
			b.Errorf("the page does not say %q; it says: %s", t, flat)
		}
	}
}
