package identify

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"

	"fieldmark/internal/photo"
	"fieldmark/internal/tree"
)

// Report says what a verification looked at and what is wrong.
type Report struct {
	Events, Exemplars, Leaves, Photos int
	Glimpses                          int    // thumbnails of photos that are elsewhere
	Lost                              int    // lessons that stand and whose photo this encoder cannot be shown
	Digest                            string // of the memory's structure
	Snapshot                          string // what is to be said of the snapshot; "" if none is kept
	Problems                          []string
}

func (r *Report) problem(format string, args ...any) {
	r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
}

// Verify folds the log twice, in one go and in many small steps as it happened,
// and a third time from the snapshot, if there is one, and compares the memories
// bit for bit; compares the exemplars with the identifications that stand, but for
// those whose photo the encoder cannot be shown, which it counts; and reads every
// photo and compares its bytes with its hash. It changes nothing.
func Verify(ctx context.Context, c Config) (Report, error) {
	var r Report
	c = c.withDefaults()
	// The snapshot goes first: whoever is teaching meanwhile may replace it.
	restored, snapshotErr := restore(ctx, c)
	whole, err := refoldAll(ctx, c, math.MaxInt64, func(int) int { return batch })
	if err != nil {
		return r, err
	}
	r.Events, r.Exemplars, r.Leaves = int(whole.seq), whole.tree.Live(), whole.tree.Stats().Leaves
	r.Digest = hexDigest(whole.tree)
	if err := r.compareSnapshot(ctx, c, restored, snapshotErr, &whole.memory); err != nil {
		return r, err
	}
	// 1 to 7 events at a time, in turn: as teaching comes in. Up to the same
	// event, since someone may be teaching meanwhile.
	steps, err := refoldAll(ctx, c, whole.seq, func(i int) int { return i%7 + 1 })
	if err != nil {
		return r, err
	}
	if other := hexDigest(steps.tree); other != r.Digest {
		r.problem("the memory depends on how its events came in: digest %s folded whole, %s in steps", r.Digest, other)
	}
	if !whole.views.same(&steps.views) {
		r.problem("the memory's views of photos depend on how its events came in")
	}
	for _, p := range whole.skipped {
		if !errors.Is(p, errNotEmbedded) { // those, if they should be, are missed below
			r.problem("not learned: %v", p)
		}
	}
	standing, err := c.verifyObservations(ctx, &r)
	if err != nil {
		return r, err
	}
	if err := c.withoutLost(ctx, standing, &r); err != nil {
		return r, err
	}
	since, err := c.Store.Events(ctx, c.Embedder.Info().Digest, whole.seq, 1)
	if err != nil {
		return r, err
	}
	if len(since) > 0 {
		r.problem("someone taught during the verification, so exemplars could not be compared with identifications: stop the server and verify again")
		return r, nil
	}
	compareStanding(standing, whole.memory, &r)
	return r, nil
}

// compareSnapshot folds what is newer than a restored memory into it, and
// compares it with the fold of the whole log.
func (r *Report) compareSnapshot(ctx context.Context, c Config, restored *memory, err error, whole *memory) error {
	switch {
	case errors.Is(err, errNoSnapshot):
		return nil
	case errors.Is(err, tree.ErrForeign):
		r.Snapshot = fmt.Sprintf("not compared: %v", err)
		return nil
	case err != nil && ctx.Err() == nil:
		r.problem("the snapshot cannot be used, and the next start folds the log instead: %v", err)
		return nil
	case err != nil:
		return err
	}
	r.Snapshot = fmt.Sprintf("made at event %d", restored.seq)
	newer, err := refold(ctx, c, restored, whole.seq, func(int) int { return batch })
	if err != nil {
		return err
	}
	if other := hexDigest(newer.tree); other != r.Digest {
		r.problem("the snapshot holds another memory than the log: digest %s, not %s", other, r.Digest)
	}
	if !newer.views.same(&whole.views) {
		r.problem("the snapshot holds other views of photos than the log")
	}
	if !newer.sameRecords(whole) {
		r.problem("the snapshot's exemplars were taught by others, or from other photos, than the log says")
	}
	return nil
}

// sameRecords says whether two memories know the same of their exemplars, beside
// what is in the tree.
func (m *memory) sameRecords(other *memory) bool {
	if m.exemplars.len() != other.exemplars.len() {
		return false
	}
	for id := range m.exemplars.len() {
		if *m.exemplars.at(id) != *other.exemplars.at(id) {
			return false
		}
	}
	return slices.Equal(m.people, other.people) && slices.Equal(m.taught, other.taught)
}

// refoldAll folds the log up to an event in steps of size(0), size(1), … events.
func refoldAll(ctx context.Context, c Config, last Seq, size func(i int) int) (*draft, error) {
	m, err := emptyMemory(c)
	if err != nil {
		return nil, err
	}
	return refold(ctx, c, m, last, size)
}

// refold folds what follows m of the log, up to an event.
func refold(ctx context.Context, c Config, m *memory, last Seq, size func(i int) int) (*draft, error) {
	fold, digest := foldedOf(m), c.Embedder.Info().Digest
	var skipped []error
	for i := 0; ; i++ {
		limit := int(min(Seq(size(i)), last-m.seq))
		events, err := c.Store.Events(ctx, digest, m.seq, limit)
		if err != nil {
			return nil, err
		}
		d := m.draft(fold)
		for _, e := range events {
			if e.Seq != d.seq+1 {
				return nil, fmt.Errorf("the log has a gap: event %d follows %d", e.Seq, d.seq)
			}
			d.apply(e)
		}
		m = d.done()
		if skipped = append(skipped, d.skipped...); len(events) < limit || m.seq == last {
			return &draft{memory: *m, skipped: skipped}, nil
		}
	}
}

// verifyObservations reads every photo and counts the identifications of each
// taxon that stand.
func (c Config) verifyObservations(ctx context.Context, r *Report) (map[TaxonID]int, error) {
	standing := map[TaxonID]int{}
	seen := map[PhotoHash]bool{}
	err := eachObservation(ctx, c.Store, ObservationFilter{}, func(o Observation) error {
		for _, i := range o.Identifications {
			if !i.Withdrawn() {
				standing[i.Taxon]++
			}
		}
		switch p := o.Photo; {
		case seen[p.Hash]:
		case p.HasFile():
			seen[p.Hash] = true
			r.Photos++
			c.verifyPhoto(ctx, p.Hash, r)
		case p.HasGlimpse():
			seen[p.Hash] = true
			r.Glimpses++
			if _, err := c.Photos.Glimpse(ctx, p.Hash); err != nil {
				r.problem("glimpse of %s: %v", p.Hash, err)
			}
		}
		return nil
	})
	return standing, err
}

// withoutLost takes the lessons that are known to have no embedding off those
// that stand: they are listed, and no fault of the memory.
func (c Config) withoutLost(ctx context.Context, standing map[TaxonID]int, r *Report) error {
	lost, _, err := c.Store.LostLessons(ctx, c.Embedder.Info().Digest, math.MaxInt32)
	for _, l := range lost {
		if standing[l.Taxon]--; standing[l.Taxon] == 0 {
			delete(standing, l.Taxon)
		}
	}
	r.Lost = len(lost)
	return err
}

func compareStanding(standing map[TaxonID]int, m memory, r *Report) {
	for taxon, n := range standing {
		if got := m.exemplarsOf(taxon); got != n {
			r.problem("taxon %d has %d standing identifications, but %d exemplars", taxon, n, got)
		}
	}
	for _, l := range m.tree.Labels() {
		if taxon := m.taught[l.Label]; standing[taxon] == 0 {
			r.problem("taxon %d has %d exemplars, but no standing identification", taxon, l.Count)
		}
	}
}

func hexDigest(t *tree.Tree) string {
	d := t.Digest()
	return hex.EncodeToString(d[:])
}

func (c Config) verifyPhoto(ctx context.Context, hash PhotoHash, r *Report) {
	data, err := c.Photos.Original(ctx, hash)
	if err != nil {
		r.problem("photo %s: %v", hash, err)
	} else if got := photo.Hash(data); got != string(hash) {
		r.problem("photo %s: its file has the hash %s", hash, got)
	}
	if _, err := c.Photos.Thumbnail(ctx, hash); err != nil {
		r.problem("thumbnail of %s: %v", hash, err)
	}
}
