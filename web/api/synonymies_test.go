package api

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

// fakeSynonymies knows one merge, that of taxon 7 into 4.
type fakeSynonymies struct{ undone bool }

func (f *fakeSynonymies) PreviewSynonymy(_ context.Context, _ identify.User, synonym, accepted identify.TaxonID) (identify.SynonymyPreview, error) {
	if synonym == accepted {
		return identify.SynonymyPreview{}, identify.Errorf(identify.Invalid, "accepted", "That is the same taxon. Choose another one.")
	}
	return identify.SynonymyPreview{Lessons: 3, Waiting: 1, Known: 9, Children: 2, Names: []string{"Inachis io"},
		Vernacular: []identify.VernacularName{{Language: "de", Name: "Tagpfauenauge"}}, Sets: []identify.LabelSet{{Name: "Garden"}}}, nil
}

func (f *fakeSynonymies) MergeTaxa(_ context.Context, u identify.User, synonym, accepted identify.TaxonID) (identify.Synonymy, error) {
	if !u.Role.Allows(identify.Curator) {
		return identify.Synonymy{}, identify.Errorf(identify.Forbidden, "", "To merge names takes the role curator.")
	}
	return identify.Synonymy{ID: 5, Synonym: synonym, SynonymLabel: "Inachis io", Accepted: accepted, Lessons: 4, ByName: u.Name, Pending: 12}, nil
}

func (f *fakeSynonymies) UndoSynonymy(_ context.Context, _ identify.User, id identify.SynonymyID) (identify.Synonymy, error) {
	if f.undone {
		return identify.Synonymy{}, identify.Errorf(identify.Conflict, "", "It was undone already.")
	}
	f.undone = true
	at := time.Unix(9, 0)
	return identify.Synonymy{ID: id, Returned: 3, UndoneBy: "Cy", UndoneAt: &at}, nil
}

func (f *fakeSynonymies) Synonymies(_ context.Context, about identify.TaxonID) ([]identify.Synonymy, error) {
	if about != 0 && about != 4 && about != 7 {
		return nil, nil
	}
	return []identify.Synonymy{{ID: 5, Synonym: 7, SynonymLabel: "Inachis io", Accepted: 4, AcceptedLabel: "Peacock", AcceptedName: "Aglais io", Lessons: 4}}, nil
}

func TestSynonymies(t *testing.T) {
	f := &fake{}
	h := handler(t, f)
	list := decode[struct{ Synonymies []synonymy }](t, ask(h, curator, http.MethodGet, "/api/v1/synonymies?taxon_id=4", "", ""), 200)
	if len(list.Synonymies) != 1 || list.Synonymies[0].Synonym.TaxonID != 7 || list.Synonymies[0].Accepted.ScientificName != "Aglais io" || list.Synonymies[0].UndoneAt != nil {
		t.Errorf("%+v", list)
	}
	if none := decode[struct{ Synonymies []synonymy }](t, ask(h, curator, http.MethodGet, "/api/v1/synonymies?taxon_id=3", "", ""), 200); none.Synonymies == nil || len(none.Synonymies) != 0 {
		t.Errorf("%+v", none)
	}
	p := decode[struct {
		Lessons  int
		Accepted int `json:"accepted_lessons"`
		Names    []string
		Sets     []string `json:"label_sets"`
	}](t, ask(h, curator, http.MethodGet, "/api/v1/synonymies/preview?taxon_id=7&accepted_taxon_id=4", "", ""), 200)
	if p.Lessons != 3 || p.Accepted != 9 || !slices.Equal(p.Names, []string{"Inachis io", "Tagpfauenauge"}) || !slices.Equal(p.Sets, []string{"Garden"}) {
		t.Errorf("%+v", p)
	}
	made := decode[synonymy](t, ask(h, curator, http.MethodPost, "/api/v1/synonymies", "application/json", `{"taxon_id":7,"accepted_taxon_id":4}`), 201)
	if made.Synonym.TaxonID != 7 || made.Accepted.TaxonID != 4 || made.Lessons != 4 || made.PendingTo != 12 {
		t.Errorf("%+v", made)
	}
	undone := decode[synonymy](t, ask(h, curator, http.MethodDelete, "/api/v1/synonymies/5", "", ""), 200)
	if undone.Returned != 3 || undone.UndoneBy != "Cy" {
		t.Errorf("%+v", undone)
	}
	for _, c := range []struct {
		method, path, body string
		status             int
	}{
		{http.MethodDelete, "/api/v1/synonymies/5", "", http.StatusConflict},
		{http.MethodGet, "/api/v1/synonymies/preview?taxon_id=7&accepted_taxon_id=7", "", http.StatusUnprocessableEntity},
		{http.MethodGet, "/api/v1/synonymies/preview?taxon_id=7", "", http.StatusUnprocessableEntity},
		{http.MethodPost, "/api/v1/synonymies", `{"taxon_id":7}`, http.StatusUnprocessableEntity},
	} {
		if w := ask(h, curator, c.method, c.path, "application/json", c.body); w.Code != c.status {
			t.Errorf("%s %s: status %d, want %d", c.method, c.path, w.Code, c.status)
		}
	}
}

// What a person said, and what it reads as now, can be told apart.
func TestAGivenName(t *testing.T) {
	i := newIdentification(identify.Identification{ID: 1, Taxon: 4, TaxonLabel: "Peacock", Given: 7, GivenLabel: "Inachis io"})
	if i.TaxonID != 4 || i.GivenTaxonID != 7 || i.GivenLabel != "Inachis io" {
		t.Errorf("%+v", i)
	}
}
