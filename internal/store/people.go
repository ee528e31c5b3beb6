package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"fieldmark/internal/identify"
)

const nobodyHere = "There is no such person who could be changed."

// People lists everyone, those who may come in first, by name.
func (s *Store) People(ctx context.Context, now time.Time) ([]identify.Person, error) {
	var list []identify.Person
	err := s.view(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `
			SELECT u.id, u.name, u.role, u.guest, u.created_at, u.owner, u.password IS NOT NULL, (SELECT max(c.at) FROM password_changes c WHERE c.user_id = u.id), u.seen_at,
				coalesce(maker.name, ''), u.changed_at, coalesce(changer.name, ''), u.revoked_at, coalesce(revoker.name, ''), u.left_at IS NOT NULL,
				(SELECT count(*) FROM tokens t WHERE t.user_id = u.id AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > ?))
			FROM users u
				LEFT JOIN users maker ON maker.id = u.created_by
				LEFT JOIN users changer ON changer.id = u.changed_by
				LEFT JOIN users revoker ON revoker.id = u.revoked_by
			ORDER BY u.revoked_at IS NOT NULL, u.owner DESC, u.name COLLATE NOCASE, u.id`, micros(now))
		list, err = collect(rows, err, scanPerson)
		return err
	})
	return list, err
}

func scanPerson(rows *sql.Rows) (p identify.Person, err error) {
	var created int64
	var set, seen, changed, revoked sql.NullInt64
	err = rows.Scan(&p.ID, &p.Name, &p.Role, &p.Guest, &created, &p.Owner, &p.Password, &set, &seen,
		&p.CreatedBy, &changed, &p.ChangedBy, &revoked, &p.DisabledBy, &p.Left, &p.Tokens)
	p.CreatedAt, p.PasswordAt, p.SeenAt, p.ChangedAt, p.DisabledAt = instant(created), optional(set), optional(seen), optional(changed), optional(revoked)
	return p, err
}

// SetRole gives a person another role and ends their sessions unless they are a
// guest. That it would leave no admin who can sign in is a Conflict.
func (s *Store) SetRole(ctx context.Context, id identify.UserID, role identify.Role, by identify.UserID, at time.Time) error {
	return s.update(ctx, func(tx *sql.Tx) error {
		var before identify.Role
		err := tx.QueryRowContext(ctx, `SELECT role FROM users WHERE id = ? AND revoked_at IS NULL AND owner = 0`, id).Scan(&before)
		if errors.Is(err, sql.ErrNoRows) {
			return identify.Errorf(identify.NotFound, "", nobodyHere)
		} else if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE users SET role = ?, changed_at = ?, changed_by = ? WHERE id = ?`, role, micros(at), number(by), id); err != nil {
			return err
		}
		if err := adminIsLeft(ctx, tx, before, at); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM sessions WHERE user_id = (SELECT id FROM users WHERE id = ? AND guest = 0)`, id)
		return err
	})
}

// DisableUser ends the access of a person, whose work stays. That it would
// leave no admin who can sign in is a Conflict.
func (s *Store) DisableUser(ctx context.Context, id, by identify.UserID, at time.Time) error {
	return s.update(ctx, func(tx *sql.Tx) error {
		var role identify.Role
		err := tx.QueryRowContext(ctx, `
			UPDATE users SET revoked_at = ?, revoked_by = ? WHERE id = ? AND revoked_at IS NULL AND owner = 0 RETURNING role`,
			micros(at), number(by), id).Scan(&role)
		if errors.Is(err, sql.ErrNoRows) {
			return identify.Errorf(identify.NotFound, "", nobodyHere)
		} else if err != nil {
			return err
		}
		if err := adminIsLeft(ctx, tx, role, at); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM sessions WHERE user_id = ?`, id)
		return err
	})
}

// adminIsLeft returns a Conflict if no admin can sign in any more because of a
// change of someone whose role was before.
func adminIsLeft(ctx context.Context, tx *sql.Tx, before identify.Role, at time.Time) error {
	if before != identify.Admin {
		return nil
	}
	var left bool
	err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM users u WHERE role = 'admin' AND owner = 0 AND `+canSignIn+`)`, micros(at)).Scan(&left)
	if err == nil && !left {
		return identify.Errorf(identify.Conflict, "", "This is the last admin who can sign in. Make someone else an admin first.")
	}
	return err
}

// canSignIn is a condition on users u, with the present time as its argument:
// there is a password, or a token that opens.
const canSignIn = `u.revoked_at IS NULL AND (u.password IS NOT NULL OR EXISTS (
	SELECT 1 FROM tokens t WHERE t.user_id = u.id AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > ?)))`

// EnableUser lets a disabled person in again. A name that someone else has
// taken since is a Conflict.
func (s *Store) EnableUser(ctx context.Context, id identify.UserID) error {
	return s.update(ctx, func(tx *sql.Tx) error {
		var name string
		err := tx.QueryRowContext(ctx, `
			UPDATE users SET revoked_at = NULL, revoked_by = NULL WHERE id = ? AND revoked_at IS NOT NULL AND left_at IS NULL AND owner = 0 RETURNING name`, id).Scan(&name)
		if errors.Is(err, sql.ErrNoRows) {
			return identify.Errorf(identify.NotFound, "", nobodyHere)
		} else if err != nil {
			return err
		}
		return userNameIsFree(ctx, tx, name, id)
	})
}

// RenameUser gives a user who may come in another name.
func (s *Store) RenameUser(ctx context.Context, id identify.UserID, name string) error {
	return s.update(ctx, func(tx *sql.Tx) error {
		if err := checkUserName(name); err != nil {
			return err
		}
		if err := userNameIsFree(ctx, tx, name, id); err != nil {
			return err
		}
		r, err := tx.ExecContext(ctx, `UPDATE users SET name = ? WHERE id = ? AND revoked_at IS NULL AND owner = 0`, name, id)
		return found(r, err, nobodyHere)
	})
}
