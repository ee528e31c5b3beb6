package identify_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/internal/store"
)

// killedChecklist names the data folder to the child process of TestKilledChecklist.
const killedChecklist = "FIELDMARK_TEST_KILLED_CHECKLIST"

// longList is a checklist of so many species, in a genus for each hundred.
func longList(species int) identify.Checklist {
	list := identify.Checklist{Name: "long.csv"}
	for i := range species {
		list.Rows = append(list.Rows, identify.ChecklistRow{Line: i + 2, Name: fmt.Sprintf("Longus%d minor%d", i/100, i), Rank: "species",
			Higher: []identify.HigherTaxon{{Rank: "genus", Name: fmt.Sprintf("Longus%d", i/100)}}})
	}
	return list
}

// sayingLists prints, after each stretch of a checklist that is durable, how many taxa
// there are.
type sayingLists struct{ identify.Store }

func (s sayingLists) GoOnChecklist(ctx context.Context) (identify.ChecklistStretch, error) {
	x, err := s.Store.GoOnChecklist(ctx)
	if err == nil && x.Passed > 0 {
		var taxa []identify.Taxon
		taxa, err = s.Taxa(ctx)
		fmt.Println(len(taxa))
	}
	return x, err
}

// A process is killed (SIGKILL) at random moments while it takes a checklist in: the
// database is sound, what it said is there, and the next start goes on by itself to the
// end, where the memory knows every taxon and the label set is there once.
func TestKilledChecklist(t *testing.T) {
	const species, all = 4000, 4040 // with their genera: nine stretches
	if dir := os.Getenv(killedChecklist); dir != "" {
		f := &fixture{}
		f.open(t, dir)
		f.Config.Store = sayingLists{f.Config.Store}
		f.restart(t)
		_, err := f.TakeChecklist(context.Background(), f.Owner, longList(species), identify.ChecklistChoice{Set: "Long"}, quiet)
		must(t, err)
		return
	}
	rng := rand.New(rand.NewPCG(8, 2))
	broken := 0
	for range 3 {
		dir := t.TempDir()
		said := killWhile(t, "TestKilledChecklist", killedChecklist+"="+dir, time.Duration(rng.IntN(60))*time.Millisecond)
		before := len(vocabularyForTests())
		if left := leftOfChecklist(t, dir); left < said {
			t.Errorf("it said that there are %d taxa, and there are %d", said, left)
		} else if before < left && left < before+all {
			broken++
		}
		wantTaken(t, dir, before+all)
	}
	if broken == 0 {
		t.Error("it was never killed on the way")
	}
	t.Logf("killed %d times on the way", broken)
}

// leftOfChecklist checks the database as a kill left it, and counts its taxa.
func leftOfChecklist(t *testing.T, dir string) int {
	t.Helper()
	st, err := store.Open(t.Context(), filepath.Join(dir, "test.db"))
	must(t, err)
	defer st.Close()
	must(t, st.Check(t.Context()))
	taxa, err := st.Taxa(t.Context())
	must(t, err)
	return len(taxa)
}

// wantTaken starts a service on a data folder and waits until its checklist is in.
func wantTaken(t *testing.T, dir string, taxa int) {
	t.Helper()
	f, ctx := &fixture{}, context.Background()
	f.open(t, dir)
	// A further list is taken in after what was broken off.
	done, err := f.TakeChecklist(ctx, f.Owner, longList(4000), identify.ChecklistChoice{Set: "Again"}, quiet)
	if err != nil || done.New != 0 || done.Changed != 0 {
		t.Fatalf("the same list again: %+v, %v", done, err)
	}
	if list, err := f.Config.Store.Taxa(ctx); err != nil || len(list) != taxa {
		t.Errorf("%d taxa (%v), want %d", len(list), err, taxa)
	}
	sets, err := f.LabelSets(ctx)
	must(t, err)
	long := 0
	for _, s := range sets {
		if s.Name == "Long" && len(s.Taxa) == 4000 {
			long++
		}
	}
	last, err := f.Config.Store.TaxonByName(ctx, "Longus39 minor3999")
	must(t, err)
	if above, err := f.Ancestors(ctx, last.ID); long != 1 || err != nil || len(above) != 1 || above[0].ScientificName != "Longus39" {
		t.Errorf("%d label sets; above %+v: %+v, %v", long, last, above, err)
	}
	must(t, f.Config.Store.(*store.Store).Check(ctx))
	must(t, f.Service.Close())
}

// Between two stretches others write: whoever is told how far the list is teaches a photo
// and makes a label set there, for which the one writing connection has to be free.
func TestOthersWriteWhileAChecklistIsTakenIn(t *testing.T) {
	f := newFixture(t)
	o := f.see(t, purple)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // a transaction that is open would wait for itself
	defer cancel()
	told := 0
	done, err := f.TakeChecklist(ctx, curator, longList(1200), identify.ChecklistChoice{Set: "Long"}, func(p identify.ImportProgress) {
		told++
		if p.Done != 500*told || p.Total != 1212 {
			t.Errorf("%d of %d", p.Done, p.Total)
		}
		first, err := f.Config.Store.TaxonByName(ctx, fmt.Sprint("Longus0 minor", told))
		must(t, err)
		_, err = f.Identify(ctx, f.Owner, o.ID, identify.Answer{Taxon: first.ID}, identify.Question{})
		must(t, err)
		_, err = f.AddLabelSet(ctx, f.Owner, fmt.Sprint("Between ", told), nil, []identify.TaxonID{first.ID})
		must(t, err)
		if _, err := f.Config.Store.TaxonByName(ctx, "Longus11 minor1199"); identify.KindOf(err) != identify.NotFound {
			t.Errorf("the last is there with the first: %v", err)
		}
	})
	if err != nil || told != 2 || done.New != 1212 || done.Set == 0 {
		t.Fatalf("%+v, told %d times, %v", done, told, err)
	}
}

// Who leaves before the list is written down leaves nothing; who leaves after that leaves
// what goes on without them.
func TestAChecklistIsLeft(t *testing.T) {
	f := newFixture(t)
	gone, cancel := context.WithCancel(t.Context())
	done, err := f.TakeChecklist(gone, curator, longList(1200), identify.ChecklistChoice{}, func(identify.ImportProgress) { cancel() })
	if err == nil || !done.Pending {
		t.Errorf("%+v, %v", done, err)
	}
	done, err = f.TakeChecklist(gone, curator, longList(2000), identify.ChecklistChoice{}, quiet)
	if err == nil || done.Pending {
		t.Errorf("%+v, %v", done, err)
	}
	done, err = f.TakeChecklist(t.Context(), curator, longList(1300), identify.ChecklistChoice{}, quiet)
	if err != nil || done.New != 101 { // a hundred species and their genus: all others came by themselves
		t.Errorf("%+v, %v", done, err)
	}
	if _, err := f.Config.Store.TaxonByName(t.Context(), "Longus12 minor1299"); err != nil {
		t.Error(err)
	}
	if _, err := f.Config.Store.TaxonByName(t.Context(), "Longus19 minor1999"); identify.KindOf(err) != identify.NotFound {
		t.Error("something of a list that was left before it was written down is there")
	}
}
