package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/mattn/go-sqlite3"

	"fieldmark/internal/identify"
)

// sourceOf is the condition by which an identification, i, is of a source, with its
// argument.
func sourceOf(s identify.Source) (condition string, id int64) {
	if s.Import != 0 {
		return `i.import_id = ?`, int64(s.Import)
	}
	return `i.import_id IS NULL AND i.user_id = ?`, int64(s.User)
}

// Lessons lists the identifications of a source that stand, ascending.
func (s *Store) Lessons(ctx context.Context, of identify.Source) ([]identify.IdentificationID, error) {
	condition, id := sourceOf(of)
	var list []identify.IdentificationID
	err := s.view(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `
			SELECT i.id FROM identifications i WHERE `+condition+` AND i.withdrawn_at IS NULL ORDER BY i.id`, id)
		list, err = collect(rows, err, func(rows *sql.Rows) (i identify.IdentificationID, err error) { return i, rows.Scan(&i) })
		return err
	})
	return list, err
}

// BeginQuarantine takes what a source taught out of the memory: one event for each
// lesson that stands.
func (s *Store) BeginQuarantine(ctx context.Context, of identify.Source, reason string, by identify.UserID, at time.Time) (identify.Quarantine, identify.Seq, error) {
	var q identify.Quarantine
	var seq identify.Seq
	err := s.update(ctx, func(tx *sql.Tx) (err error) {
		q, seq, err = beginQuarantine(ctx, tx, of, reason, by, at)
		return err
	})
	return q, seq, err
}

// beginQuarantine is BeginQuarantine within a transaction.
func beginQuarantine(ctx context.Context, tx *sql.Tx, of identify.Source, reason string, by identify.UserID, at time.Time) (q identify.Quarantine, seq identify.Seq, err error) {
	if err := sourceExists(ctx, tx, of); err != nil {
		return q, 0, err
	}
	var id identify.QuarantineID
	err = tx.QueryRowContext(ctx, `
		INSERT INTO quarantines (user_id, import_id, reason, lessons, by_id, began_at)
		VALUES (nullif(?, 0), nullif(?, 0), ?, 0, ?, ?) RETURNING id`, of.User, of.Import, reason, by, micros(at)).Scan(&id)
	if unique := (sqlite3.Error{}); errors.As(err, &unique) && unique.ExtendedCode == sqlite3.ErrConstraintUnique {
		return q, 0, identify.Errorf(identify.Conflict, "", "This source is in quarantine already.")
	} else if err != nil {
		return q, 0, err
	}
	condition, source := sourceOf(of)
	r, err := tx.ExecContext(ctx, `
		UPDATE identifications AS i SET quarantine_id = ?, withdrawn_at = ? WHERE i.withdrawn_at IS NULL AND `+condition, id, micros(at), source)
	if err != nil {
		return q, 0, err
	}
	n, err := r.RowsAffected()
	if err != nil {
		return q, 0, err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE quarantines SET lessons = ? WHERE id = ?`, n, id); err != nil {
		return q, 0, err
	}
	if err := moveHeld(ctx, tx, id, identify.Quarantined, by, at); err != nil {
		return q, 0, err
	}
	return decided(ctx, tx, id)
}

// EndQuarantine restores or withdraws what a source's quarantine holds.
func (s *Store) EndQuarantine(ctx context.Context, of identify.Source, outcome identify.QuarantineOutcome, by identify.UserID, at time.Time) (identify.Quarantine, identify.Seq, error) {
	var q identify.Quarantine
	var seq identify.Seq
	err := s.update(ctx, func(tx *sql.Tx) (err error) {
		q, seq, err = releaseOrRemove(ctx, tx, of, outcome, by, at)
		return err
	})
	return q, seq, err
}

// releaseOrRemove is EndQuarantine within a transaction.
func releaseOrRemove(ctx context.Context, tx *sql.Tx, of identify.Source, outcome identify.QuarantineOutcome, by identify.UserID, at time.Time) (q identify.Quarantine, seq identify.Seq, err error) {
	id, err := quarantineOf(ctx, tx, of)
	if err != nil {
		return q, 0, err
	}
	if id == 0 {
		return q, 0, identify.Errorf(identify.Conflict, "", "This source is not in quarantine.")
	}
	kind, standing := identify.Released, `withdrawn_at = NULL, quarantine_id = NULL`
	if outcome == identify.Removed {
		kind, standing = identify.Withdrawn, `quarantine_id = NULL`
	}
	// The events go first: they are of what the quarantine still holds.
	if err := appendHeld(ctx, tx, id, kind, by, at); err != nil {
		return q, 0, err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE identifications SET `+standing+` WHERE quarantine_id = ?`, id); err != nil {
		return q, 0, err
	}
	if err := refreshHeld(ctx, tx, id, kind); err != nil {
		return q, 0, err
	}
	if outcome == identify.Removed && of.Import != 0 {
		if _, err := tx.ExecContext(ctx, `UPDATE imports SET withdrawn = done, withdrawn_at = coalesce(withdrawn_at, ?) WHERE id = ?`, micros(at), of.Import); err != nil {
			return q, 0, err
		}
	}
	if err := closeQuarantine(ctx, tx, id, outcome, by, at); err != nil {
		return q, 0, err
	}
	return decided(ctx, tx, id)
}

// moveHeld appends an event of that kind for all that a quarantine holds.
func moveHeld(ctx context.Context, tx *sql.Tx, id identify.QuarantineID, kind identify.EventKind, by identify.UserID, at time.Time) error {
	if err := appendHeld(ctx, tx, id, kind, by, at); err != nil {
		return err
	}
	return refreshHeld(ctx, tx, id, kind)
}

func appendHeld(ctx context.Context, tx *sql.Tx, id identify.QuarantineID, kind identify.EventKind, by identify.UserID, at time.Time) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO events (kind, identification_id, observation_id, photo_hash, taxon_id, user_id, at, quarantine_id)
		SELECT ?, i.id, i.observation_id, o.photo_hash, i.taxon_id, ?, ?, i.quarantine_id
		FROM identifications i JOIN observations o ON o.id = i.observation_id WHERE i.quarantine_id = ? ORDER BY i.id`, kind, by, micros(at), id)
	return err
}

// refreshHeld notes which identification stands of the observations that a
// quarantine's events of a kind are about.
func refreshHeld(ctx context.Context, tx *sql.Tx, id identify.QuarantineID, kind identify.EventKind) error {
	return refreshCurrentOf(ctx, tx, `id IN (SELECT e.observation_id FROM events e WHERE e.quarantine_id = ? AND e.kind = ?)`, id, kind)
}

func closeQuarantine(ctx context.Context, tx *sql.Tx, id identify.QuarantineID, outcome identify.QuarantineOutcome, by identify.UserID, at time.Time) error {
	_, err := tx.ExecContext(ctx, `UPDATE quarantines SET outcome = ?, ended_by = ?, ended_at = ? WHERE id = ?`, outcome, by, micros(at), id)
	return err
}

// decided reads a quarantine, and the number of the last event.
func decided(ctx context.Context, tx *sql.Tx, id identify.QuarantineID) (identify.Quarantine, identify.Seq, error) {
	list, err := quarantines(ctx, tx, `WHERE q.id = ?`, id)
	if err != nil {
		return identify.Quarantine{}, 0, err
	}
	seq, err := lastEvent(ctx, tx)
	return list[0], seq, err
}

// quarantineOf is the quarantine that a source is in; 0 if it is in none.
func quarantineOf(ctx context.Context, tx *sql.Tx, of identify.Source) (id identify.QuarantineID, err error) {
	err = tx.QueryRowContext(ctx, `SELECT id FROM quarantines WHERE outcome IS NULL AND (user_id = nullif(?, 0) OR import_id = nullif(?, 0))`,
		of.User, of.Import).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return id, err
}

func sourceExists(ctx context.Context, tx *sql.Tx, of identify.Source) error {
	var there bool
	err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM users WHERE id = nullif(?, 0)) OR EXISTS (SELECT 1 FROM imports WHERE id = nullif(?, 0))`,
		of.User, of.Import).Scan(&there)
	if err == nil && !there {
		err = identify.Errorf(identify.NotFound, "", "There is no such source of lessons.")
	}
	return err
}

func quarantines(ctx context.Context, tx *sql.Tx, clause string, args ...any) ([]identify.Quarantine, error) {
	rows, err := tx.QueryContext(ctx, `
		SELECT q.id, coalesce(q.user_id, 0), coalesce(q.import_id, 0), q.reason, q.lessons, q.by_id, b.name, q.began_at,
			coalesce(q.outcome, ''), coalesce(x.name, ''), q.ended_at
		FROM quarantines q JOIN users b ON b.id = q.by_id LEFT JOIN users x ON x.id = q.ended_by `+clause, args...)
	return collect(rows, err, func(rows *sql.Rows) (identify.Quarantine, error) {
		var q identify.Quarantine
		var began int64
		var ended sql.NullInt64
		err := rows.Scan(&q.ID, &q.Source.User, &q.Source.Import, &q.Reason, &q.Lessons, &q.By, &q.ByName, &began, &q.Outcome, &q.EndedBy, &ended)
		q.BeganAt, q.EndedAt = instant(began), optional(ended)
		return q, err
	})
}
