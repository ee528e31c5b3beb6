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

// killedQuarantine tells the child process of TestKilledQuarantine what to decide about
// an import, "" for its quarantine, and its data folder.
const killedQuarantine = "FIELDMARK_TEST_KILLED_QUARANTINE"

// sayingStore prints, after each stretch of a quarantine that is durable, how many
// lessons of the import wait.
type sayingStore struct{ identify.Store }

func (s sayingStore) say(ctx context.Context, q identify.Quarantine, seq identify.Seq, err error) (identify.Quarantine, identify.Seq, error) {
	if err != nil {
		return q, seq, err
	}
	r, err := s.Source(ctx, q.Source)
	fmt.Println(r.Waiting)
	return q, seq, err
}

func (s sayingStore) BeginQuarantine(ctx context.Context, of identify.Source, reason string, by identify.UserID, at time.Time) (identify.Quarantine, identify.Seq, error) {
	q, seq, err := s.Store.BeginQuarantine(ctx, of, reason, by, at)
	return s.say(ctx, q, seq, err)
}

func (s sayingStore) EndQuarantine(ctx context.Context, of identify.Source, outcome identify.QuarantineOutcome, by identify.UserID, at time.Time) (identify.Quarantine, identify.Seq, error) {
	q, seq, err := s.Store.EndQuarantine(ctx, of, outcome, by, at)
	return s.say(ctx, q, seq, err)
}

func (s sayingStore) GoOnQuarantine(ctx context.Context, id identify.QuarantineID, at time.Time) (identify.Quarantine, identify.Seq, error) {
	q, seq, err := s.Store.GoOnQuarantine(ctx, id, at)
	return s.say(ctx, q, seq, err)
}

// A process is killed (SIGKILL) while a quarantine of many lessons begins, is released
// or removes them, in stretches: what it said to have moved is moved, the database is
// sound as it was left, and the next start goes on by itself to the end, after which
// memory and log agree.
func TestKilledQuarantine(t *testing.T) {
	const lessons = 2500 // five stretches
	of := identify.Source{Import: 1}
	if said := os.Getenv(killedQuarantine); said != "" {
		decideUntilKilled(t, of, said)
		return
	}
	dir := t.TempDir()
	importLong(t, filepath.Join(dir, "test.db"), lessons, quiet)
	rng := rand.New(rand.NewPCG(9, 3))
	broken := 0
	for _, step := range []struct {
		do        string
		before    int // lessons that wait before
		after     int // and after
		exemplars int // after
	}{
		{"quarantined", 0, lessons, 0}, {"released", lessons, 0, lessons}, {"quarantined", 0, lessons, 0}, {"removed", lessons, 0, 0},
	} {
		said := killWhile(t, "TestKilledQuarantine", killedQuarantine+"="+step.do+" "+dir, time.Duration(rng.IntN(30))*time.Millisecond)
		left := leftInQuarantine(t, dir, of)
		if between := min(said, step.after) <= left && left <= max(said, step.after); !between {
			t.Errorf("%s: it said that %d wait, and %d do", step.do, said, left)
		}
		if left != step.after {
			broken++
		}
		wantFinished(t, dir, of, step.after, step.exemplars)
	}
	if broken == 0 {
		t.Error("it was never killed on the way")
	}
	t.Logf("killed %d times on the way", broken)
}

// decideUntilKilled is the child of TestKilledQuarantine.
func decideUntilKilled(t *testing.T, of identify.Source, said string) {
	var what identify.QuarantineOutcome
	var dir string
	if _, err := fmt.Sscan(said, &what, &dir); err != nil {
		t.Fatal(err)
	}
	f := &fixture{}
	f.open(t, dir)
	f.Config.Store = sayingStore{f.Config.Store}
	f.restart(t)
	var err error
	if what == "quarantined" {
		_, err = f.BeginQuarantine(context.Background(), f.Owner, of, "")
	} else {
		_, err = f.EndQuarantine(context.Background(), f.Owner, of, what)
	}
	must(t, err)
}

// leftInQuarantine checks the database as a kill left it, and counts what waits.
func leftInQuarantine(t *testing.T, dir string, of identify.Source) int {
	t.Helper()
	st, err := store.Open(t.Context(), filepath.Join(dir, "test.db"))
	must(t, err)
	defer st.Close()
	must(t, st.Check(t.Context()))
	r, err := st.Source(t.Context(), of)
	must(t, err)
	return r.Waiting
}

// wantFinished starts a service on a data folder and waits until nothing is under way.
func wantFinished(t *testing.T, dir string, of identify.Source, waiting, exemplars int) {
	t.Helper()
	f, ctx := &fixture{}, context.Background()
	f.open(t, dir)
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		list, err := f.Config.Store.QuarantinesUnderWay(ctx)
		must(t, err)
		stats, err := f.Stats(ctx)
		must(t, err)
		if len(list) == 0 && stats.Exemplars == exemplars {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%v are under way, %d exemplars, want none and %d", list, stats.Exemplars, exemplars)
		}
	}
	r, err := f.Source(ctx, f.Owner, of)
	must(t, err)
	if r.Waiting != waiting || r.Standing != exemplars || (r.Quarantine != nil) != (waiting > 0) {
		t.Errorf("%+v", r)
	}
	verified(t, f)
	must(t, f.Service.Close())
}
