package identify

import (
	"context"
	"time"

	"fieldmark/internal/photo"
)

// Classify reads a photo and stores nothing.
func (s *Service) Classify(ctx context.Context, data []byte, q Question) (Prediction, error) {
	e, release := s.acquire()
	defer release()
	return e.classify(ctx, data, q)
}

func (e *engine) classify(ctx context.Context, data []byte, q Question) (Prediction, error) {
	read, err := e.read(ctx, data, sight{whole: true})
	if err != nil {
		return Prediction{}, err
	}
	p, err := e.predict(ctx, e.learner.memory(), read.vector, q)
	p.Timings.Decode, p.Timings.Embed = read.decoded, read.embedded
	return p, err
}

// Observe stores a photo as a new observation, with the answer that was given. An
// upload that is repeated returns the observation that it made, with Repeat set.
// The photo's files are kept before the observation is, so that no observation
// lacks them whenever the machine stops.
func (s *Service) Observe(ctx context.Context, u User, up Upload, q Question) (Observation, Prediction, error) {
	if err := allow(u, Expert, "add observations"); err != nil {
		return Observation{}, Prediction{}, err
	}
	if err := up.check(); err != nil {
		return Observation{}, Prediction{}, err
	}
	e, release := s.acquire()
	defer release()
	if o, p, ok := e.repeated(ctx, u, &up, q); ok {
		return o, p, nil
	}
	read, err := e.read(ctx, up.Photo, sight{whole: true, thumbnail: thumbnailSide})
	if err != nil {
		return Observation{}, Prediction{}, err
	}
	p, err := e.predict(ctx, e.learner.memory(), read.vector, q)
	if err != nil {
		return Observation{}, Prediction{}, err
	}
	p.Timings.Decode, p.Timings.Embed = read.decoded, read.embedded
	n := e.newObservation(u, up, read, p)
	if err := s.Photos.Put(ctx, n.Photo.Hash, up.Photo, read.thumbnail); err != nil {
		return Observation{}, Prediction{}, err
	}
	o, err := s.Store.AddObservation(ctx, n)
	if err == nil {
		s.viewing.offer(n.Photo.Hash)
		if !o.Repeat {
			s.came(o, p)
		}
	}
	if s.EncoderWork() != nil || s.lost.Load() {
		s.lookAgain()
	}
	return o, p, err
}

// repeated answers an upload that made an observation before without reading the
// photo again. It is not ok where anything is missing, such as the photo's file:
// then the upload is taken as if it were the first, which mends that.
func (e *engine) repeated(ctx context.Context, u User, up *Upload, q Question) (Observation, Prediction, bool) {
	o, err := e.Store.Uploaded(ctx, u.ID, up.key())
	if err != nil {
		return Observation{}, Prediction{}, false
	}
	if _, err := e.Photos.Original(ctx, o.Photo.Hash); err != nil {
		return Observation{}, Prediction{}, false
	}
	o.Repeat = true
	p, _, err := e.predictStored(ctx, e.learner.memory(), o.ID, q)
	return o, p, err == nil
}

// newObservation fills in from EXIF what the observer left out.
func (e *engine) newObservation(u User, up Upload, read reading, p Prediction) NewObservation {
	exif, now := read.exif, e.Now()
	n := NewObservation{
		Photo: Photo{
			Hash: PhotoHash(photo.Hash(up.Photo)), MediaType: read.mediaType, Bytes: int64(len(up.Photo)),
			Width: read.width, Height: read.height,
			TakenAt: exif.TakenAt, Latitude: exif.Latitude, Longitude: exif.Longitude, CreatedAt: now,
		},
		Embedding: read.vector, Encoder: e.info.Digest, Observer: u.ID, Key: up.key(),
		ObservedAt: up.ObservedAt, Latitude: up.Latitude, Longitude: up.Longitude,
		License: up.License, RightsHolder: up.RightsHolder, Notes: up.Notes,
		SuggestedSeq: p.Seq, At: now,
	}
	if n.ObservedAt == nil {
		n.ObservedAt = exif.TakenAt
	}
	if n.Latitude == nil {
		n.Latitude, n.Longitude = exif.Latitude, exif.Longitude
	}
	for _, c := range p.Candidates {
		n.Suggested = append(n.Suggested, Suggestion{Taxon: c.Taxon, Label: c.Label, Probability: c.Probability, From: p.Headline.From})
	}
	return n
}

// reading is what is kept of a photo once its pixels are gone.
type reading struct {
	mediaType         string
	width, height     int
	exif              photo.EXIF
	thumbnail         []byte      // nil if none was asked for
	vector            []float32   // raw embedding [D]; nil if it was not asked for
	views             [][]float32 // those of photo.Views; nil if they were not asked for
	decoded, embedded time.Duration
}

// read reads a photo that someone sent and waits for: not for long, and not behind
// too many others. KindOf Busy if it would be.
func (e *engine) read(ctx context.Context, data []byte, make sight) (reading, error) {
	leave, err := e.queue()
	if err != nil {
		return reading{}, err
	}
	defer leave()
	make.hurried = true
	return e.encoder.read(ctx, e.shared, data, make)
}

// Observation returns one observation as u may see it.
func (s *Service) Observation(ctx context.Context, u User, id ObservationID) (Observation, error) {
	o, err := s.observation(ctx, id)
	return o.shownTo(u), err
}

// observation returns one with everything that is known of it.
func (s *Service) observation(ctx context.Context, id ObservationID) (Observation, error) {
	o, err := s.Store.Observation(ctx, id)
	return o, stored(err, "id")
}

// Observations lists observations as u may see them, newest first; more says that
// older ones match. Nobody finds by a place what is not shown to be there.
func (s *Service) Observations(ctx context.Context, u User, f ObservationFilter) (list []Observation, more bool, err error) {
	if err := f.check(); err != nil {
		return nil, false, err
	}
	list, more, err = s.Store.Observations(ctx, f.shownTo(u))
	for i, o := range list {
		list[i] = o.shownTo(u)
	}
	return list, more, err
}

// eachObservation visits the observations that match, newest first.
func eachObservation(ctx context.Context, st Store, f ObservationFilter, visit func(Observation) error) error {
	f.Limit = maxPage
	for {
		list, more, err := st.Observations(ctx, f)
		if err != nil {
			return err
		}
		for _, o := range list {
			if err := visit(o); err != nil {
				return err
			}
			f.Before = o.ID
		}
		if !more {
			return nil
		}
	}
}
