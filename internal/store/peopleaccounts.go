package store

import (
	"context"
	"database/sql"
	"time"

	"fieldmark/internal/identify"
)

const accountColumns = `SELECT u.id, u.name, u.role, u.guest, u.created_at, coalesce(u.password, '') FROM users u WHERE u.revoked_at IS NULL AND u.owner = 0 AND NOT ` + formerGuest

// Account returns how a user who may come in signs in; KindOf NotFound if there
// is none.
func (s *Store) Account(ctx context.Context, id identify.UserID) (identify.Account, error) {
	var a identify.Account
	err := s.view(ctx, func(tx *sql.Tx) (err error) {
		a, err = scanAccount(tx.QueryRowContext(ctx, accountColumns+` AND u.id = ?`, id))
		return noUser(err)
	})
	return a, err
}

// AccountByName finds a user who may come in by name, in any spelling that fold
// makes the same. Names are compared here: SQLite does not know fold, and
// people are few.
func (s *Store) AccountByName(ctx context.Context, name string) (identify.Account, error) {
	var a identify.Account
	err := s.view(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, accountColumns)
		all, err := collect(rows, err, func(rows *sql.Rows) (identify.Account, error) { return scanAccount(rows) })
		if err != nil {
			return err
		}
		for _, one := range all {
			if fold(one.Name) == fold(name) {
				a = one
				return nil
			}
		}
		return noUser(sql.ErrNoRows)
	})
	return a, err
}

func scanAccount(row interface{ Scan(...any) error }) (a identify.Account, err error) {
	var created int64
	err = row.Scan(&a.ID, &a.Name, &a.Role, &a.Guest, &created, &a.Password)
	a.CreatedAt = instant(created)
	return a, err
}

// RehashPassword replaces the hash of the same password, if it is still old.
func (s *Store) RehashPassword(ctx context.Context, id identify.UserID, old, hash string) error {
	return s.update(ctx, func(tx *sql.Tx) error { return replacePassword(ctx, tx, id, old, hash) })
}

func replacePassword(ctx context.Context, tx *sql.Tx, id identify.UserID, old, hash string) error {
	r, err := tx.ExecContext(ctx, `UPDATE users SET password = ? WHERE id = ? AND owner = 0 AND revoked_at IS NULL AND coalesce(password, '') = ?`, hash, id, old)
	return found(r, err, "This password was changed at the same moment elsewhere.")
}

// Reachable reports whether anyone can sign in.
func (s *Store) Reachable(ctx context.Context, now time.Time) (yes bool, err error) {
	err = s.view(ctx, func(tx *sql.Tx) error {
		yes, err = reachable(ctx, tx, now)
		return err
	})
	return yes, err
}

func reachable(ctx context.Context, tx *sql.Tx, at time.Time) (yes bool, err error) {
	err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM users u WHERE u.owner = 0 AND `+canSignIn+`)`, micros(at)).Scan(&yes)
	return yes, err
}

// OfferSetUp replaces the set-up link that was offered before.
func (s *Store) OfferSetUp(ctx context.Context, hash []byte, at, expires time.Time) error {
	return s.update(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO setup (id, hash, created_at, expires_at) VALUES (1, ?, ?, ?)`,
			hash, micros(at), micros(expires))
		return err
	})
}

// setupOpen is a condition on setup: the link of a hash at a time.
const setupOpen = `hash = ? AND used_at IS NULL AND expires_at > ?`

// SetUpOpen reports whether the set-up link of hash can be used.
func (s *Store) SetUpOpen(ctx context.Context, hash []byte, now time.Time) (open bool, err error) {
	err = s.view(ctx, func(tx *sql.Tx) error {
		taken, err := reachable(ctx, tx, now)
		if err != nil || taken {
			return err
		}
		return tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM setup WHERE `+setupOpen+`)`, hash, micros(now)).Scan(&open)
	})
	return open, err
}

// SetUp makes the first admin, if nobody else can sign in, and uses the link up.
func (s *Store) SetUp(ctx context.Context, hash []byte, n identify.NewAccount) (u identify.User, err error) {
	err = s.update(ctx, func(tx *sql.Tx) error {
		const over = "This set-up link is good no longer."
		if taken, err := reachable(ctx, tx, n.At); err != nil {
			return err
		} else if taken {
			return identify.Errorf(identify.NotFound, "", over)
		}
		if u, err = addUser(ctx, tx, newUser{name: n.Name, role: identify.Admin, password: n.Password, at: n.At}); err != nil {
			return err
		}
		r, err := tx.ExecContext(ctx, `UPDATE setup SET used_at = ?, user_id = ? WHERE `+setupOpen, micros(n.At), u.ID, hash, micros(n.At))
		return found(r, err, over)
	})
	return u, err
}
