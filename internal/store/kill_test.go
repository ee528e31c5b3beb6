package store

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

// killedDB names the database to the child process of TestKill.
const killedDB = "FIELDMARK_TEST_KILLED_DB"

// A process that teaches is killed (SIGKILL) at random moments. Whatever it
// had acknowledged must be there afterwards, and the database sound.
func TestKill(t *testing.T) {
	if path := os.Getenv(killedDB); path != "" {
		teachUntilKilled(t, path)
		return
	}
	path := filepath.Join(t.TempDir(), "killed.db")
	prepareForKilling(t, path)
	rng := rand.New(rand.NewPCG(7, 11))
	var last identify.Seq
	for round := range 10 {
		acknowledged := killWhileTeaching(t, path, time.Duration(1+rng.IntN(60))*time.Millisecond)
		if len(acknowledged) == 0 {
			t.Errorf("round %d: it was killed before it taught anything", round)
		}
		last = survived(t, path, last, acknowledged)
	}
	t.Logf("%d events after 10 kills", last)
}

func prepareForKilling(t *testing.T, path string) {
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.RegisterEncoder(t.Context(), encoder); err != nil {
		t.Fatal(err)
	}
	if err := s.SeedTaxa(t.Context(), tree(), "1"); err != nil {
		t.Fatal(err)
	}
	observe(t, s, user(t, s, "ann"), "a")
	user(t, s, "cy")
}

// killWhileTeaching runs the child, kills it some time after its first
// acknowledgement and returns the numbers that it printed.
func killWhileTeaching(t *testing.T, path string, after time.Duration) []identify.Seq {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKill$", "-test.timeout=1m")
	child.Env = append(os.Environ(), killedDB+"="+path)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var list []identify.Seq
	var timer *time.Timer
	for lines := bufio.NewScanner(out); lines.Scan(); {
		seq, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Errorf("the child says %q", lines.Text())
			continue
		}
		if list = append(list, identify.Seq(seq)); timer == nil {
			timer = time.AfterFunc(after, func() { child.Process.Kill() })
		}
	}
	if err := child.Wait(); err == nil {
		t.Error("the child ended by itself")
	}
	return list
}

// survived checks the database after a kill and returns the last event's number.
func survived(t *testing.T, path string, before identify.Seq, acknowledged []identify.Seq) identify.Seq {
	t.Helper()
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	check(t, s)
	events, err := s.Events(t.Context(), encoder.Digest, before, 100_000)
	if err != nil || len(events) == 0 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	there := map[identify.Seq]identify.EventKind{}
	for _, e := range events {
		there[e.Seq] = e.Kind
	}
	for _, seq := range acknowledged {
		if !there[seq].Given() {
			t.Errorf("event %d was acknowledged and is lost", seq)
		}
	}
	return events[len(events)-1].Seq
}

// teachUntilKilled changes its mind about one observation for ever, and prints
// the number of each event that it taught once it is durable. Now and then its
// teacher goes into quarantine, and comes out of it or loses what is there.
func teachUntilKilled(t *testing.T, path string) {
	s := open(t, path)
	ctx := t.Context()
	for i := 0; ; i++ {
		n := identify.NewIdentification{Observation: 1, Local: fmt.Sprintf("Thing %d", i), User: 1, At: time.Now()}
		_, seq, err := s.Teach(ctx, n)
		if identify.KindOf(err) == identify.Conflict {
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		fmt.Println(seq)
		if err := quarantineInTurn(t, s, i); err != nil && identify.KindOf(err) != identify.Conflict {
			t.Fatal(err)
		}
	}
}

// quarantineInTurn begins a quarantine, restores it, begins another, removes it, …; a
// Conflict, where a kill came in between, is passed over.
func quarantineInTurn(t *testing.T, s *Store, i int) (err error) {
	of, by := identify.Source{User: 1}, identify.UserID(2)
	switch i % 8 {
	case 1, 5:
		_, _, err = s.BeginQuarantine(t.Context(), of, "", by, time.Now())
	case 3:
		_, _, err = s.EndQuarantine(t.Context(), of, identify.Restored, by, time.Now())
	case 7:
		_, _, err = s.EndQuarantine(t.Context(), of, identify.Removed, by, time.Now())
	}
	return err
}
