package identify_test

import (
	"bytes"
	"context"
	"fmt"
	"image/color"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"fieldmark/internal/fusion"
	"fieldmark/internal/identify"
	"fieldmark/internal/nearest"
	"fieldmark/internal/snapshotfile"
)

// keeping is a fixture whose memory is snapshotted, and what its service logs.
type keeping struct {
	*fixture
	dir string
	log *bytes.Buffer
}

func newKeeping(t *testing.T, memory identify.MemoryConfig) *keeping {
	k := &keeping{fixture: newFixture(t), dir: t.TempDir(), log: new(bytes.Buffer)}
	k.Config.Memory = memory
	k.Config.Memory.Snapshots = snapshotfile.Open(k.dir)
	k.Config.Log = slog.New(slog.NewTextHandler(k.log, nil))
	k.restart(t)
	return k
}

// file is where the snapshot of the fixture's encoder lies.
func (k *keeping) file() string {
	return filepath.Join(k.dir, "snapshots", "memory-"+fakeEmbedder{}.Info().Digest)
}

// shades are colours that no two observations share.
func shades(n int) []color.RGBA {
	r := rand.New(rand.NewPCG(9, 9))
	var list []color.RGBA
	for i := range n {
		list = append(list, color.RGBA{uint8(r.IntN(256)), uint8(i), uint8(r.IntN(256)), 255})
	}
	return list
}

// lessons adds observations of shades and teaches them in turn; every fifth is
// withdrawn.
func (f *fixture) lessons(t *testing.T, photos []color.RGBA) {
	t.Helper()
	for _, c := range photos {
		o, i := f.see(t, c), int(c.G)
		taught, err := f.Identify(context.Background(), f.Owner, o.ID, identify.Answer{Taxon: identify.TaxonID(3 + i%3)}, identify.Question{})
		must(t, err)
		if i%5 == 4 {
			_, err = f.Withdraw(context.Background(), f.Owner, o.ID, taught.Identification.ID, identify.Question{})
			must(t, err)
		}
	}
}

func (f *fixture) answers(t *testing.T, photos []color.RGBA) []identify.Prediction {
	t.Helper()
	var list []identify.Prediction
	for _, c := range photos {
		for _, rule := range []string{"near", "exemplar"} {
			p, err := f.Classify(context.Background(), paint(t, c), identify.Question{Top: 9, Rule: fusion.Rule(rule)})
			must(t, err)
			p.Timings = identify.Timings{}
			list = append(list, p)
		}
	}
	return list
}

func (f *fixture) verified(t *testing.T) identify.Report {
	t.Helper()
	r, err := identify.Verify(context.Background(), f.Config)
	must(t, err)
	return r
}

// readStore counts how much of the log is read in earnest.
type readStore struct {
	identify.Store
	events atomic.Int64
}

func (s *readStore) Events(ctx context.Context, encoder string, after identify.Seq, limit int) ([]identify.Event, error) {
	list, err := s.Store.Events(ctx, encoder, after, limit)
	if limit > 1 {
		s.events.Add(int64(len(list)))
	}
	return list, err
}

// A service that starts from a snapshot answers to the last bit as the one that
// wrote it, has read no more of the log than what is newer, and goes on learning
// to the same memory as one that folded the whole log.
func TestAStartFromASnapshot(t *testing.T) {
	for name, memory := range map[string]identify.MemoryConfig{
		"exact":          {Index: identify.IndexExact},
		"half precision": {Format: nearest.Half},
	} {
		t.Run(name, func(t *testing.T) {
			k := newKeeping(t, memory)
			photos := shades(70)
			k.lessons(t, photos[:50])
			k.settled(t)
			before := k.answers(t, photos[:8])
			counted := &readStore{Store: k.Config.Store}
			k.Config.Store = counted
			k.restart(t)
			if n := counted.events.Load(); n != 0 {
				t.Errorf("%d events were read at the start", n)
			}
			if after := k.answers(t, photos[:8]); fmt.Sprint(after) != fmt.Sprint(before) {
				t.Errorf("answers\n%v, before\n%v", after, before)
			}
			k.lessons(t, photos[50:])
			must(t, k.Close())
			r := k.verified(t)
			if len(r.Problems) > 0 || !strings.HasPrefix(r.Snapshot, "made at event") {
				t.Errorf("snapshot %q, problems %v", r.Snapshot, r.Problems)
			}
		})
	}
}

// Whatever is wrong with a snapshot is said, and the log is folded instead.
func TestABadSnapshotIsNotUsed(t *testing.T) {
	k := newKeeping(t, identify.MemoryConfig{})
	photos := shades(30)
	k.lessons(t, photos)
	k.settled(t)
	want := k.answers(t, photos[:4])
	must(t, k.Close())
	good, err := os.ReadFile(k.file())
	must(t, err)

	other := newKeeping(t, identify.MemoryConfig{})
	other.lessons(t, shades(31)[1:])
	must(t, other.Close())
	foreign, err := os.ReadFile(other.file())
	must(t, err)

	flipped, psi := bytes.Clone(good), k.Config.Psi
	flipped[len(flipped)/2] ^= 4
	for name, c := range map[string]struct {
		file   []byte
		psi    int
		says   string
		wanted bool // by Verify to be called a problem
	}{
		"a flipped bit": {flipped, psi, "damaged", true},
		"torn":          {good[:len(good)/2], psi, "damaged", true},
		"empty":         {nil, psi, "damaged", true},
		"another log":   {foreign, psi, "another log", true},
		"another ψ":     {good, psi + 1, "another kind of tree", false},
	} {
		must(t, os.WriteFile(k.file(), c.file, 0o600))
		k.Config.Psi = c.psi
		if r := k.verified(t); (len(r.Problems) > 0) != c.wanted {
			t.Errorf("%s: snapshot %q, problems %v", name, r.Snapshot, r.Problems)
		}
		k.log.Reset()
		k.Service = nil
		k.restart(t)
		if !strings.Contains(k.log.String(), "the log is folded instead") || !strings.Contains(k.log.String(), c.says) {
			t.Errorf("%s: the log says %s", name, k.log)
		}
		k.settled(t)
		if got := k.answers(t, photos[:4]); c.psi == psi && apart(got, want) > 1e-4 {
			t.Errorf("%s: answers\n%v, want\n%v", name, got, want)
		}
		must(t, k.Close())
		k.Config.Psi = psi
	}
}

// apart is the greatest difference between the probabilities of two lists of
// answers; 1 if they are about other labels.
func apart(a, b []identify.Prediction) float64 {
	var worst float64
	for i := range a {
		p := map[string]float64{}
		for _, c := range a[i].Candidates {
			p[c.Label] = c.Probability
		}
		for _, c := range b[i].Candidates {
			was, there := p[c.Label]
			if !there {
				return 1
			}
			worst = max(worst, was-c.Probability, c.Probability-was)
		}
	}
	return worst
}
