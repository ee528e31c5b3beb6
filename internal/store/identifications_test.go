package store

import (
	"slices"
	"strings"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

// logOf lists the events as "taught house by ann".
func logOf(t *testing.T, s *Store) []string {
	t.Helper()
	events, err := s.Events(t.Context(), encoder.Digest, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	names := map[identify.TaxonID]string{4: "house", 5: "tree", 6: "oak", identify.FirstLocalTaxon: "local"}
	var list []string
	for i, e := range events {
		if e.Seq != identify.Seq(i+1) {
			t.Errorf("event %d has number %d", i+1, e.Seq)
		}
		if (e.Vector != nil) != (e.Kind == identify.Taught) {
			t.Errorf("%s event with vector %v", e.Kind, e.Vector)
		}
		list = append(list, string(e.Kind)+" "+names[e.Taxon]+" by "+e.UserName)
	}
	return list
}

func TestTeach(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	ann, bob := user(t, s, "ann"), user(t, s, "bob")
	o := observe(t, s, ann, "a")
	i, seq, err := s.Teach(ctx, identify.NewIdentification{Observation: o.ID, Taxon: 4, User: ann.ID, FromSuggestion: true, At: noon})
	if err != nil || seq != 1 || i.Taxon != 4 || i.TaxonLabel != "House Sparrow" || i.ScientificName != "Passer domesticus" ||
		i.UserName != "ann" || !i.FromSuggestion || i.Withdrawn() || !i.CreatedAt.Equal(noon) || i.Observation != o.ID {
		t.Errorf("%+v, %d, %v", i, seq, err)
	}
	_, _, err = s.Teach(ctx, identify.NewIdentification{Observation: o.ID, Local: "house sparrow", User: ann.ID, At: noon})
	wantKind(t, err, identify.Conflict, "label")
	if _, seq = teach(t, s, bob, o.ID, 4); seq != 2 {
		t.Errorf("bob's event is %d", seq)
	}
	if _, seq = teach(t, s, ann, o.ID, 5); seq != 4 {
		t.Errorf("ann's second event is %d, want 4 after the withdrawal of her first", seq)
	}
	want := []string{"taught house by ann", "taught house by bob", "withdrawn house by ann", "taught tree by ann"}
	if got := logOf(t, s); !slices.Equal(got, want) {
		t.Errorf("log %q, want %q", got, want)
	}
	got, err := s.Observation(ctx, o.ID)
	if err != nil || len(got.Identifications) != 3 || !got.Identifications[0].Withdrawn() || got.Identifications[1].Withdrawn() {
		t.Errorf("%+v, %v", got.Identifications, err)
	}
	if current, ok := got.Current(); !ok || current.Taxon != 5 {
		t.Errorf("current %+v", current)
	}
	check(t, s)
}

func TestTeachLocal(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	ann, bob := user(t, s, "ann"), user(t, s, "bob")
	o := observe(t, s, ann, "a")
	first, _, err := s.Teach(ctx, identify.NewIdentification{Observation: o.ID, Local: "Büro Möwe", User: ann.ID, At: noon})
	if err != nil || first.Taxon != identify.FirstLocalTaxon || first.TaxonLabel != "Büro Möwe" {
		t.Fatalf("%+v, %v", first, err)
	}
	again, _, err := s.Teach(ctx, identify.NewIdentification{Observation: o.ID, Local: "buro mowe", User: bob.ID, At: noon})
	if err != nil || again.Taxon != first.Taxon {
		t.Errorf("%+v, %v; want the taxon that has that name", again, err)
	}
	other, _, err := s.Teach(ctx, identify.NewIdentification{Observation: observe(t, s, ann, "b").ID, Local: "Büro Möwe ♂", User: ann.ID, At: noon})
	if err != nil || other.Taxon != identify.FirstLocalTaxon+1 {
		t.Errorf("%+v, %v; want a second local taxon", other, err)
	}
	x, err := s.Taxon(ctx, first.Taxon)
	if err != nil || !x.Local || x.Rank != identify.RankUnranked || x.ScientificName != "Büro Möwe" || !x.CreatedAt.Equal(noon) {
		t.Errorf("%+v, %v", x, err)
	}
	if found, err := s.SearchTaxa(ctx, "mowe", 5); err != nil || len(found) != 2 || !found[0].Local {
		t.Errorf("%+v, %v", found, err)
	}
	check(t, s)
}

func TestTeachRefuses(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	ann := user(t, s, "ann")
	o := observe(t, s, ann, "a")
	_, _, err := s.Teach(ctx, identify.NewIdentification{Observation: 99, Local: "New Thing", User: ann.ID, At: noon})
	wantKind(t, err, identify.NotFound, "")
	_, _, err = s.Teach(ctx, identify.NewIdentification{Observation: o.ID, Taxon: 99, User: ann.ID, At: noon})
	wantKind(t, err, identify.Invalid, "taxon_id")
	_, _, err = s.Teach(ctx, identify.NewIdentification{Observation: o.ID, Local: "'", User: ann.ID, At: noon})
	wantKind(t, err, identify.Invalid, "label")
	if _, _, err = s.Teach(ctx, identify.NewIdentification{Observation: o.ID, Local: "New Thing", User: 99, At: noon}); err == nil {
		t.Error("an unknown user taught")
	}
	if _, err := s.TaxonByName(ctx, "New Thing"); identify.KindOf(err) != identify.NotFound {
		t.Errorf("a refused identification left its taxon: %v", err)
	}
	if got := logOf(t, s); got != nil {
		t.Errorf("log %q, want none", got)
	}
	check(t, s)
}

func TestWithdraw(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	ann, bob := user(t, s, "ann"), user(t, s, "bob")
	a, b := observe(t, s, ann, "a"), observe(t, s, ann, "b")
	first, _ := teach(t, s, ann, a.ID, 4)
	teach(t, s, bob, a.ID, 5)
	later := noon.Add(time.Hour)

	_, _, err := s.Withdraw(ctx, b.ID, first.ID, bob.ID, later)
	wantKind(t, err, identify.NotFound, "")
	_, _, err = s.Withdraw(ctx, 99, first.ID, bob.ID, later)
	wantKind(t, err, identify.NotFound, "")
	ended, seq, err := s.Withdraw(ctx, a.ID, first.ID, bob.ID, later)
	if err != nil || seq != 3 || !ended.Withdrawn() || !ended.WithdrawnAt.Equal(later) || ended.User != ann.ID {
		t.Errorf("%+v, %d, %v", ended, seq, err)
	}
	_, _, err = s.Withdraw(ctx, a.ID, first.ID, bob.ID, later)
	wantKind(t, err, identify.Conflict, "")

	want := []string{"taught house by ann", "taught tree by bob", "withdrawn house by bob"}
	if got := logOf(t, s); !slices.Equal(got, want) {
		t.Errorf("log %q, want %q", got, want)
	}
	if list, _, err := s.Observations(ctx, identify.ObservationFilter{Taxon: 5}); err != nil || len(list) != 1 {
		t.Errorf("%d observations of what still stands, %v", len(list), err)
	}
	teach(t, s, ann, a.ID, 4) // what was withdrawn can be said again
	check(t, s)
}

func TestEventsInPages(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	ann := user(t, s, "ann")
	for i := range 5 {
		teach(t, s, ann, observe(t, s, ann, string(rune('a'+i))).ID, 4)
	}
	page, err := s.Events(ctx, encoder.Digest, 2, 2)
	if err != nil || len(page) != 2 || page[0].Seq != 3 || page[1].Seq != 4 || !slices.Equal(page[0].Vector, []float32{1, 2, 2}) {
		t.Errorf("%+v, %v", page, err)
	}
	if other, err := s.Events(ctx, "another encoder", 0, 10); err != nil || len(other) != 5 || other[0].Vector != nil {
		t.Errorf("%+v, %v; want no vectors", other, err)
	}
}

func TestTheLogIsAppendOnly(t *testing.T) {
	s := fresh(t)
	ann := user(t, s, "ann")
	teach(t, s, ann, observe(t, s, ann, "a").ID, 4)
	for _, statement := range []string{
		`UPDATE events SET taxon_id = 5`,
		`UPDATE events SET seq = 2`,
		`DELETE FROM events`,
		`REPLACE INTO events SELECT * FROM events`,
		`INSERT OR REPLACE INTO events SELECT 9, kind, identification_id, observation_id, photo_hash, 5, user_id, at, import_id, quarantine_id, synonymy_id FROM events`,
	} {
		if _, err := s.write.Exec(statement); err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: %v", statement, err)
		}
	}
	if got := logOf(t, s); !slices.Equal(got, []string{"taught house by ann"}) {
		t.Errorf("log %q", got)
	}
}
