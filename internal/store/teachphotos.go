package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"fieldmark/internal/identify"
)

// TeachPhotos takes in the photos of an import from a row on.
func (s *Store) TeachPhotos(ctx context.Context, id identify.ImportID, from int, rows []identify.ImportedPhoto, at time.Time) (identify.Import, identify.Seq, error) {
	return s.takeIn(ctx, id, from, len(rows), at, func(tx *sql.Tx, m identify.Import) (n tally, err error) {
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
			known, err := teachPhoto(ctx, tx, m, m.Done+i, x, at)
			if err != nil {
				return n, fmt.Errorf("row %d: %w", m.Done+i, err)
			}
			if known {
				n.known++
			}
		}
		return n, nil
	})
}

// teachPhoto stores a photo with its observation, identification and event, unless
// an exemplar of the same photo and taxon stands. What encoders see of it is stored
// in any case: the photo may have been taught before one of them was there.
func teachPhoto(ctx context.Context, tx *sql.Tx, m identify.Import, row int, x identify.ImportedPhoto, at time.Time) (known bool, err error) {
	if err := addPhoto(ctx, tx, x.Photo); err != nil {
		return false, err
	}
	if err := addSeen(ctx, tx, x, micros(at)); err != nil {
		return false, err
	}
	err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM observations o JOIN identifications i ON i.observation_id = o.id
		WHERE o.photo_hash = ? AND `+goesBy+` = ? AND i.withdrawn_at IS NULL)`, x.Photo.Hash, x.Taxon).Scan(&known)
	if err != nil || known {
		return known, err
	}
	o, err := addObservation(ctx, tx, identify.NewObservation{Photo: x.Photo, Observer: m.User, At: at,
		ObservedAt: x.ObservedAt, Latitude: x.Latitude, Longitude: x.Longitude, License: x.License, RightsHolder: x.RightsHolder, Notes: x.Notes})
	if err != nil {
		return false, err
	}
	ref := sql.NullString{String: x.Ref, Valid: x.Ref != ""}
	if _, err := tx.ExecContext(ctx, `UPDATE observations SET import_id = ?, import_row = ?, import_ref = ? WHERE id = ?`, m.ID, row, ref, o); err != nil {
		return false, err
	}
	var id identify.IdentificationID
	err = tx.QueryRowContext(ctx, `INSERT INTO identifications (observation_id, taxon_id, user_id, from_suggestion, created_at, import_id)
		VALUES (?, ?, ?, 0, ?, ?) RETURNING id`, o, x.Taxon, m.User, micros(at), m.ID).Scan(&id)
	if err != nil {
		return false, err
	}
	if _, err := appendEventOf(ctx, tx, identify.Event{Kind: identify.Taught, Identification: id, Observation: o,
		Photo: x.Photo.Hash, Taxon: x.Taxon, User: m.User, At: at}, whole{imported: m.ID}); err != nil {
		return false, err
	}
	return false, refreshCurrent(ctx, tx, o)
}

// addSeen stores what encoders see of a photo. Its file is there, so that every
// encoder that could not read it may try anew.
func addSeen(ctx context.Context, tx *sql.Tx, x identify.ImportedPhoto, at int64) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM embedding_failures WHERE photo_hash = ?`, x.Photo.Hash); err != nil {
		return err
	}
	if err := forgetViewless(ctx, tx, `photo_hash = ?`, x.Photo.Hash); err != nil {
		return err
	}
	for _, e := range x.Seen {
		if err := addEmbedding(ctx, tx, x.Photo.Hash, e.Encoder, e.Vector, at); err != nil {
			return err
		}
		dim, err := dimOf(ctx, tx, e.Encoder)
		if err != nil {
			return err
		}
		if err := insertViews(ctx, tx, e.Encoder, dim, identify.PhotoViews{Photo: x.Photo.Hash, Vectors: e.Views}, at); err != nil {
			return err
		}
	}
	return nil
}
