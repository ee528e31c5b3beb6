package store

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

func merge(t testing.TB, s *Store, by identify.User, synonym, accepted identify.TaxonID) identify.Synonymy {
	t.Helper()
	y, _, seq, err := s.MergeTaxa(t.Context(), synonym, accepted, by.ID, noon.Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	if last := len(kindsOf(t, s)); int(seq) != last {
		t.Errorf("the last event is said to be %d, and is %d", seq, last)
	}
	check(t, s)
	return y
}

func unmerge(t testing.TB, s *Store, by identify.User, id identify.SynonymyID) identify.Synonymy {
	t.Helper()
	y, _, _, err := s.UndoSynonymy(t.Context(), id, by.ID, noon.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	check(t, s)
	return y
}

// labelled lists the taxa that relabelled events give, in order.
func labelled(t testing.TB, s *Store) (list []identify.TaxonID) {
	t.Helper()
	events, err := s.Events(t.Context(), encoder.Digest, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if e.Kind == identify.Relabelled {
			if list = append(list, e.Taxon); e.Vector != nil {
				t.Errorf("event %d adds no exemplar, and has an embedding", e.Seq)
			}
		}
	}
	return list
}

// Whatever stands or waits of the synonym reads as the accepted taxon, and goes back;
// what was withdrawn, and who said what, stays as it was.
func TestASynonymsLessonsFollow(t *testing.T) {
	s := fresh(t)
	ann, bob, cy := user(t, s, "ann"), user(t, s, "bob"), user(t, s, "cy")
	a, b, c, d := observe(t, s, ann, "a"), observe(t, s, ann, "b"), observe(t, s, ann, "c"), observe(t, s, ann, "d")
	teach(t, s, ann, a.ID, 5)
	teach(t, s, bob, b.ID, 5)
	teach(t, s, ann, c.ID, 4)
	teach(t, s, ann, d.ID, 5)
	teach(t, s, ann, d.ID, 6) // takes 5 back
	quarantine(t, s, personOf(bob), cy)

	y := merge(t, s, cy, 5, 4)
	if y.Lessons != 2 || y.SynonymLabel != "Eurasian Tree Sparrow" || y.AcceptedName != "Passer domesticus" || y.ByName != "cy" || y.UndoneAt != nil {
		t.Errorf("%+v", y)
	}
	if got := labelled(t, s); !slices.Equal(got, []identify.TaxonID{4, 4}) {
		t.Errorf("events give %v", got)
	}
	said := func(o identify.ObservationID) (list []string) {
		got, err := s.Observation(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range got.Identifications {
			list = append(list, fmt.Sprintf("%d %d %s %v", i.Taxon, i.Given, i.GivenLabel, i.Withdrawn()))
		}
		return list
	}
	for o, want := range map[identify.ObservationID][]string{
		a.ID: {"4 5 Eurasian Tree Sparrow false"}, b.ID: {"4 5 Eurasian Tree Sparrow true"},
		c.ID: {"4 0  false"}, d.ID: {"5 0  true", "6 0  false"}} {
		if got := said(o); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("observation %d: %q, want %q", o, got, want)
		}
	}
	if currentOf(t, s, a.ID) != 4 {
		t.Error("the observation goes by the old name")
	}
	// What comes out of quarantine has the new name; what is said from now on, too,
	// be it by the synonym's number.
	endQuarantine(t, s, personOf(bob), identify.Restored, cy)
	if currentOf(t, s, b.ID) != 4 {
		t.Error("what was released goes by the old name")
	}
	e := observe(t, s, ann, "e")
	if i, _ := teach(t, s, ann, e.ID, 5); i.Taxon != 4 || i.Given != 0 {
		t.Errorf("%+v", i)
	}
	if _, _, err := s.Withdraw(t.Context(), a.ID, 1, ann.ID, noon); err != nil {
		t.Fatal(err)
	}

	y = unmerge(t, s, cy, y.ID)
	if y.Returned != 1 || y.UndoneBy != "cy" || y.UndoneAt == nil {
		t.Errorf("%+v", y)
	}
	if currentOf(t, s, b.ID) != 5 || currentOf(t, s, e.ID) != 4 || currentOf(t, s, c.ID) != 4 {
		t.Errorf("they go by %d, %d and %d", currentOf(t, s, b.ID), currentOf(t, s, e.ID), currentOf(t, s, c.ID))
	}
	if got := said(b.ID); got[0] != "5 0  false" {
		t.Errorf("%q", got)
	}
	_, _, _, err := s.UndoSynonymy(t.Context(), y.ID, cy.ID, noon)
	wantKind(t, err, identify.Conflict, "")
	_, _, _, err = s.UndoSynonymy(t.Context(), 99, cy.ID, noon)
	wantKind(t, err, identify.NotFound, "")
	list, _, err := s.History(t.Context(), identify.HistoryFilter{Limit: 50})
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, h := range list {
		if h.Kind == identify.DidMergeTaxa || h.Kind == identify.DidUnmergeTaxa || h.Kind == "relabelled" {
			told = append(told, fmt.Sprintf("%s: %s (%d) %s", h.Kind, h.Subject, h.Taxon, h.Detail))
		}
	}
	want := []string{"merge undone: Eurasian Tree Sparrow (5) no longer House Sparrow: 1 lesson", "names merged: Eurasian Tree Sparrow (5) now House Sparrow: 2 lessons"}
	if !slices.Equal(told, want) {
		t.Errorf("the history tells %q", told)
	}
}

// Every name of the synonym finds the accepted taxon; label sets read as it, once; what
// is below the synonym comes below it. Undone, all is where it was, but for what a
// curator changed meanwhile.
func TestASynonymsNamesFollow(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	cy := user(t, s, "cy")
	edit := identify.TaxonEdit{ScientificName: "Passer montanus", EnglishName: "Eurasian Tree Sparrow", Synonyms: []string{"Mountain Sparrow", "english sparrow"},
		Vernacular: []identify.VernacularName{{Language: "de", Name: "Feldsperling"}}, Rank: "species", Parent: 3}
	if _, err := s.EditTaxon(ctx, 5, edit, identify.Noticef("more names"), cy.ID, noon); err != nil {
		t.Fatal(err)
	}
	before, err := s.Taxa(ctx)
	if err != nil {
		t.Fatal(err)
	}
	set, err := s.AddLabelSet(ctx, "Garden", []identify.TaxonID{6, 5, 4}, noon)
	if err != nil {
		t.Fatal(err)
	}
	only, err := s.AddLabelSet(ctx, "Field", []identify.TaxonID{5}, noon)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.PreviewSynonymy(ctx, 5, 4)
	if err != nil || p.Synonym.ID != 5 || p.Accepted.ID != 4 || len(p.Sets) != 2 || !slices.Equal(p.Names, []string{"Passer montanus", "Eurasian Tree Sparrow", "Mountain Sparrow"}) || len(p.Vernacular) != 1 {
		t.Errorf("%+v, %v", p, err)
	}
	y := merge(t, s, cy, 5, 4)
	for _, name := range []string{"Passer montanus", "eurasian tree sparrow", "Mountain Sparrow", "English Sparrow", "Feldsperling", "House Sparrow"} {
		if found, err := s.TaxonByName(ctx, name); err != nil || found.ID != 4 {
			t.Errorf("%q: %+v, %v", name, found, err)
		}
		if found, err := s.SearchTaxa(ctx, name, 9); err != nil || len(found) != 1 || found[0].ID != 4 {
			t.Errorf("%q: %+v, %v", name, found, err)
		}
	}
	if named, err := s.TaxaNamed(ctx, []string{"Passer montanus"}); err != nil || !slices.Equal(named["Passer montanus"], []identify.NamedTaxon{{Taxon: 4}}) {
		t.Errorf("%+v, %v", named, err)
	}
	if got, err := s.Taxon(ctx, 5); err != nil || got.Accepted != 4 || got.Label() != "Eurasian Tree Sparrow" {
		t.Errorf("%+v, %v", got, err)
	}
	taxaIn := func(id identify.LabelSetID) []identify.TaxonID {
		t.Helper()
		got, err := s.LabelSet(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		return got.Taxa
	}
	if got, other := taxaIn(set.ID), taxaIn(only.ID); !slices.Equal(got, []identify.TaxonID{6, 4}) || !slices.Equal(other, []identify.TaxonID{4}) {
		t.Errorf("the sets hold %v and %v", got, other)
	}
	if d, err := s.TaxonDetails(ctx, 4); err != nil || len(d.Sets) != 2 {
		t.Errorf("%+v, %v", d, err)
	}
	if got, err := s.Taxon(ctx, 4); err != nil || !slices.Equal(got.Vernacular, edit.Vernacular) {
		t.Errorf("%+v, %v", got, err)
	}
	if below, err := s.TaxaBelow(ctx, 3, 0, 9); err != nil || len(below) != 1 || below[0].ID != 4 {
		t.Errorf("%+v, %v", below, err)
	}
	// A newer vocabulary does not bring the synonym back.
	if err := s.SeedTaxa(ctx, append(tree(), identify.Taxon{ID: 8, ScientificName: "Passer montanus minor", Rank: "subspecies", Parent: 5}), "2"); err != nil {
		t.Fatal(err)
	}
	if found, err := s.TaxonByName(ctx, "Passer montanus"); err != nil || found.ID != 4 {
		t.Errorf("%+v, %v", found, err)
	}
	if child, err := s.Taxon(ctx, 8); err != nil || child.Parent != 4 {
		t.Errorf("%+v, %v", child, err)
	}
	unmerge(t, s, cy, y.ID)
	after, err := s.Taxa(ctx)
	if err != nil || fmt.Sprint(after[:len(before)]) != fmt.Sprint(before) {
		t.Errorf("taxa are %+v, were %+v, %v", after, before, err)
	}
	if got := taxaIn(set.ID); !slices.Equal(got, []identify.TaxonID{6, 5, 4}) {
		t.Errorf("the set holds %v", got)
	}
	if found, err := s.TaxonByName(ctx, "feldsperling"); err != nil || found.ID != 5 {
		t.Errorf("%+v, %v", found, err)
	}
}

// What was below a synonym comes below the accepted taxon, and back, and who agrees
// with whom is worked out anew.
func TestWhatIsBelowASynonymFollows(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	ann, bob, cy := user(t, s, "ann"), user(t, s, "bob"), user(t, s, "cy")
	if err := s.SeedTaxa(ctx, append(tree(), identify.Taxon{ID: 9, ScientificName: "Pyrgita", Rank: "genus", Parent: 1}), "2"); err != nil {
		t.Fatal(err)
	}
	o := observe(t, s, ann, "a")
	teach(t, s, ann, o.ID, 9) // a genus that the other's species is not in
	teach(t, s, bob, o.ID, 4)
	disputed := func() bool {
		list, _, err := s.Observations(ctx, identify.ObservationFilter{Disputed: true})
		if err != nil {
			t.Fatal(err)
		}
		return len(list) == 1
	}
	if !disputed() {
		t.Fatal("they agree")
	}
	y := merge(t, s, cy, 3, 9) // the house sparrow's genus
	for _, id := range []identify.TaxonID{4, 5} {
		if child, err := s.Taxon(ctx, id); err != nil || child.Parent != 9 {
			t.Errorf("%+v, %v", child, err)
		}
	}
	if disputed() {
		t.Error("they disagree about a species and its genus")
	}
	if list, _, err := s.Observations(ctx, identify.ObservationFilter{Taxon: 3}); err != nil || len(list) != 1 {
		t.Errorf("%d observations by the synonym's number, %v", len(list), err)
	}
	unmerge(t, s, cy, y.ID)
	if child, err := s.Taxon(ctx, 4); err != nil || child.Parent != 3 || !disputed() {
		t.Errorf("%+v, %v", child, err)
	}
}

// A synonym of a synonym is one of the taxon at the end of the line; only the last
// merge can be undone.
func TestSynonymsOfSynonyms(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	cy := user(t, s, "cy")
	o := observe(t, s, cy, "a")
	teach(t, s, cy, o.ID, 5)
	first := merge(t, s, cy, 5, 4)
	second := merge(t, s, cy, 4, 6)
	accepted := func(id identify.TaxonID) identify.TaxonID {
		x, err := s.Taxon(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		return x.Accepted
	}
	if accepted(5) != 6 || accepted(4) != 6 || currentOf(t, s, o.ID) != 6 {
		t.Errorf("synonyms of %d and %d", accepted(5), accepted(4))
	}
	_, _, _, err := s.UndoSynonymy(ctx, first.ID, cy.ID, noon)
	wantKind(t, err, identify.Conflict, "")
	_, _, _, err = s.MergeTaxa(ctx, 5, 6, cy.ID, noon)
	wantKind(t, err, identify.Conflict, "")
	_, _, _, err = s.MergeTaxa(ctx, 3, 5, cy.ID, noon)
	wantKind(t, err, identify.Conflict, "accepted")
	unmerge(t, s, cy, second.ID)
	if accepted(5) != 4 || accepted(4) != 0 || currentOf(t, s, o.ID) != 4 {
		t.Errorf("synonyms of %d and %d", accepted(5), accepted(4))
	}
	unmerge(t, s, cy, first.ID)
	if accepted(5) != 0 || currentOf(t, s, o.ID) != 5 {
		t.Errorf("a synonym of %d", accepted(5))
	}
	if list, err := s.Synonymies(ctx, 4); err != nil || len(list) != 2 || list[0].ID != second.ID {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestMergeRefuses(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	cy := user(t, s, "cy")
	o := observe(t, s, cy, "a")
	i, _, err := s.Teach(ctx, identify.NewIdentification{Observation: o.ID, Local: "Reed Thing", User: cy.ID, At: noon})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		synonym, accepted identify.TaxonID
		kind              identify.ErrorKind
		field             string
	}{
		{4, 4, identify.Invalid, "accepted"},        // itself
		{3, 4, identify.Invalid, "accepted"},        // what is below it
		{4, i.Taxon, identify.Conflict, "accepted"}, // one of the vocabulary into one of ours
		{4, 7, identify.Invalid, "accepted"},        // an organism into a thing
		{4, 99, identify.NotFound, ""},
		{99, 4, identify.NotFound, ""},
	} {
		_, _, _, err := s.MergeTaxa(ctx, c.synonym, c.accepted, cy.ID, noon)
		wantKind(t, err, c.kind, c.field)
		_, err = s.PreviewSynonymy(ctx, c.synonym, c.accepted)
		wantKind(t, err, c.kind, c.field)
	}
	merge(t, s, cy, i.Taxon, 4)
	if list := labelled(t, s); !slices.Equal(list, []identify.TaxonID{4}) {
		t.Errorf("events give %v", list)
	}
}

// Where the places of a synonym are told less exactly, so are those of the accepted
// taxon: else a new name would let them out. It stays so when the merge is undone.
func TestASensitiveSynonym(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	cy := user(t, s, "cy")
	if err := s.AddSensitiveTaxon(ctx, 3, cy.ID, noon); err != nil {
		t.Fatal(err)
	}
	listed := func() (list []identify.TaxonID) {
		got, err := s.SensitiveTaxa(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range got {
			list = append(list, x.Taxon)
		}
		slices.Sort(list)
		return list
	}
	merge(t, s, cy, 5, 4) // both are below the genus
	if got := listed(); !slices.Equal(got, []identify.TaxonID{3}) {
		t.Errorf("%v", got)
	}
	y := merge(t, s, cy, 4, 6)
	if got := listed(); !slices.Equal(got, []identify.TaxonID{3, 6}) {
		t.Errorf("%v", got)
	}
	unmerge(t, s, cy, y.ID)
	if got := listed(); !slices.Equal(got, []identify.TaxonID{3, 6}) {
		t.Errorf("%v", got)
	}
}

// An import that began before goes on with the accepted taxon, and knows what it took
// in before as the same.
func TestAnImportAcrossAMerge(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	cy := user(t, s, "cy")
	m := beginImport(t, s, cy, "d1", 2)
	for _, v := range []float32{1, 2} {
		if _, _, err := s.TeachImported(ctx, m.ID, int(v)-1, []identify.ImportedExemplar{row(5, v, 0, 1)}, noon); err != nil {
			t.Fatal(err)
		}
		if v == 1 {
			merge(t, s, cy, 5, 4)
		}
	}
	check(t, s)
	again := beginImport(t, s, cy, "d2", 1)
	if _, _, err := s.TeachImported(ctx, again.ID, 0, []identify.ImportedExemplar{row(5, 1, 0, 1)}, noon); err != nil {
		t.Fatal(err)
	}
	list, err := s.Imports(ctx)
	if err != nil || list[0].Known != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	refs, err := s.Exemplars(ctx, encoder.Digest, identify.ObservationFilter{})
	if err != nil || len(refs) != 2 || refs[0].Taxon != 4 || refs[1].Taxon != 4 {
		t.Errorf("%+v, %v", refs, err)
	}
}

// Answers that were put to the test keep what was said; a name that is a synonym since
// counts as what it is a synonym of.
func TestTrialsAfterAMerge(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	cy := user(t, s, "cy")
	for _, named := range []identify.TaxonID{4, 5} {
		o := observe(t, s, cy, fmt.Sprint("p", named))
		trial := identify.Trial{Encoder: encoder.Digest, Rule: "near", Candidates: 5, Known: true,
			Fused: identify.Opinion{Taxon: named, Probability: 0.7}, ZeroShot: identify.Opinion{Taxon: named, Probability: 0.7}}
		if _, _, err := s.Teach(ctx, identify.NewIdentification{Observation: o.ID, Taxon: 5, User: cy.ID, At: noon, Trial: &trial}); err != nil {
			t.Fatal(err)
		}
	}
	right := func() (n int) {
		list, err := s.Trials(ctx, encoder.Digest)
		if err != nil || len(list) != 2 {
			t.Fatal(list, err)
		}
		for _, x := range list {
			if x.Right(x.Fused) && x.Right(x.ZeroShot) {
				n++
			}
		}
		return n
	}
	if right() != 1 {
		t.Fatalf("%d are right", right())
	}
	y := merge(t, s, cy, 5, 4)
	if right() != 2 {
		t.Errorf("%d are right once the names mean the same", right())
	}
	if unmerge(t, s, cy, y.ID); right() != 1 {
		t.Errorf("%d are right once they do not", right())
	}
}

// Whatever people do in whatever order: nothing that Check looks for is amiss, every
// identification keeps what was said, and no lesson is of a synonym.
func TestMergesAmongEverythingElse(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	r := rand.New(rand.NewPCG(16, 7))
	people := []identify.User{user(t, s, "ann"), user(t, s, "bob"), user(t, s, "cy")}
	var seen []identify.ObservationID
	for i := range 12 {
		seen = append(seen, observe(t, s, people[0], fmt.Sprint("p", i)).ID)
	}
	given := map[identify.IdentificationID]identify.TaxonID{}
	done := map[string]int{}
	for range 400 {
		u, o := people[r.IntN(3)], seen[r.IntN(len(seen))]
		taxa := []identify.TaxonID{2, 3, 4, 5, 6}
		x, y := taxa[r.IntN(5)], taxa[r.IntN(5)]
		var what string
		var err error
		switch r.IntN(10) {
		default:
			what = "taught"
			var i identify.Identification
			if i, _, err = s.Teach(ctx, identify.NewIdentification{Observation: o, Taxon: x, User: u.ID, At: noon}); err == nil {
				given[i.ID] = i.Taxon
			}
		case 0:
			what = "withdrawn"
			got, wrong := s.Observation(ctx, o)
			if wrong != nil || len(got.Identifications) == 0 {
				continue
			}
			_, _, err = s.Withdraw(ctx, o, got.Identifications[r.IntN(len(got.Identifications))].ID, u.ID, noon)
		case 1:
			what = "quarantined"
			if _, _, err = s.BeginQuarantine(ctx, personOf(u), "", people[2].ID, noon); err != nil {
				what = "ended"
				_, _, err = s.EndQuarantine(ctx, personOf(u), []identify.QuarantineOutcome{identify.Restored, identify.Removed}[r.IntN(2)], people[2].ID, noon)
			}
		case 2, 3:
			what = "merged"
			_, _, _, err = s.MergeTaxa(ctx, x, y, u.ID, noon)
		case 4, 5:
			what = "undone"
			list, wrong := s.Synonymies(ctx, 0)
			if wrong != nil || len(list) == 0 {
				continue
			}
			_, _, _, err = s.UndoSynonymy(ctx, list[r.IntN(min(3, len(list)))].ID, u.ID, noon)
		}
		if err == nil {
			done[what]++
		} else if identify.KindOf(err) == "" {
			t.Fatalf("%s: %v", what, err)
		}
		check(t, s)
	}
	for _, what := range []string{"taught", "withdrawn", "quarantined", "ended", "merged", "undone"} {
		if done[what] < 8 {
			t.Errorf("%d times %s", done[what], what)
		}
	}
	for _, o := range seen {
		got, err := s.Observation(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range got.Identifications {
			said := i.Given
			if said == 0 {
				said = i.Taxon
			}
			if said != given[i.ID] {
				t.Errorf("identification %d was given as %d, and is said to be given as %d", i.ID, given[i.ID], said)
			}
		}
	}
}

// A name that was found by the index of words goes and comes with it.
func TestAMergeLeavesNoNameBehind(t *testing.T) {
	s := fresh(t)
	cy := user(t, s, "cy")
	count := func() (names, words int) {
		if err := s.read.QueryRow(`SELECT (SELECT count(*) FROM taxon_names), (SELECT count(*) FROM taxon_words)`).Scan(&names, &words); err != nil {
			t.Fatal(err)
		}
		return names, words
	}
	names, words := count()
	y := merge(t, s, cy, 5, 4)
	if n, w := count(); n != names+2 || w <= words {
		t.Errorf("%d names of %d words, before %d of %d", n, w, names, words)
	}
	unmerge(t, s, cy, y.ID)
	if n, w := count(); n != names || w != words {
		t.Errorf("%d names of %d words, before %d of %d", n, w, names, words)
	}
	steps := strings.Join(planOf(t, s, `SELECT said.taxon_id FROM identifications i LEFT JOIN events said ON said.identification_id = i.id AND said.kind IN ('taught', 'held') AND said.taxon_id <> i.taxon_id WHERE i.observation_id = 1`), "\n")
	if !strings.Contains(steps, "events_given") {
		t.Errorf("what was said is found by\n%s", steps)
	}
}

// Against taking the same lessons in: a merge is one transaction, during which nobody
// else writes.
func BenchmarkMergeTaxa(b *testing.B) {
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
			rows[i] = identify.ImportedExemplar{Embedding: []float32{float32(from + i), 1, 2}, Taxon: 5}
		}
		if _, _, err := s.TeachImported(b.Context(), m.ID, from, rows, noon); err != nil {
			b.Fatal(err)
		}
	}
	taught := time.Since(begin)
	for b.Loop() {
		begin := time.Now()
		y, _, _, err := s.MergeTaxa(b.Context(), 5, 4, cy.ID, noon)
		if err != nil {
			b.Fatal(err)
		}
		merged := time.Since(begin)
		if _, _, _, err := s.UndoSynonymy(b.Context(), y.ID, cy.ID, noon); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(merged.Seconds(), "s/merge")
		b.ReportMetric((time.Since(begin) - merged).Seconds(), "s/undo")
		b.ReportMetric(merged.Seconds()/taught.Seconds(), "merge/import")
	}
}
