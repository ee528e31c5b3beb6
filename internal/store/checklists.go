package store

import (
	"context"
	"database/sql"
	"errors"

	"fieldmark/internal/identify"
)

// errNothingMarked is what a label set of a checklist without members is.
var errNothingMarked = identify.Errorf(identify.Invalid, "set", "This checklist lists nothing that a label set could be made of.")

// toldEvery is after how many taxa it is told how far a checklist is.
const toldEvery = 500

// TakeChecklist adds and changes taxa, and makes a label set of them. It says how far
// it is; nobody sees any of it before the end.
func (s *Store) TakeChecklist(ctx context.Context, c identify.ChecklistChanges, told func(written int)) (taxa []identify.Taxon, set identify.LabelSetID, err error) {
	err = s.update(ctx, func(tx *sql.Tx) error {
		if taxa, err = numbered(ctx, tx, c); err != nil {
			return err
		}
		if err := writeChecklist(ctx, tx, c, taxa, told); err != nil {
			return err
		}
		if c.Set != "" {
			if set, err = setOfChecklist(ctx, tx, c, taxa); err != nil {
				return err
			}
		}
		return noteTaxa(ctx, tx, identify.DidTakeChecklist, c.Name, c.What, 0, c.By, c.At)
	})
	return taxa, set, err
}

// numbered gives the new taxa the next ids, and each its parent's.
func numbered(ctx context.Context, tx *sql.Tx, c identify.ChecklistChanges) ([]identify.Taxon, error) {
	next, err := nextLocal(ctx, tx)
	if err != nil {
		return nil, err
	}
	taxa := make([]identify.Taxon, len(c.Taxa))
	for i, x := range c.Taxa {
		taxa[i] = x.Taxon
		if x.Taxon.ID == 0 {
			taxa[i].ID, taxa[i].CreatedAt = next, instant(micros(c.At))
			next++
		}
	}
	for i, x := range c.Taxa {
		if x.Parent >= 0 {
			taxa[i].Parent = taxa[x.Parent].ID
		}
	}
	return taxa, nil
}

func writeChecklist(ctx context.Context, tx *sql.Tx, c identify.ChecklistChanges, taxa []identify.Taxon, told func(int)) (err error) {
	w, err := newTaxonWriter(ctx, tx, c.At)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	written := 0
	for i, x := range c.Taxa {
		if !x.Write {
			continue
		}
		if err := w.edit(ctx, taxa[i]); err != nil {
			return err
		}
		if written++; written%toldEvery == 0 {
			told(written)
		}
	}
	for i, x := range c.Taxa {
		if x.Write && x.Taxon.ID != 0 {
			if err := notAboveItself(ctx, tx, taxa[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func setOfChecklist(ctx context.Context, tx *sql.Tx, c identify.ChecklistChanges, taxa []identify.Taxon) (identify.LabelSetID, error) {
	var members []identify.TaxonID
	for i, x := range c.Taxa {
		if x.Member {
			members = append(members, taxa[i].ID)
		}
	}
	if len(members) == 0 {
		return 0, errNothingMarked
	}
	return addLabelSet(ctx, tx, c.Set, members, c.At)
}
