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

// BeginQuarantine takes the first stretch of what a source taught out of the memory,
// one event for each lesson that stands. What it teaches from then on waits;
// GoOnQuarantine takes out the rest.
func (s *Store) BeginQuarantine(ctx context.Context, of identify.Source, reason string, by identify.UserID, at time.Time) (identify.Quarantine, identify.Seq, error) {
	var q identify.Quarantine
	var seq identify.Seq
	err := s.update(ctx, func(tx *sql.Tx) (err error) {
		q, seq, err = beginQuarantine(ctx, tx, of, reason, by, stretch, at)
		return err
	})
	return q, seq, err
}

// beginQuarantine is BeginQuarantine within a transaction, of up to limit lessons.
func beginQuarantine(ctx context.Context, tx *sql.Tx, of identify.Source, reason string, by identify.UserID, limit int, at time.Time) (q identify.Quarantine, seq identify.Seq, err error) {
	if err := sourceExists(ctx, tx, of); err != nil {
		return q, 0, err
	}
	var id identify.QuarantineID
	err = tx.QueryRowContext(ctx, `
		INSERT INTO quarantines (user_id, import_id, reason, lessons, by_id, began_at, under_way, under_way_by)
		VALUES (nullif(?, 0), nullif(?, 0), ?, 0, ?, ?, 'quarantined', ?) RETURNING id`, of.User, of.Import, reason, by, micros(at), by).Scan(&id)
	if unique := (sqlite3.Error{}); errors.As(err, &unique) && unique.ExtendedCode == sqlite3.ErrConstraintUnique {
		return q, 0, identify.Errorf(identify.Conflict, "", "This source is in quarantine already.")
	} else if err != nil {
		return q, 0, err
	}
	if err := nextStretch(ctx, tx, id, limit, at); err != nil {
		return q, 0, err
	}
	return decided(ctx, tx, id)
}

// errUnderWay refuses another decision about a source while a step of one is under way.
func errUnderWay(step identify.QuarantineStep) error {
	switch step {
	case identify.TakingOut:
		return identify.Errorf(identify.Conflict, "", "What this source taught is being taken out of the memory at this moment. Try again in a few seconds.")
	case identify.BringingBack:
		return identify.Errorf(identify.Conflict, "", "What this source taught is being brought back into the memory at this moment. Try again in a few seconds.")
	}
	return identify.Errorf(identify.Conflict, "", "What this source taught is being removed for good at this moment. Try again in a few seconds.")
}

// EndQuarantine restores or withdraws the first stretch of what a source's quarantine
// holds; GoOnQuarantine does so with the rest, and ends it.
func (s *Store) EndQuarantine(ctx context.Context, of identify.Source, outcome identify.QuarantineOutcome, by identify.UserID, at time.Time) (identify.Quarantine, identify.Seq, error) {
	var q identify.Quarantine
	var seq identify.Seq
	err := s.update(ctx, func(tx *sql.Tx) (err error) {
		q, seq, err = releaseOrRemove(ctx, tx, of, outcome, by, stretch, at)
		return err
	})
	return q, seq, err
}

// releaseOrRemove is EndQuarantine within a transaction, of up to limit lessons.
func releaseOrRemove(ctx context.Context, tx *sql.Tx, of identify.Source, outcome identify.QuarantineOutcome, by identify.UserID, limit int, at time.Time) (q identify.Quarantine, seq identify.Seq, err error) {
	id, err := quarantineOf(ctx, tx, of)
	if err != nil {
		return q, 0, err
	}
	if id == 0 {
		return q, 0, identify.Errorf(identify.Conflict, "", "This source is not in quarantine.")
	}
	var under identify.QuarantineStep
	if err := tx.QueryRowContext(ctx, `SELECT coalesce(under_way, '') FROM quarantines WHERE id = ?`, id).Scan(&under); err != nil {
		return q, 0, err
	}
	if under != identify.NoStep && under != identify.QuarantineStep(outcome) {
		return q, 0, errUnderWay(under)
	}
	if _, err := tx.ExecContext(ctx, `UPDATE quarantines SET under_way = ?, under_way_by = ? WHERE id = ?`, outcome, by, id); err != nil {
		return q, 0, err
	}
	if err := nextStretch(ctx, tx, id, limit, at); err != nil {
		return q, 0, err
	}
	return decided(ctx, tx, id)
}

func closeQuarantine(ctx context.Context, tx *sql.Tx, id identify.QuarantineID, outcome identify.QuarantineOutcome, by identify.UserID, at time.Time) error {
	_, err := tx.ExecContext(ctx, `UPDATE quarantines SET outcome = ?, ended_by = ?, ended_at = ?, under_way = NULL WHERE id = ?`, outcome, by, micros(at), id)
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
			coalesce(q.outcome, ''), coalesce(x.name, ''), q.ended_at, coalesce(q.under_way, '')
		FROM quarantines q JOIN users b ON b.id = q.by_id LEFT JOIN users x ON x.id = q.ended_by `+clause, args...)
	return collect(rows, err, func(rows *sql.Rows) (identify.Quarantine, error) {
		var q identify.Quarantine
		var began int64
		var ended sql.NullInt64
		err := rows.Scan(&q.ID, &q.Source.User, &q.Source.Import, &q.Reason, &q.Lessons, &q.By, &q.ByName, &began, &q.Outcome, &q.EndedBy, &ended, &q.UnderWay)
		q.BeganAt, q.EndedAt = instant(began), optional(ended)
		return q, err
	})
}
