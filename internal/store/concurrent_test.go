package store

import (
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"

	"fieldmark/internal/identify"
)

// Eight people teach and withdraw on the same few observations at once. Each
// acknowledged call must have its own number, and the log none that nobody was
// told of, but for the withdrawals that a new identification brings about.
func TestConcurrentTeaching(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	const people, rounds, photos = 8, 30, 3
	for i := range photos {
		observe(t, s, user(t, s, "observer"+strconv.Itoa(i)), strconv.Itoa(i))
	}
	var mu sync.Mutex
	acknowledged := map[identify.Seq]bool{}
	acknowledge := func(seq identify.Seq) {
		mu.Lock()
		defer mu.Unlock()
		if acknowledged[seq] {
			t.Errorf("the number %d was given twice", seq)
		}
		acknowledged[seq] = true
	}
	var group sync.WaitGroup
	for p := range people {
		u := user(t, s, "p"+strconv.Itoa(p))
		group.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(p)))
			for range rounds {
				o := identify.ObservationID(1 + rng.IntN(photos))
				taxon := identify.TaxonID(4 + rng.IntN(3))
				i, seq, err := s.Teach(ctx, identify.NewIdentification{Observation: o, Taxon: taxon, User: u.ID, At: noon})
				if identify.KindOf(err) == identify.Conflict {
					continue
				} else if err != nil {
					t.Error(err)
					return
				}
				acknowledge(seq)
				if rng.IntN(3) == 0 {
					if _, seq, err = s.Withdraw(ctx, o, i.ID, u.ID, noon); err != nil {
						t.Error(err)
						return
					}
					acknowledge(seq)
				}
				if _, _, err := s.Observations(ctx, identify.ObservationFilter{Taxon: 3}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	check(t, s)
	events, err := s.Events(ctx, encoder.Digest, 0, 10_000)
	if err != nil || len(events) < len(acknowledged) {
		t.Fatalf("%d events for %d acknowledgements, %v", len(events), len(acknowledged), err)
	}
	for i, e := range events {
		if !acknowledged[e.Seq] && (e.Kind != identify.Withdrawn || i+1 == len(events) || events[i+1].User != e.User) {
			t.Errorf("nobody was told of event %d", e.Seq)
		}
	}
}
