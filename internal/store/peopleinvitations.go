package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"fieldmark/internal/identify"
)

const noInvitation = "There is no such invitation."

// AddInvitation stores an invitation by the key of its code.
func (s *Store) AddInvitation(ctx context.Context, key []byte, i identify.Invitation) (identify.Invitation, error) {
	err := s.update(ctx, func(tx *sql.Tx) (err error) {
		i, err = addInvitation(ctx, tx, key, i)
		return err
	})
	return i, err
}

func addInvitation(ctx context.Context, tx *sql.Tx, key []byte, i identify.Invitation) (identify.Invitation, error) {
	if i.Returning != 0 {
		if _, err := tx.ExecContext(ctx, `UPDATE invitations SET revoked_at = ?, revoked_by = ? WHERE guest_id = ? AND used < uses AND revoked_at IS NULL`,
			micros(i.CreatedAt), i.CreatedBy, i.Returning); err != nil {
			return i, err
		}
	} else if i.Name != "" {
		if err := checkUserName(i.Name); err != nil {
			return i, err
		}
		if err := userNameIsFree(ctx, tx, i.Name, 0); err != nil {
			return i, err
		}
	}
	err := tx.QueryRowContext(ctx, `
		INSERT INTO invitations (hash, role, name, guest, uses, guest_id, created_at, created_by, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
		key, i.Role, i.Name, i.Guest, i.Uses, number(i.Returning), micros(i.CreatedAt), i.CreatedBy, micros(i.ExpiresAt)).Scan(&i.ID)
	return i, err
}

const invitationColumns = `
	SELECT i.id, i.role, i.name, i.guest, i.uses, i.used, coalesce(i.guest_id, 0), i.created_at, i.created_by, maker.name, i.expires_at,
		i.revoked_at, coalesce(i.revoked_by, 0), coalesce(revoker.name, '')
	FROM invitations i JOIN users maker ON maker.id = i.created_by LEFT JOIN users revoker ON revoker.id = i.revoked_by`

func scanInvitation(row interface{ Scan(...any) error }) (i identify.Invitation, err error) {
	var created, expires int64
	var revoked sql.NullInt64
	err = row.Scan(&i.ID, &i.Role, &i.Name, &i.Guest, &i.Uses, &i.Used, &i.Returning, &created, &i.CreatedBy, &i.CreatedByName, &expires,
		&revoked, &i.RevokedBy, &i.RevokedByName)
	i.CreatedAt, i.ExpiresAt, i.RevokedAt = instant(created), instant(expires), optional(revoked)
	return i, err
}

// Invitations lists all, newest first.
func (s *Store) Invitations(ctx context.Context) (list []identify.Invitation, err error) {
	err = s.view(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, invitationColumns+` ORDER BY i.id DESC`)
		list, err = collect(rows, err, func(rows *sql.Rows) (identify.Invitation, error) { return scanInvitation(rows) })
		return err
	})
	return list, err
}

// invitationOpen is a condition on invitations, with a key, ?1, and a time, ?2: whoever
// comes back by one may still come in.
const invitationOpen = `hash = ?1 AND used < uses AND revoked_at IS NULL AND expires_at > ?2 AND (guest_id IS NULL OR EXISTS (
	SELECT 1 FROM users u WHERE u.id = invitations.guest_id AND u.guest AND u.revoked_at IS NULL AND NOT ` + workshopOver + `))`

// InvitationByKey returns an invitation that is open; KindOf NotFound if there
// is none.
func (s *Store) InvitationByKey(ctx context.Context, key []byte, now time.Time) (i identify.Invitation, err error) {
	err = s.view(ctx, func(tx *sql.Tx) error {
		i, err = scanInvitation(tx.QueryRowContext(ctx, invitationColumns+` WHERE i.id = (SELECT id FROM invitations WHERE `+invitationOpen+`)`, key, micros(now)))
		if errors.Is(err, sql.ErrNoRows) {
			return identify.Errorf(identify.NotFound, "", noInvitation)
		}
		return err
	})
	return i, err
}

// RevokeInvitation closes an invitation that was not closed before.
func (s *Store) RevokeInvitation(ctx context.Context, id identify.InvitationID, by identify.UserID, at time.Time) error {
	return s.update(ctx, func(tx *sql.Tx) error {
		r, err := tx.ExecContext(ctx, `UPDATE invitations SET revoked_at = ?, revoked_by = ? WHERE id = ? AND revoked_at IS NULL`, micros(at), by, id)
		return found(r, err, noInvitation)
	})
}

// Join makes an account and counts one use of an open invitation; neither if
// the name is taken or the invitation is open no longer. A guest who comes back by it has
// the account that they had, and is signed out wherever they were signed in.
func (s *Store) Join(ctx context.Context, key []byte, n identify.NewAccount) (u identify.User, err error) {
	err = s.update(ctx, func(tx *sql.Tx) error {
		joining := newUser{name: n.Name, password: n.Password, at: n.At}
		var returning identify.UserID
		err := tx.QueryRowContext(ctx, `UPDATE invitations SET used = used + 1 WHERE `+invitationOpen+` RETURNING id, role, guest, created_by, coalesce(guest_id, 0)`, key, micros(n.At)).
			Scan(&joining.invitation, &joining.role, &joining.guest, &joining.by, &returning)
		if errors.Is(err, sql.ErrNoRows) {
			return identify.Errorf(identify.NotFound, "", noInvitation)
		} else if err != nil {
			return err
		}
		if returning != 0 {
			u, err = comeBack(ctx, tx, returning, joining.by, n.At)
			return err
		}
		if !joining.guest && n.Password == "" {
			return errors.New("who is no guest joins with a password")
		}
		u, err = addUser(ctx, tx, joining)
		return err
	})
	return u, err
}

// comeBack ends the sessions of a guest who has lost the last of them, and notes who let
// them in again.
func comeBack(ctx context.Context, tx *sql.Tx, guest, by identify.UserID, at time.Time) (identify.User, error) {
	u, err := userWhere(ctx, tx, `u.id = ?`, guest)
	if err != nil {
		return u, err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM sessions WHERE user_id = ?`, guest); err != nil {
		return u, err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO audit (at, user_id, kind, subject, detail) VALUES (?, ?, ?, ?, '')`, micros(at), by, identify.DidLetBackIn, u.Name)
	return u, err
}
