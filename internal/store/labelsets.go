package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"fieldmark/internal/identify"
)

// BuiltinSet is a label set that comes with the vocabulary.
type BuiltinSet struct {
	Key  string // stable for ever
	Name string
	Taxa []identify.TaxonID
}

// SeedLabelSets puts the label sets of the vocabulary in, in their order, or
// brings them up to date, and removes built-in ones that are no longer there.
// It returns their ids by key. The taxa must be seeded before.
func (s *Store) SeedLabelSets(ctx context.Context, sets []BuiltinSet, version string) (map[string]identify.LabelSetID, error) {
	err := s.seed(ctx, "label sets", version, sets, func(tx *sql.Tx) error { return putBuiltinSets(ctx, tx, sets) })
	if err != nil {
		return nil, fmt.Errorf("label sets: %w", err)
	}
	ids := make(map[string]identify.LabelSetID, len(sets))
	return ids, s.view(ctx, func(tx *sql.Tx) error {
		for _, set := range sets {
			var id identify.LabelSetID
			if err := tx.QueryRowContext(ctx, `SELECT id FROM label_sets WHERE key = ?`, set.Key).Scan(&id); err != nil {
				return fmt.Errorf("label set %q: %w", set.Key, err)
			}
			ids[set.Key] = id
		}
		return nil
	})
}

func putBuiltinSets(ctx context.Context, tx *sql.Tx, sets []BuiltinSet) error {
	now := micros(time.Now())
	// A position of -1 marks those that are not among sets.
	if _, err := tx.ExecContext(ctx, `UPDATE label_sets SET position = -1 WHERE key IS NOT NULL`); err != nil {
		return err
	}
	for i, set := range sets {
		var id identify.LabelSetID
		err := tx.QueryRowContext(ctx, `
			INSERT INTO label_sets (key, name, folded, position, created_at) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (key) DO UPDATE SET name = excluded.name, folded = excluded.folded, position = excluded.position
			RETURNING id`, set.Key, set.Name, fold(set.Name), i, now).Scan(&id)
		if err != nil {
			return err
		}
		if err := setTaxa(ctx, tx, id, set.Taxa); err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, `DELETE FROM label_sets WHERE key IS NOT NULL AND position = -1`)
	return err
}

// LabelSets lists the label sets: the built-in ones in their order, then those
// that people made, by name.
func (s *Store) LabelSets(ctx context.Context) ([]identify.LabelSet, error) {
	var sets []identify.LabelSet
	err := s.view(ctx, func(tx *sql.Tx) (err error) {
		sets, err = labelSets(ctx, tx, `ORDER BY key IS NULL, position, folded, id`)
		return err
	})
	return sets, err
}

// LabelSet returns one label set; KindOf NotFound if there is none.
func (s *Store) LabelSet(ctx context.Context, id identify.LabelSetID) (identify.LabelSet, error) {
	var set identify.LabelSet
	err := s.view(ctx, func(tx *sql.Tx) (err error) {
		set, err = labelSet(ctx, tx, id)
		return err
	})
	return set, err
}

// AddLabelSet makes a label set. A name that is taken is a Conflict.
func (s *Store) AddLabelSet(ctx context.Context, name string, taxa []identify.TaxonID, at time.Time) (identify.LabelSet, error) {
	var set identify.LabelSet
	err := s.update(ctx, func(tx *sql.Tx) error {
		id, err := addLabelSet(ctx, tx, name, taxa, at)
		if err == nil {
			set, err = labelSet(ctx, tx, id)
		}
		return err
	})
	return set, err
}

func addLabelSet(ctx context.Context, tx *sql.Tx, name string, taxa []identify.TaxonID, at time.Time) (id identify.LabelSetID, err error) {
	if err := nameIsFree(ctx, tx, name, 0); err != nil {
		return 0, err
	}
	return insertLabelSet(ctx, tx, name, taxa, at)
}

func insertLabelSet(ctx context.Context, tx *sql.Tx, name string, taxa []identify.TaxonID, at time.Time) (id identify.LabelSetID, err error) {
	err = tx.QueryRowContext(ctx, `INSERT INTO label_sets (name, folded, position, created_at) VALUES (?, ?, 0, ?) RETURNING id`,
		name, fold(name), micros(at)).Scan(&id)
	if err != nil {
		return 0, err
	}
	return id, setTaxa(ctx, tx, id, taxa)
}

// ChangeLabelSet replaces a label set's name and taxa. A built-in one is a
// Conflict.
func (s *Store) ChangeLabelSet(ctx context.Context, id identify.LabelSetID, name string, taxa []identify.TaxonID) (identify.LabelSet, error) {
	var set identify.LabelSet
	err := s.update(ctx, func(tx *sql.Tx) error {
		if err := changeable(ctx, tx, id); err != nil {
			return err
		}
		if err := nameIsFree(ctx, tx, name, id); err != nil {
			return err
		}
		if err := noteLabelSet(ctx, tx, id, identify.DidChangeLabelSet); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE label_sets SET name = ?, folded = ? WHERE id = ?`, name, fold(name), id); err != nil {
			return err
		}
		err := setTaxa(ctx, tx, id, taxa)
		if err == nil {
			set, err = labelSet(ctx, tx, id)
		}
		return err
	})
	return set, err
}

// DeleteLabelSet removes a label set. A built-in one is a Conflict.
func (s *Store) DeleteLabelSet(ctx context.Context, id identify.LabelSetID) error {
	return s.update(ctx, func(tx *sql.Tx) error {
		if err := changeable(ctx, tx, id); err != nil {
			return err
		}
		if err := noteLabelSet(ctx, tx, id, identify.DidDeleteLabelSet); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM label_sets WHERE id = ?`, id)
		return err
	})
}
