package store

import (
	"context"
	"database/sql"

	"fieldmark/internal/identify"
)

// SetPassword replaces the hash of a password that is still old, notes that, and ends all
// sessions; the user is a guest no longer.
func (s *Store) SetPassword(ctx context.Context, id identify.UserID, old, hash string, c identify.PasswordChange) error {
	return s.update(ctx, func(tx *sql.Tx) error {
		if err := replacePassword(ctx, tx, id, old, hash); err != nil {
			return err
		}
		var change int64
		err := tx.QueryRowContext(ctx, `INSERT INTO password_changes (user_id, at, agent, first) VALUES (?, ?, ?, ?) RETURNING id`,
			id, micros(c.At), c.Agent, c.First).Scan(&change)
		if err != nil {
			return err
		}
		for _, step := range []struct {
			sql  string
			args []any
		}{
			{`UPDATE users SET guest = 0 WHERE id = ?`, []any{id}},
			{`INSERT INTO ended_sessions (hash, change_id, expires_at) SELECT hash, ?, expires_at FROM sessions WHERE user_id = ?`, []any{change, id}},
			{`DELETE FROM sessions WHERE user_id = ?`, []any{id}},
		} {
			if _, err := tx.ExecContext(ctx, step.sql, step.args...); err != nil {
				return err
			}
		}
		return nil
	})
}

const changeColumns = `SELECT c.at, c.agent, c.first FROM password_changes c`

// PasswordChanges lists when a user's password was set, newest first.
func (s *Store) PasswordChanges(ctx context.Context, id identify.UserID) (list []identify.PasswordChange, err error) {
	err = s.view(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, changeColumns+` WHERE c.user_id = ? ORDER BY c.id DESC`, id)
		list, err = collect(rows, err, func(rows *sql.Rows) (identify.PasswordChange, error) { return scanChange(rows) })
		return err
	})
	return list, err
}

// ChangeThatEnded returns the change of a password that ended the session of a hash;
// KindOf NotFound if none did, or that is long ago.
func (s *Store) ChangeThatEnded(ctx context.Context, hash []byte) (c identify.PasswordChange, err error) {
	err = s.view(ctx, func(tx *sql.Tx) (err error) {
		c, err = scanChange(tx.QueryRowContext(ctx, changeColumns+` JOIN ended_sessions e ON e.change_id = c.id WHERE e.hash = ?`, hash))
		return noUser(err)
	})
	return c, err
}

func scanChange(row interface{ Scan(...any) error }) (c identify.PasswordChange, err error) {
	var at int64
	err = row.Scan(&at, &c.Agent, &c.First)
	c.At = instant(at)
	return c, err
}
