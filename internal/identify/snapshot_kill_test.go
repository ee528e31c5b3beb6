package identify_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/color"
	"io"
	"log/slog"
	"math"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/internal/snapshotfile"
)

// killedSnapshot tells the child process of TestKilledSnapshot its data folder, the
// number of lessons to teach, and after how many bytes of the snapshot that is due then
// it is killed.
const killedSnapshot = "FIELDMARK_TEST_KILLED_SNAPSHOT"

// mortal are snapshots whose writer is killed.
type mortal struct {
	identify.Snapshots
	after int // bytes
}

func (m *mortal) Save(ctx context.Context, name string, write func(w io.Writer) error) error {
	return m.Snapshots.Save(ctx, name, func(w io.Writer) error {
		return write(&mortalWriter{w, m.after})
	})
}

// mortalWriter writes some bytes and then ends its process as kill -9 does.
type mortalWriter struct {
	w    io.Writer
	left int
}

func (m *mortalWriter) Write(p []byte) (int, error) {
	if len(p) < m.left {
		m.left -= len(p)
		return m.w.Write(p)
	}
	if _, err := m.w.Write(p[:m.left]); err != nil {
		return 0, err
	}
	return 0, syscall.Kill(os.Getpid(), syscall.SIGKILL)
}

// frozen are snapshots that are only read: a service does not write one at its end.
type frozen struct{ identify.Snapshots }

func (frozen) Save(context.Context, string, func(io.Writer) error) error {
	return errors.New("nothing is written in this test")
}

// A process is killed while it writes a snapshot, the first one or a later one: nothing
// that was taught is lost, the memory verifies, and the next start uses the snapshot
// before, or the log.
func TestKilledSnapshot(t *testing.T) {
	if said := os.Getenv(killedSnapshot); said != "" {
		teachAndSnapshot(t, said)
		return
	}
	dir, taught := t.TempDir(), 0
	snapshot := 0 // whole ones that were written
	for _, after := range []int{0, 1, math.MaxInt, 100, 20_000, math.MaxInt, 30_000} {
		// As many lessons as make a snapshot due. One that was due before the kill is
		// written at the start, and the kill may come before they are taught.
		const lessons = 300
		said := killWhile(t, "TestKilledSnapshot", fmt.Sprintf("%s=%d %d %s", killedSnapshot, after, taught+lessons, dir), time.Hour)
		var log bytes.Buffer
		f := &fixture{}
		f.open(t, dir)
		f.Config.Memory.Snapshots = frozen{snapshotfile.Open(dir)}
		f.Config.Log = slog.New(slog.NewTextHandler(&log, nil))
		if after == math.MaxInt {
			snapshot++
		}
		r := f.verified(t)
		if len(r.Problems) > 0 || r.Exemplars < taught+said {
			t.Errorf("after %d bytes: %+v, %d exemplars were there before and %d were acknowledged", after, r, taught, said)
		}
		taught = r.Exemplars
		f.restart(t)
		if stats, err := f.Stats(t.Context()); err != nil || stats.Exemplars != taught {
			t.Errorf("after %d bytes: %+v, %v", after, stats, err)
		}
		if used := strings.Contains(log.String(), "memory read from its snapshot"); used != (snapshot > 0) || strings.Contains(log.String(), "is not used") {
			t.Errorf("after %d bytes of snapshot %d:\n%s", after, snapshot+1, log.String())
		}
		must(t, f.Service.Close())
	}
}

// teachAndSnapshot imports lessons, says how many it did, and waits for the snapshot.
func teachAndSnapshot(t *testing.T, said string) {
	t.Helper()
	words := strings.SplitN(said, " ", 3)
	after, err := strconv.Atoi(words[0])
	must(t, err)
	want, err := strconv.Atoi(words[1])
	must(t, err)
	f := &fixture{}
	f.open(t, words[2])
	whole := snapshotfile.Open(words[2])
	f.Config.Memory.Snapshots = &mortal{whole, after}
	f.restart(t)
	stats, err := f.Stats(t.Context())
	must(t, err)
	file := labelled()
	for i := stats.Exemplars; i < want; i++ {
		file.rows = append(file.rows, identify.EmbeddingRow{Label: fmt.Sprintf("Moss %c", 'a'+i%3), Embedding: embedding(color.RGBA{uint8(i), 200, uint8(i >> 8), 255})})
	}
	plan, err := f.PlanImport(t.Context(), f.Owner, identify.ImportSource{Kind: "npz", Digest: words[1]}, file, identify.ImportOptions{})
	must(t, err)
	_, err = f.RunImport(t.Context(), f.Owner, plan, file, sayDone)
	must(t, err)
	f.settled(t)
	if after < math.MaxInt {
		time.Sleep(30 * time.Second)
		t.Fatal("no snapshot was due")
	}
	must(t, f.Service.Close()) // which writes one
}
