package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"fieldmark/internal/identify"
)

// ResetWorkshop puts each guest who taught in quarantine, unless they are in one, and
// withdraws its host's lessons where own is set, all of a small workshop at once. Of a
// large one it does a stretch: of the host's lessons first, and until there are no more
// the workshop is not reset; then all quarantines begin together, and what of them is
// under way is for GoOnQuarantine.
func (s *Store) ResetWorkshop(ctx context.Context, id identify.WorkshopID, own bool, by identify.UserID, at time.Time) (r identify.WorkshopReset, seq identify.Seq, err error) {
	err = s.changeWorkshop(ctx, id, func(tx *sql.Tx, w identify.Workshop) error {
		r, seq, err = resetWorkshop(ctx, tx, w, own, by, stretch, at)
		return err
	})
	return r, seq, err
}

// resetWorkshop is ResetWorkshop within a transaction, of up to limit lessons.
func resetWorkshop(ctx context.Context, tx *sql.Tx, w identify.Workshop, own bool, by identify.UserID, limit int, at time.Time) (r identify.WorkshopReset, seq identify.Seq, err error) {
	if w.ResetAt != nil {
		return r, 0, identify.Errorf(identify.Conflict, "", "What this workshop's guests taught is out of the memory already.")
	}
	var under identify.QuarantineStep
	err = tx.QueryRowContext(ctx, `SELECT q.under_way FROM quarantines q JOIN users u ON u.id = q.user_id WHERE q.under_way IS NOT NULL AND u.invitation_id = ? LIMIT 1`, w.Invitation).Scan(&under)
	if err == nil {
		return r, 0, errUnderWay(under)
	} else if !errors.Is(err, sql.ErrNoRows) {
		return r, 0, err
	}
	if own {
		if r.Lessons, err = withdrawHosts(ctx, tx, w, by, limit, at); err != nil {
			return r, 0, err
		}
		r.More = r.Lessons == limit
	}
	if !r.More {
		if err := quarantineGuests(ctx, tx, w, by, limit, at, &r); err != nil {
			return r, 0, err
		}
	}
	seq, err = lastEvent(ctx, tx)
	return r, seq, err
}

// quarantineGuests begins the quarantines of a reset, and takes out up to limit lessons,
// those counted that left already.
func quarantineGuests(ctx context.Context, tx *sql.Tx, w identify.Workshop, by identify.UserID, limit int, at time.Time, r *identify.WorkshopReset) error {
	guests, err := guestsWhoTaught(ctx, tx, w)
	if err != nil {
		return err
	}
	for _, g := range guests {
		q, _, err := beginQuarantine(ctx, tx, identify.Source{User: g}, "reset of the workshop "+w.Title, by, limit-r.Lessons, at)
		if err != nil {
			return err
		}
		if r.Lessons += q.Lessons; q.UnderWay != identify.NoStep {
			r.UnderWay = append(r.UnderWay, q)
		}
	}
	_, err = tx.ExecContext(ctx, `UPDATE workshops SET reset_at = ? WHERE id = ?`, micros(at), w.ID)
	return err
}

// RestoreWorkshop ends the quarantines that the reset began and that still last, of many
// lessons the first stretch; what is under way then is for GoOnQuarantine. Its Lessons
// are all that come back.
func (s *Store) RestoreWorkshop(ctx context.Context, id identify.WorkshopID, by identify.UserID, at time.Time) (r identify.WorkshopReset, seq identify.Seq, err error) {
	err = s.changeWorkshop(ctx, id, func(tx *sql.Tx, w identify.Workshop) error {
		r, seq, err = restoreWorkshop(ctx, tx, w, by, stretch, at)
		return err
	})
	return r, seq, err
}

// restoreWorkshop is RestoreWorkshop within a transaction, of up to limit lessons.
func restoreWorkshop(ctx context.Context, tx *sql.Tx, w identify.Workshop, by identify.UserID, limit int, at time.Time) (r identify.WorkshopReset, seq identify.Seq, err error) {
	if w.ResetAt == nil {
		return r, 0, identify.Errorf(identify.Conflict, "", "This workshop is not reset: there is nothing to bring back.")
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
		return r, 0, err
	}
	for _, h := range list {
		q, _, err := releaseOrRemove(ctx, tx, identify.Source{User: h.user}, identify.Restored, by, max(0, limit-r.Lessons), at)
		if err != nil {
			return r, 0, err
		}
		if r.Lessons += h.lessons; q.UnderWay != identify.NoStep {
			r.UnderWay = append(r.UnderWay, q)
		}
	}
	if _, err := tx.ExecContext(ctx, `UPDATE workshops SET reset_at = NULL WHERE id = ?`, w.ID); err != nil {
		return r, 0, err
	}
	seq, err = lastEvent(ctx, tx)
	return r, seq, err
}

// guestsWhoTaught are those of whom something stands, so that they are in no quarantine.
func guestsWhoTaught(ctx context.Context, tx *sql.Tx, w identify.Workshop) ([]identify.UserID, error) {
	rows, err := tx.QueryContext(ctx, `
		SELECT u.id FROM users u WHERE u.invitation_id = ? AND EXISTS (
			SELECT 1 FROM identifications i WHERE i.import_id IS NULL AND i.user_id = u.id AND i.withdrawn_at IS NULL)
			AND NOT EXISTS (SELECT 1 FROM quarantines q WHERE q.user_id = u.id AND q.outcome IS NULL) ORDER BY u.id`, w.Invitation)
	return collect(rows, err, func(rows *sql.Rows) (u identify.UserID, err error) { return u, rows.Scan(&u) })
}

// withdrawHosts withdraws up to limit lessons that the host gave during the workshop and
// that still stand.
func withdrawHosts(ctx context.Context, tx *sql.Tx, w identify.Workshop, by identify.UserID, limit int, at time.Time) (n int, err error) {
	var list string
	err = tx.QueryRowContext(ctx, `SELECT json_group_array(id), count(*) FROM (SELECT i.id AS id FROM identifications i WHERE i.withdrawn_at IS NULL AND i.user_id = ? AND i.id IN (
		SELECT e.identification_id FROM events e WHERE e.seq IN (`+workshopLessons+`)) ORDER BY i.id LIMIT ?)`, w.Host, w.ID, limit).Scan(&list, &n)
	if err != nil {
		return 0, err
	}
	_, err = tx.ExecContext(ctx, `UPDATE identifications SET withdrawn_at = ?, taken_back = ? WHERE id IN (SELECT value FROM json_each(?))`, micros(at), by == w.Host, list)
	if err != nil {
		return 0, err
	}
	if err := appendAll(ctx, tx, list, identify.Withdrawn, by, at, whole{}); err != nil {
		return 0, err
	}
	return n, refreshAll(ctx, tx, list)
}
