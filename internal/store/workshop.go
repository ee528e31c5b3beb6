package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"fieldmark/internal/identify"
)

// workshopOver is the condition by which a user, u, is the guest of a workshop that is
// over at the time ?2. A guest has no other way in than by it.
const workshopOver = `(u.guest AND EXISTS (SELECT 1 FROM workshops w WHERE w.invitation_id = u.invitation_id
	AND (w.ended_at IS NOT NULL OR w.ends_at <= ?2)))`

// formerGuest is the condition by which a user, u, was the guest of a workshop that was
// ended: nothing lets them in again, so their name is free for who comes the next time.
const formerGuest = `(u.guest AND EXISTS (SELECT 1 FROM workshops w WHERE w.invitation_id = u.invitation_id AND w.ended_at IS NOT NULL))`

// workshopLessons selects the events that gave the lessons of a workshop.
const workshopLessons = `SELECT e.seq FROM workshops w JOIN users g ON g.id = w.host_id OR g.invitation_id = w.invitation_id
	CROSS JOIN identifications i ON i.import_id IS NULL AND i.user_id = g.id AND i.created_at <= coalesce(w.ended_at, w.ends_at)
	CROSS JOIN events e ON e.identification_id = i.id AND e.kind IN ('taught', 'held') AND e.seq > w.start_seq WHERE w.id = ?`

// workshopSights selects the observations of a workshop.
const workshopSights = `SELECT o.id FROM workshops w JOIN users g ON g.id = w.host_id OR g.invitation_id = w.invitation_id
	CROSS JOIN observations o ON o.observer_id = g.id AND o.import_id IS NULL AND o.created_at BETWEEN w.started_at AND coalesce(w.ended_at, w.ends_at) WHERE w.id = ?`

// StartWorkshop adds a workshop with its invitation, from the last event of the log on.
func (s *Store) StartWorkshop(ctx context.Context, n identify.NewWorkshop) (w identify.Workshop, err error) {
	err = s.update(ctx, func(tx *sql.Tx) error {
		i, err := addInvitation(ctx, tx, n.Key, n.Invitation)
		if err != nil {
			return err
		}
		start, err := lastEvent(ctx, tx)
		if err != nil {
			return err
		}
		var id identify.WorkshopID
		err = tx.QueryRowContext(ctx, `
			INSERT INTO workshops (title, label_set_id, invitation_id, code, start_seq, started_at, host_id, ends_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
			n.Title, number(n.LabelSet), i.ID, n.Code, start, micros(i.CreatedAt), i.CreatedBy, micros(i.ExpiresAt)).Scan(&id)
		if err != nil {
			return err
		}
		if w, err = workshop(ctx, tx, `w.id = ?`, id); err != nil {
			return err
		}
		return noteWorkshop(ctx, tx, w, identify.DidStartWorkshop, identify.Notice{}, i.CreatedBy, i.CreatedAt)
	})
	return w, err
}

// Workshops lists all, newest first.
func (s *Store) Workshops(ctx context.Context) (list []identify.Workshop, err error) {
	err = s.view(ctx, func(tx *sql.Tx) error {
		list, err = workshops(ctx, tx, `1`)
		return err
	})
	return list, err
}

// Workshop returns one; KindOf NotFound if there is none.
func (s *Store) Workshop(ctx context.Context, id identify.WorkshopID) (w identify.Workshop, err error) {
	err = s.view(ctx, func(tx *sql.Tx) error {
		w, err = workshop(ctx, tx, `w.id = ?`, id)
		return err
	})
	return w, err
}

// WorkshopOf is the workshop that a guest joined; KindOf NotFound if they joined none.
func (s *Store) WorkshopOf(ctx context.Context, guest identify.UserID) (w identify.Workshop, err error) {
	err = s.view(ctx, func(tx *sql.Tx) error {
		w, err = workshop(ctx, tx, `w.invitation_id = (SELECT invitation_id FROM users WHERE id = ?)`, guest)
		return err
	})
	return w, err
}

// WorkshopGuests lists who joined, latest first.
func (s *Store) WorkshopGuests(ctx context.Context, id identify.WorkshopID) (list []identify.WorkshopGuest, err error) {
	err = s.view(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `
			SELECT u.id, u.name, u.role, u.guest, u.created_at, u.seen_at, u.revoked_at IS NOT NULL,
				(SELECT count(*) FROM observations o WHERE o.observer_id = u.id AND o.import_id IS NULL),
				(SELECT count(*) FROM identifications i WHERE i.import_id IS NULL AND i.user_id = u.id),
				(SELECT count(*) FROM identifications i WHERE i.user_id = u.id AND i.withdrawn_at IS NULL),
				EXISTS (SELECT 1 FROM quarantines q WHERE q.user_id = u.id AND q.outcome IS NULL)
			FROM users u WHERE u.invitation_id = (SELECT invitation_id FROM workshops WHERE id = ?) ORDER BY u.id DESC`, id)
		list, err = collect(rows, err, func(rows *sql.Rows) (g identify.WorkshopGuest, err error) {
			var joined int64
			var seen sql.NullInt64
			err = rows.Scan(&g.ID, &g.Name, &g.Role, &g.Guest, &joined, &seen, &g.Disabled, &g.Photos, &g.Lessons, &g.Standing, &g.Quarantined)
			g.CreatedAt, g.JoinedAt, g.SeenAt = instant(joined), instant(joined), optional(seen)
			return g, err
		})
		return err
	})
	return list, err
}

// WorkshopPhotos lists the latest observations of a workshop's people, newest first.
func (s *Store) WorkshopPhotos(ctx context.Context, id identify.WorkshopID, limit int) (list []identify.Observation, err error) {
	err = s.view(ctx, func(tx *sql.Tx) error {
		list, err = observations(ctx, tx, `WHERE o.id IN (`+workshopSights+` ORDER BY o.id DESC LIMIT ?) ORDER BY o.id DESC`, id, limit)
		return err
	})
	return list, err
}

// WorkshopTrials are the Trials of a workshop's lessons.
func (s *Store) WorkshopTrials(ctx context.Context, id identify.WorkshopID, encoder string) (list []identify.TrialRecord, err error) {
	err = s.view(ctx, func(tx *sql.Tx) error {
		list, err = trials(ctx, tx, `t.encoder = ? AND t.seq IN (`+workshopLessons+`)`, encoder, id)
		return err
	})
	return list, err
}

// ExtendWorkshop moves the end of a workshop that nobody has ended.
func (s *Store) ExtendWorkshop(ctx context.Context, id identify.WorkshopID, ends time.Time, by identify.UserID, at time.Time) error {
	return s.changeWorkshop(ctx, id, func(tx *sql.Tx, w identify.Workshop) error {
		if w.EndedAt != nil {
			return errWorkshopEnded
		}
		if _, err := tx.ExecContext(ctx, `UPDATE workshops SET ends_at = ? WHERE id = ?`, micros(ends), id); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE invitations SET expires_at = ? WHERE id = ?`, micros(ends), w.Invitation); err != nil {
			return err
		}
		return noteWorkshop(ctx, tx, w, identify.DidExtendWorkshop, identify.Noticef("until %s", ends), by, at)
	})
}

var errWorkshopEnded = identify.Errorf(identify.Conflict, "", "This workshop was ended already. Start another one.")

// EndWorkshop ends a workshop that nobody has ended: its code opens nothing more, and
// neither do its guests' sessions and tokens.
func (s *Store) EndWorkshop(ctx context.Context, id identify.WorkshopID, by identify.UserID, at time.Time) error {
	return s.changeWorkshop(ctx, id, func(tx *sql.Tx, w identify.Workshop) error {
		if w.EndedAt != nil {
			return errWorkshopEnded
		}
		for _, q := range []struct {
			text string
			args []any
		}{
			{`UPDATE workshops SET ended_at = ?, ended_by = ?, code = '' WHERE id = ?`, []any{min(micros(at), micros(w.EndsAt)), by, id}},
			{`UPDATE invitations SET revoked_at = ?, revoked_by = ? WHERE id = ? AND revoked_at IS NULL`, []any{micros(at), by, w.Invitation}},
			{`DELETE FROM sessions WHERE user_id IN (SELECT id FROM users WHERE guest AND invitation_id = ?)`, []any{w.Invitation}},
		} {
			if _, err := tx.ExecContext(ctx, q.text, q.args...); err != nil {
				return err
			}
		}
		return noteWorkshop(ctx, tx, w, identify.DidEndWorkshop, identify.Notice{}, by, at)
	})
}

// changeWorkshop does something about a workshop that there is, in one transaction.
func (s *Store) changeWorkshop(ctx context.Context, id identify.WorkshopID, do func(tx *sql.Tx, w identify.Workshop) error) error {
	return s.update(ctx, func(tx *sql.Tx) error {
		w, err := workshop(ctx, tx, `w.id = ?`, id)
		if err != nil {
			return err
		}
		return do(tx, w)
	})
}

// noteWorkshop adds to the audit trail what was done to a workshop.
func noteWorkshop(ctx context.Context, tx *sql.Tx, w identify.Workshop, kind identify.HistoryKind, detail identify.Notice, by identify.UserID, at time.Time) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO audit (at, user_id, kind, subject, detail) VALUES (?, ?, ?, ?, ?)`, micros(at), by, kind, w.Title, detail.Text())
	return err
}

func workshop(ctx context.Context, tx *sql.Tx, condition string, args ...any) (identify.Workshop, error) {
	list, err := workshops(ctx, tx, condition, args...)
	if err == nil && len(list) == 0 {
		err = identify.Errorf(identify.NotFound, "", "There is no such workshop.")
	}
	if err != nil {
		return identify.Workshop{}, err
	}
	return list[0], nil
}

func workshops(ctx context.Context, tx *sql.Tx, condition string, args ...any) ([]identify.Workshop, error) {
	rows, err := tx.QueryContext(ctx, `
		SELECT w.id, w.title, i.role, coalesce(w.label_set_id, 0), w.invitation_id, w.code, w.start_seq, w.started_at, w.host_id, u.name,
			w.ends_at, w.ended_at, w.reset_at, i.used
		FROM workshops w JOIN invitations i ON i.id = w.invitation_id JOIN users u ON u.id = w.host_id WHERE `+condition+` ORDER BY w.id DESC`, args...)
	list, err := collect(rows, err, func(rows *sql.Rows) (w identify.Workshop, err error) {
		var started, ends int64
		var ended, reset sql.NullInt64
		err = rows.Scan(&w.ID, &w.Title, &w.Role, &w.LabelSet, &w.Invitation, &w.Code, &w.Start, &started, &w.Host, &w.HostName, &ends, &ended, &reset, &w.Guests)
		w.StartedAt, w.EndsAt, w.EndedAt, w.ResetAt = instant(started), instant(ends), optional(ended), optional(reset)
		return w, err
	})
	for i := range list {
		w := &list[i]
		err = errors.Join(err, tx.QueryRowContext(ctx, `SELECT count(*) FROM (`+workshopSights+`)`, w.ID).Scan(&w.Photos),
			tx.QueryRowContext(ctx, `
				SELECT count(*), coalesce(sum(e.user_id = ? AND i.withdrawn_at IS NULL), 0)
				FROM events e JOIN identifications i ON i.id = e.identification_id WHERE e.seq IN (`+workshopLessons+`)`, w.Host, w.ID).Scan(&w.Lessons, &w.Own))
	}
	return list, err
}
