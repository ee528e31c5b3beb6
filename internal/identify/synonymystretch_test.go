package identify_test

import (
	"context"
	"fmt"
	"image/color"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/internal/store"
)

// mosses imports so many lessons of "Moss a", teaches one of "Moss b", and returns their
// taxa.
func mosses(t *testing.T, f *fixture, lessons int) (a, b identify.TaxonID) {
	t.Helper()
	ctx := context.Background()
	file := longFile(lessons)
	for i := range file.rows {
		file.rows[i].Label = "Moss a"
	}
	plan, err := identify.PlanImport(ctx, f.Config.Store, fakeEmbedder{}.Info(), identify.ImportSource{Kind: "npz", Name: "long.npz", Digest: "long"}, file, identify.ImportOptions{})
	must(t, err)
	_, err = identify.RunImport(ctx, f.Config.Store, plan, file, f.Owner.ID, time.Now, quiet)
	must(t, err)
	f.restart(t)
	o, err := f.Observation(ctx, f.Owner, f.teach(t, color.RGBA{R: 9, A: 255}, "Moss b").ID)
	must(t, err)
	first, err := f.Config.Store.TaxonByName(ctx, "Moss a")
	must(t, err)
	return first.ID, o.Identifications[0].Taxon
}

// betweenStretches calls between before each further stretch of a merge.
type betweenStretches struct {
	identify.Store
	between func()
}

func (s betweenStretches) GoOnSynonymy(ctx context.Context, id identify.SynonymyID) (identify.Synonymy, []identify.Taxon, identify.Seq, error) {
	s.between()
	return s.Store.GoOnSynonymy(ctx, id)
}

// Between two stretches of a merge, and of its undoing, others teach, and no answer, list
// or teacher has the old name: the memory, which is given the lessons one by one, reads as
// a whole.
func TestHalfAMergeReadsAsAWhole(t *testing.T) {
	const lessons = 1100 // three stretches
	f := newFixture(t)
	a, b := mosses(t, f, lessons)
	// A transaction that is open would wait for itself.
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	told, given := 0, 1
	f.Config.Store = betweenStretches{f.Config.Store, func() {
		told++
		c, err := f.Identify(ctx, f.Owner, f.see(t, color.RGBA{B: uint8(20 * told), A: 255}).ID, identify.Answer{Label: "Moss a"}, identify.Question{})
		must(t, err)
		if given++; c.Identification.Taxon != b {
			t.Errorf("what is taught meanwhile is %d", c.Identification.Taxon)
		}
		for _, q := range []identify.Question{{Top: 100}, {Rule: "exemplar", Top: 100}} {
			p, err := f.Classify(ctx, paint(t, color.RGBA{R: 9, A: 255}), q)
			must(t, err)
			sum := 0.0
			for _, x := range p.Candidates {
				sum += x.Probability
				if x.Taxon == a || x.Taxon == b && x.Exemplars != lessons+given {
					t.Errorf("told %d: a candidate is %+v", told, x)
				}
			}
			if sum < 0.999 || sum > 1.001 {
				t.Errorf("told %d: probabilities sum to %g", told, sum)
			}
			for _, n := range p.Neighbours {
				if n.Taxon == a {
					t.Errorf("told %d: a neighbour is %+v", told, n)
				}
			}
		}
		g := identify.NewGallery(ctx, f.Service, f.Config.Store.(betweenStretches).Store.(identify.GalleryStore))
		defer g.Close()
		shelf, err := g.Shelf(ctx, 0)
		must(t, err)
		if shelf.Exemplars != lessons+given || shelf.Names != 1 {
			t.Errorf("told %d: %d exemplars of %d names", told, shelf.Exemplars, shelf.Names)
		}
		teachers, err := g.Teachers(ctx)
		must(t, err)
		if len(teachers) != 1 || teachers[0].Names != 1 || teachers[0].Most[0].Taxon != b {
			t.Errorf("told %d: %+v", told, teachers)
		}
	}}
	f.restart(t)
	y, err := f.MergeTaxa(ctx, f.Owner, a, b)
	must(t, err)
	if y.Lessons != lessons || y.UnderWay != identify.NothingUnderWay || told != 2 {
		t.Fatalf("%+v, told %d times", y, told)
	}
	if y, err = f.UndoSynonymy(ctx, f.Owner, y.ID); err != nil || y.Returned != lessons || told != 4 {
		t.Fatalf("%+v, told %d times, %v", y, told, err)
	}
	f.settled(t)
	verified(t, f)
}

// killedNames tells the child process of TestKilledNames what to do, and its data folder.
const killedNames = "FIELDMARK_TEST_KILLED_NAMES"

// sayingNames prints, after each stretch of a merge, or of its undoing, that is durable,
// the number of the last event.
type sayingNames struct{ identify.Store }

func (s sayingNames) MergeTaxa(ctx context.Context, synonym, accepted identify.TaxonID, by identify.UserID, at time.Time) (identify.Synonymy, []identify.Taxon, identify.Seq, error) {
	y, taxa, seq, err := s.Store.MergeTaxa(ctx, synonym, accepted, by, at)
	fmt.Println(seq)
	return y, taxa, seq, err
}

func (s sayingNames) UndoSynonymy(ctx context.Context, id identify.SynonymyID, by identify.UserID, at time.Time) (identify.Synonymy, []identify.Taxon, identify.Seq, error) {
	y, taxa, seq, err := s.Store.UndoSynonymy(ctx, id, by, at)
	fmt.Println(seq)
	return y, taxa, seq, err
}

func (s sayingNames) GoOnSynonymy(ctx context.Context, id identify.SynonymyID) (identify.Synonymy, []identify.Taxon, identify.Seq, error) {
	y, taxa, seq, err := s.Store.GoOnSynonymy(ctx, id)
	fmt.Println(seq)
	return y, taxa, seq, err
}

// A process is killed (SIGKILL) while names are merged, and taken apart: what it said is
// there, the database is sound as it was left, and the next start goes on by itself to the
// end, with one entry of the history for each, after which memory and log agree.
func TestKilledNames(t *testing.T) {
	const lessons = 2500 // five stretches
	if said := os.Getenv(killedNames); said != "" {
		mergeUntilKilled(t, said)
		return
	}
	dir := t.TempDir()
	f := &fixture{}
	f.open(t, dir)
	a, b := mosses(t, f, lessons)
	must(t, f.Service.Close())
	rng := rand.New(rand.NewPCG(7, 1))
	broken := 0
	for i, do := range []string{"merge", "undo"} {
		said := killWhile(t, "TestKilledNames", fmt.Sprintf("%s=%s %d %d %s", killedNames, do, a, b, dir), time.Duration(rng.IntN(30))*time.Millisecond)
		st, err := store.Open(t.Context(), filepath.Join(dir, "test.db"))
		must(t, err)
		must(t, st.Check(t.Context()))
		under, err := st.SynonymiesUnderWay(t.Context())
		must(t, err)
		counts, err := st.Events(t.Context(), fakeEmbedder{}.Info().Digest, identify.Seq(said-1), 1)
		must(t, err)
		if len(counts) != 1 {
			t.Errorf("%s: event %d is not there", do, said)
		}
		must(t, st.Close())
		broken += len(under)
		wantNames(t, dir, a, do == "undo", lessons, i+1)
	}
	if broken == 0 {
		t.Error("it was never killed on the way")
	}
	t.Logf("killed %d times on the way", broken)
}

// mergeUntilKilled is the child of TestKilledNames.
func mergeUntilKilled(t *testing.T, said string) {
	var do, dir string
	var a, b identify.TaxonID
	if _, err := fmt.Sscan(said, &do, &a, &b, &dir); err != nil {
		t.Fatal(err)
	}
	f := &fixture{}
	f.open(t, dir)
	f.Config.Store = sayingNames{f.Config.Store}
	f.restart(t)
	var err error
	if do == "merge" {
		_, err = f.MergeTaxa(context.Background(), f.Owner, a, b)
	} else {
		_, err = f.UndoSynonymy(context.Background(), f.Owner, 1)
	}
	must(t, err)
}

// wantNames starts a service on a data folder and waits until nothing is under way: then
// all lessons have the accepted name, or their own back, and the history tells of so many
// decisions.
func wantNames(t *testing.T, dir string, synonym identify.TaxonID, undone bool, lessons, decisions int) {
	t.Helper()
	f, ctx := &fixture{}, context.Background()
	f.open(t, dir)
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		under, err := f.Config.Store.SynonymiesUnderWay(ctx)
		must(t, err)
		if len(under) == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%v is under way", under)
		}
	}
	f.settled(t)
	list, err := f.Synonymies(ctx, synonym)
	must(t, err)
	if y := list[0]; y.Lessons != lessons || (y.UndoneAt != nil) != undone || undone && y.Returned != lessons {
		t.Errorf("%+v", y)
	}
	told := 0
	history, _, err := f.Config.Store.History(ctx, identify.HistoryFilter{Limit: 100})
	must(t, err)
	for _, h := range history {
		if h.Kind == identify.DidMergeTaxa || h.Kind == identify.DidUnmergeTaxa {
			told++
		}
	}
	if told != decisions {
		t.Errorf("the history tells of %d decisions, want %d", told, decisions)
	}
	verified(t, f)
	must(t, f.Service.Close())
}
