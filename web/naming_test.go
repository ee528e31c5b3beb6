package web

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// german answers a request of somebody who reads German.
func (b *bench) german(r *http.Request, status int) reply {
	b.Helper()
	r.Header.Set("Cookie", "language=de")
	return b.do(r, status)
}

// Every page calls a taxon by the reader's name for it, with the scientific name
// beside it, and by the English one where their language has none.
func TestNamesInTheReadersLanguage(t *testing.T) {
	f := &fakeGallery{kept: []identify.KeptDoubt{{Identification: 11, Observation: 1, Taxon: 1, Label: "Great Tit", UserName: "Bo", At: noon}}}
	b := newBench(t, owner, withGallery(f))
	b.observe(picture(red))
	const id = identify.ObservationID(1)
	b.get(observationPath(id), http.StatusOK)
	for path, want := range map[string][]string{
		observationPath(id):          {"Kohlmeise", "Parus major", "Coal Tit"}, // a candidate with a German name, and one without
		"/?shown=1":                  {"Kohlmeise", "Parus major"},
		"/taxa/5":                    {"Kohlmeise", "Coal Tit"},
		"/label-sets/2":              {"Kohlmeise", "Parus major"},
		"/memory":                    {"Kohlmeise"},
		"/memory/doubts":             {"Kohlmeise"},
		"/memory/map?by=name":        {"Kohlmeise"},
		"/memory/map/points?by=name": {"Kohlmeise"},
		"/taxa?q=kohlm":              {"Kohlmeise", "Parus major"},
		"/observations?taxon=1":      {"Kohlmeise"},
	} {
		page := b.german(httptest.NewRequest("GET", path, nil), http.StatusOK)
		if strings.Contains(page.body, "Great Tit") {
			t.Errorf("%s says Great Tit to somebody who reads German", path)
		}
		for _, text := range want {
			if !strings.Contains(page.body, text) {
				t.Errorf("%s does not say %q to somebody who reads German", path, text)
			}
		}
	}
	b.want(b.german(httptest.NewRequest("GET", "/memory/doubts", nil), http.StatusOK), "Wieder anzweifeln Kohlmeise")
	// Its own page has all its names, the reader's first.
	b.want(b.get("/taxa/1", http.StatusOK), "German", "Kohlmeise")
	own := b.german(httptest.NewRequest("GET", "/taxa/1", nil), http.StatusOK)
	if own.text("h1") != "Kohlmeise" {
		t.Errorf("its page is headed %q", own.text("h1"))
	}
	b.want(own, "Englisch", "Great Tit")
	// What was taught is called so as well, as a fragment too.
	r := form(observationPath(id)+"/identifications", "taxon", "1")
	r.Header.Set("HX-Request", "true")
	if lesson := b.german(r, http.StatusOK); !strings.Contains(lesson.body, "Kohlmeise") || strings.Contains(lesson.body, "Great Tit") {
		t.Error("the lesson is not called Kohlmeise")
	}
}

// A search in German finds the German name and shows it first; what was found under
// another name says which.
func TestSearchInGerman(t *testing.T) {
	b := newBench(t, owner)
	for _, c := range []struct{ query, detail string }{{"Kohlm", ""}, {"Great T", "auch „Great Tit“"}} {
		r := httptest.NewRequest("GET", "/taxa?q="+strings.ReplaceAll(c.query, " ", "+"), nil)
		r.Header.Set("HX-Request", "true")
		options := b.german(r, http.StatusOK)
		if !strings.Contains(options.body, "Kohlmeise") || !strings.Contains(options.body, "Parus major") || !strings.Contains(options.body, c.detail) {
			t.Errorf("%q offers %s", c.query, options.body)
		}
		if c.detail == "" && strings.Contains(options.body, "Great Tit") {
			t.Errorf("%q offers the English name too: %s", c.query, options.body)
		}
	}
	// Typed whole, it is that taxon.
	b.observe(picture(red))
	const id = identify.ObservationID(1)
	b.german(form(observationPath(id)+"/identifications", "q", "kohlmeise"), http.StatusSeeOther)
	if o, err := b.fake.Observation(t.Context(), owner, id); err != nil || o.Identifications[0].Taxon != 1 {
		t.Errorf("%+v, %v", o.Identifications, err)
	}
}

// Names stand in the order of the reader's alphabet.
func TestNamesAreSortedAsTheReaderDoes(t *testing.T) {
	taxa := []identify.Taxon{{ID: 1, EnglishName: "Zander"}, {ID: 2, EnglishName: "Äsche"}, {ID: 3, EnglishName: "barbe"}, {ID: 4, EnglishName: "Aal"}}
	byName(t.Context(), taxa)
	var got []string
	for _, x := range taxa {
		got = append(got, x.EnglishName)
	}
	if want := []string{"Aal", "Äsche", "barbe", "Zander"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// An error that names a taxon calls it as the reader does.
func TestErrorsCallTaxaAsTheReaderDoes(t *testing.T) {
	b := newBench(t, owner)
	tit := identify.Taxon{ID: 1, ScientificName: "Parus major", EnglishName: "Great Tit"}
	var said templates.Problem
	look := b.handler.(*Site).pages
	h := look.speak(look.naming(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		said = problem(r.Context(), identify.Errorf(identify.Conflict, "", "%s is a synonym already.", tit.Name()))
	})))
	for language, want := range map[string]string{"de": "Kohlmeise ist schon ein Synonym.", "en": "Great Tit is a synonym already."} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept-Language", language)
		h.ServeHTTP(httptest.NewRecorder(), r)
		if said.Message != want {
			t.Errorf("%s: %q, want %q", language, said.Message, want)
		}
	}
}

// What is kept of what was done is said in the reader's language: sentences, names of
// taxa, roles and moments; what was kept as text before stays as it is.
func TestNoticesAreSaidInTheReadersLanguage(t *testing.T) {
	b := newBench(t, owner)
	tit := identify.TaxonName{Taxon: 1, Label: "Great Tit"}
	var said []string
	look := b.handler.(*Site).pages
	h := look.speak(look.naming(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		for _, n := range []identify.Notice{
			identify.Noticef("now %s: %s", tit, identify.Noticef("%d lessons", 1200)),
			identify.Noticef("now %s", identify.Curator),
			identify.Noticef("%s: %s → %s", identify.Noticef("rank"), identify.Rank("genus"), identify.Noticef("none")),
			identify.ParseNotice("3 lessons: as it was written before"),
			identify.ParseNotice(identify.Noticef("The file of this photo cannot be read (%v).", "EOF").Text()),
		} {
			said = append(said, say(r.Context(), n))
		}
	})))
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("Accept-Language", "de")
	h.ServeHTTP(httptest.NewRecorder(), r)
	want := []string{"jetzt Kohlmeise: 1.200 Lektionen", "jetzt Kurator", "Rang: Gattung → nichts", "3 lessons: as it was written before",
		"Die Datei dieses Fotos lässt sich nicht lesen (EOF)."}
	if !slices.Equal(said, want) {
		t.Errorf("%q, want %q", said, want)
	}
}

// A photo that is refused is refused in the reader's language, in an upload and in a
// file of many.
func TestRefusedPhotosAreExplainedInGerman(t *testing.T) {
	bad := identify.BadRow{Name: identify.Noticef("line %s", "17"), Why: identify.Errorf(identify.NotAPhoto, "row", "%s %s",
		identify.Noticef("This is a BMP picture."), identify.Noticef("Open it in a photo program and save it as JPEG."))}
	c, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	got := badRows(words.With(t.Context(), c.Choose("de", "")), []identify.BadRow{bad})
	if len(got) != 1 || got[0].Row != "Zeile 17" || got[0].Message != "Das ist ein BMP-Bild. Öffnen Sie es in einem Bildprogramm und speichern Sie es als JPEG." {
		t.Errorf("%+v", got)
	}
}
