package identify

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"fieldmark/internal/photo"
)

// planned is the hash that each photo had when it was checked; "" for a row that
// is left out.
type planned []PhotoHash

// shownDuplicates is how many duplicates a plan names.
const shownDuplicates = 5

// PlanPhotos reads every photo of a set and works out what an import of it under
// the encoder of c would do: each row's label and place are checked, and each
// photo's kind, size and header. Nothing is stored. Its errors are PlanImport's.
func PlanPhotos(ctx context.Context, c Config, source ImportSource, f PhotoSet, o ImportOptions) (ImportPlan, error) {
	c = c.withDefaults()
	return (&shared{Config: c}).planPhotos(ctx, c.Embedder.Info(), source, f, o)
}

func (s *shared) planPhotos(ctx context.Context, info EncoderInfo, source ImportSource, f PhotoSet, o ImportOptions) (ImportPlan, error) {
	plan, err := newImportPlan(ctx, s.Store, info, source, f)
	if err != nil {
		return plan, err
	}
	if left := f.LeftOut(); left.Format != "" {
		plan.Notes = append(plan.Notes, left)
	}
	if plan.taxa, err = newResolved(ctx, s.Store); err != nil {
		return plan, err
	}
	looks, err := s.inspect(ctx, f)
	if err != nil {
		return plan, err
	}
	if err := plan.sort(ctx, s.Store, f, looks); err != nil {
		return plan, err
	}
	if err := plan.judge(f.Rows(), o.SkipBad); err != nil {
		return plan, err
	}
	return plan, plan.suggest(ctx, s.Store)
}

// look is what a photo's bytes say: its hash, or why it cannot be taken.
type look struct {
	hash    PhotoHash
	problem *Error
}

// inspect reads all photos, several at a time.
func (s *shared) inspect(ctx context.Context, f PhotoSet) ([]look, error) {
	looks := make([]look, f.Rows())
	err := eachOf(ctx, f.Rows(), s.Workers, func(i int) error {
		if f.Row(i).Problem != nil {
			return nil
		}
		data, err := f.Photo(ctx, i)
		if err == nil {
			err = s.decoder().Inspect(data)
		}
		looks[i], err = lookOf(data, err)
		return err
	})
	return looks, err
}

// lookOf takes an error that is a photo's own as what is wrong with it.
func lookOf(data []byte, err error) (look, error) {
	var refused *photo.Error
	var own *Error
	switch {
	case err == nil:
		return look{hash: PhotoHash(photo.Hash(data))}, nil
	case errors.As(err, &refused):
		return look{problem: photoNotice(refused).Error(NotAPhoto, "row")}, nil
	case errors.As(err, &own):
		return look{problem: own}, nil
	}
	return look{}, err
}

// sort finds the taxon of each row, and the rows that cannot be taken.
func (p *ImportPlan) sort(ctx context.Context, st Store, f PhotoSet, looks []look) error {
	labels, copies := labelCount{}, duplicates{}
	p.photos = make(planned, len(looks))
	for i, l := range looks {
		row := f.Row(i)
		problem, err := p.problemOf(ctx, st, row, l)
		if err != nil {
			return err
		}
		t := p.taxa.meant(row.Label, row.Taxon)
		if problem == nil {
			problem = copies.add(row, l.hash, t)
		}
		if problem != nil {
			p.badRow(BadRow{Row: i, Name: row.Name, Why: problem})
			continue
		}
		p.photos[i] = l.hash
		if err := labels.add(row.Label, t); err != nil {
			return err
		}
	}
	if p.Labels = labels.sorted(); copies.count > 0 {
		p.Notes = append(p.Notes, copies.notice())
	}
	return nil
}

func (p *ImportPlan) problemOf(ctx context.Context, st Store, row PhotoRow, l look) (*Error, error) {
	if row.Problem != nil {
		return row.Problem, nil
	}
	if row.Label == "" && p.taxa.meant("", row.Taxon).ID == 0 {
		if row.Taxon != 0 {
			return badRow("no taxon of the vocabulary has the id %d, and there is no name", row.Taxon), nil
		}
		return badRow("it has no name"), nil
	}
	if problem, err := p.taxa.look(ctx, st, row.Label, row.Taxon); err != nil || problem != nil {
		return problem, err
	}
	up := Upload{Latitude: row.Latitude, Longitude: row.Longitude, License: row.License, RightsHolder: row.RightsHolder, Notes: row.Notes}
	if err, own := up.check(), (*Error)(nil); errors.As(err, &own) {
		return own, nil
	} else if err != nil {
		return nil, err
	}
	return l.problem, nil
}

// duplicates finds photos that are in a set twice. One that has the same name is
// known by then; one that has two cannot be both.
type duplicates struct {
	first map[PhotoHash]firstOf
	count int
	shown []Notice
}

type firstOf struct {
	name  Notice
	label string
	taxon meant
}

func (d *duplicates) add(row PhotoRow, hash PhotoHash, t Taxon) (problem *Error) {
	if d.first == nil {
		d.first = map[PhotoHash]firstOf{}
	}
	is := meantBy(t)
	was, twice := d.first[hash]
	switch {
	case !twice:
		d.first[hash] = firstOf{row.Name, row.Label, is}
	case was.taxon != is:
		return badRow("it is the same photo as %s, which is named %s", was.name, was.label)
	default:
		if d.count++; d.count <= shownDuplicates {
			d.shown = append(d.shown, Noticef("%s is %s", row.Name, was.name))
		}
	}
	return nil
}

func (d *duplicates) notice() Notice {
	shown := d.shown
	if d.count > len(shown) {
		shown = append(slices.Clone(shown), PlainNotice("…"))
	}
	return Noticef("%d of the photos are there twice and are taught once: %s.", d.count, joined(shown, ", "))
}

// eachOf calls do for 0 to n-1, with some at a time, until one fails.
func eachOf(ctx context.Context, n, workers int, do func(i int) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var next atomic.Int64
	var working sync.WaitGroup
	for range min(workers, n) {
		working.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if err := do(i); err != nil {
					stop(err)
				}
			}
		})
	}
	working.Wait()
	return context.Cause(ctx)
}

// newPhoto is what is stored of a photo that was read; what the row leaves out is
// taken from EXIF.
func (row PhotoRow) newPhoto(hash PhotoHash, size int, r reading, at time.Time) ImportedPhoto {
	x := ImportedPhoto{
		Photo: Photo{Hash: hash, MediaType: r.mediaType, Bytes: int64(size), Width: r.width, Height: r.height,
			TakenAt: r.exif.TakenAt, Latitude: r.exif.Latitude, Longitude: r.exif.Longitude, CreatedAt: at},
		Details: row.Details, Ref: row.Ref,
	}
	_ = x.check() // passed when the set was checked; here it tidies
	if x.ObservedAt == nil {
		x.ObservedAt = r.exif.TakenAt
	}
	if x.Latitude == nil {
		x.Latitude, x.Longitude = r.exif.Latitude, r.exif.Longitude
	}
	return x
}
