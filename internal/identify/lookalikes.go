package identify

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"fieldmark/internal/grouping"
	"fieldmark/internal/vec"
)

// maxGrouped bounds the photos that are grouped at once: all pairs are compared.
const maxGrouped = 6000

// LookAlikes are observations that wait and whose photos look alike, the one that
// most of the others are like first.
type LookAlikes struct {
	List []Waiting
}

// Groups is what waits, by likeness.
type Groups struct {
	List   []LookAlikes // largest first
	Looked int          // how many were compared
	Lone   int          // of those, how many are like no other
	Queue  Queue        // what they are of
}

// Groups puts photos that look alike together (internal/grouping). The threshold
// is the cosine at which the near rule lets a lesson about one photo count for
// another as much as it does not (s₀ of METHOD section 7): below it, teaching one
// would hardly teach the other, so one decision should not name both.
func (s *Service) Groups(ctx context.Context, u User, observer UserID, order ReviewOrder) (Groups, error) {
	q, err := s.Queue(ctx, u, observer, order)
	if err != nil {
		return Groups{}, err
	}
	e, release := s.acquire()
	defer release()
	list, err := s.Waiting(ctx, u, idsOf(q.List[:min(maxGrouped, len(q.List))]))
	if err != nil {
		return Groups{}, err
	}
	groups, err := s.likenesses.of(ctx, e, list, s.Store.WaitingVectors)
	g := Groups{List: groups, Looked: len(list), Lone: len(list), Queue: q}
	for _, x := range groups {
		g.Lone -= len(x.List)
	}
	return g, err
}

// Like lists what waits and looks like one of it, that one first and the others the
// most alike first, by the threshold of Groups.
func (s *Service) Like(ctx context.Context, u User, id ObservationID) (LookAlikes, error) {
	q, err := s.Queue(ctx, u, 0, ByTime)
	if err != nil {
		return LookAlikes{}, err
	}
	waits := make(map[ObservationID]bool, len(q.List))
	for _, w := range q.List {
		waits[w.Observation] = true
	}
	if !waits[id] {
		return LookAlikes{}, Errorf(NotFound, "with", "Observation %d does not wait to be named any more.", id)
	}
	e, release := s.acquire()
	defer release()
	o, err := s.Store.Observation(ctx, id)
	if err != nil {
		return LookAlikes{}, err
	}
	stored, err := s.Store.Embedding(ctx, e.info.Digest, o.Photo.Hash)
	ids := []ObservationID{id}
	switch {
	case KindOf(err) == NotFound: // it was not embedded yet: nothing is known to be like it
	case err != nil:
		return LookAlikes{}, err
	default:
		middle, cos := unit(stored), map[ObservationID]float32{}
		err := s.Store.WaitingVectors(ctx, e.info.Digest, func(w WaitingVector) error {
			c := vec.Dot(middle, unit(w.Vector))
			if waits[w.Observation] && w.Observation != id && float64(c) >= e.info.NearMid {
				cos[w.Observation], ids = c, append(ids, w.Observation)
			}
			return nil
		})
		if err != nil {
			return LookAlikes{}, err
		}
		slices.SortStableFunc(ids[1:], func(a, b ObservationID) int { return cmp.Compare(cos[b], cos[a]) })
	}
	list, err := s.Waiting(ctx, u, ids[:min(maxDecided, len(ids))])
	return LookAlikes{List: list}, err
}

func idsOf(list []Queued) []ObservationID {
	ids := make([]ObservationID, 0, len(list))
	for _, w := range list {
		ids = append(ids, w.Observation)
	}
	return ids
}

// likenesses remembers the last grouping, so that deciding on one group does not
// compare all the others again.
type likenesses struct {
	mu      sync.Mutex
	encoder string
	known   map[ObservationID]bool // those that were compared
	groups  [][]ObservationID
}

// eachVector is ReviewStore.WaitingVectors.
type eachVector func(ctx context.Context, encoder string, visit func(WaitingVector) error) error

// of groups what waits. Where nothing came that was not compared before, the
// groups are the former ones without what does not wait any more.
func (k *likenesses) of(ctx context.Context, e *engine, list []Waiting, vectors eachVector) ([]LookAlikes, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	unknown := func(w Waiting) bool { return !k.known[w.Observation] }
	if k.encoder != e.info.Digest || slices.ContainsFunc(list, unknown) || len(k.known) > 2*len(list)+maxGrouped/10 {
		if err := k.compare(ctx, e, list, vectors); err != nil {
			return nil, err
		}
	}
	at := make(map[ObservationID]Waiting, len(list))
	for _, w := range list {
		at[w.Observation] = w
	}
	var out []LookAlikes
	for _, ids := range k.groups {
		var g LookAlikes
		for _, id := range ids {
			if w, waits := at[id]; waits && len(g.List) < maxDecided {
				g.List = append(g.List, w)
			}
		}
		if len(g.List) > 1 {
			out = append(out, g)
		}
	}
	slices.SortStableFunc(out, func(a, b LookAlikes) int { return len(b.List) - len(a.List) })
	return out, nil
}

func (k *likenesses) compare(ctx context.Context, e *engine, list []Waiting, vectors eachVector) error {
	in := make(map[ObservationID]bool, len(list))
	for _, w := range list {
		in[w.Observation] = true
	}
	var all []ObservationID
	var rows [][]float32
	err := vectors(ctx, e.info.Digest, func(w WaitingVector) error {
		if in[w.Observation] {
			all, rows = append(all, w.Observation), append(rows, unit(w.Vector))
		}
		return nil
	})
	if err != nil {
		return err
	}
	found, err := grouping.Find(rows, float32(e.info.NearMid), e.Workers)
	if err != nil {
		return err
	}
	k.encoder, k.known, k.groups = e.info.Digest, in, nil
	for _, g := range found {
		ids := []ObservationID{all[g.Leader]}
		for _, m := range g.Members {
			ids = append(ids, all[m])
		}
		k.groups = append(k.groups, ids)
	}
	return nil
}
