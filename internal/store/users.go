package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"fieldmark/internal/identify"
)

const (
	// ownerName is the name of the user who sits at the machine itself.
	ownerName = "Owner"
	// maxUserName is the most characters of a user's name.
	maxUserName = 200
)

// CreateUser adds a user who is known by a token. tokenHash is its SHA-256:
// the token itself is stored nowhere. A name that someone with access has, in
// any spelling that fold makes the same, is a Conflict.
func (s *Store) CreateUser(ctx context.Context, name string, role identify.Role, tokenHash []byte, at time.Time) (identify.User, error) {
	if !role.Allows(identify.Viewer) {
		return identify.User{}, identify.Errorf(identify.Invalid, "role", "There is no role %q; the roles are %v.", brief(string(role)), identify.Roles())
	}
	name = strings.TrimSpace(name)
	if err := checkUserName(name); err != nil {
		return identify.User{}, err
	}
	u := identify.User{Name: name, Role: role, CreatedAt: instant(micros(at))}
	err := s.update(ctx, func(tx *sql.Tx) error {
		if err := userNameIsFree(ctx, tx, name); err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, `INSERT INTO users (name, role, token_hash, created_at) VALUES (?, ?, ?, ?) RETURNING id`,
			name, role, tokenHash, micros(at)).Scan(&u.ID)
	})
	return u, err
}

func checkUserName(name string) error {
	switch {
	case utf8.RuneCountInString(name) > maxUserName:
		return identify.Errorf(identify.Invalid, "name", "The name of a user has at most %d characters.", maxUserName)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf) }):
		return identify.Errorf(identify.Invalid, "name", "This name has characters in it that cannot be seen. Type it again.")
	case fold(name) == "":
		return identify.Errorf(identify.Invalid, "name", "Give the user a name.")
	}
	return nil
}

// userNameIsFree returns a Conflict if the owner or a user with access has the name.
func userNameIsFree(ctx context.Context, tx *sql.Tx, name string) error {
	rows, err := tx.QueryContext(ctx, `SELECT name FROM users WHERE revoked_at IS NULL`)
	taken, err := collect(rows, err, func(rows *sql.Rows) (other string, err error) { return other, rows.Scan(&other) })
	if err != nil {
		return err
	}
	for _, other := range append(taken, ownerName) {
		if fold(other) == fold(name) {
			return identify.Errorf(identify.Conflict, "name", "There is already a user named %s; choose another name.", brief(other))
		}
	}
	return nil
}

// UserByToken returns the user of a token, by its SHA-256; KindOf NotFound if
// there is none or it was revoked.
func (s *Store) UserByToken(ctx context.Context, tokenHash []byte) (identify.User, error) {
	return s.user(ctx, `u.token_hash = ?`, tokenHash)
}

// RevokeUser ends the access of a user, whose work stays.
func (s *Store) RevokeUser(ctx context.Context, id identify.UserID, at time.Time) error {
	return s.update(ctx, func(tx *sql.Tx) error {
		r, err := tx.ExecContext(ctx, `UPDATE users SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL AND owner = 0`, micros(at), id)
		if err != nil {
			return err
		}
		if n, err := r.RowsAffected(); err != nil || n == 1 {
			return err
		}
		return identify.Errorf(identify.NotFound, "", "There is no user with the id %d whose access could be ended.", id)
	})
}

// Owner returns the user who sits at the machine itself, an admin without a
// token, created when first asked for.
func (s *Store) Owner(ctx context.Context) (identify.User, error) {
	u, err := s.user(ctx, `u.owner = 1`)
	if identify.KindOf(err) != identify.NotFound {
		return u, err
	}
	err = s.update(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO users (name, role, owner, created_at) VALUES (?, ?, 1, ?) ON CONFLICT DO NOTHING`,
			ownerName, identify.Admin, micros(time.Now()))
		return err
	})
	if err != nil {
		return identify.User{}, err
	}
	return s.user(ctx, `u.owner = 1`)
}

// AddSession lets a user in until the session expires. hash is the SHA-256 of
// the session's secret. Sessions that have expired are forgotten.
func (s *Store) AddSession(ctx context.Context, hash []byte, user identify.UserID, now, expires time.Time) error {
	return s.update(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM sessions WHERE expires_at <= ?`, micros(now)); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO sessions (hash, user_id, created_at, expires_at) VALUES (?, ?, ?, ?)`,
			hash, user, micros(now), micros(expires))
		return err
	})
}

// UserBySession returns the user of a session that has not expired; KindOf
// NotFound if there is none or their access was revoked.
func (s *Store) UserBySession(ctx context.Context, hash []byte, now time.Time) (identify.User, error) {
	return s.user(ctx, `u.id = (SELECT user_id FROM sessions WHERE hash = ? AND expires_at > ?)`, hash, micros(now))
}

// EndSession ends a session; one that is not there has ended.
func (s *Store) EndSession(ctx context.Context, hash []byte) error {
	return s.update(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM sessions WHERE hash = ?`, hash)
		return err
	})
}

func (s *Store) user(ctx context.Context, condition string, args ...any) (identify.User, error) {
	var u identify.User
	err := s.view(ctx, func(tx *sql.Tx) error {
		var created int64
		err := tx.QueryRowContext(ctx, `SELECT u.id, u.name, u.role, u.created_at FROM users u WHERE u.revoked_at IS NULL AND `+condition, args...).
			Scan(&u.ID, &u.Name, &u.Role, &created)
		if errors.Is(err, sql.ErrNoRows) {
			return identify.Errorf(identify.NotFound, "", "There is no such user.")
		}
		u.CreatedAt = instant(created)
		return err
	})
	return u, err
}
