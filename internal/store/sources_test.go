package store

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

func personOf(u identify.User) identify.Source { return identify.Source{User: u.ID} }

func quarantine(t testing.TB, s *Store, of identify.Source, by identify.User) identify.Quarantine {
	t.Helper()
	q, _, err := s.BeginQuarantine(t.Context(), of, "nonsense", by.ID, noon)
	if err != nil {
		t.Fatal(err)
	}
	check(t, s)
	return q
}

func endQuarantine(t testing.TB, s *Store, of identify.Source, how identify.QuarantineOutcome, by identify.User) identify.Quarantine {
	t.Helper()
	q, _, err := s.EndQuarantine(t.Context(), of, how, by.ID, noon.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	check(t, s)
	return q
}

// kinds lists the kinds of all events.
func kindsOf(t testing.TB, s *Store) []identify.EventKind {
	t.Helper()
	events, err := s.Events(t.Context(), encoder.Digest, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var list []identify.EventKind
	for _, e := range events {
		list = append(list, e.Kind)
	}
	return list
}

func currentOf(t testing.TB, s *Store, o identify.ObservationID) identify.TaxonID {
	t.Helper()
	got, err := s.Observation(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	i, _ := got.Current()
	return i.Taxon
}

func sourceReport(t testing.TB, s *Store, of identify.Source) identify.SourceReport {
	t.Helper()
	r, err := s.Source(t.Context(), of)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// What a person taught goes and comes back; what others said of the same photos
// shows meanwhile.
func TestQuarantineOfAPerson(t *testing.T) {
	s := fresh(t)
	ann, bob, cy := user(t, s, "ann"), user(t, s, "bob"), user(t, s, "cy")
	a, b := observe(t, s, ann, "a"), observe(t, s, ann, "b")
	teach(t, s, bob, a.ID, 4)
	teach(t, s, ann, a.ID, 5)
	teach(t, s, ann, b.ID, 6)
	gone, _ := teach(t, s, ann, b.ID, 4) // takes 6 back
	q := quarantine(t, s, personOf(ann), cy)
	if q.Lessons != 2 || q.By != cy.ID || q.Reason != "nonsense" || q.Outcome != identify.Lasting {
		t.Errorf("quarantine %+v", q)
	}
	if currentOf(t, s, a.ID) != 4 || currentOf(t, s, b.ID) != 0 {
		t.Errorf("they go by %d and %d", currentOf(t, s, a.ID), currentOf(t, s, b.ID))
	}
	o, err := s.Observation(t.Context(), b.ID)
	if err != nil || !o.Identifications[1].Quarantined || o.Identifications[0].Quarantined {
		t.Errorf("%+v, %v", o.Identifications, err)
	}
	if r := sourceReport(t, s, personOf(ann)); r.Taught != 3 || r.Standing != 0 || r.Waiting != 2 || r.TakenBack != 1 || r.Overruled != 0 || r.Quarantine == nil {
		t.Errorf("report %+v", r)
	}
	_, _, err = s.BeginQuarantine(t.Context(), personOf(ann), "", cy.ID, noon)
	wantKind(t, err, identify.Conflict, "")
	if _, _, err := s.Withdraw(t.Context(), b.ID, gone.ID, cy.ID, noon); err != nil {
		t.Error("what waits cannot be withdrawn for good:", err)
	}
	check(t, s)
	endQuarantine(t, s, personOf(ann), identify.Restored, cy)
	if currentOf(t, s, a.ID) != 5 || currentOf(t, s, b.ID) != 0 {
		t.Errorf("they go by %d and %d", currentOf(t, s, a.ID), currentOf(t, s, b.ID))
	}
	want := []identify.EventKind{"taught", "taught", "taught", "withdrawn", "taught", "quarantined", "quarantined", "withdrawn", "released"}
	if got := kindsOf(t, s); !slices.Equal(got, want) {
		t.Errorf("events %v, want %v", got, want)
	}
	_, _, err = s.EndQuarantine(t.Context(), personOf(ann), identify.Restored, cy.ID, noon)
	wantKind(t, err, identify.Conflict, "")
	if r := sourceReport(t, s, personOf(ann)); r.Standing != 1 || r.Overruled != 1 || r.TakenBack != 1 || r.Quarantine != nil {
		t.Errorf("report %+v", r)
	}
}

// Who is in quarantine may go on teaching: it waits with the rest. What they say anew
// takes the place of what they said before, which waits too.
func TestTeachingInQuarantine(t *testing.T) {
	s := fresh(t)
	ann, cy := user(t, s, "ann"), user(t, s, "cy")
	a, b := observe(t, s, ann, "a"), observe(t, s, ann, "b")
	teach(t, s, ann, a.ID, 4)
	quarantine(t, s, personOf(ann), cy)
	held, _ := teach(t, s, ann, b.ID, 6)
	if !held.Quarantined || !held.Withdrawn() || currentOf(t, s, b.ID) != 0 {
		t.Errorf("%+v; the photo goes by %d", held, currentOf(t, s, b.ID))
	}
	teach(t, s, ann, a.ID, 5)
	check(t, s)
	endQuarantine(t, s, personOf(ann), identify.Restored, cy)
	if currentOf(t, s, a.ID) != 5 || currentOf(t, s, b.ID) != 6 {
		t.Errorf("they go by %d and %d", currentOf(t, s, a.ID), currentOf(t, s, b.ID))
	}
	want := []identify.EventKind{"taught", "quarantined", "held", "withdrawn", "held", "released", "released"}
	if got := kindsOf(t, s); !slices.Equal(got, want) {
		t.Errorf("events %v, want %v", got, want)
	}
	events, err := s.Events(t.Context(), encoder.Digest, 0, 100)
	if err != nil || events[2].Vector == nil || events[5].Vector != nil {
		t.Errorf("%v: a held lesson has its embedding, a release needs none", err)
	}
	if n, err := s.Learnable(t.Context(), encoder.Digest, 100); err != nil || n != 3 {
		t.Errorf("%d can be learned, %v", n, err)
	}
}

// Removing what is in quarantine withdraws it for good.
func TestRemovingAQuarantine(t *testing.T) {
	s := fresh(t)
	ann, cy := user(t, s, "ann"), user(t, s, "cy")
	a := observe(t, s, ann, "a")
	teach(t, s, ann, a.ID, 4)
	quarantine(t, s, personOf(ann), cy)
	q := endQuarantine(t, s, personOf(ann), identify.Removed, cy)
	if q.Outcome != identify.Removed || q.EndedBy != "cy" || q.EndedAt == nil {
		t.Errorf("%+v", q)
	}
	if r := sourceReport(t, s, personOf(ann)); r.Overruled != 1 || r.Standing+r.Waiting != 0 {
		t.Errorf("report %+v", r)
	}
	teach(t, s, ann, a.ID, 4) // and they may teach again
	if currentOf(t, s, a.ID) != 4 {
		t.Error("it does not stand")
	}
	check(t, s)
}

// An import is a source of its own; its importer's lessons are not in it.
func TestQuarantineOfAnImport(t *testing.T) {
	s := fresh(t)
	ann, cy := user(t, s, "ann"), user(t, s, "cy")
	m, err := s.BeginImport(t.Context(), identify.ImportSource{Kind: "npz", Name: "a.npz", Digest: "a", Encoder: encoder.Digest, Total: 3}, ann.ID, nil, noon)
	if err != nil {
		t.Fatal(err)
	}
	rows := []identify.ImportedExemplar{{Embedding: []float32{1, 0, 0}, Taxon: 4}, {Embedding: []float32{0, 1, 0}, Taxon: 5}}
	if _, _, err := s.TeachImported(t.Context(), m.ID, 0, rows, noon); err != nil {
		t.Fatal(err)
	}
	o := observe(t, s, ann, "own")
	teach(t, s, ann, o.ID, 6)
	of := identify.Source{Import: m.ID}
	if q := quarantine(t, s, of, cy); q.Lessons != 2 {
		t.Errorf("%d lessons left", q.Lessons)
	}
	if currentOf(t, s, o.ID) != 6 || currentOf(t, s, 1) != 0 {
		t.Error("the wrong lessons left")
	}
	_, _, err = s.TeachImported(t.Context(), m.ID, 2, rows[:1], noon)
	wantKind(t, err, identify.Conflict, "")
	// Its importer names one of its photos themselves: that stands, and nothing comes back beside it.
	teach(t, s, ann, 1, 6)
	endQuarantine(t, s, of, identify.Restored, cy)
	if currentOf(t, s, 1) != 6 || currentOf(t, s, 2) != 5 {
		t.Errorf("they go by %d and %d", currentOf(t, s, 1), currentOf(t, s, 2))
	}
	quarantine(t, s, of, cy)
	if m, _, err = s.WithdrawImported(t.Context(), m.ID, cy.ID, 100, noon); err != nil || m.HalfWithdrawn() {
		t.Fatalf("%+v, %v", m, err)
	}
	check(t, s)
	if r := sourceReport(t, s, of); r.Quarantine != nil || r.Waiting != 0 || r.Standing != 0 || r.TakenBack != 2 || r.By != "ann" {
		t.Errorf("an import that was taken back: %+v", r)
	}
	quarantine(t, s, personOf(ann), cy)
	_, err = s.BeginImport(t.Context(), identify.ImportSource{Kind: "npz", Name: "b.npz", Digest: "b", Encoder: encoder.Digest, Total: 1}, ann.ID, nil, noon)
	wantKind(t, err, identify.Conflict, "")
}

func TestQuarantineOfNothing(t *testing.T) {
	s := fresh(t)
	cy := user(t, s, "cy")
	for _, of := range []identify.Source{{}, {User: 99}, {Import: 99}} {
		_, _, err := s.BeginQuarantine(t.Context(), of, "", cy.ID, noon)
		wantKind(t, err, identify.NotFound, "")
	}
	if r := quarantine(t, s, personOf(cy), cy); r.Lessons != 0 {
		t.Errorf("%+v", r)
	}
	if list, err := s.Sources(t.Context()); err != nil || len(list) != 1 || list[0].Name != "cy" || list[0].Quarantine == nil {
		t.Errorf("%+v, %v", list, err)
	}
}

// A name that others have contradicted since, and stand by, is disputed.
func TestDisputedLessons(t *testing.T) {
	s := fresh(t)
	ann, bob := user(t, s, "ann"), user(t, s, "bob")
	a, b := observe(t, s, ann, "a"), observe(t, s, ann, "b")
	teach(t, s, ann, a.ID, 4)
	teach(t, s, ann, b.ID, 4)
	teach(t, s, bob, a.ID, 5)
	teach(t, s, bob, b.ID, 4) // agrees
	if r := sourceReport(t, s, personOf(ann)); r.Disputed != 1 || r.Standing != 2 {
		t.Errorf("%+v", r)
	}
	if r := sourceReport(t, s, personOf(bob)); r.Disputed != 0 {
		t.Errorf("%+v", r)
	}
}

// The sample of a preview: others' names are the truth, every lesson about the same
// photo is listed, and the same log gives the same sample.
func TestSamplePhotos(t *testing.T) {
	s := fresh(t)
	ann, bob := user(t, s, "ann"), user(t, s, "bob")
	a, b := observe(t, s, ann, "a"), observe(t, s, ann, "b")
	observe(t, s, ann, "c")
	i, _ := teach(t, s, ann, a.ID, 4)
	j, _ := teach(t, s, bob, a.ID, 5)
	k, _ := teach(t, s, ann, b.ID, 6)
	list, err := s.SamplePhotos(t.Context(), encoder.Digest, personOf(ann), 10, 10)
	if err != nil || len(list) != 3 {
		t.Fatalf("%+v, %v", list, err)
	}
	if x := list[0]; x.Observation != a.ID || x.Truth != 5 || !slices.Equal(x.Lessons, []identify.IdentificationID{i.ID, j.ID}) || !x.File || len(x.Vector) != 3 {
		t.Errorf("%+v", x)
	}
	for _, x := range list[1:] {
		if x.Truth != 0 || x.Observation == b.ID && !slices.Equal(x.Lessons, []identify.IdentificationID{k.ID}) {
			t.Errorf("%+v", x)
		}
	}
	if few, err := s.SamplePhotos(t.Context(), encoder.Digest, personOf(ann), 0, 1); err != nil || len(few) != 1 {
		t.Errorf("%+v, %v", few, err)
	}
}

// The audit trail, page by page: newest first, nothing twice, nothing left out, and
// what was done to many lessons at once is one entry.
func TestHistory(t *testing.T) {
	s := fresh(t)
	ann, cy := user(t, s, "ann"), user(t, s, "cy")
	a := observe(t, s, ann, "a")
	i, _ := teach(t, s, ann, a.ID, 4)
	teach(t, s, cy, a.ID, 5)
	quarantine(t, s, personOf(ann), cy)
	endQuarantine(t, s, personOf(ann), identify.Restored, cy)
	if _, _, err := s.Withdraw(t.Context(), a.ID, i.ID, cy.ID, noon.Add(2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	all, more, err := s.History(t.Context(), identify.HistoryFilter{Limit: 100})
	if err != nil || more {
		t.Fatal(more, err)
	}
	var kinds []identify.HistoryKind
	for _, e := range all {
		kinds = append(kinds, e.Kind)
	}
	want := []identify.HistoryKind{"withdrawn", "released", "let in", "let in", "quarantined", "taught", "taught"}
	if !slices.Equal(kinds, want) {
		t.Fatalf("%v, want %v", kinds, want)
	}
	if e := all[0]; e.UserName != "cy" || e.Subject != "House Sparrow" || e.Detail.String() != "taught by ann" || e.Taxon != 4 || e.Observation != a.ID {
		t.Errorf("%+v", e)
	}
	if e := all[4]; e.Subject != "ann" || e.Detail.String() != "1 lesson: nonsense" || e.UserName != "cy" {
		t.Errorf("%+v", e)
	}
	for size := 1; size < 5; size++ {
		var pages []identify.HistoryEntry
		for f := (identify.HistoryFilter{Limit: size}); ; {
			page, more, err := s.History(t.Context(), f)
			if err != nil {
				t.Fatal(err)
			}
			pages = append(pages, page...)
			if !more {
				break
			}
			f.Before = page[len(page)-1].Cursor
		}
		if !reflect.DeepEqual(pages, all) {
			t.Errorf("in pages of %d: %d entries, want %d", size, len(pages), len(all))
		}
	}
	end := noon.Add(time.Hour)
	for name, c := range map[string]struct {
		f    identify.HistoryFilter
		want int
	}{
		"by ann":      {identify.HistoryFilter{User: ann.ID}, 1},
		"by cy":       {identify.HistoryFilter{User: cy.ID}, 4},
		"of a kind":   {identify.HistoryFilter{Kind: identify.DidTeach}, 2},
		"from then":   {identify.HistoryFilter{From: &end}, 2},
		"before then": {identify.HistoryFilter{To: &end}, 5},
	} {
		c.f.Limit = 100
		if list, _, err := s.History(t.Context(), c.f); err != nil || len(list) != c.want {
			t.Errorf("%s: %d entries, %v; want %d", name, len(list), err, c.want)
		}
	}
	_, _, err = s.History(t.Context(), identify.HistoryFilter{Before: "yesterday", Limit: 1})
	wantKind(t, err, identify.Invalid, "before")
}

// A label set that is gone is still in the trail, by its name.
func TestHistoryOfALabelSet(t *testing.T) {
	s := fresh(t)
	set, err := s.AddLabelSet(t.Context(), "Sparrows", []identify.TaxonID{4, 5}, noon)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.ChangeLabelSet(t.Context(), set.ID, "Two birds", []identify.TaxonID{4, 6}); err != nil {
		t.Fatal(err)
	}
	if err := s.DeleteLabelSet(t.Context(), set.ID); err != nil {
		t.Fatal(err)
	}
	list, _, err := s.History(t.Context(), identify.HistoryFilter{Limit: 10})
	if err != nil || len(list) != 2 || list[0].Kind != identify.DidDeleteLabelSet || list[0].Subject != "Two birds" ||
		list[1].Kind != identify.DidChangeLabelSet || list[1].Subject != "Sparrows" || list[1].Detail.String() != "2 names before" {
		t.Errorf("%+v, %v", list, err)
	}
}

// What it costs to put an import of 50,000 rows in quarantine, and to release it:
// each is one transaction, for which other writers wait.
func BenchmarkQuarantineAnImport(b *testing.B) {
	const n = 50_000
	s := fresh(b)
	cy := user(b, s, "cy")
	m, err := s.BeginImport(b.Context(), identify.ImportSource{Kind: "npz", Digest: "a", Encoder: encoder.Digest, Total: n}, cy.ID, nil, noon)
	if err != nil {
		b.Fatal(err)
	}
	begin := time.Now()
	for from := 0; from < n; from += 1000 {
		rows := make([]identify.ImportedExemplar, 1000)
		for i := range rows {
			rows[i] = identify.ImportedExemplar{Embedding: []float32{float32(from + i), 1, 2}, Taxon: 4}
		}
		if _, _, err := s.TeachImported(b.Context(), m.ID, from, rows, noon); err != nil {
			b.Fatal(err)
		}
	}
	taught, of := time.Since(begin), identify.Source{Import: m.ID}
	for b.Loop() {
		begin := time.Now()
		if _, _, err := s.BeginQuarantine(b.Context(), of, "", cy.ID, noon); err != nil {
			b.Fatal(err)
		}
		out := time.Since(begin)
		if _, _, err := s.EndQuarantine(b.Context(), of, identify.Restored, cy.ID, noon); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(out.Seconds(), "s/out")
		b.ReportMetric((time.Since(begin) - out).Seconds(), "s/in")
		b.ReportMetric(out.Seconds()/taught.Seconds(), "out/import")
	}
}
