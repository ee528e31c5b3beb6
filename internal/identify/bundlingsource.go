package identify

import (
	"context"
	"slices"

	"fieldmark/internal/bundle"
)

// bundleSource reads the lessons of a bundle from the store, a page at a time.
type bundleSource struct {
	ctx                context.Context // of the one Write that it serves
	store              Store
	files              PhotoFiles
	site, encoder      string
	refs               []ExemplarRef
	views              []uint8 // of each of refs, once Exemplars has told of them
	thumbnails, photos bool
	exact              bool
}

var _ bundle.Source = (*bundleSource)(nil)

// lessons visits them with the taxa that they read as when the bundle was begun, since
// these are what Taxa has.
func (s *bundleSource) lessons(visit func(Lesson) error) error {
	read := func(page []Seq) ([]Lesson, error) { return s.store.LessonRecords(s.ctx, s.encoder, page) }
	at := 0
	return pages(s.refs, read, func(l Lesson) error {
		l.Taxon = s.refs[at].Taxon
		at++
		return visit(l)
	})
}

// Taxa implements bundle.Source: those that are taught and all above them, each
// after its parent.
func (s *bundleSource) Taxa(visit func(bundle.Taxon) error) error {
	taxa, err := s.store.Taxa(s.ctx)
	if err != nil {
		return err
	}
	origins, err := s.store.TaxonOrigins(s.ctx)
	if err != nil {
		return err
	}
	elsewhere := map[TaxonID][]bundle.Origin{}
	for _, o := range origins {
		elsewhere[o.Taxon] = append(elsewhere[o.Taxon], bundle.Origin{Instance: o.Instance, ID: o.ID})
	}
	for _, t := range taxa {
		if t.Accepted != 0 && t.Local { // those who took it in from here know what it is now
			elsewhere[t.Accepted] = append(append(elsewhere[t.Accepted], bundle.Origin{Instance: s.site, ID: int64(t.ID)}), elsewhere[t.ID]...)
		}
	}
	tree, given := newTaxonomy(taxa), map[TaxonID]bool{}
	give := func(t Taxon) error {
		if given[t.ID] {
			return nil
		}
		given[t.ID] = true
		x := bundle.Taxon{ID: int64(t.ID), ScientificName: t.ScientificName, EnglishName: t.EnglishName, Synonyms: t.Synonyms,
			Rank: string(t.Rank), Group: t.Group}
		if given[t.Parent] {
			x.Parent = int64(t.Parent)
		}
		if t.Local {
			x.Local = append([]bundle.Origin{{Instance: s.site, ID: int64(t.ID)}}, elsewhere[t.ID]...)
		}
		return visit(x)
	}
	for _, r := range s.refs {
		if given[r.Taxon] {
			continue
		}
		t, _ := tree.taxon(r.Taxon)
		above := tree.ancestors(t.ID)
		slices.Reverse(above)
		for _, a := range append(above, t) {
			if err := give(a); err != nil {
				return err
			}
		}
	}
	return nil
}

// Exemplars implements bundle.Source.
func (s *bundleSource) Exemplars(visit func(bundle.Exemplar) error) error {
	s.views = make([]uint8, 0, len(s.refs))
	return s.lessons(func(l Lesson) error {
		p := l.Photo
		s.views = append(s.views, uint8(l.Views))
		x := bundle.Exemplar{
			Seq: int64(l.Seq), Observation: bundle.Origin{Instance: s.site, ID: int64(l.Observation)}, Taxon: int64(l.Taxon),
			TaughtBy: l.TaughtBy, TaughtAt: l.At, WithdrawnAt: l.WithdrawnAt, Observer: l.Observer,
			ObservedAt: l.ObservedAt, Latitude: l.Latitude, Longitude: l.Longitude,
			License: l.License, RightsHolder: l.RightsHolder, Notes: l.Notes, Views: l.Views,
			Photo: bundle.Photo{SHA256: string(p.Hash), MediaType: p.MediaType, Bytes: p.Bytes, Width: p.Width, Height: p.Height, TakenAt: p.TakenAt},
		}
		if o := l.Origin; o != nil {
			x.Observation, x.Observer = bundle.Origin{Instance: o.Instance, ID: o.Observation}, o.Observer
			if o.TaughtBy != "" {
				x.TaughtBy, x.TaughtAt = o.TaughtBy, o.TaughtAt
			}
		}
		if l.Sensitive && !s.exact {
			x.Latitude, x.Longitude, _ = coarsePlace(x.Latitude, x.Longitude)
		}
		for _, text := range []*string{&x.TaughtBy, &x.Observer, &x.RightsHolder, &x.Notes} {
			*text = WithoutAddresses(*text)
		}
		return visit(x)
	})
}

// Embeddings implements bundle.Source.
func (s *bundleSource) Embeddings(visit func([]float32) error) error {
	return pages(s.refs, func(page []Seq) ([][]float32, error) { return s.store.Vectors(s.ctx, s.encoder, page) }, visit)
}

// Views implements bundle.Source. Those that were made after Exemplars told that
// there are none stay here.
func (s *bundleSource) Views(visit func([][]float32) error) error {
	read := func(page []Seq) ([][][]float32, error) { return s.store.LessonViews(s.ctx, s.encoder, page) }
	at := 0
	return pages(s.refs, read, func(views [][]float32) error {
		if at++; s.views[at-1] == 0 {
			return nil
		}
		return visit(views)
	})
}

// Thumbnails implements bundle.Source.
func (s *bundleSource) Thumbnails(visit func(string, []byte) error) error {
	if !s.thumbnails {
		return nil
	}
	read := func(ctx context.Context, p Photo) ([]byte, error) {
		if p.HasGlimpse() {
			return s.files.Glimpse(ctx, p.Hash)
		}
		return s.files.Thumbnail(ctx, p.Hash)
	}
	return s.eachFile(read, func(l Lesson) bool { return l.Photo.HasFile() || l.Photo.HasGlimpse() }, visit)
}

// Photos implements bundle.Source. The file of a sensitive taxon's photo may say
// where it was taken.
func (s *bundleSource) Photos(visit func(string, []byte) error) error {
	if !s.photos {
		return nil
	}
	read := func(ctx context.Context, p Photo) ([]byte, error) { return s.files.Original(ctx, p.Hash) }
	return s.eachFile(read, func(l Lesson) bool { return l.Photo.HasFile() && (s.exact || !l.Sensitive) }, visit)
}

// eachFile visits a file of each photo that is kept and may leave, once.
func (s *bundleSource) eachFile(read func(context.Context, Photo) ([]byte, error), may func(Lesson) bool, visit func(string, []byte) error) error {
	seen := map[[32]byte]bool{}
	return s.lessons(func(l Lesson) error {
		hash, err := parseHash(l.Photo.Hash)
		if err != nil || seen[hash] || !may(l) {
			return err
		}
		seen[hash] = true
		data, err := read(s.ctx, l.Photo)
		if err != nil {
			return err
		}
		return visit(string(l.Photo.Hash), data)
	})
}
