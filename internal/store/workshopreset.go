package store

import (
	"context"
	"database/sql"
	"math"
	"time"

	"fieldmark/internal/identify"
)

// ResetWorkshop puts each guest who taught in quarantine, unless they are in one, and
// withdraws its host's lessons where own is set.
func (s *Store) ResetWorkshop(ctx context.Context, id identify.WorkshopID, own bool, by identify.UserID, at time.Time) (lessons int, seq identify.Seq, err error) {
	err = s.changeWorkshop(ctx, id, func(tx *sql.Tx, w identify.Workshop) error {
		if w.ResetAt != nil {
			return identify.Errorf(identify.Conflict, "", "What this workshop's guests taught is out of the memory already.")
		}
		guests, err := guestsWhoTaught(ctx, tx, w)
		if err != nil {
			return err
		}
		for _, g := range guests {
			q, _, err := beginQuarantine(ctx, tx, identify.Source{User: g}, "reset of the workshop "+w.Title, by, math.MaxInt, at)
			if err != nil {
				return err
			}
			lessons += q.Lessons
		}
		if own {
			n, err := withdrawHosts(ctx, tx, w, by, at)
			if err != nil {
				return err
			}
			lessons += n
		}
		if _, err := tx.ExecContext(ctx, `UPDATE workshops SET reset_at = ? WHERE id = ?`, micros(at), id); err != nil {
			return err
		}
		seq, err = lastEvent(ctx, tx)
		return err
	})
	return lessons, seq, err
}

// RestoreWorkshop ends the quarantines that the reset began and that still last.
func (s *Store) RestoreWorkshop(ctx context.Context, id identify.WorkshopID, by identify.UserID, at time.Time) (lessons int, seq identify.Seq, err error) {
	err = s.changeWorkshop(ctx, id, func(tx *sql.Tx, w identify.Workshop) error {
		if w.ResetAt == nil {
			return identify.Errorf(identify.Conflict, "", "This workshop is not reset: there is nothing to bring back.")
		}
		rows, err := tx.QueryContext(ctx, `
			SELECT q.user_id, (SELECT count(*) FROM identifications i WHERE i.quarantine_id = q.id)
			FROM quarantines q JOIN users u ON u.id = q.user_id
			WHERE q.outcome IS NULL AND u.invitation_id = ? AND q.began_at = ?`, w.Invitation, micros(*w.ResetAt))
		type held struct {
			user    identify.UserID
			lessons int
		}
		list, err := collect(rows, err, func(rows *sql.Rows) (h held, err error) { return h, rows.Scan(&h.user, &h.lessons) })
		if err != nil {
			return err
		}
		for _, h := range list {
			if _, _, err := releaseOrRemove(ctx, tx, identify.Source{User: h.user}, identify.Restored, by, math.MaxInt, at); err != nil {
				return err
			}
			lessons += h.lessons
		}
		if _, err := tx.ExecContext(ctx, `UPDATE workshops SET reset_at = NULL WHERE id = ?`, id); err != nil {
			return err
		}
		seq, err = lastEvent(ctx, tx)
		return err
	})
	return lessons, seq, err
}

// guestsWhoTaught are those of whom something stands, so that they are in no quarantine.
func guestsWhoTaught(ctx context.Context, tx *sql.Tx, w identify.Workshop) ([]identify.UserID, error) {
	rows, err := tx.QueryContext(ctx, `
		SELECT u.id FROM users u WHERE u.invitation_id = ? AND EXISTS (
			SELECT 1 FROM identifications i WHERE i.import_id IS NULL AND i.user_id = u.id AND i.withdrawn_at IS NULL)
			AND NOT EXISTS (SELECT 1 FROM quarantines q WHERE q.user_id = u.id AND q.outcome IS NULL) ORDER BY u.id`, w.Invitation)
	return collect(rows, err, func(rows *sql.Rows) (u identify.UserID, err error) { return u, rows.Scan(&u) })
}

// withdrawHosts withdraws what the host taught during the workshop and still stands.
func withdrawHosts(ctx context.Context, tx *sql.Tx, w identify.Workshop, by identify.UserID, at time.Time) (int, error) {
	list, err := identifications(ctx, tx, `WHERE i.withdrawn_at IS NULL AND i.user_id = ? AND i.id IN (
		SELECT e.identification_id FROM events e WHERE e.seq IN (`+workshopLessons+`)) ORDER BY i.id`, w.Host, w.ID)
	if err != nil {
		return 0, err
	}
	for _, i := range list {
		photo, err := photoOf(ctx, tx, i.Observation)
		if err != nil {
			return 0, err
		}
		if _, err := withdraw(ctx, tx, i, photo, by, at); err != nil {
			return 0, err
		}
		if err := refreshCurrent(ctx, tx, i.Observation); err != nil {
			return 0, err
		}
	}
	return len(list), nil
}
