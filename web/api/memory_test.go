package api

import (
	"context"
	"net/http"
	"testing"

	"fieldmark/internal/identify"
)

// fakeMemory keeps what it was asked, and lets curators settle doubts.
type fakeMemory struct {
	filter  identify.DoubtFilter
	gallery identify.GalleryFilter
	answer  identify.Answer
	did     string
}

func (f *fakeMemory) Exemplars(_ context.Context, x identify.GalleryFilter) ([]identify.GalleryExemplar, bool, error) {
	f.gallery = x
	return []identify.GalleryExemplar{{Identification: 8, Observation: 3, Label: "House Sparrow", TeacherName: "Ann", HasPhoto: true}, {Identification: 7}}, true, nil
}

func (f *fakeMemory) Leaves(context.Context) ([]identify.GalleryLeaf, error) {
	return []identify.GalleryLeaf{{Leaf: 2, Size: 40, State: identify.LeafLearning, Labels: []identify.TaxonCount{{Taxon: 4, Label: "House Sparrow", Count: 30}}}, {State: identify.LeafUnfitted}}, nil
}

func (f *fakeMemory) Map(context.Context) (identify.MemoryMap, error) {
	return identify.MemoryMap{Points: []identify.MapPoint{{X: 1, Y: 2, Observation: 3}}, Taxa: []identify.MapTaxon{{Taxon: identify.Taxon{ID: 4, EnglishName: "House Sparrow"}, Count: 1}}, All: 5, Seq: 6}, nil
}

func (f *fakeMemory) Doubts(_ context.Context, u identify.User, x identify.DoubtFilter) (identify.Doubts, error) {
	f.filter = x
	if !u.Role.Allows(identify.Curator) {
		return identify.Doubts{}, identify.Errorf(identify.Forbidden, "", "Not with this role.")
	}
	return identify.Doubts{Total: 3, Judged: 9, More: true, List: []identify.Doubt{{Score: 0.9, Exemplar: identify.GalleryExemplar{Identification: 8, Label: "House Sparrow"},
		Reasons: []identify.DoubtReason{{Kind: identify.DoubtDuplicate, Other: identify.Taxon{ID: 5, EnglishName: "Tree Sparrow"}, Cos: 0.99, Twin: &identify.GalleryExemplar{Observation: 6}}}}}}, nil
}

func (f *fakeMemory) settled(did string, id identify.IdentificationID) (identify.Settled, error) {
	f.did = did
	if id == 404 {
		return identify.Settled{}, identify.Errorf(identify.NotFound, "", "There is no such lesson.")
	}
	return identify.Settled{Identification: id, Observation: 3, Seq: 12}, nil
}

func (f *fakeMemory) KeepDoubtful(_ context.Context, _ identify.User, id identify.IdentificationID) (identify.Settled, error) {
	return f.settled("kept", id)
}

func (f *fakeMemory) DoubtAgain(context.Context, identify.User, identify.IdentificationID) error {
	f.did = "again"
	return nil
}

func (f *fakeMemory) WithdrawDoubtful(_ context.Context, _ identify.User, id identify.IdentificationID) (identify.Settled, error) {
	return f.settled("withdrawn", id)
}

func (f *fakeMemory) RenameDoubtful(_ context.Context, _ identify.User, id identify.IdentificationID, a identify.Answer) (identify.Settled, error) {
	f.answer = a
	x, err := f.settled("renamed", id)
	x.Now = identify.Identification{ID: 9, TaxonLabel: "Tree Sparrow"}
	return x, err
}

func TestDoubts(t *testing.T) {
	f := &fakeMemory{}
	h := handlerOf(t, &fake{}, &fakeReview{}, f, &fakePeople{})
	const path = "/api/v1/memory/doubts"
	type page struct {
		Doubts     []doubtful
		Total      int
		NextCursor int64 `json:"next_cursor"`
	}
	p := decode[page](t, ask(h, curator, http.MethodGet, path+"?kind=duplicate&taxon_id=4&cursor=7&limit=1", "", ""), 200)
	if len(p.Doubts) != 1 || p.Total != 3 || p.NextCursor != 8 || p.Doubts[0].IdentificationID != 8 || p.Doubts[0].Score != 0.9 {
		t.Errorf("%+v", p)
	}
	if r := p.Doubts[0].Reasons[0]; r.Kind != "duplicate" || r.Label != "Tree Sparrow" || r.ObservationID != 6 || r.Cosine != 0.99 {
		t.Errorf("%+v", r)
	}
	if f.filter != (identify.DoubtFilter{Kind: identify.DoubtDuplicate, Taxon: 4, After: 7, Limit: 1}) {
		t.Errorf("%+v", f.filter)
	}
	wantProblem(t, "an expert", ask(h, expert, http.MethodGet, path, "", ""), 403, "")
	for _, c := range []struct{ method, path, body, did string }{
		{"PUT", "/8/kept", "", "kept"}, {"DELETE", "/8", "", "withdrawn"}, {"PUT", "/8/name", `{"taxon_id":5}`, "renamed"},
	} {
		x := decode[settled](t, ask(h, curator, c.method, path+c.path, "application/json", c.body), 200)
		if x.IdentificationID != 8 || x.ObservationID != 3 || x.MemorySeq != 12 || f.did != c.did || (x.Now != nil) != (c.did == "renamed") {
			t.Errorf("%s: %+v, %s", c.path, x, f.did)
		}
	}
	if f.answer != (identify.Answer{Taxon: 5}) {
		t.Errorf("%+v", f.answer)
	}
	if w := ask(h, curator, http.MethodDelete, path+"/8/kept", "", ""); w.Code != 204 || f.did != "again" {
		t.Errorf("status %d, %s", w.Code, f.did)
	}
	wantProblem(t, "no lesson", ask(h, curator, http.MethodDelete, path+"/404", "", ""), 404, "")
}

func TestMemory(t *testing.T) {
	f := &fakeMemory{}
	h := handlerOf(t, &fake{}, &fakeReview{}, f, &fakePeople{})
	type exemplars struct {
		Exemplars  []exemplar
		NextCursor int64 `json:"next_cursor"`
	}
	x := decode[exemplars](t, ask(h, curator, http.MethodGet, "/api/v1/memory/exemplars?taxon_id=4&taught_by=2&photo=with&limit=2", "", ""), 200)
	if len(x.Exemplars) != 2 || x.NextCursor != 7 || !x.Exemplars[0].HasPhoto || f.gallery != (identify.GalleryFilter{Taxon: 4, Teacher: 2, Photo: "with", Limit: 2}) {
		t.Errorf("%+v, %+v", x, f.gallery)
	}
	type leaves struct{ Leaves []leaf }
	if l := decode[leaves](t, ask(h, curator, http.MethodGet, "/api/v1/memory/leaves", "", ""), 200); l.Leaves[0].State != "learning" || l.Leaves[1].State != "unfitted" || l.Leaves[0].Labels[0].Count != 30 {
		t.Errorf("%+v", l)
	}
	type drawn struct {
		Points []mapPoint
		Taxa   []labelRows
	}
	if m := decode[drawn](t, ask(h, curator, http.MethodGet, "/api/v1/memory/map", "", ""), 200); m.Points[0] != (mapPoint{1, 2, 0, 3}) || m.Taxa[0].Label != "House Sparrow" {
		t.Errorf("%+v", m)
	}
}
