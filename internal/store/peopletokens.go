package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"fieldmark/internal/identify"
)

const noToken = "There is no such token."

// AddProgram makes a user who is known by a token alone, whose SHA-256 is hash,
// with the token's name and role. A name that someone with access has, in any
// spelling that fold makes the same, is a Conflict.
func (s *Store) AddProgram(ctx context.Context, hash []byte, t identify.Token) (u identify.User, err error) {
	err = s.update(ctx, func(tx *sql.Tx) error {
		if u, err = addUser(ctx, tx, newUser{name: t.Name, role: t.Role, by: t.CreatedBy, at: t.CreatedAt}); err != nil {
			return err
		}
		t.User = u.ID
		return addToken(ctx, tx, hash, &t)
	})
	return u, err
}

// AddToken gives a user a token, whose SHA-256 is hash.
func (s *Store) AddToken(ctx context.Context, hash []byte, t identify.Token) (identify.Token, error) {
	err := s.update(ctx, func(tx *sql.Tx) error { return addToken(ctx, tx, hash, &t) })
	return t, err
}

func addToken(ctx context.Context, tx *sql.Tx, hash []byte, t *identify.Token) error {
	if err := checkUserName(t.Name); err != nil {
		return err
	}
	var expires sql.NullInt64
	if t.ExpiresAt != nil {
		expires = sql.NullInt64{Int64: micros(*t.ExpiresAt), Valid: true}
	}
	return tx.QueryRowContext(ctx, `INSERT INTO tokens (hash, user_id, name, role, created_at, created_by, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id`,
		hash, t.User, t.Name, t.Role, micros(t.CreatedAt), number(t.CreatedBy), expires).Scan(&t.ID)
}

const tokenColumns = `t.id, t.user_id, u.name, t.name, t.role, t.created_at, coalesce(t.created_by, 0), t.expires_at, t.used_at,
	t.revoked_at, coalesce(t.revoked_by, 0), coalesce((SELECT name FROM users WHERE id = t.revoked_by), '')`

func scanToken(row interface{ Scan(...any) error }, more ...any) (t identify.Token, err error) {
	var created int64
	var expires, used, revoked sql.NullInt64
	err = row.Scan(append([]any{&t.ID, &t.User, &t.UserName, &t.Name, &t.Role, &created, &t.CreatedBy, &expires, &used,
		&revoked, &t.RevokedBy, &t.RevokedByName}, more...)...)
	t.CreatedAt, t.ExpiresAt, t.UsedAt, t.RevokedAt = instant(created), optional(expires), optional(used), optional(revoked)
	return t, err
}

// Tokens lists a user's, or everyone's if user is 0, newest first.
func (s *Store) Tokens(ctx context.Context, user identify.UserID) (list []identify.Token, err error) {
	err = s.view(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `SELECT `+tokenColumns+` FROM tokens t JOIN users u ON u.id = t.user_id WHERE ? IN (0, t.user_id) ORDER BY t.id DESC`, user)
		list, err = collect(rows, err, func(rows *sql.Rows) (identify.Token, error) { return scanToken(rows) })
		return err
	})
	return list, err
}

// Token returns one token; KindOf NotFound if there is none.
func (s *Store) Token(ctx context.Context, id identify.TokenID) (t identify.Token, err error) {
	err = s.view(ctx, func(tx *sql.Tx) error {
		t, err = scanToken(tx.QueryRowContext(ctx, `SELECT `+tokenColumns+` FROM tokens t JOIN users u ON u.id = t.user_id WHERE t.id = ?`, id))
		if errors.Is(err, sql.ErrNoRows) {
			return identify.Errorf(identify.NotFound, "", noToken)
		}
		return err
	})
	return t, err
}

// UserByToken returns the user of a token by its SHA-256, with the weaker of
// both roles; KindOf NotFound if there is none that opens.
func (s *Store) UserByToken(ctx context.Context, hash []byte, now time.Time) (u identify.User, t identify.Token, err error) {
	err = s.view(ctx, func(tx *sql.Tx) error {
		var created int64
		t, err = scanToken(tx.QueryRowContext(ctx, `
			SELECT `+tokenColumns+`, u.id, u.name, u.role, u.guest, u.created_at FROM tokens t JOIN users u ON u.id = t.user_id
			WHERE t.hash = ?1 AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > ?2) AND u.revoked_at IS NULL AND NOT `+workshopOver, hash, micros(now)),
			&u.ID, &u.Name, &u.Role, &u.Guest, &created)
		u.CreatedAt, u.Role, u.Token = instant(created), identify.Weaker(u.Role, t.Role), t.ID
		return noUser(err)
	})
	return u, t, err
}

// TouchToken notes when a token was used.
func (s *Store) TouchToken(ctx context.Context, id identify.TokenID, at time.Time) error {
	return s.update(ctx, func(tx *sql.Tx) error {
		var user identify.UserID
		err := tx.QueryRowContext(ctx, `UPDATE tokens SET used_at = ? WHERE id = ? RETURNING user_id`, micros(at), id).Scan(&user)
		if err != nil {
			return noUser(err)
		}
		return seen(ctx, tx, user, at)
	})
}

// RevokeToken makes a token open nothing more, and ends the sessions that it opened.
func (s *Store) RevokeToken(ctx context.Context, id identify.TokenID, by identify.UserID, at time.Time) error {
	return s.update(ctx, func(tx *sql.Tx) error {
		r, err := tx.ExecContext(ctx, `UPDATE tokens SET revoked_at = ?, revoked_by = ? WHERE id = ? AND revoked_at IS NULL`, micros(at), number(by), id)
		if err := found(r, err, noToken); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM sessions WHERE token_id = ?`, id)
		return err
	})
}
