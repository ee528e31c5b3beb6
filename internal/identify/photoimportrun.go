package identify

import (
	"context"
	"slices"

	"fieldmark/internal/photo"
)

// photoBatch is how many photos are read at once and taught in one transaction: so
// few that progress is seen, so many that waiting for the disk does not count.
const photoBatch = 32

// RunPhotos does what was planned under the encoder of c, in transactions of 32
// photos, each durable before told is called with how far it has come. When it is
// broken off, the import of the same set goes on where this one stopped. A photo
// that proves to be damaged ends it too, unless bad rows are left out.
func RunPhotos(ctx context.Context, c Config, plan ImportPlan, f PhotoSet, by UserID, told func(ImportProgress)) (Import, error) {
	c = c.withDefaults()
	s := &shared{Config: c, gate: newGate(2*c.Workers, c.Admission.Memory), viewing: newViewing()}
	only := openedEncoder(c.Model, c.Embedder, nil)
	return s.teachPhotos(ctx, plan, f, by, told, func() ([]*encoder, func()) { return []*encoder{only}, func() {} })
}

// runPhotos reads the photos under every encoder that has, or is being given, a
// memory.
func (s *Service) runPhotos(ctx context.Context, plan ImportPlan, f PhotoSet, by UserID, told func(ImportProgress)) (Import, error) {
	return s.teachPhotos(ctx, plan, f, by, told, func() ([]*encoder, func()) {
		_, release := s.acquire()
		return s.lineup.Load().encoders(), release
	})
}

func (s *shared) teachPhotos(ctx context.Context, plan ImportPlan, f PhotoSet, by UserID, told func(ImportProgress), encoders func() ([]*encoder, func())) (Import, error) {
	m, err := plan.begin(ctx, s.Store, by, s.Now())
	if err != nil {
		return m, err
	}
	if err := plan.taxa.settle(ctx, s.Store); err != nil {
		return m, err
	}
	pace := newPace(m.Done, m.Total, s.Now)
	for m.Done < m.Total {
		rows, bad, err := s.readPhotos(ctx, &plan, f, m.Done, min(m.Done+photoBatch, m.Total), encoders)
		if err != nil {
			return m, err
		}
		if len(bad) > 0 && !plan.skipBad {
			return m, damagedMeanwhile(m, bad[0])
		}
		var seq Seq
		if m, seq, err = s.Store.TeachPhotos(ctx, m.ID, m.Done, rows, s.Now()); err != nil {
			return m, err
		}
		progress := pace.at(m.Done, seq)
		progress.Bad = bad
		told(progress)
	}
	return m, nil
}

func damagedMeanwhile(m Import, r BadRow) error {
	err := Errorf(Invalid, "file", "%s cannot be taken: %s What was taught before it stays (%d of %s). "+
		"Import the same file again and leave bad rows out, or withdraw import %d, mend the photo and begin anew.", r.Place(), r.Why, m.Done, Noticef("%d rows", m.Total), m.ID)
	err.Err = &BadRows{Rows: []BadRow{r}, Count: 1}
	return err
}

// readPhotos reads the photos of some rows, keeps their files and lets the encoders
// see them, several at a time. bad are those that cannot be read after all.
func (s *shared) readPhotos(ctx context.Context, plan *ImportPlan, f PhotoSet, from, to int, encoders func() ([]*encoder, func())) (rows []ImportedPhoto, bad []BadRow, err error) {
	open, release := encoders()
	defer release()
	rows, found := make([]ImportedPhoto, to-from), make([]*Error, to-from)
	err = eachOf(ctx, to-from, 2*s.Workers, func(i int) (err error) {
		if plan.skip[from+i] {
			rows[i].Skip = true
			return nil
		}
		s.giveWay(ctx)
		rows[i], err = s.readImported(ctx, plan, f, from+i, open)
		var l look
		if l, err = lookOf(nil, err); l.problem != nil {
			rows[i], found[i] = ImportedPhoto{Skip: true}, l.problem
		}
		return err
	})
	for i, problem := range found {
		if problem != nil {
			bad = append(bad, BadRow{Row: from + i, Name: f.Row(from + i).Name, Why: problem})
		}
	}
	return rows, bad, err
}

// readImported reads one photo. Its file is kept before the row is stored, so that
// no observation lacks it whenever the machine stops.
func (s *shared) readImported(ctx context.Context, plan *ImportPlan, f PhotoSet, i int, encoders []*encoder) (ImportedPhoto, error) {
	data, err := f.Photo(ctx, i)
	if err != nil {
		return ImportedPhoto{}, err
	}
	row, hash := f.Row(i), PhotoHash(photo.Hash(data))
	t := plan.taxa.meant(row.Label, row.Taxon)
	if hash != plan.photos[i] || t.ID == 0 {
		return ImportedPhoto{}, &changedError{row.Name}
	}
	r, err := encoders[0].read(ctx, s, data, sight{whole: true, views: true, thumbnail: thumbnailSide})
	if err != nil {
		return ImportedPhoto{}, err
	}
	x := row.newPhoto(hash, len(data), r, s.Now())
	x.Taxon, x.Seen = t.ID, []SeenBy{{encoders[0].info.Digest, r.vector, r.views}}
	for _, e := range encoders[1:] {
		// What one that does not serve cannot do is made good in the background.
		other, err := e.read(ctx, s, data, sight{whole: true, views: true})
		if err != nil && ctx.Err() != nil {
			return ImportedPhoto{}, err
		} else if err != nil {
			s.Log.Warn("a lesson is not embedded yet", "photo", hash, "encoder", e.model, "error", err)
		} else if !slices.ContainsFunc(x.Seen, func(y SeenBy) bool { return y.Encoder == e.info.Digest }) {
			x.Seen = append(x.Seen, SeenBy{e.info.Digest, other.vector, other.views})
		}
	}
	return x, s.Photos.Put(ctx, hash, data, r.thumbnail)
}

// changedError is a photo that is another than when it was checked.
type changedError struct{ name Notice }

func (e *changedError) Error() string {
	return e.name.String() + " is not what it was when the file was checked: import it again"
}
