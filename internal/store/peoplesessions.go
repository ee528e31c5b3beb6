package store

import (
	"context"
	"database/sql"
	"time"

	"fieldmark/internal/identify"
)

// AddSession lets a user in until the session expires. hash is the SHA-256 of
// the session's secret. Sessions that have expired are forgotten, with why they ended.
func (s *Store) AddSession(ctx context.Context, hash []byte, n identify.Session) error {
	return s.update(ctx, func(tx *sql.Tx) error {
		for _, table := range []string{"sessions", "ended_sessions"} {
			if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE expires_at <= ?`, micros(n.CreatedAt)); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO sessions (hash, user_id, token_id, agent, created_at, seen_at, expires_at) VALUES (?, ?, nullif(?, 0), ?, ?, ?, ?)`,
			hash, n.User, n.Token, n.Agent, micros(n.CreatedAt), micros(n.SeenAt), micros(n.ExpiresAt))
		if err != nil {
			return err
		}
		return seen(ctx, tx, n.User, n.SeenAt)
	})
}

// seen notes when a user was last there.
func seen(ctx context.Context, tx *sql.Tx, id identify.UserID, at time.Time) error {
	_, err := tx.ExecContext(ctx, `UPDATE users SET seen_at = ? WHERE id = ?`, micros(at), id)
	return err
}

const sessionColumns = `s.user_id, coalesce(s.token_id, 0), s.agent, s.created_at, s.seen_at, s.expires_at, s.hash`

// UserBySession returns the user of a session that has not expired; KindOf
// NotFound if there is none, their access was ended, or a token opened it that
// opens no more. With a token they have the weaker of both roles.
func (s *Store) UserBySession(ctx context.Context, hash []byte, now time.Time) (u identify.User, of identify.Session, err error) {
	err = s.view(ctx, func(tx *sql.Tx) error {
		row := tx.QueryRowContext(ctx, `
			SELECT u.id, u.name, u.role, u.guest, u.created_at, `+sessionColumns+`, coalesce(t.role, u.role)
			FROM sessions s JOIN users u ON u.id = s.user_id LEFT JOIN tokens t ON t.id = s.token_id
			WHERE s.hash = ?1 AND s.expires_at > ?2 AND u.revoked_at IS NULL
				AND (s.token_id IS NULL OR t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > ?2)) AND NOT `+workshopOver, hash, micros(now))
		var joined, created, last, expires int64
		var most identify.Role
		err := row.Scan(&u.ID, &u.Name, &u.Role, &u.Guest, &joined, &of.User, &of.Token, &of.Agent, &created, &last, &expires, &of.Hash, &most)
		u.Role, u.Token = identify.Weaker(u.Role, most), of.Token
		u.CreatedAt, of.CreatedAt, of.SeenAt, of.ExpiresAt = instant(joined), instant(created), instant(last), instant(expires)
		return noUser(err)
	})
	return u, of, err
}

// TouchSession notes when a session was used, and when it expires now.
func (s *Store) TouchSession(ctx context.Context, hash []byte, at, expires time.Time) error {
	return s.update(ctx, func(tx *sql.Tx) error {
		var id identify.UserID
		err := tx.QueryRowContext(ctx, `UPDATE sessions SET seen_at = ?, expires_at = ? WHERE hash = ? RETURNING user_id`,
			micros(at), micros(expires), hash).Scan(&id)
		if err != nil {
			return noUser(err)
		}
		return seen(ctx, tx, id, at)
	})
}

// Sessions lists a user's that have not expired, last seen first.
func (s *Store) Sessions(ctx context.Context, user identify.UserID, now time.Time) (list []identify.Session, err error) {
	err = s.view(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `
			SELECT `+sessionColumns+` FROM sessions s WHERE s.user_id = ? AND s.expires_at > ? ORDER BY s.seen_at DESC, s.created_at DESC`, user, micros(now))
		list, err = collect(rows, err, func(rows *sql.Rows) (of identify.Session, err error) {
			var created, last, expires int64
			err = rows.Scan(&of.User, &of.Token, &of.Agent, &created, &last, &expires, &of.Hash)
			of.CreatedAt, of.SeenAt, of.ExpiresAt = instant(created), instant(last), instant(expires)
			return of, err
		})
		return err
	})
	return list, err
}

// EndSession ends a session; one that is not there has ended.
func (s *Store) EndSession(ctx context.Context, hash []byte) error {
	return s.update(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM sessions WHERE hash = ?`, hash)
		return err
	})
}

// EndOtherSessions ends a user's sessions, but not the one of hash keep.
func (s *Store) EndOtherSessions(ctx context.Context, user identify.UserID, keep []byte) error {
	return s.update(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM sessions WHERE user_id = ? AND hash <> ?`, user, keep)
		return err
	})
}
