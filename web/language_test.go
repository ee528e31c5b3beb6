package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"
)

func TestLanguage(t *testing.T) {
	b := newBench(t, owner)
	r := httptest.NewRequest("GET", "/about?x=1", nil)
	r.Header.Set("Accept-Language", "de-CH, en;q=0.5")
	german := b.do(r, http.StatusOK)
	if !strings.Contains(german.body, `<html lang="de">`) || german.Header.Get("Content-Language") != "de" || !strings.Contains(german.body, "Zum Inhalt") {
		t.Error("a browser that wants German is answered in another language")
	}
	if !strings.Contains(german.body, `name="back" value="/about?x=1"`) {
		t.Error("the choice of a language does not lead back to the page")
	}
	chosen := b.do(form("/language", "language", "de", "back", "/about"), http.StatusSeeOther)
	if chosen.Header.Get("Location") != "/about" || !strings.HasPrefix(chosen.Header.Get("Set-Cookie"), "language=de;") {
		t.Errorf("choosing German answers %v", chosen.Header)
	}
	r = httptest.NewRequest("GET", "/nowhere", nil)
	r.Header.Set("Cookie", "language=de")
	b.want(b.do(r, http.StatusNotFound), "Unter dieser Adresse gibt es keine Seite")
	b.do(form("/language", "language", "tlh"), http.StatusUnprocessableEntity)
	if away := b.do(form("/language", "language", "en", "back", "//elsewhere.example"), http.StatusSeeOther); away.Header.Get("Location") != "/" {
		t.Errorf("the choice of a language leads to %s", away.Header.Get("Location"))
	}
}

// unsaid lists what a page says that did not come through words.T: texts and the
// attributes that people are read, outside the marks of a marked catalogue. What is
// data, not language, is inside an element that says so (code, kbd, lang="la",
// translate="no") or among data.
func unsaid(page string, data ...string) []string {
	var found []string
	open := 0 // marks that are open in the text so far: a sentence may have elements in it
	look := func(s string, open *int) {
		s = outside(s, open)
		for _, d := range data {
			s = strings.ReplaceAll(s, d, "")
		}
		if s = strings.TrimSpace(s); strings.ContainsFunc(s, unicode.IsLetter) {
			found = append(found, s)
		}
	}
	root, err := html.ParseWithOptions(strings.NewReader(page), html.ParseOptionEnableScripting(false)) // noscript is read, too
	if err != nil {
		return []string{err.Error()}
	}
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode {
			look(n.Data, &open)
		}
		if n.Type == html.ElementNode {
			if isData(n) {
				return
			}
			for _, a := range n.Attr {
				switch a.Key {
				case "alt", "aria-label", "placeholder", "title", "data-said", "data-confirm":
					look(a.Val, new(int))
				}
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(root)
	return found
}

func isData(n *html.Node) bool {
	switch n.Data {
	case "code", "kbd", "script", "style", "time", "svg":
		return true
	}
	for _, a := range n.Attr {
		if a.Key == "translate" && a.Val == "no" || a.Key == "lang" && n.Data != "html" {
			return true
		}
	}
	return false
}

// outside drops what stands in ⟦⟧, marks within marks included. Open is how many are
// open where s begins, and then where it ends.
func outside(s string, open *int) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '⟦':
			*open++
		case r == '⟧':
			*open--
		case *open == 0:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// marked draws a page in the marked language.
func (b *bench) marked(path string, status int) string {
	b.Helper()
	return b.markedAnswer(httptest.NewRequest("GET", path, nil), status)
}

// markedAnswer answers a request in the marked language.
func (b *bench) markedAnswer(r *http.Request, status int) string {
	b.Helper()
	pages := b.handler.(*Site).pages
	before := pages.words
	pages.words = before.Marked()
	defer func() { pages.words = before }()
	return b.do(r, status).body
}

func TestTheFrameIsSaid(t *testing.T) {
	for _, found := range unsaid(newBench(t, owner).marked("/nowhere", http.StatusNotFound), "Fieldmark", "API", "Ana") {
		t.Errorf("not said in the reader's language: %q", found)
	}
}
