package store

import (
	"context"
	"database/sql"
	"strconv"
	"time"

	"fieldmark/internal/identify"
)

// EditDetails changes the details of an observation and notes what differs.
func (s *Store) EditDetails(ctx context.Context, id identify.ObservationID, by identify.UserID, at time.Time, change func(identify.Details) (identify.Details, error)) (identify.Observation, error) {
	var o identify.Observation
	err := s.update(ctx, func(tx *sql.Tx) error {
		before, err := observation(ctx, tx, id)
		if err != nil {
			return err
		}
		after, err := change(before.Details())
		if err != nil {
			return err
		}
		if err := noteEdits(ctx, tx, before, after, by, micros(at)); err != nil {
			return err
		}
		observed := wall(after.ObservedAt)
		_, err = tx.ExecContext(ctx, `UPDATE observations SET observed_at = ?, observed_offset = ?, latitude = ?, longitude = ?,
			license = ?, rights_holder = ?, notes = ?, folded_notes = ? WHERE id = ?`,
			observed.at, observed.offset, after.Latitude, after.Longitude,
			after.License, after.RightsHolder, after.Notes, searched(after.Notes), id)
		if err == nil {
			o, err = observation(ctx, tx, id)
		}
		return err
	})
	return o, err
}

// noteEdits adds a row for each field that differs.
func noteEdits(ctx context.Context, tx *sql.Tx, o identify.Observation, after identify.Details, by identify.UserID, at int64) error {
	old, changed := detailTexts(o.Details()), detailTexts(after)
	for i, field := range detailFields {
		if old[i] == changed[i] {
			continue
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO observation_edits (observation_id, user_id, at, field, before, after) VALUES (?, ?, ?, ?, ?, ?)`,
			o.ID, by, at, field, old[i], changed[i])
		if err != nil {
			return err
		}
	}
	return nil
}

// detailFields are the fields of an edit, in the order of detailTexts.
var detailFields = [...]string{"observed_at", "latitude", "longitude", "license", "rights_holder", "notes"}

// detailTexts writes details as the JSON API does, "" for what there is not.
func detailTexts(d identify.Details) [len(detailFields)]string {
	degrees := func(x *float64) string {
		if x == nil {
			return ""
		}
		return strconv.FormatFloat(*x, 'g', -1, 64)
	}
	at := ""
	if d.ObservedAt != nil {
		at = d.ObservedAt.Format(time.RFC3339Nano)
	}
	return [...]string{at, degrees(d.Latitude), degrees(d.Longitude), d.License, d.RightsHolder, d.Notes}
}

// Edits returns the changes of an observation's details, newest first.
func (s *Store) Edits(ctx context.Context, id identify.ObservationID) ([]identify.Edit, error) {
	var list []identify.Edit
	err := s.view(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `
			SELECT e.observation_id, e.user_id, u.name, e.at, e.field, e.before, e.after
			FROM observation_edits e JOIN users u ON u.id = e.user_id
			WHERE e.observation_id = ? ORDER BY e.id DESC`, id)
		list, err = collect(rows, err, func(rows *sql.Rows) (identify.Edit, error) {
			var e identify.Edit
			var at int64
			err := rows.Scan(&e.Observation, &e.User, &e.UserName, &at, &e.Field, &e.Before, &e.After)
			e.At = instant(at)
			return e, err
		})
		return err
	})
	return list, err
}

// LastRights returns the licence and the rights holder that a person chose last,
// with an upload or with an edit.
func (s *Store) LastRights(ctx context.Context, u identify.UserID) (license, holder string, err error) {
	err = s.view(ctx, func(tx *sql.Tx) error {
		err := tx.QueryRowContext(ctx, `
			SELECT license, rights_holder FROM (
				SELECT * FROM (SELECT license, rights_holder, created_at AS at FROM observations
					WHERE observer_id = ?1 AND import_id IS NULL ORDER BY id DESC LIMIT 1)
				UNION ALL
				SELECT * FROM (SELECT o.license, o.rights_holder, e.at FROM observation_edits e JOIN observations o ON o.id = e.observation_id
					WHERE e.user_id = ?1 AND o.observer_id = ?1 AND e.field IN ('license', 'rights_holder') ORDER BY e.id DESC LIMIT 1)
			) ORDER BY at DESC LIMIT 1`, u).Scan(&license, &holder)
		if err == sql.ErrNoRows {
			return nil // nothing was chosen yet
		}
		return err
	})
	return license, holder, err
}

// Uploaded returns the observation that a person's upload of a key made; KindOf
// NotFound if there is none.
func (s *Store) Uploaded(ctx context.Context, u identify.UserID, key string) (identify.Observation, error) {
	var o identify.Observation
	err := s.view(ctx, func(tx *sql.Tx) (err error) {
		o, err = uploaded(ctx, tx, u, key)
		return err
	})
	return o, err
}

// uploaded is Uploaded within a transaction; nothing is known by the key "".
func uploaded(ctx context.Context, tx *sql.Tx, u identify.UserID, key string) (identify.Observation, error) {
	list, err := observations(ctx, tx, `WHERE o.observer_id = ? AND o.upload_key = ?`, u, key)
	if err != nil {
		return identify.Observation{}, err
	}
	if len(list) == 0 {
		return identify.Observation{}, identify.Errorf(identify.NotFound, "", "There is no such upload.")
	}
	return list[0], nil
}
