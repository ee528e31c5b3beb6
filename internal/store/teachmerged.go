package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"fieldmark/internal/identify"
)

// TeachMerged takes in rows of a bundle from a row on.
func (s *Store) TeachMerged(ctx context.Context, id identify.ImportID, from int, rows []identify.MergedExemplar, at time.Time) (identify.Import, identify.Seq, error) {
	return s.takeIn(ctx, id, from, len(rows), at, func(tx *sql.Tx, m identify.Import) (n tally, err error) {
		w, err := newMergeWriter(ctx, tx, m, micros(at))
		if err != nil {
			return n, err
		}
		defer func() { err = errors.Join(err, w.close()) }()
		accepted, err := synonyms(ctx, tx)
		if err != nil {
			return n, err
		}
		for i, x := range rows {
			x.Taxon = accepted(x.Taxon)
			if x.Skip {
				n.skipped++
			} else if err := w.put(ctx, m.Done+i, x); err != nil {
				return n, fmt.Errorf("row %d: %w", m.Done+i, err)
			}
		}
		return n, nil
	})
}

// mergeWriter stores the rows of one bundle within one transaction.
type mergeWriter struct {
	of  identify.Import
	dim int
	at  int64

	photo, unfail, embedding, views, observation, identification, event, current, origin *sql.Stmt

	open []*sql.Stmt
}

func newMergeWriter(ctx context.Context, tx *sql.Tx, m identify.Import, at int64) (*mergeWriter, error) {
	w := &mergeWriter{of: m, at: at}
	var err error
	if w.dim, err = dimOf(ctx, tx, m.Encoder); err != nil {
		return nil, err
	}
	for _, p := range []struct {
		statement **sql.Stmt
		text      string
	}{
		// A photo of which only the embedding was here, or a glimpse, has its file now,
		// or one of which only the embedding was here has a glimpse.
		{&w.photo, `INSERT INTO photos (hash, media_type, bytes, glimpse, width, height, taken_at, taken_offset, latitude, longitude, created_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (hash) DO UPDATE SET media_type = excluded.media_type, bytes = excluded.bytes, glimpse = max(glimpse, excluded.glimpse),
				width = excluded.width, height = excluded.height,
				taken_at = excluded.taken_at, taken_offset = excluded.taken_offset, latitude = excluded.latitude, longitude = excluded.longitude
			WHERE bytes = 0 AND (excluded.bytes > 0 OR excluded.glimpse > glimpse)`},
		{&w.unfail, `DELETE FROM embedding_failures WHERE photo_hash = ?`},
		{&w.embedding, `INSERT INTO embeddings (photo_hash, encoder, vector, norm, created_at) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (photo_hash, encoder) DO NOTHING`},
		{&w.views, `INSERT INTO view_embeddings (photo_hash, encoder, scheme, vectors, created_at) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (photo_hash, encoder) DO UPDATE SET scheme = excluded.scheme, vectors = excluded.vectors, created_at = excluded.created_at
			WHERE scheme <> excluded.scheme`},
		{&w.observation, `INSERT INTO observations (photo_hash, observer_id, observed_at, observed_offset, latitude, longitude,
			license, rights_holder, notes, folded_notes, created_at, suggested, suggested_seq, folded_suggestion, import_id, import_row, import_ref)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '[]', 0, '', ?, ?, ?)`},
		{&w.identification, `INSERT INTO identifications (observation_id, taxon_id, user_id, from_suggestion, created_at, import_id) VALUES (?, ?, ?, 0, ?, ?)`},
		{&w.event, `INSERT INTO events (kind, identification_id, observation_id, photo_hash, taxon_id, user_id, at, import_id)
			VALUES ('taught', ?, ?, ?, ?, ?, ?, ?)`},
		{&w.current, `UPDATE observations SET current_id = ?, current_taxon_id = ? WHERE id = ?`},
		{&w.origin, `INSERT INTO observation_origins (observation_id, instance, foreign_id, observer, taught_by, taught_at) VALUES (?, ?, ?, ?, ?, ?)`},
	} {
		if *p.statement, err = tx.PrepareContext(ctx, p.text); err != nil {
			return nil, errors.Join(err, w.close())
		}
		w.open = append(w.open, *p.statement)
	}
	return w, nil
}

func (w *mergeWriter) close() error {
	var err error
	for _, s := range w.open {
		err = errors.Join(err, s.Close())
	}
	return err
}

func (w *mergeWriter) put(ctx context.Context, row int, x identify.MergedExemplar) error {
	if err := w.putPhoto(ctx, x); err != nil {
		return err
	}
	observed := wall(x.ObservedAt)
	r, err := w.observation.ExecContext(ctx, x.Photo.Hash, w.of.User, observed.at, observed.offset, x.Latitude, x.Longitude,
		x.License, x.RightsHolder, x.Notes, searched(x.Notes), w.at, w.of.ID, row, fmt.Sprint(x.Origin.Observation))
	if err != nil {
		return err
	}
	observation, err := r.LastInsertId()
	if err != nil {
		return err
	}
	if r, err = w.identification.ExecContext(ctx, observation, x.Taxon, w.of.User, w.at, w.of.ID); err != nil {
		return err
	}
	id, err := r.LastInsertId()
	if err != nil {
		return err
	}
	if _, err := w.event.ExecContext(ctx, id, observation, x.Photo.Hash, x.Taxon, w.of.User, w.at, w.of.ID); err != nil {
		return err
	}
	if _, err := w.current.ExecContext(ctx, id, x.Taxon, observation); err != nil {
		return err
	}
	o := x.Origin
	_, err = w.origin.ExecContext(ctx, observation, o.Instance, o.Observation, o.Observer, o.TaughtBy, micros(o.TaughtAt))
	return err
}

// putPhoto stores what is known of a photo. What the encoder sees of it here goes
// before what the bundle says it sees.
func (w *mergeWriter) putPhoto(ctx context.Context, x identify.MergedExemplar) error {
	p, taken := x.Photo, wall(x.Photo.TakenAt)
	_, err := w.photo.ExecContext(ctx, p.Hash, p.MediaType, p.Bytes, p.Glimpse, p.Width, p.Height, taken.at, taken.offset, p.Latitude, p.Longitude, micros(p.CreatedAt))
	if err != nil {
		return err
	}
	if p.HasFile() {
		if _, err := w.unfail.ExecContext(ctx, p.Hash); err != nil {
			return err
		}
	}
	norm, err := normOf(x.Seen.Vector, w.dim)
	if err != nil {
		return err
	}
	if _, err := w.embedding.ExecContext(ctx, p.Hash, x.Seen.Encoder, bytesOf(x.Seen.Vector), norm, w.at); err != nil {
		return err
	}
	if len(x.Seen.Views) == 0 {
		return nil
	}
	var blob []byte
	for i, v := range x.Seen.Views {
		if _, err := normOf(v, w.dim); err != nil {
			return fmt.Errorf("view %d: %w", i, err)
		}
		blob = append(blob, bytesOf(v)...)
	}
	_, err = w.views.ExecContext(ctx, p.Hash, x.Seen.Encoder, identify.ViewScheme, blob, w.at)
	return err
}
