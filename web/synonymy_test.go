package web

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"fieldmark/internal/identify"
)

// fakeSynonymies merges the names of a fake, and remembers one merge.
type fakeSynonymies struct {
	*fake
	list []identify.Synonymy
}

func (f *fakeSynonymies) PreviewSynonymy(_ context.Context, _ identify.User, synonym, accepted identify.TaxonID) (identify.SynonymyPreview, error) {
	from, _ := f.taxon(synonym)
	into, there := f.taxon(accepted)
	if !there {
		return identify.SynonymyPreview{}, identify.Errorf(identify.NotFound, "", "There is no taxon with the id %d.", accepted)
	}
	if synonym == 5 {
		return identify.SynonymyPreview{}, identify.Errorf(identify.Invalid, "accepted", "%s is below %s.", into.Label(), from.Label())
	}
	return identify.SynonymyPreview{Synonym: from, Accepted: into, Lessons: 1, Waiting: 2, Known: 1240, Read: 3, Children: 1, Names: []string{from.ScientificName},
		Vernacular: []identify.VernacularName{{Language: "de", Name: "Kohlmeise"}}, Sets: []identify.LabelSet{{Name: "Garden"}}}, nil
}

func (f *fakeSynonymies) MergeTaxa(_ context.Context, u identify.User, synonym, accepted identify.TaxonID) (identify.Synonymy, error) {
	if !u.Role.Allows(identify.Curator) {
		return identify.Synonymy{}, identify.Errorf(identify.Forbidden, "", "To merge names takes the role curator.")
	}
	if len(f.list) > 0 {
		return identify.Synonymy{}, identify.Errorf(identify.Conflict, "", "Great Tit is a synonym already.")
	}
	from, _ := f.taxon(synonym)
	into, _ := f.taxon(accepted)
	y := identify.Synonymy{ID: 8, Synonym: synonym, SynonymLabel: from.Label(), SynonymName: from.ScientificName,
		Accepted: accepted, AcceptedLabel: into.Label(), AcceptedName: into.ScientificName, Lessons: 12, ByName: u.Name, At: noon, Pending: 9}
	f.list, f.taxa[synonym-1].Accepted = []identify.Synonymy{y}, accepted
	f.list[0].Pending = 0 // only what was decided just now has it
	return y, nil
}

func (f *fakeSynonymies) UndoSynonymy(_ context.Context, u identify.User, id identify.SynonymyID) (identify.Synonymy, error) {
	if !u.Role.Allows(identify.Curator) || id != 8 {
		return identify.Synonymy{}, identify.Errorf(identify.Forbidden, "", "To undo that takes the role curator.")
	}
	at := noon
	f.list[0].UndoneAt, f.list[0].Returned = &at, 11
	f.taxa[f.list[0].Synonym-1].Accepted = 0
	return f.list[0], nil
}

func (f *fakeSynonymies) Synonymies(context.Context, identify.TaxonID) ([]identify.Synonymy, error) {
	return f.list, nil
}

// merging is a bench whose names can be merged.
func merging(t *testing.T, u identify.User) *bench {
	return newBench(t, u, func(c *Config) { c.Synonymies = &fakeSynonymies{fake: c.Service.(*fake)} })
}

func TestMergingNames(t *testing.T) {
	b := merging(t, owner)
	b.want(b.get("/taxa/1", 200), "It is the same as another name", "The name that stays")
	// A name that several have is chosen from; one that nothing has is said.
	p := b.get("/taxa/1/merge?q=tit", 200)
	b.want(p, "Which one?", "Eurasian Blue Tit", "Coal Tit")
	if link := attr(p.find(".match")[1], "href"); !strings.HasPrefix(link, "/taxa/1/merge?taxon=") {
		t.Errorf("a match leads to %q", link)
	}
	b.want(b.get("/taxa/1/merge?q=unicorn", 200), "No name is like", "unicorn")
	// The very name leads to what would come of it.
	p = b.get("/taxa/1/merge?q=Coal+Tit", 200)
	b.want(p, "Great Tit is the same as", "Coal Tit", "1 lesson reads as Coal Tit from then on", "1,240", "lessons in quarantine would come back", "photos that wait", "Searching for Parus major, Kohlmeise finds Coal Tit.", "Garden",
		"Who said what stays on record.")
	if !strings.Contains(p.body, `name="taxon" value="3"`) {
		t.Error("it would be merged into another one")
	}
	p = b.do(form("/taxa/1/merge", "taxon", "3"), http.StatusSeeOther)
	if at := p.Header.Get("Location"); at != "/taxa/3?merged=8&pending=1" {
		t.Errorf("it goes to %q", at)
	}
	p = b.get("/taxa/3?merged=8&pending=1", 200)
	b.want(p, "Great Tit is a synonym now", "12", "still learning it", "Names that were merged into it", "Undo")
	p = b.get("/taxa/1", 200)
	b.want(p, "This name means", "Coal Tit", "Undo")
	if len(p.find("textarea")) != 0 || strings.Contains(p.body, "It is the same as another name") {
		t.Error("a synonym is offered to be changed")
	}
	b.want(b.do(form("/taxa/1/merge", "taxon", "2"), http.StatusConflict), "Great Tit is a synonym already.")
	p = b.do(form("/taxa/merged/8/undo"), http.StatusSeeOther)
	if at := p.Header.Get("Location"); at != "/taxa/1?apart=8" {
		t.Errorf("it goes to %q", at)
	}
	b.want(b.get("/taxa/1?apart=8", 200), "Undone:", "11", "It is the same as another name")
}

// What is under way says so on both pages, and is not offered to be undone until it is done.
func TestAMergeUnderWay(t *testing.T) {
	var f *fakeSynonymies
	b := newBench(t, owner, func(c *Config) {
		f = &fakeSynonymies{fake: c.Service.(*fake)}
		c.Synonymies = f
	})
	b.do(form("/taxa/1/merge", "taxon", "3"), http.StatusSeeOther)
	for step, said := range map[identify.SynonymyStep]string{
		identify.Merging: "Its lessons are being given the new name.", identify.Undoing: "Its lessons are being given their name back.",
	} {
		f.list[0].UnderWay = step
		for _, page := range []string{"/taxa/1", "/taxa/3"} {
			p := b.get(page, 200)
			if b.want(p, said, "Look again"); strings.Contains(p.body, "/taxa/merged/8/undo") {
				t.Errorf("%s offers to undo it", page)
			}
			if !strings.Contains(b.marked(page, 200), "⟦"+said) {
				t.Errorf("%s says it in English alone", page)
			}
		}
	}
}

func TestMergingIsRefused(t *testing.T) {
	b := merging(t, owner)
	p := b.get("/taxa/5/merge?taxon=1", 422)
	b.want(p, "Great Tit is below Tits and chickadees.", "The other way round")
	if !strings.Contains(p.body, `href="/taxa/1/merge?taxon=5"`) {
		t.Error("the other way round is not offered")
	}
	b.get("/taxa/1/merge?taxon=99", 404)
	b.get("/taxa/99/merge", 404)
	b.do(form("/taxa/1/merge", "taxon", ""), 422)
	v := merging(t, viewer)
	v.get("/taxa/1/merge", http.StatusForbidden)
	v.do(form("/taxa/1/merge", "taxon", "3"), http.StatusForbidden)
	v.do(form("/taxa/merged/8/undo"), http.StatusForbidden)
	if strings.Contains(v.get("/taxa/1", 200).body, "It is the same as another name") {
		t.Error("a viewer is offered to merge names")
	}
	newBench(t, owner).get("/taxa/1/merge", 404)
}

// An observation's page tells what a person said, where it reads otherwise since.
func TestAGivenNameIsTold(t *testing.T) {
	e := entry(t.Context(), identify.Identification{ID: 1, Taxon: 3, TaxonLabel: "Coal Tit", Given: 1, GivenLabel: "Great Tit", CreatedAt: noon}, viewer)
	if e.Name != "Coal Tit" || !strings.Contains(e.How, "given as Great Tit, a synonym now") {
		t.Errorf("%+v", e)
	}
}

// The combobox of a page that has no use for new names offers none.
func TestSearchingKnownNames(t *testing.T) {
	b := newBench(t, owner)
	r := func(path string) *http.Request {
		q := form(path)
		q.Method = http.MethodGet
		q.Header.Set("HX-Request", "true")
		return q
	}
	b.want(b.do(r("/taxa?q=unicorn"), 200), "Teach a new name")
	if p := b.do(r("/taxa?q=unicorn&known=1"), 200); strings.Contains(p.body, "Teach a new name") {
		t.Error("a new name is offered")
	}
}
