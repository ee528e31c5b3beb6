package identify

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"fieldmark/internal/bundle"
)

const (
	// sortBatch is how many rows of a bundle are compared with what is here at once.
	sortBatch = 500
	// maxMergeGroups is how many groups are told apart; the rows of the others are
	// decided about together.
	maxMergeGroups = 1000
	// mergeExamples is how many rows of a group are shown.
	mergeExamples = 3
)

// mergeSorter finds for every row of a bundle what is done with it.
//
// What stands after a merge is, for each photo and taxon, as many lessons as stand
// at the site that has more of them: the row that is the nth of its photo and taxon
// in the bundle is known if n stand here. A union of this kind does not depend on
// who merges first, and merging again changes nothing.
type mergeSorter struct {
	e      *engine
	memory *memory
	plan   *MergePlan
	chosen MergeDecisions
	groups map[string]*MergeGroup
	used   map[int64]bool    // taxa of rows that are taken
	met    map[photoName]int // how many rows were known
	batch  []sorting
}

type photoName struct {
	photo PhotoHash
	taxon TaxonID
}

// sorting is a row while it is looked at.
type sorting struct {
	index  int
	theirs int64
	name   photoName
	vector []float32 // nil under another encoder
	near   MergeExample
	other  TaxonID // that of near, 0 if there is none
}

func newMergeSorter(e *engine, p *MergePlan, d MergeDecisions) *mergeSorter {
	return &mergeSorter{e: e, memory: e.learner.memory(), plan: p, chosen: d, groups: map[string]*MergeGroup{},
		used: map[int64]bool{}, met: map[photoName]int{}}
}

// add sorts out a row that needs no look at the photo, and keeps the others for
// flush.
func (s *mergeSorter) add(ctx context.Context, r bundle.Row) error {
	x := r.Exemplar
	if problem := unusable(r.Embedding); problem != nil {
		return Errorf(Invalid, "file", "Exemplar %d of the bundle cannot be taken: %s.", r.Index, problem)
	}
	if x.WithdrawnAt != nil {
		s.plan.Withdrawn++
		return nil
	}
	if q := s.plan.taxa.doubts[x.Taxon]; q != nil {
		if q.Rows++; len(q.Examples) < mergeExamples && s.plan.file.HasPicture(x.Photo.SHA256) {
			q.Examples = append(q.Examples, PhotoHash(x.Photo.SHA256))
		}
	}
	taxon, left := s.plan.taxa.of(x.Taxon)
	if left {
		s.plan.LeftTaxa++
		return nil
	}
	next := sorting{index: r.Index, theirs: x.Taxon, name: photoName{PhotoHash(x.Photo.SHA256), taxon}}
	if !s.plan.Reembed {
		next.vector = slices.Clone(r.Embedding)
	}
	if s.batch = append(s.batch, next); len(s.batch) < sortBatch {
		return nil
	}
	return s.flush(ctx)
}

func (s *mergeSorter) flush(ctx context.Context) error {
	photos := make([]PhotoHash, len(s.batch))
	for i, r := range s.batch {
		photos[i] = r.name.photo
	}
	list, err := s.e.Store.PhotoLessons(ctx, photos)
	if err != nil {
		return err
	}
	here := map[PhotoHash][]PhotoLessons{}
	for _, l := range list {
		here[l.Photo] = append(here[l.Photo], l)
	}
	if err := s.lookAround(ctx, here); err != nil {
		return err
	}
	for i := range s.batch {
		s.sort(&s.batch[i], here[s.batch[i].name.photo])
	}
	s.batch = s.batch[:0]
	return nil
}

// lookAround finds the nearest exemplar of each row whose photo is not here.
func (s *mergeSorter) lookAround(ctx context.Context, here map[PhotoHash][]PhotoLessons) error {
	return eachOf(ctx, len(s.batch), s.e.Workers, func(i int) error {
		r := &s.batch[i]
		if r.vector == nil || len(here[r.name.photo]) > 0 {
			return nil
		}
		found, err := s.memory.nearest(r.vector, 1, 1, nil)
		if err != nil || len(found) == 0 || found[0].Cos < NearDuplicate {
			return err
		}
		x := s.memory.exemplars.at(found[0].ID)
		r.other = s.e.taxonomy.accepted(s.memory.taught[s.memory.tree.Label(found[0].ID)])
		r.near = MergeExample{Photo: r.name.photo, Observation: x.observation, Similarity: found[0].Cos}
		return nil
	})
}

// sort decides what is done with one row.
func (s *mergeSorter) sort(r *sorting, here []PhotoLessons) {
	var same, other *PhotoLessons
	for i := range here {
		switch l := &here[i]; {
		case l.Taxon == r.name.taxon:
			same = l
		case l.Standing > 0 && (other == nil || l.Standing > other.Standing):
			other = l
		}
	}
	example := MergeExample{Photo: r.name.photo, Similarity: 1}
	switch {
	case same != nil && s.met[r.name] < same.Standing:
		s.met[r.name]++
		s.plan.Known++
	case s.plan.Reembed && !s.plan.file.HasPhoto(string(r.name.photo)):
		s.plan.Unseen++
	case same != nil && same.Standing == 0 && same.TakenBack > 0:
		example.Observation = same.Observation
		s.group(TakenBack, r, r.name.taxon, example)
	case other != nil && (same == nil || same.Standing == 0):
		example.Observation = other.Observation
		s.group(SamePhoto, r, other.Taxon, example)
	case r.other != 0 && r.other != r.name.taxon:
		s.group(NearPhoto, r, r.other, r.near)
	default:
		s.plan.New++
		s.take(r, s.plan.TakeNew)
	}
}

func (s *mergeSorter) take(r *sorting, take bool) {
	if take {
		s.plan.taken[r.index] = 1
		s.used[r.theirs] = true
		s.plan.Source.Total++
	}
}

// group puts a row with those that have the same names there and here.
func (s *mergeSorter) group(kind GroupKind, r *sorting, ours TaxonID, example MergeExample) {
	key := fmt.Sprintf("%s-%d-%d", kind, r.theirs, ours)
	g := s.groups[key]
	if g == nil && len(s.groups) >= maxMergeGroups {
		key, ours = string(kind)+"-others", 0
		g = s.groups[key]
	}
	if g == nil {
		g = &MergeGroup{Key: key, Kind: kind, Theirs: "other names", Ours: "other names", Take: kind != TakenBack}
		if ours != 0 {
			t, _ := s.plan.taxa.own.taxon(ours)
			g.Theirs, g.Ours = s.plan.taxa.label(r.theirs), t.Label()
		}
		g.Take = s.chosen.take(g)
		s.groups[key] = g
	}
	if g.Rows++; len(g.Examples) < mergeExamples {
		example.Pictured = s.plan.file.HasPicture(string(example.Photo))
		g.Examples = append(g.Examples, example)
	}
	s.take(r, g.Take)
}

// finish puts what was found in order.
func (s *mergeSorter) finish() {
	for _, g := range s.groups {
		s.plan.Groups = append(s.plan.Groups, *g)
	}
	slices.SortFunc(s.plan.Groups, func(a, b MergeGroup) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(b.Rows, a.Rows), cmp.Compare(a.Key, b.Key))
	})
	s.plan.Taxa, s.plan.MoreTaxa = s.plan.taxa.questions()
	s.plan.taxa.used = s.used
}
