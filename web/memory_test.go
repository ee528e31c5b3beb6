package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

// fakeGallery holds two lessons about great tits, one of which is in doubt, and an
// embedding that came without a photo.
type fakeGallery struct {
	empty bool // it holds nothing
	now   identify.Seq
	asked identify.GalleryFilter
	kept  []identify.KeptDoubt
	done  []string
	fail  error
}

var (
	greatTit = identify.GalleryExemplar{Identification: 11, Observation: 1, Taxon: 1, Label: "Great Tit", Scientific: "Parus major", Teacher: 1,
		TeacherName: "Ana", TaughtAt: noon, HasPhoto: true, Width: 40, Height: 30}
	bareTit = identify.GalleryExemplar{Identification: 12, Observation: 2, Taxon: 1, Label: "Great Tit", Scientific: "Parus major", Teacher: 2,
		TeacherName: "Bo", TaughtAt: noon}
	blueTit = identify.Taxon{ID: 2, ScientificName: "Cyanistes caeruleus", EnglishName: "Eurasian Blue Tit", Rank: "species", Group: "birds"}
)

func (g *fakeGallery) Shelf(_ context.Context, id identify.TaxonID) (identify.GalleryShelf, error) {
	if g.empty {
		return identify.GalleryShelf{}, nil
	}
	s := identify.GalleryShelf{Exemplars: 2, Names: 1}
	family := identify.Taxon{ID: 5, ScientificName: "Paridae", EnglishName: "Tits and chickadees", Rank: "family"}
	switch id {
	case 0:
		s.Below = []identify.TaxonShelf{{Taxon: family, Exemplars: 2, Names: 1, Photos: []identify.ObservationID{1}}}
	case 5:
		s.Path, s.Below = []identify.Taxon{family}, []identify.TaxonShelf{
			{Taxon: identify.Taxon{ID: 1, ScientificName: "Parus major", EnglishName: "Great Tit", Rank: "species"}, Exemplars: 1, Names: 1},
			{Taxon: blueTit, Exemplars: 1, Names: 1}}
	default:
		return s, identify.Errorf(identify.NotFound, "taxon_id", "There is no such taxon.")
	}
	return s, nil
}

func (g *fakeGallery) Exemplars(_ context.Context, f identify.GalleryFilter) ([]identify.GalleryExemplar, bool, error) {
	g.asked = f
	return []identify.GalleryExemplar{greatTit, bareTit}, true, nil
}

func (g *fakeGallery) Teachers(context.Context) ([]identify.GalleryTeacher, error) {
	return []identify.GalleryTeacher{{User: 1, Name: "Ana", Exemplars: 1, Names: 1, Most: []identify.TaxonCount{{Taxon: 1, Label: "Great Tit", Count: 1}}}}, nil
}

func (g *fakeGallery) Leaves(context.Context) ([]identify.GalleryLeaf, error) {
	return []identify.GalleryLeaf{{Leaf: 3, Size: 2, State: identify.LeafLearning, Labels: []identify.TaxonCount{{Taxon: 1, Label: "Great Tit", Count: 2}}}}, nil
}

func (g *fakeGallery) Leaf(ctx context.Context, leaf, from int) (identify.GalleryLeaf, error) {
	if leaf != 3 {
		return identify.GalleryLeaf{}, identify.Errorf(identify.NotFound, "leaf", "There is no leaf %d.", leaf)
	}
	list, err := g.Leaves(ctx)
	list[0].Members, list[0].Typical, list[0].Next = []identify.GalleryExemplar{greatTit}, []identify.GalleryExemplar{bareTit}, 48
	return list[0], err
}

func (g *fakeGallery) Doubts(_ context.Context, u identify.User, f identify.DoubtFilter) (identify.Doubts, error) {
	if !u.Role.Allows(identify.Curator) {
		return identify.Doubts{}, identify.Errorf(identify.Forbidden, "", "Your role does not allow it.")
	}
	twin := bareTit
	return identify.Doubts{Total: 1, Judged: 2, Exemplars: 2, At: noon, Seq: 2, Now: 3, Kept: g.kept,
		Of: map[identify.DoubtKind]int{identify.DoubtDisagreement: 1, identify.DoubtDuplicate: 1},
		List: []identify.Doubt{{Exemplar: greatTit, Score: 0.9, Reasons: []identify.DoubtReason{
			{Kind: identify.DoubtDisagreement, Other: blueTit, Own: 0.03, Against: 0.84},
			{Kind: identify.DoubtDuplicate, Other: blueTit, Twin: &twin, Cos: 0.98},
			{Kind: identify.DoubtOutlier, Distance: 0.6, Usual: 0.2},
		}, Without: &identify.WithoutReading{Taxon: blueTit, Probability: 0.91}}}}, nil
}

func (g *fakeGallery) settle(what string, id identify.IdentificationID) (identify.Settled, error) {
	g.done = append(g.done, fmt.Sprintf("%s %d", what, id))
	return identify.Settled{Identification: id, Observation: 1, Seq: 4}, g.fail
}

func (g *fakeGallery) KeepDoubtful(_ context.Context, _ identify.User, id identify.IdentificationID) (identify.Settled, error) {
	return g.settle("keep", id)
}

func (g *fakeGallery) DoubtAgain(_ context.Context, _ identify.User, id identify.IdentificationID) error {
	_, err := g.settle("again", id)
	return err
}

func (g *fakeGallery) WithdrawDoubtful(_ context.Context, _ identify.User, id identify.IdentificationID) (identify.Settled, error) {
	return g.settle("withdraw", id)
}

func (g *fakeGallery) RenameDoubtful(_ context.Context, _ identify.User, id identify.IdentificationID, a identify.Answer) (identify.Settled, error) {
	return g.settle(fmt.Sprintf("rename to %d%s", a.Taxon, a.Label), id)
}

func (g *fakeGallery) Map(context.Context) (identify.MemoryMap, error) {
	if g.empty {
		return identify.MemoryMap{Now: g.now}, nil
	}
	return identify.MemoryMap{All: 2, At: noon.Add(time.Hour),
		Points: []identify.MapPoint{{X: 100, Y: 9000, Observation: 1, HasPhoto: true}, {X: 120, Y: 9050, Observation: 2}},
		Taxa: []identify.MapTaxon{{Taxon: identify.Taxon{ID: 1, ScientificName: "Parus major", EnglishName: "Great Tit", Group: "birds"},
			Family: identify.TaxonName{Taxon: 5, Label: "Tits and chickadees"}, Count: 2}},
		Clusters: []identify.MapCluster{{X: 110, Y: 9025, Radius: 40, Size: 2, Members: []int{0, 1},
			Taxa: []identify.TaxonCount{{Taxon: 1, Label: "Great Tit", Count: 2}}}}}, nil
}

func withGallery(g *fakeGallery) func(*Config) { return func(c *Config) { c.Gallery = g } }

// linked checks that a page has addresses with these parts.
func linked(t *testing.T, p reply, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(p.body, part) {
			t.Errorf("the page has no address with %s", part)
		}
	}
}

// TestAMemoryThatHoldsNothing says whether it was emptied: who put everything in
// quarantine is not told that nothing was ever taught.
func TestAMemoryThatHoldsNothing(t *testing.T) {
	g := &fakeGallery{empty: true}
	b := newBench(t, owner, withGallery(g))
	for _, page := range []string{"/memory", "/memory/map"} {
		b.want(b.get(page, 200), "Nothing has been taught yet.")
	}
	g.now, b.fake.seq = 4, 4
	for _, page := range []string{"/memory", "/memory/map"} {
		p := b.get(page, 200)
		b.want(p, "or is in quarantine")
		if strings.Contains(p.body, "Nothing has been taught yet.") || p.count("a", "href", "/memory/sources") != 2 {
			t.Errorf("%s: %s", page, p.text("main"))
		}
	}
	v := newBench(t, viewer, withGallery(g))
	v.fake.seq = 4
	if p := v.get("/memory", 200); p.count("a", "href", "/memory/sources") != 0 {
		t.Error("a viewer is led to where only curators may look")
	}
}

func TestGalleryByTaxon(t *testing.T) {
	g := &fakeGallery{}
	b := newBench(t, owner, withGallery(g))
	p := b.get("/memory?teacher=1&photo=without&before=40", 200)
	b.want(p, "Tits and chickadees", "2 exemplars of 1 name", "Embedding without a photo", "Taught by Ana")
	if g.asked.Teacher != 1 || g.asked.Photo != "without" || g.asked.Before != 40 {
		t.Errorf("asked for %+v", g.asked)
	}
	linked(t, p, "before=12", "teacher=1")
	b.want(b.get("/memory?taxon=5", 200), "All life")
	b.get("/memory?taxon=99", 404)
	b.get("/memory?taxon=x", 422)
	b.get("/memory?photo=perhaps", 422)
}

func TestGalleryBeginsWhereTheTreeForks(t *testing.T) {
	b := newBench(t, owner, withGallery(&fakeGallery{}))
	p := b.get("/memory", 200)
	linked(t, p, `href="/memory?taxon=1"`, `href="/memory?taxon=2"`)
	if strings.Contains(p.body, `href="/memory?taxon=5"`) {
		t.Error("the family, which is all there is, is a step of its own")
	}
}

func TestGalleryByLeafAndTeacher(t *testing.T) {
	b := newBench(t, owner, withGallery(&fakeGallery{}))
	b.want(b.get("/memory?by=leaf", 200), "Leaf 3: Great Tit", "Retraining to come")
	leaf := b.get("/memory/leaves/3", 200)
	b.want(leaf, "Most typical")
	linked(t, leaf, "/memory/leaves/3?from=48")
	linked(t, b.get("/memory?by=teacher", 200), "/memory?teacher=1", "/memory?taxon=1&amp;teacher=1")
	b.get("/memory/leaves/4", 404)
	b.get("/memory/leaves/x", 404)
}

func TestDoubtsSayWhy(t *testing.T) {
	b := newBench(t, owner, withGallery(&fakeGallery{}))
	p := b.get("/memory/doubts", 200)
	b.want(p, "Its nearest look-alikes and its leaf say Eurasian Blue Tit, 84%; Great Tit gets 3%.", "cosine 0.980",
		"3.0 times as far", "Withdrawn on trial, the memory reads this photo as Eurasian Blue Tit, 91%.", "2 exemplars judged", "1 event since")
	b.get("/memory/doubts?kind=odd", 422)
	b.get("/memory/doubts?after=x", 422)
	newBench(t, identify.User{ID: 2, Name: "Eve", Role: identify.Expert}, withGallery(&fakeGallery{})).get("/memory/doubts", 403)
}

func TestDoubtsAreSettled(t *testing.T) {
	g := &fakeGallery{}
	b := newBench(t, owner, withGallery(g))
	for _, x := range []struct {
		path, done string
		fields     []string
	}{
		{"/memory/doubts/11/keep", "keep 11", []string{"here", "kind=outlier", "next", "12"}},
		{"/memory/doubts/11/withdraw", "withdraw 11", nil},
		{"/memory/doubts/11/rename", "rename to 2 11", []string{"taxon", "2"}},
		{"/memory/doubts/11/rename", "rename to 4 11", []string{"q", "European Robin"}},
		{"/memory/doubts/11/rename", "rename to 0Odd Tit 11", []string{"q", "Odd Tit", "new", "1"}},
		{"/memory/doubts/11/again", "again 11", nil},
	} {
		p := b.do(form(x.path, x.fields...), http.StatusSeeOther)
		if got := strings.Join(g.done, "; "); got != x.done {
			t.Errorf("%s did %q, want %q", x.path, got, x.done)
		}
		g.done = nil
		if len(x.fields) == 4 && x.fields[0] == "here" {
			if to := p.Header.Get("Location"); !strings.Contains(to, "kind=outlier") || !strings.HasSuffix(to, "#doubt-12-card") {
				t.Errorf("it leads to %s", to)
			}
		}
	}
	// A name that is not exact is asked about, on the same page.
	p := b.do(form("/memory/doubts/11/rename", "q", "tit"), http.StatusUnprocessableEntity)
	b.want(p, "Teach a new name", "Coal Tit", "Great Tit")
	b.want(b.do(form("/memory/doubts/11/rename", "q", " "), http.StatusUnprocessableEntity), "Type its right name first.")
	if len(g.done) != 0 {
		t.Errorf("and yet it did %v", g.done)
	}
	g.fail = identify.Errorf(identify.Conflict, "label", "It is taught as that already.")
	b.want(b.do(form("/memory/doubts/11/rename", "taxon", "1"), http.StatusUnprocessableEntity), "It is taught as that already.")
}

func TestMapWithoutJavaScript(t *testing.T) {
	b := newBench(t, owner, withGallery(&fakeGallery{}))
	p := b.get("/memory/map?by=family&cluster=1", 200)
	b.want(p, "2 exemplars.", "Tits and chickadees", "bottom left")
	linked(t, p, "/memory/map/drawing.svg?by=family", "/observations/1/photo?size=thumb")
	svg := b.get("/memory/map/drawing.svg?by=family&dark=1", 200)
	if !strings.Contains(svg.Header.Get("Content-Type"), "svg") || !strings.Contains(svg.body, "M100 9000") || strings.Contains(svg.body, "style") {
		t.Errorf("the drawing is %s", svg.body)
	}
	b.get("/memory/map?by=weight", 422)
}

func TestMapPoints(t *testing.T) {
	p := newBench(t, owner, withGallery(&fakeGallery{})).get("/memory/map/points?by=group", 200)
	var d mapData
	if err := json.Unmarshal([]byte(p.body), &d); err != nil {
		t.Fatal(err)
	}
	if d.Side != identify.MapSide || len(d.X) != 2 || d.Y[1] != 9050 || d.ID[1] != 2 || len(d.Bare) != 1 || d.Bare[0] != 1 ||
		d.Names[d.Name[0]] != "Great Tit" || d.Legend[d.Colour[d.Name[0]]] != "Birds" {
		t.Errorf("%+v", d)
	}
}

// More groups than there are colours: the frequent ones have one each, what is left
// and what has no group share the last.
func TestColoursGoToTheFrequent(t *testing.T) {
	var m identify.MemoryMap
	for i := range 12 {
		m.Taxa = append(m.Taxa, identify.MapTaxon{Family: identify.TaxonName{Label: fmt.Sprintf("F%02d", i)}, Count: 20 - i})
	}
	m.Taxa = append(m.Taxa, identify.MapTaxon{Count: 100})
	legend, colour := coloured(t.Context(), m, "family")
	if len(legend) != mapColours+1 || legend[0].Name != "F00" || legend[mapColours].Count != "142" || colour[7] != 7 || colour[8] != mapColours || colour[12] != mapColours {
		t.Errorf("legend %+v, colours %v", legend, colour)
	}
}
