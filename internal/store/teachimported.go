package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"fieldmark/internal/identify"
)

// TeachImported takes in the rows of an import from a row on.
func (s *Store) TeachImported(ctx context.Context, id identify.ImportID, from int, rows []identify.ImportedExemplar, at time.Time) (identify.Import, identify.Seq, error) {
	return s.takeIn(ctx, id, from, len(rows), at, func(tx *sql.Tx, m identify.Import) (tally, error) {
		return teachRows(ctx, tx, m, rows, at)
	})
}

// tally counts the rows of a batch that were not taught.
type tally struct{ known, skipped int }

// takeIn stores n rows of an import from a row on, with put.
func (s *Store) takeIn(ctx context.Context, id identify.ImportID, from, n int, at time.Time, put func(tx *sql.Tx, m identify.Import) (tally, error)) (identify.Import, identify.Seq, error) {
	var after identify.Import
	var seq identify.Seq
	err := s.update(ctx, func(tx *sql.Tx) error {
		m, err := importByID(ctx, tx, id)
		if err != nil {
			return err
		}
		if m.WithdrawnAt != nil {
			return identify.Errorf(identify.Conflict, "", "This import was withdrawn while it was under way.")
		}
		if q, err := quarantineOf(ctx, tx, identify.Source{Import: id}); err != nil {
			return err
		} else if q != 0 {
			return identify.Errorf(identify.Conflict, "", "This import is in quarantine. Release it first, then import the file again: it goes on where it stopped.")
		}
		if m.Done != from || from+n > m.Total {
			return identify.Errorf(identify.Conflict, "", "This file is being imported by someone else at this moment.")
		}
		untaught, err := put(tx, m)
		if err != nil {
			return err
		}
		done := from + n
		_, err = tx.ExecContext(ctx, `UPDATE imports SET done = ?, known = known + ?, skipped = skipped + ?, ended_at = iif(? = total, ?, NULL) WHERE id = ?`,
			done, untaught.known, untaught.skipped, done, micros(at), id)
		if err == nil {
			after, err = importByID(ctx, tx, id)
		}
		if err == nil {
			seq, err = lastEvent(ctx, tx)
		}
		return err
	})
	return after, seq, err
}

// teachRows stores rows and counts those that are known or left out.
func teachRows(ctx context.Context, tx *sql.Tx, m identify.Import, rows []identify.ImportedExemplar, at time.Time) (n tally, err error) {
	w, err := newRowWriter(ctx, tx, m, micros(at))
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
			continue
		}
		known, err := w.put(ctx, m.Done+i, x)
		if err != nil {
			return n, fmt.Errorf("row %d: %w", m.Done+i, err)
		}
		if known {
			n.known++
		}
	}
	return n, nil
}

// rowWriter stores the rows of one import within one transaction.
type rowWriter struct {
	of  identify.Import
	dim int
	at  int64

	samePhoto, isKnown, photo, embedding *sql.Stmt
	observation, identification, event   *sql.Stmt
	current                              *sql.Stmt
}

func newRowWriter(ctx context.Context, tx *sql.Tx, m identify.Import, at int64) (*rowWriter, error) {
	w := &rowWriter{of: m, at: at}
	if err := tx.QueryRowContext(ctx, `SELECT dim FROM encoders WHERE digest = ?`, m.Encoder).Scan(&w.dim); err != nil {
		return nil, err
	}
	for _, p := range []struct {
		statement **sql.Stmt
		text      string
	}{
		{&w.samePhoto, `SELECT photo_hash FROM embeddings WHERE encoder = ? AND norm = ? AND vector = ? LIMIT 1`},
		{&w.isKnown, `SELECT EXISTS (SELECT 1 FROM observations o JOIN identifications i ON i.observation_id = o.id
			WHERE o.photo_hash = ? AND ` + goesBy + ` = ? AND i.withdrawn_at IS NULL AND o.import_id IS NOT ?)`},
		{&w.photo, `INSERT INTO photos (hash, media_type, bytes, width, height, created_at) VALUES (?, '', 0, 0, 0, ?) ON CONFLICT DO NOTHING`},
		{&w.embedding, `INSERT INTO embeddings (photo_hash, encoder, vector, norm, created_at) VALUES (?, ?, ?, ?, ?)`},
		{&w.observation, `INSERT INTO observations (photo_hash, observer_id, license, rights_holder, notes, folded_notes, created_at,
			suggested, suggested_seq, folded_suggestion, import_id, import_row, import_ref)
			VALUES (?, ?, '', '', '', '', ?, '[]', 0, '', ?, ?, ?)`},
		{&w.identification, `INSERT INTO identifications (observation_id, taxon_id, user_id, from_suggestion, created_at, import_id) VALUES (?, ?, ?, 0, ?, ?)`},
		{&w.event, `INSERT INTO events (kind, identification_id, observation_id, photo_hash, taxon_id, user_id, at, import_id)
			VALUES ('taught', ?, ?, ?, ?, ?, ?, ?)`},
		{&w.current, `UPDATE observations SET current_id = ?, current_taxon_id = ? WHERE id = ?`},
	} {
		var err error
		if *p.statement, err = tx.PrepareContext(ctx, p.text); err != nil {
			return nil, errors.Join(err, w.close())
		}
	}
	return w, nil
}

func (w *rowWriter) close() error {
	var err error
	for _, s := range []*sql.Stmt{w.samePhoto, w.isKnown, w.photo, w.embedding, w.observation, w.identification, w.event, w.current} {
		if s != nil {
			err = errors.Join(err, s.Close())
		}
	}
	return err
}

// put stores one row, unless it is known: an exemplar that did not come with
// this import has the same embedding and the same taxon, and stands.
func (w *rowWriter) put(ctx context.Context, row int, x identify.ImportedExemplar) (known bool, err error) {
	photo, found, err := w.photoOf(ctx, x.Embedding)
	if err != nil {
		return false, err
	}
	if found {
		if err := w.isKnown.QueryRowContext(ctx, photo, x.Taxon, w.of.ID).Scan(&known); err != nil || known {
			return known, err
		}
	}
	ref := sql.NullString{String: x.Ref, Valid: x.Ref != ""}
	r, err := w.observation.ExecContext(ctx, photo, w.of.User, w.at, w.of.ID, row, ref)
	if err != nil {
		return false, err
	}
	observation, err := r.LastInsertId()
	if err != nil {
		return false, err
	}
	if r, err = w.identification.ExecContext(ctx, observation, x.Taxon, w.of.User, w.at, w.of.ID); err != nil {
		return false, err
	}
	id, err := r.LastInsertId()
	if err != nil {
		return false, err
	}
	if _, err = w.event.ExecContext(ctx, id, observation, photo, x.Taxon, w.of.User, w.at, w.of.ID); err != nil {
		return false, err
	}
	_, err = w.current.ExecContext(ctx, id, x.Taxon, observation)
	return false, err
}

// photoOf returns the photo that has this very embedding; where none has, a row
// for one without a file, known by the SHA-256 of the embedding, is added with it.
func (w *rowWriter) photoOf(ctx context.Context, v []float32) (photo identify.PhotoHash, found bool, err error) {
	norm, err := normOf(v, w.dim)
	if err != nil {
		return "", false, err
	}
	blob := bytesOf(v)
	err = w.samePhoto.QueryRowContext(ctx, w.of.Encoder, norm, blob).Scan(&photo)
	if !errors.Is(err, sql.ErrNoRows) {
		return photo, err == nil, err
	}
	sum := sha256.Sum256(blob)
	photo = identify.PhotoHash(hex.EncodeToString(sum[:]))
	if _, err := w.photo.ExecContext(ctx, photo, w.at); err != nil {
		return "", false, err
	}
	_, err = w.embedding.ExecContext(ctx, photo, w.of.Encoder, blob, norm, w.at)
	return photo, false, err
}
