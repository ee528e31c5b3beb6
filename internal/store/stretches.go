package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"fieldmark/internal/identify"
)

// stretch is how many lessons one transaction takes out of the memory, or brings back:
// some tens of milliseconds, for which all other writers wait.
const stretch = 500

// GoOnQuarantine does the next stretch of what is under way of a quarantine, if
// anything is.
func (s *Store) GoOnQuarantine(ctx context.Context, id identify.QuarantineID, at time.Time) (identify.Quarantine, identify.Seq, error) {
	var q identify.Quarantine
	var seq identify.Seq
	err := s.update(ctx, func(tx *sql.Tx) (err error) {
		if err := nextStretch(ctx, tx, id, stretch, at); err != nil {
			return err
		}
		q, seq, err = decided(ctx, tx, id)
		return err
	})
	return q, seq, err
}

// QuarantinesUnderWay lists those that were broken off while they began or ended.
func (s *Store) QuarantinesUnderWay(ctx context.Context) ([]identify.Quarantine, error) {
	var list []identify.Quarantine
	err := s.view(ctx, func(tx *sql.Tx) (err error) {
		list, err = quarantines(ctx, tx, `WHERE q.under_way IS NOT NULL ORDER BY q.id`)
		return err
	})
	return list, err
}

// nextStretch moves up to limit lessons, and ends what is under way when there are no
// more: until then a quarantine that ends goes on to hold what its source teaches.
func nextStretch(ctx context.Context, tx *sql.Tx, id identify.QuarantineID, limit int, at time.Time) error {
	var of identify.Source
	var step identify.QuarantineStep
	var by identify.UserID
	err := tx.QueryRowContext(ctx, `SELECT coalesce(user_id, 0), coalesce(import_id, 0), under_way, under_way_by FROM quarantines WHERE id = ? AND under_way IS NOT NULL`, id).
		Scan(&of.User, &of.Import, &step, &by)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	} else if err != nil {
		return err
	}
	if step == identify.TakingOut {
		return quarantineSome(ctx, tx, id, of, by, limit, at)
	}
	return endSome(ctx, tx, id, of, identify.QuarantineOutcome(step), by, limit, at)
}

func quarantineSome(ctx context.Context, tx *sql.Tx, id identify.QuarantineID, of identify.Source, by identify.UserID, limit int, at time.Time) error {
	condition, source := sourceOf(of)
	list, n, err := lessonsWhere(ctx, tx, condition+` AND i.withdrawn_at IS NULL`, source, limit)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE identifications SET quarantine_id = ?, withdrawn_at = ? WHERE id IN (SELECT value FROM json_each(?))`, id, micros(at), list)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE quarantines SET lessons = lessons + ?, under_way = iif(?, NULL, under_way) WHERE id = ?`, n, n < limit, id)
	if err != nil {
		return err
	}
	if err := appendAll(ctx, tx, list, identify.Quarantined, by, at, whole{quarantine: id}); err != nil {
		return err
	}
	return refreshAll(ctx, tx, list)
}

func endSome(ctx context.Context, tx *sql.Tx, id identify.QuarantineID, of identify.Source, outcome identify.QuarantineOutcome, by identify.UserID, limit int, at time.Time) error {
	list, n, err := lessonsWhere(ctx, tx, `i.quarantine_id = ?`, int64(id), limit)
	if err != nil {
		return err
	}
	kind, standing := identify.Released, `withdrawn_at = NULL, quarantine_id = NULL`
	if outcome == identify.Removed {
		kind, standing = identify.Withdrawn, `quarantine_id = NULL`
	}
	if err := appendAll(ctx, tx, list, kind, by, at, whole{quarantine: id}); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE identifications SET `+standing+` WHERE id IN (SELECT value FROM json_each(?))`, list); err != nil {
		return err
	}
	if err := refreshAll(ctx, tx, list); err != nil || n == limit {
		return err
	}
	if outcome == identify.Removed && of.Import != 0 {
		if _, err := tx.ExecContext(ctx, `UPDATE imports SET withdrawn = done, withdrawn_at = coalesce(withdrawn_at, ?) WHERE id = ?`, micros(at), of.Import); err != nil {
			return err
		}
	}
	return closeQuarantine(ctx, tx, id, outcome, by, at)
}

// lessonsWhere lists the first lessons i of which a condition is true, as an array in
// JSON, and says how many they are.
func lessonsWhere(ctx context.Context, tx *sql.Tx, condition string, arg int64, limit int) (list string, n int, err error) {
	err = tx.QueryRowContext(ctx, `SELECT json_group_array(id), count(*) FROM (SELECT i.id AS id FROM identifications i WHERE `+condition+` ORDER BY i.id LIMIT ?)`, arg, limit).
		Scan(&list, &n)
	return list, n, err
}

// appendAll appends an event of a kind for each of the lessons of a list, ascending.
func appendAll(ctx context.Context, tx *sql.Tx, list string, kind identify.EventKind, by identify.UserID, at time.Time, of whole) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO events (kind, identification_id, observation_id, photo_hash, taxon_id, user_id, at, import_id, quarantine_id)
		SELECT ?, i.id, i.observation_id, o.photo_hash, i.taxon_id, ?, ?, nullif(?, 0), nullif(?, 0)
		FROM identifications i JOIN observations o ON o.id = i.observation_id WHERE i.id IN (SELECT value FROM json_each(?)) ORDER BY i.id`,
		kind, by, micros(at), of.imported, of.quarantine, list)
	return err
}

// refreshAll notes which identification stands of the observations of a list's lessons.
func refreshAll(ctx context.Context, tx *sql.Tx, list string) error {
	text, err := observationsOf(ctx, tx, list)
	if err != nil {
		return err
	}
	return refreshCurrentOf(ctx, tx, `id IN (SELECT value FROM json_each(?))`, text)
}

// observationsOf are those of the lessons of a list, as an array in JSON.
func observationsOf(ctx context.Context, tx *sql.Tx, list string) (string, error) {
	var text string
	err := tx.QueryRowContext(ctx, `SELECT json_group_array(DISTINCT i.observation_id) FROM identifications i WHERE i.id IN (SELECT value FROM json_each(?))`, list).Scan(&text)
	return text, err
}
