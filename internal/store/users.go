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

// checkUserName returns an error about the field "name" unless it can be told
// apart from others by reading it.
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

// userNameIsFree returns a Conflict if the owner or a user with access, but not
// the user except, has the name.
func userNameIsFree(ctx context.Context, tx *sql.Tx, name string, except identify.UserID) error {
	rows, err := tx.QueryContext(ctx, `SELECT u.name FROM users u WHERE u.revoked_at IS NULL AND u.id <> ? AND NOT `+formerGuest, except)
	taken, err := collect(rows, err, func(rows *sql.Rows) (other string, err error) { return other, rows.Scan(&other) })
	if err != nil {
		return err
	}
	for _, other := range append(taken, ownerName, identify.SomeoneWhoLeft) {
		if fold(other) == fold(name) {
			return identify.Errorf(identify.Conflict, "name", "There is already a user named %s; choose another name.", brief(other))
		}
	}
	return nil
}

// newUser is a row of users.
type newUser struct {
	name       string
	role       identify.Role
	password   string // "": none
	guest      bool
	by         identify.UserID
	invitation identify.InvitationID
	at         time.Time
}

// addUser makes a user whose name is free.
func addUser(ctx context.Context, tx *sql.Tx, n newUser) (identify.User, error) {
	u := identify.User{Name: strings.TrimSpace(n.name), Role: n.role, Guest: n.guest, CreatedAt: instant(micros(n.at))}
	if !n.role.Allows(identify.Viewer) {
		return u, identify.Errorf(identify.Invalid, "role", "There is no role %q; the roles are %v.", brief(string(n.role)), identify.Roles())
	}
	if err := checkUserName(u.Name); err != nil {
		return u, err
	}
	if err := userNameIsFree(ctx, tx, u.Name, 0); err != nil {
		return u, err
	}
	err := tx.QueryRowContext(ctx, `
		INSERT INTO users (name, role, password, guest, created_by, invitation_id, created_at)
		VALUES (?, ?, nullif(?, ''), ?, ?, ?, ?) RETURNING id`,
		u.Name, n.role, n.password, n.guest, number(n.by), number(n.invitation), micros(n.at)).Scan(&u.ID)
	return u, err
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

func (s *Store) user(ctx context.Context, condition string, args ...any) (u identify.User, err error) {
	err = s.view(ctx, func(tx *sql.Tx) error {
		u, err = userWhere(ctx, tx, condition, args...)
		return err
	})
	return u, err
}

// userWhere is the user, u, of a condition, whose access was not ended.
func userWhere(ctx context.Context, tx *sql.Tx, condition string, args ...any) (u identify.User, err error) {
	var created int64
	err = tx.QueryRowContext(ctx, `SELECT u.id, u.name, u.role, u.guest, u.created_at FROM users u WHERE u.revoked_at IS NULL AND `+condition, args...).
		Scan(&u.ID, &u.Name, &u.Role, &u.Guest, &created)
	u.CreatedAt = instant(created)
	return u, noUser(err)
}

// noUser is err, or NotFound if a query found no user.
func noUser(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return identify.Errorf(identify.NotFound, "", "There is no such user.")
	}
	return err
}

// found is err, or NotFound with a sentence if r changed nothing.
func found(r sql.Result, err error, sentence string) error {
	if err != nil {
		return err
	}
	if n, err := r.RowsAffected(); err != nil || n > 0 {
		return err
	}
	return identify.Errorf(identify.NotFound, "", "%s", sentence)
}
