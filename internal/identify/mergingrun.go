package identify

import (
	"context"
	"errors"
	"fmt"

	"fieldmark/internal/bundle"
)

// mergeBatch is how many rows are stored in one transaction, and mergePhotoBatch
// how many where photos or thumbnails come with them, which take longer to read.
const (
	mergeBatch      = 1000
	mergePhotoBatch = 64
)

// RunMerge does what was planned: it takes the rows in, in transactions, each
// durable before told is called with how far it has come. When it is broken off, a
// plan of the same bundle goes on where this one stopped, with what was decided
// then. All of it is learned when RunMerge returns. It takes a curator.
func (s *Service) RunMerge(ctx context.Context, u User, p MergePlan, told func(ImportProgress)) (Import, error) {
	if err := allow(u, Curator, "import exemplars"); err != nil {
		return Import{}, err
	}
	if p.Resumes == nil && p.Take() == 0 {
		return Import{}, Errorf(Conflict, "file", "Nothing of this bundle would be taken: everything in it is known here already, or was left out.")
	}
	defer s.lookAgain() // other encoders have not seen the photos that came
	return s.learning(ctx, told, func(told func(ImportProgress)) (Import, error) {
		m, decided, err := s.beginMerge(ctx, u, p)
		if err != nil {
			return m, err
		}
		for _, id := range decided.Taxa {
			if _, err := s.meet(ctx, id); err != nil {
				return m, err
			}
		}
		return s.runMerge(ctx, p, m, decided, told)
	})
}

func (s *Service) beginMerge(ctx context.Context, u User, p MergePlan) (Import, Merge, error) {
	if p.Resumes != nil {
		decided, err := s.Store.Merge(ctx, p.Resumes.ID)
		if err == nil && decided.Rows != len(p.taken) {
			err = fmt.Errorf("import %d was of %d rows, and the bundle has %d", p.Resumes.ID, decided.Rows, len(p.taken))
		}
		return *p.Resumes, decided, err
	}
	site, err := siteOf(ctx, s.Store, s.Now())
	if err != nil {
		return Import{}, Merge{}, err
	}
	return s.Store.BeginMerge(ctx, p.Source, u.ID, NewMerge{From: p.Manifest.Instance, Key: p.Signer.Key,
		Rows: len(p.taken), Known: p.Known, Taken: p.taken, Taxa: p.taxa.settled(site.ID)}, s.Now())
}

func (s *Service) runMerge(ctx context.Context, p MergePlan, m Import, decided Merge, told func(ImportProgress)) (Import, error) {
	e, release := s.acquire()
	defer release()
	if e.info.Digest != m.Encoder {
		return m, Errorf(Conflict, "encoder", "Another encoder serves since this bundle was looked at. Import it again.")
	}
	b := &merger{e: e, plan: &p, m: m, told: told, pace: newPace(m.Done, m.Total, s.Now), size: mergeBatch}
	if p.Manifest.Counts.Photos+p.Manifest.Counts.Thumbnails > 0 {
		b.size = mergePhotoBatch
	}
	at := 0 // of the rows that are taken
	err := p.file.Each(func(r bundle.Row) error {
		if decided.Taken[r.Index] == 0 {
			return nil
		}
		if at++; at <= m.Done {
			return nil
		}
		return b.add(ctx, r, decided.Taxa[r.Exemplar.Taxon])
	})
	if err == nil {
		err = b.flush(ctx)
	}
	return b.m, refusedBundle(err)
}

// merger gathers rows and stores them together.
type merger struct {
	e    *engine
	plan *MergePlan
	m    Import
	told func(ImportProgress)
	pace pace
	size int
	rows []MergedExemplar
}

func (b *merger) add(ctx context.Context, r bundle.Row, taxon TaxonID) error {
	x, f := r.Exemplar, r.Exemplar.Photo
	if taxon == 0 {
		return fmt.Errorf("exemplar %d is of a taxon that was not decided about", r.Index)
	}
	row := MergedExemplar{
		Photo: Photo{Hash: PhotoHash(f.SHA256), MediaType: f.MediaType, TakenAt: f.TakenAt, CreatedAt: b.e.Now()},
		Seen:  SeenBy{Encoder: b.m.Encoder}, Taxon: taxon,
		Details: Details{ObservedAt: x.ObservedAt, Latitude: x.Latitude, Longitude: x.Longitude,
			License: tidy(x.License, maxName), RightsHolder: tidy(x.RightsHolder, maxName), Notes: tidy(x.Notes, maxNotes)},
		Origin: LessonOrigin{Instance: x.Observation.Instance, Observation: x.Observation.ID,
			Observer: tidy(x.Observer, maxName), TaughtBy: tidy(x.TaughtBy, maxName), TaughtAt: x.TaughtAt},
	}
	if !b.plan.Reembed {
		row.Seen.Vector = append([]float32(nil), r.Embedding...)
		if b.plan.Manifest.Encoder.ViewScheme == ViewScheme {
			for _, v := range r.Views {
				row.Seen.Views = append(row.Seen.Views, append([]float32(nil), v...))
			}
		}
	}
	if b.rows = append(b.rows, row); len(b.rows) < b.size {
		return nil
	}
	return b.flush(ctx)
}

func (b *merger) flush(ctx context.Context) error {
	if len(b.rows) == 0 {
		return nil
	}
	if err := eachOf(ctx, len(b.rows), 2*b.e.Workers, func(i int) error { return b.keepFile(ctx, &b.rows[i]) }); err != nil {
		return err
	}
	m, seq, err := b.e.Store.TeachMerged(ctx, b.m.ID, b.m.Done, b.rows, b.e.Now())
	if err != nil {
		return err
	}
	b.m, b.rows = m, b.rows[:0]
	b.told(b.pace.at(m.Done, seq))
	return nil
}

// keepFile keeps the photo of a row, if it came with the bundle, before the row is
// stored, and lets the encoder see what the bundle does not tell of it.
func (b *merger) keepFile(ctx context.Context, x *MergedExemplar) error {
	data, err := b.plan.file.Photo(string(x.Photo.Hash))
	if err != nil {
		return err
	}
	if data == nil {
		return b.keepGlimpse(ctx, x)
	}
	b.e.giveWay(ctx)
	r, err := b.e.encoder.read(ctx, b.e.shared, data, sight{
		whole: x.Seen.Vector == nil, views: x.Seen.Views == nil, thumbnail: thumbnailSide})
	var own *Error
	if errors.As(err, &own) {
		// Its embedding, if there is one, is good without the file.
		b.e.Log.Warn("a photo of a bundle cannot be read", "photo", x.Photo.Hash, "error", err)
		return b.keepGlimpse(ctx, x)
	} else if err != nil {
		return err
	}
	if x.Seen.Vector == nil {
		x.Seen.Vector = r.vector
	}
	if x.Seen.Views == nil {
		x.Seen.Views = r.views
	}
	x.Photo.MediaType, x.Photo.Bytes, x.Photo.Width, x.Photo.Height = r.mediaType, int64(len(data)), r.width, r.height
	x.Photo.Latitude, x.Photo.Longitude = r.exif.Latitude, r.exif.Longitude
	return b.e.Photos.Put(ctx, x.Photo.Hash, data, r.thumbnail)
}

// keepGlimpse keeps the thumbnail of a photo that did not come, if the bundle has one,
// made anew: what a stranger's file says beside its picture is not kept, and a file
// that is none is left out. A row without an embedding cannot be taken at all.
func (b *merger) keepGlimpse(ctx context.Context, x *MergedExemplar) error {
	if x.Skip = x.Seen.Vector == nil; x.Skip {
		return nil
	}
	data, err := b.plan.file.Thumbnail(string(x.Photo.Hash))
	if err != nil || data == nil {
		return err
	}
	b.e.giveWay(ctx)
	r, err := b.e.encoder.read(ctx, b.e.shared, data, sight{thumbnail: thumbnailSide})
	var own *Error
	if errors.As(err, &own) {
		b.e.Log.Warn("a thumbnail of a bundle cannot be read", "photo", x.Photo.Hash, "error", err)
		return nil
	} else if err != nil {
		return err
	}
	x.Photo.Glimpse, x.Photo.Width, x.Photo.Height = true, r.width, r.height
	return b.e.Photos.PutGlimpse(ctx, x.Photo.Hash, r.thumbnail)
}

// tidy makes a text of a stranger's one that is kept: without what cannot be seen,
// and not longer than ours may be.
func tidy(text string, limit int) string {
	letters := make([]rune, 0, len(text))
	for _, r := range text {
		if len(letters) < limit && !hidden(r) {
			letters = append(letters, r)
		}
	}
	return string(letters)
}
