package identify_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"fieldmark/internal/bundle"
	"fieldmark/internal/identify"
)

// killedFolder names the data folder to the child processes of TestKilledPhotoImport
// and TestKilledMerge.
const killedFolder = "FIELDMARK_TEST_KILLED_FOLDER"

// sayDone prints how far an import has come, for killWhile.
func sayDone(p identify.ImportProgress) { fmt.Println(p.Done) }

// endures lets the child of a test take an import in, kills it (SIGKILL) at random
// moments after its first acknowledgement, starts a service on what that left, and
// begins again, until all rows are in. Each time what it had said to be in must be in,
// with its photos' files, and the folder must verify.
func endures(t *testing.T, test, dir string, rows int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(11, 12))
	killed := 0
	for done, round := 0, 0; done < rows; round++ {
		if round == 30 {
			t.Fatalf("%d rows after %d starts", done, round)
		}
		said := killWhile(t, test, killedFolder+"="+dir, time.Duration(rng.IntN(60))*time.Millisecond)
		f := &fixture{}
		f.open(t, dir)
		all, err := f.Imports(context.Background(), f.Owner)
		must(t, err)
		if len(all) != 1 || all[0].Done < said || all[0].Done < done {
			t.Fatalf("round %d: %+v; it had said %d, and %d were in before", round, all, said, done)
		}
		if done = all[0].Done; done < rows {
			killed++
		}
		stats, err := f.Stats(context.Background())
		must(t, err)
		if stats.Exemplars != done {
			t.Errorf("round %d: %d exemplars of %d rows", round, stats.Exemplars, done)
		}
		verified(t, f)
		must(t, f.Service.Close())
	}
	if killed == 0 {
		t.Error("it was never killed on the way")
	}
	t.Logf("killed %d times on the way", killed)
}

// Photos are imported, and the process is killed between their transactions and within
// them.
func TestKilledPhotoImport(t *testing.T) {
	const photos = 7 * 32 // as many transactions
	if dir := os.Getenv(killedFolder); dir != "" {
		f, set := &fixture{}, manyPhotos(t, photos)
		f.open(t, dir)
		plan, err := f.planPhotos(t, "d", set, identify.ImportOptions{})
		must(t, err)
		_, err = f.RunImport(context.Background(), f.Owner, plan, set, sayDone)
		must(t, err)
		return
	}
	endures(t, "TestKilledPhotoImport", t.TempDir(), photos)
}

// A bundle with photos is taken in, and the process is killed meanwhile.
func TestKilledMerge(t *testing.T) {
	const photos = 4 * 64 // as many transactions
	if dir := os.Getenv(killedFolder); dir != "" {
		data, err := os.ReadFile(filepath.Join(dir, "a.fieldmark"))
		must(t, err)
		f := &fixture{}
		f.open(t, dir)
		plan, err := f.planned(data, identify.MergeDecisions{})
		must(t, err)
		_, err = f.RunMerge(context.Background(), f.Owner, plan, sayDone)
		must(t, err)
		return
	}
	a, set := newFixture(t), manyPhotos(t, photos)
	plan, err := a.planPhotos(t, "d", set, identify.ImportOptions{})
	must(t, err)
	_, err = a.RunImport(context.Background(), a.Owner, plan, set, quiet)
	must(t, err)
	data := a.bundled(t, identify.BundleRequest{Photos: true})
	if b, err := bundle.Open(bytes.NewReader(data), int64(len(data))); err != nil || b.Manifest.Counts.Photos != photos {
		t.Fatalf("%v, %v", b, err)
	}
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "a.fieldmark"), data, 0o600))
	endures(t, "TestKilledMerge", dir, photos)
	b := &fixture{}
	b.open(t, dir)
	sameAnswers(t, a, b, palette()[:3])
}
