package store

import (
	"context"
	"database/sql"

	"fieldmark/internal/identify"
)

// appendEvent adds an event to the log and returns its number.
func appendEvent(ctx context.Context, tx *sql.Tx, e identify.Event) (identify.Seq, error) {
	return appendEventOf(ctx, tx, e, whole{})
}

// whole is what an event is part of; zero where it stands for itself.
type whole struct {
	imported   identify.ImportID     // taken in, or taken back, as a row of this
	quarantine identify.QuarantineID // written as this began or ended
}

func appendEventOf(ctx context.Context, tx *sql.Tx, e identify.Event, of whole) (identify.Seq, error) {
	var seq identify.Seq
	err := tx.QueryRowContext(ctx, `
		INSERT INTO events (kind, identification_id, observation_id, photo_hash, taxon_id, user_id, at, import_id, quarantine_id)
		VALUES (?, ?, ?, ?, ?, ?, ?, nullif(?, 0), nullif(?, 0)) RETURNING seq`,
		e.Kind, e.Identification, e.Observation, e.Photo, e.Taxon, e.User, micros(e.At), of.imported, of.quarantine).Scan(&seq)
	return seq, err
}

// lastEvent returns the number of the last event, 0 if there is none.
func lastEvent(ctx context.Context, tx *sql.Tx) (seq identify.Seq, err error) {
	err = tx.QueryRowContext(ctx, `SELECT coalesce(max(seq), 0) FROM events`).Scan(&seq)
	return seq, err
}

// Events returns up to limit events after seq, in order. Those that add an
// exemplar carry the vector of their photo under the encoder, and those of its
// views, nil where none is stored.
func (s *Store) Events(ctx context.Context, encoder string, after identify.Seq, limit int) ([]identify.Event, error) {
	var list []identify.Event
	err := s.view(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `
			SELECT e.seq, e.kind, e.identification_id, e.observation_id, e.photo_hash, e.taxon_id, e.user_id, u.name, e.at, m.vector, w.vectors
			FROM events e JOIN users u ON u.id = e.user_id
			LEFT JOIN embeddings m ON e.kind IN ('taught', 'held') AND m.photo_hash = e.photo_hash AND m.encoder = ?1
			LEFT JOIN view_embeddings w ON e.kind IN ('taught', 'held') AND w.photo_hash = e.photo_hash AND w.encoder = ?1 AND w.scheme = ?2
			WHERE e.seq > ?3 ORDER BY e.seq LIMIT ?4`, encoder, identify.ViewScheme, after, limit)
		list, err = collect(rows, err, scanEvent)
		return err
	})
	return list, err
}

func scanEvent(rows *sql.Rows) (identify.Event, error) {
	var e identify.Event
	var at int64
	var whole, views []byte
	err := rows.Scan(&e.Seq, &e.Kind, &e.Identification, &e.Observation, &e.Photo, &e.Taxon, &e.User, &e.UserName, &at, &whole, &views)
	if err != nil {
		return e, err
	}
	e.At = instant(at)
	if whole == nil {
		return e, nil
	}
	if e.Vector, err = vector(whole); err == nil {
		e.Views, err = viewsOf(views, len(e.Vector))
	}
	return e, err
}

// Counts returns how many observations, photos, taxa and users with access
// there are.
func (s *Store) Counts(ctx context.Context) (identify.Counts, error) {
	var c identify.Counts
	err := s.view(ctx, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, `
			SELECT (SELECT count(*) FROM observations), (SELECT count(*) FROM photos), (SELECT count(*) FROM taxa),
				(SELECT count(*) FROM users WHERE revoked_at IS NULL)`).Scan(&c.Observations, &c.Photos, &c.Taxa, &c.Users)
	})
	return c, err
}
