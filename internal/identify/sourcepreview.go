package identify

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"
)

// The bounds of a preview.
const (
	previewNamed   = 300 // photos that someone else named
	previewUnnamed = 100 // photos that nobody else named
	previewShown   = 60  // changed answers that are listed
	previewFolds   = 3   // into which the named ones are divided at most
	// previewStroke is how long the leaves of a memory that is only looked at may be stroked.
	previewStroke = 4 * time.Second
)

// SampledPhoto is an observation that a preview asks about.
type SampledPhoto struct {
	Observation ObservationID
	Photo       PhotoHash
	File        bool    // the photo itself is here
	Truth       TaxonID // what someone else named it, and stands; 0 if nobody did
	Vector      []float32
	Lessons     []IdentificationID // that stand about the same photo, by anyone
}

// PreviewStore finds what a preview asks about.
type PreviewStore interface {
	// SamplePhotos draws observations that have an embedding under the encoder, each
	// photo once: up to named that someone other than the source named, spread
	// evenly, and up to unnamed others. The same log gives the same ones.
	SamplePhotos(ctx context.Context, encoder string, of Source, named, unnamed int) ([]SampledPhoto, error)
}

// QuarantinePreview is what would be answered without a source. Each photo is read
// as if it were new: what was taught about itself is set aside, with and without.
type QuarantinePreview struct {
	SourceReport
	Lessons   int // that would leave the memory
	Exemplars int // that stand in it now
	Named     int // photos asked about that someone else named
	Unnamed   int // photos asked about that nobody else named
	With      int // of Named, right as things are
	Without   int // of Named, right without the source
	Changed   int // of all, named otherwise
	List      []ChangedAnswer
	Seq       Seq // memory that was asked
	Took      time.Duration
}

// ChangedAnswer is a photo that would be named otherwise.
type ChangedAnswer struct {
	Observation   ObservationID
	File          bool      // its photo can be shown
	Truth         TaxonName // what someone else named it; zero: nobody did
	Before, After PreviewAnswer
}

// PreviewAnswer is the likeliest name of a photo.
type PreviewAnswer struct {
	Taxon       TaxonID
	Label       string
	Probability float64
	Right       bool // someone else named it so
}

// PreviewQuarantine says which answers would change if a source were in quarantine,
// and whether they would get better. The memory is not touched: another version of it
// is made, asked and forgotten. It takes a curator.
func (s *Service) PreviewQuarantine(ctx context.Context, u User, of Source) (QuarantinePreview, error) {
	report, err := s.Source(ctx, u, of)
	if err != nil {
		return QuarantinePreview{}, err
	}
	if !s.previewing.TryLock() {
		return QuarantinePreview{}, Errorf(Conflict, "", "Someone is looking at such a preview at this moment. Try again in a few seconds.")
	}
	defer s.previewing.Unlock()
	begin := time.Now()
	e, release := s.acquire()
	defer release()
	m := e.learner.memory()
	p := QuarantinePreview{SourceReport: report, Exemplars: m.tree.Live(), Seq: m.seq}
	lessons, err := s.Store.Lessons(ctx, of)
	if err != nil {
		return p, err
	}
	p.Lessons = len(lessons)
	sample, err := s.Store.SamplePhotos(ctx, e.info.Digest, of, previewNamed, previewUnnamed)
	if err != nil {
		return p, err
	}
	for _, fold := range folds(sample, m.tree.Live()-len(lessons)) {
		if err := e.previewFold(ctx, m, lessons, fold, &p); err != nil {
			return p, err
		}
	}
	slices.SortStableFunc(p.List, func(a, b ChangedAnswer) int { return cmp.Compare(b.weight(), a.weight()) })
	p.List = p.List[:min(len(p.List), previewShown)]
	p.Took = time.Since(begin)
	return p, nil
}

// weight puts what gets better or worse before what merely changes.
func (c *ChangedAnswer) weight() int {
	if c.Before.Right != c.After.Right {
		return 1
	}
	return 0
}

// folds divides a sample so that no part sets aside more than a third of the
// exemplars that others taught, as far as previewFolds parts go.
func folds(sample []SampledPhoto, others int) [][]SampledPhoto {
	n := min(max(1, (3*len(sample)+others-1)/max(1, others)), previewFolds)
	out := make([][]SampledPhoto, n)
	for i, x := range sample {
		out[i%n] = append(out[i%n], x)
	}
	return out
}

// previewFold asks about some photos, with their own lessons set aside, with the
// source's lessons and without.
func (e *engine) previewFold(ctx context.Context, m *memory, lessons []IdentificationID, sample []SampledPhoto, p *QuarantinePreview) error {
	var own []IdentificationID
	for _, x := range sample {
		own = append(own, x.Lessons...)
	}
	with, err := m.without(ctx, own, e.Workers)
	if err != nil {
		return err
	}
	without, err := m.without(ctx, slices.Concat(own, lessons), e.Workers)
	if err != nil {
		return err
	}
	for _, x := range sample {
		before, err := e.likeliest(ctx, with, x)
		if err != nil {
			return err
		}
		after, err := e.likeliest(ctx, without, x)
		if err != nil {
			return err
		}
		p.note(x, before, after, e.taxonomy)
	}
	return nil
}

func (e *engine) likeliest(ctx context.Context, m *memory, x SampledPhoto) (PreviewAnswer, error) {
	t, err := e.trial(ctx, m, x.Vector, x.Truth)
	if err != nil {
		return PreviewAnswer{}, err
	}
	taxon, _ := e.taxonomy.taxon(t.Fused.Taxon)
	return PreviewAnswer{Taxon: t.Fused.Taxon, Label: taxon.Label(), Probability: t.Fused.Probability,
		Right: x.Truth != 0 && t.Fused.Taxon == x.Truth}, nil
}

func (p *QuarantinePreview) note(x SampledPhoto, before, after PreviewAnswer, tax *taxonomy) {
	if x.Truth == 0 {
		p.Unnamed++
	} else {
		p.Named++
	}
	if before.Right {
		p.With++
	}
	if after.Right {
		p.Without++
	}
	if before.Taxon == after.Taxon {
		return
	}
	p.Changed++
	c := ChangedAnswer{Observation: x.Observation, File: x.File, Before: before, After: after}
	if x.Truth != 0 {
		truth, _ := tax.taxon(x.Truth)
		c.Truth = truth.Name()
	}
	p.List = append(p.List, c)
}

// without is a version of the memory that lacks some exemplars. It is no version of
// the log: nobody may publish it.
func (m *memory) without(ctx context.Context, lessons []IdentificationID, workers int) (*memory, error) {
	gone := make(map[IdentificationID]bool, len(lessons))
	for _, i := range lessons {
		gone[i] = true
	}
	edit, touched := m.tree.Edit(), map[int]bool{}
	for id := range m.exemplars.len() {
		if gone[m.exemplars.at(id).identification] && edit.Has(id) {
			touched[m.tree.LeafOf(id)] = true
			if err := edit.Withdraw(id); err != nil {
				return nil, err
			}
		}
	}
	t := edit.Tree()
	stale := slices.DeleteFunc(t.Stale(), func(leaf int) bool { return !touched[leaf] })
	short, done := context.WithTimeout(ctx, previewStroke)
	defer done()
	// A leaf that is not stroked in time answers by its former probe.
	t, err := t.Stroke(short, stale, workers)
	if err != nil && (ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded)) {
		return nil, err
	}
	return m.with(t), nil
}
