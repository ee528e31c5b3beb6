package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"fieldmark/internal/identify"
)

// errNothingMarked is what a label set of a checklist without members is.
var errNothingMarked = identify.Errorf(identify.Invalid, "set", "This checklist lists nothing that a label set could be made of.")

// errChecklistUnderWay is what a second checklist at the same time is.
var errChecklistUnderWay = identify.Errorf(identify.Conflict, "", "Another checklist is being taken in. Try again in a minute.")

// BeginChecklist writes down what is to be stored of a checklist, in one transaction.
// Nothing of it is there before; from then on all of it comes to be there, by
// GoOnChecklist. told is called with how many taxa are ready to be written down.
func (s *Store) BeginChecklist(ctx context.Context, c identify.ChecklistChanges, told func(ready int)) error {
	err := s.view(ctx, func(tx *sql.Tx) error { return noCircles(ctx, tx, c) })
	if err != nil {
		return err
	}
	parts, members, err := pack(ctx, c, told)
	if err != nil {
		return err
	}
	return s.update(ctx, func(tx *sql.Tx) error {
		if _, under, err := checklistUnderWay(ctx, tx); err != nil {
			return err
		} else if under {
			return errChecklistUnderWay
		}
		if c.Set != "" {
			if err := nameIsFree(ctx, tx, c.Set, 0); err != nil {
				return err
			}
			if members == 0 {
				return errNothingMarked
			}
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO checklist (id, name, set_name, set_folded, taxa, left_out, newest, by_id, at) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)`,
			c.Name, c.Set, fold(c.Set), len(c.Taxa), c.LeftOut, c.Newest, c.By, micros(c.At))
		if err != nil {
			return err
		}
		for _, part := range parts {
			if _, err := tx.ExecContext(ctx, `INSERT INTO checklist_parts (taxa) VALUES (?)`, part); err != nil {
				return err
			}
		}
		return nil
	})
}

// GoOnChecklist stores the next stretch of the checklist that is written down, and with
// the last one its label set; nothing if there is none.
func (s *Store) GoOnChecklist(ctx context.Context) (identify.ChecklistStretch, error) {
	var done identify.ChecklistStretch
	var waits bool
	err := s.view(ctx, func(tx *sql.Tx) (err error) {
		_, waits, err = checklistUnderWay(ctx, tx)
		return err
	})
	if err != nil || !waits {
		return done, err
	}
	err = s.update(ctx, func(tx *sql.Tx) error {
		c, under, err := checklistUnderWay(ctx, tx)
		if err != nil || !under {
			return err
		}
		if done, err = storeStretch(ctx, tx, c); err != nil || done.More {
			return err
		}
		c.added, c.changed = c.added+done.New, c.changed+done.Changed
		return endChecklist(ctx, tx, c, &done)
	})
	if err != nil {
		return identify.ChecklistStretch{}, err
	}
	return done, nil
}

// checklistRow is the checklist that is under way.
type checklistRow struct {
	name, set      string
	taxa, leftOut  int
	added, changed int // before this stretch
	newest         identify.TaxonID
	by             identify.UserID
	at             time.Time
}

func checklistUnderWay(ctx context.Context, tx *sql.Tx) (c checklistRow, under bool, err error) {
	var at int64
	err = tx.QueryRowContext(ctx, `SELECT name, set_name, taxa, left_out, added, changed, newest, by_id, at FROM checklist`).
		Scan(&c.name, &c.set, &c.taxa, &c.leftOut, &c.added, &c.changed, &c.newest, &c.by, &at)
	if errors.Is(err, sql.ErrNoRows) {
		return c, false, nil
	}
	c.at = instant(at)
	return c, err == nil, err
}

// endChecklist does what is left when all taxa are stored: moves those that could not go
// where they belong before others had, makes the label set, notes it all, and forgets
// what was written down.
func endChecklist(ctx context.Context, tx *sql.Tx, c checklistRow, done *identify.ChecklistStretch) error {
	if err := moveLate(ctx, tx, done); err != nil {
		return err
	}
	if c.set != "" {
		rows, err := tx.QueryContext(ctx, `SELECT taxon_id FROM checklist_taxa WHERE member ORDER BY position`)
		members, err := collect(rows, err, func(rows *sql.Rows) (t identify.TaxonID, err error) { return t, rows.Scan(&t) })
		if err != nil {
			return err
		}
		if done.Set, err = insertLabelSet(ctx, tx, c.set, members, c.at); err != nil {
			return err
		}
	}
	for _, table := range []string{`checklist`, `checklist_parts`, `checklist_taxa`} {
		if _, err := tx.ExecContext(ctx, `DELETE FROM `+table); err != nil {
			return err
		}
	}
	what := identify.ChecklistNotice(c.added, c.changed, c.taxa-c.added-c.changed, c.leftOut)
	return noteTaxa(ctx, tx, identify.DidTakeChecklist, c.name, what, 0, c.by, c.at)
}

// moveLate puts taxa below those that were below them when they were stored. One that
// still would be above itself, since somebody moved others meanwhile, stays.
func moveLate(ctx context.Context, tx *sql.Tx, done *identify.ChecklistStretch) error {
	type move struct{ taxon, below identify.TaxonID }
	rows, err := tx.QueryContext(ctx, `SELECT taxon_id, below FROM checklist_taxa WHERE below IS NOT NULL ORDER BY position`)
	list, err := collect(rows, err, func(rows *sql.Rows) (m move, err error) { return m, rows.Scan(&m.taxon, &m.below) })
	if err != nil {
		return err
	}
	for _, m := range list {
		if above, err := isAbove(ctx, tx, m.taxon, m.below); err != nil {
			return err
		} else if above {
			continue
		}
		if _, err := tx.ExecContext(ctx, `UPDATE taxa SET parent_id = coalesce((SELECT accepted_id FROM taxa WHERE id = ?1), ?1) WHERE id = ?2`, m.below, m.taxon); err != nil {
			return err
		}
		t, err := taxon(ctx, tx, m.taxon)
		if err != nil {
			return err
		}
		done.Taxa = append(done.Taxa, t)
	}
	return nil
}

// isAbove reports whether a taxon is another, or above it.
func isAbove(ctx context.Context, tx *sql.Tx, id, other identify.TaxonID) (above bool, err error) {
	err = tx.QueryRowContext(ctx, `
		WITH RECURSIVE up (id) AS (SELECT ?2 UNION SELECT t.parent_id FROM up JOIN taxa t ON t.id = up.id WHERE t.parent_id IS NOT NULL)
		SELECT EXISTS (SELECT 1 FROM up WHERE id = ?1)`, id, other).Scan(&above)
	return above, err
}
