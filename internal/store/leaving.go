package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"fieldmark/internal/identify"
)

// Leave takes away what is personal of a person who may come in. The log refers to people
// by numbers, so it stays as it is.
func (s *Store) Leave(ctx context.Context, id identify.UserID, takeBack bool, at time.Time) error {
	return s.update(ctx, func(tx *sql.Tx) error {
		var name string
		var role identify.Role
		err := tx.QueryRowContext(ctx, `SELECT name, role FROM users WHERE id = ? AND revoked_at IS NULL AND owner = 0`, id).Scan(&name, &role)
		if err != nil {
			return noUser(err)
		}
		for _, c := range []struct {
			query string
			args  []any
		}{
			{`UPDATE users SET name = ?, password = NULL, seen_at = NULL, revoked_at = ?, revoked_by = id, left_at = ?, takes_back = ? WHERE id = ?`,
				[]any{identify.SomeoneWhoLeft, micros(at), micros(at), takeBack, id}},
			{`DELETE FROM sessions WHERE user_id = ?`, []any{id}},
			{`DELETE FROM ended_sessions WHERE change_id IN (SELECT id FROM password_changes WHERE user_id = ?)`, []any{id}},
			{`DELETE FROM password_changes WHERE user_id = ?`, []any{id}},
			{`DELETE FROM tokens WHERE user_id = ?`, []any{id}},
			{`UPDATE invitations SET name = ?1 WHERE name <> '' AND (guest_id = ?2 OR id = (SELECT invitation_id FROM users WHERE id = ?2))`, []any{identify.SomeoneWhoLeft, id}},
			{`UPDATE audit SET subject = ? WHERE kind = ? AND subject = ?`, []any{identify.SomeoneWhoLeft, identify.DidLetBackIn, name}},
			{`UPDATE observations SET rights_holder = '' WHERE observer_id = ? AND rights_holder = ?`, []any{id, name}},
			{`UPDATE observation_edits SET before = replace(before, ?1, ''), after = replace(after, ?1, '') WHERE field = 'rights_holder' AND (before = ?1 OR after = ?1)
				AND observation_id IN (SELECT id FROM observations WHERE observer_id = ?2)`, []any{name, id}},
		} {
			if _, err := tx.ExecContext(ctx, c.query, c.args...); err != nil {
				return err
			}
		}
		if err := adminIsLeft(ctx, tx, role, at); err != nil || !takeBack {
			return err
		}
		return takeAlong(ctx, tx, id, at)
	})
}

// takeAlong takes places and notes from a person's observations, and begins to take their
// lessons out of the memory.
func takeAlong(ctx context.Context, tx *sql.Tx, id identify.UserID, at time.Time) error {
	for _, query := range []string{
		`UPDATE observations SET latitude = NULL, longitude = NULL, notes = '', folded_notes = '' WHERE observer_id = ?`,
		`DELETE FROM observation_edits WHERE field IN ('latitude', 'longitude', 'notes') AND observation_id IN (SELECT id FROM observations WHERE observer_id = ?)`,
	} {
		if _, err := tx.ExecContext(ctx, query, id); err != nil {
			return err
		}
	}
	of := identify.Source{User: id}
	held, err := quarantineOf(ctx, tx, of)
	if err != nil || held != 0 {
		return err
	}
	_, _, err = beginQuarantine(ctx, tx, of, "", id, stretch, at)
	return err
}

// Leavers lists those who left and whose lessons are still to be withdrawn.
func (s *Store) Leavers(ctx context.Context) ([]identify.UserID, error) {
	var list []identify.UserID
	err := s.view(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `SELECT id FROM users WHERE takes_back = 1 ORDER BY id`)
		list, err = collect(rows, err, func(rows *sql.Rows) (id identify.UserID, err error) { return id, rows.Scan(&id) })
		return err
	})
	return list, err
}

// LeaverGone notes that the lessons of somebody who left are withdrawn.
func (s *Store) LeaverGone(ctx context.Context, id identify.UserID) error {
	return s.update(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE users SET takes_back = 0 WHERE id = ?`, id)
		return err
	})
}

// UserNames are the names of people, by their numbers.
func (s *Store) UserNames(ctx context.Context, ids []identify.UserID) (map[identify.UserID]string, error) {
	text, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	names := make(map[identify.UserID]string, len(ids))
	err = s.view(ctx, func(tx *sql.Tx) (err error) {
		rows, err := tx.QueryContext(ctx, `SELECT id, name FROM users WHERE id IN (SELECT value FROM json_each(?))`, string(text))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, rows.Close()) }()
		for rows.Next() {
			var id identify.UserID
			var name string
			if err := rows.Scan(&id, &name); err != nil {
				return err
			}
			names[id] = name
		}
		return rows.Err()
	})
	return names, err
}
