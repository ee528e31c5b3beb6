package store

import (
	"context"
	"database/sql"
	"time"

	"fieldmark/internal/identify"
)

// Decide stores a decision, all of it or nothing, and teaches what it teaches; seq
// is that of the last event, 0 if there is none.
func (s *Store) Decide(ctx context.Context, n identify.NewDecision) (identify.Decision, identify.Seq, error) {
	var d identify.Decision
	var seq identify.Seq
	err := s.update(ctx, func(tx *sql.Tx) error {
		var id identify.DecisionID
		err := tx.QueryRowContext(ctx, `INSERT INTO decisions (kind, user_id, at) VALUES (?, ?, ?) RETURNING id`,
			n.Kind, n.User, micros(n.At)).Scan(&id)
		if err != nil {
			return err
		}
		for _, item := range n.Items {
			item.User, item.At = n.User, n.At
			if seq, err = decideOne(ctx, tx, id, n.Kind, item); err != nil {
				return about(err, item.Observation, len(n.Items))
			}
		}
		d, err = decision(ctx, tx, id)
		return err
	})
	return d, seq, err
}

// about names the observation that a refusal is about, where there are several.
func about(err error, o identify.ObservationID, of int) error {
	kind := identify.KindOf(err)
	if kind == "" || of == 1 {
		return err
	}
	return identify.Errorf(kind, "observation", "Observation %d: %s Nothing was stored, of the others neither.", o, err.Error())
}

func decideOne(ctx context.Context, tx *sql.Tx, id identify.DecisionID, kind identify.DecisionKind, n identify.NewIdentification) (seq identify.Seq, err error) {
	var taught sql.NullInt64
	if kind == identify.DecidedTaught {
		i, last, err := teachOne(ctx, tx, n)
		if err != nil {
			return 0, err
		}
		taught, seq = sql.NullInt64{Int64: int64(i.ID), Valid: true}, last
	} else if _, err := photoOf(ctx, tx, n.Observation); err != nil {
		return 0, err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO decision_items (decision_id, observation_id, identification_id) VALUES (?, ?, ?)`, id, n.Observation, taught)
	return seq, err
}

// notWithdrawn is a condition on an identification x: it stands, or waits in
// quarantine; or there is none.
const notWithdrawn = `(x.withdrawn_at IS NULL OR x.quarantine_id IS NOT NULL)`

// Decision returns one, with the items that stand.
func (s *Store) Decision(ctx context.Context, id identify.DecisionID) (identify.Decision, error) {
	var d identify.Decision
	err := s.view(ctx, func(tx *sql.Tx) (err error) {
		d, err = decision(ctx, tx, id)
		return err
	})
	return d, err
}

// LastDecision is the newest of a person's of which something stands.
func (s *Store) LastDecision(ctx context.Context, user identify.UserID) (identify.Decision, error) {
	var d identify.Decision
	err := s.view(ctx, func(tx *sql.Tx) error {
		var id identify.DecisionID
		err := tx.QueryRowContext(ctx, `
			SELECT coalesce(max(d.id), 0) FROM decisions d WHERE d.user_id = ? AND EXISTS (
				SELECT 1 FROM decision_items i LEFT JOIN identifications x ON x.id = i.identification_id
				WHERE i.decision_id = d.id AND i.undone_at IS NULL AND `+notWithdrawn+`)`, user).Scan(&id)
		if err == nil {
			d, err = decision(ctx, tx, id)
		}
		return err
	})
	return d, err
}

// decision reads one. What it taught and was withdrawn since does not stand; what
// waits in quarantine can be taken back.
func decision(ctx context.Context, tx *sql.Tx, id identify.DecisionID) (identify.Decision, error) {
	d := identify.Decision{ID: id}
	var at int64
	rows, err := tx.QueryContext(ctx, `SELECT kind, user_id, at FROM decisions WHERE id = ?`, id)
	heads, err := collect(rows, err, func(rows *sql.Rows) (identify.Decision, error) {
		err := rows.Scan(&d.Kind, &d.User, &at)
		d.At = instant(at)
		return d, err
	})
	if err != nil {
		return d, err
	}
	if len(heads) == 0 {
		return d, identify.Errorf(identify.NotFound, "decision", "There is no such decision.")
	}
	rows, err = tx.QueryContext(ctx, `SELECT i.observation_id FROM decision_items i LEFT JOIN identifications x ON x.id = i.identification_id
		WHERE i.decision_id = ? AND i.undone_at IS NULL AND `+notWithdrawn+` ORDER BY i.observation_id`, id)
	d.Items, err = collect(rows, err, func(rows *sql.Rows) (x identify.DecisionItem, err error) { return x, rows.Scan(&x.Observation) })
	if err != nil {
		return d, err
	}
	taught, err := identifications(ctx, tx, `JOIN decision_items m ON m.identification_id = i.id JOIN identifications x ON x.id = i.id
		WHERE m.decision_id = ? AND m.undone_at IS NULL AND `+notWithdrawn+` ORDER BY i.observation_id`, id)
	for k := range taught {
		d.Items[k].Identification = taught[k]
	}
	d.Undone = len(d.Items) == 0
	return d, err
}

// UndoDecision takes back what stands of a decision: of one observation, or with 0
// all of it. It returns what was taken back.
func (s *Store) UndoDecision(ctx context.Context, id identify.DecisionID, only identify.ObservationID, by identify.UserID, at time.Time) (identify.Decision, identify.Seq, error) {
	var d identify.Decision
	var seq identify.Seq
	err := s.update(ctx, func(tx *sql.Tx) (err error) {
		if d, err = decision(ctx, tx, id); err != nil {
			return err
		}
		items := d.Items
		d.Items = nil
		for _, item := range items {
			if only != 0 && item.Observation != only {
				continue
			}
			if item.Identification.ID != 0 {
				if seq, err = takeBack(ctx, tx, item.Identification, by, at); err != nil {
					return err
				}
			}
			_, err = tx.ExecContext(ctx, `UPDATE decision_items SET undone_at = ? WHERE decision_id = ? AND observation_id = ?`,
				micros(at), id, item.Observation)
			if err != nil {
				return err
			}
			d.Items = append(d.Items, item)
		}
		if len(d.Items) == 0 {
			return identify.Errorf(identify.Conflict, "decision", "This has been undone already.")
		}
		d.Undone = len(d.Items) == len(items)
		return nil
	})
	return d, seq, err
}

// takeBack withdraws an identification that stands.
func takeBack(ctx context.Context, tx *sql.Tx, i identify.Identification, by identify.UserID, at time.Time) (identify.Seq, error) {
	photo, err := photoOf(ctx, tx, i.Observation)
	if err != nil {
		return 0, err
	}
	seq, err := withdraw(ctx, tx, i, photo, by, at)
	if err != nil {
		return 0, err
	}
	return seq, refreshCurrent(ctx, tx, i.Observation)
}

// SetAside lists what is set aside and nobody has named since, by one person or, with
// 0, by anyone, newest decision first, at most limit.
func (s *Store) SetAside(ctx context.Context, by identify.UserID, limit int) ([]identify.Aside, error) {
	var list []identify.Aside
	err := s.view(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `
			SELECT i.observation_id, d.id, d.user_id, u.name, d.at
			FROM decision_items i JOIN decisions d ON d.id = i.decision_id JOIN users u ON u.id = d.user_id
				JOIN observations o ON o.id = i.observation_id
			WHERE d.kind = 'set-aside' AND ?1 IN (0, d.user_id) AND i.undone_at IS NULL AND o.current_taxon_id IS NULL
			ORDER BY d.id DESC, i.observation_id LIMIT ?2`, by, limit)
		list, err = collect(rows, err, func(rows *sql.Rows) (a identify.Aside, err error) {
			var at int64
			err = rows.Scan(&a.Observation.ID, &a.Decision, &a.User, &a.UserName, &at)
			a.At = instant(at)
			return a, err
		})
		if err != nil {
			return err
		}
		ids := make([]identify.ObservationID, len(list))
		for k, a := range list {
			ids[k] = a.Observation.ID
		}
		found, err := observationsByID(ctx, tx, ids)
		if err != nil {
			return err
		}
		of := make(map[identify.ObservationID]identify.Observation, len(found))
		for _, o := range found {
			of[o.ID] = o
		}
		for k := range list {
			list[k].Observation = of[ids[k]]
		}
		return nil
	})
	return list, err
}
