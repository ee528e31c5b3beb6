package store

import (
	"context"
	"database/sql"
	"slices"

	"fieldmark/internal/identify"
)

func labelSet(ctx context.Context, tx *sql.Tx, id identify.LabelSetID) (identify.LabelSet, error) {
	sets, err := labelSets(ctx, tx, `WHERE id = ?`, id)
	if err != nil {
		return identify.LabelSet{}, err
	}
	if len(sets) == 0 {
		return identify.LabelSet{}, identify.Errorf(identify.NotFound, "", "There is no label set with the id %d.", id)
	}
	return sets[0], nil
}

// labelSets returns the label sets that a clause selects, with their taxa.
func labelSets(ctx context.Context, tx *sql.Tx, clause string, args ...any) ([]identify.LabelSet, error) {
	rows, err := tx.QueryContext(ctx, `SELECT id, name, key IS NOT NULL, created_at FROM label_sets `+clause, args...)
	sets, err := collect(rows, err, func(rows *sql.Rows) (identify.LabelSet, error) {
		set := identify.LabelSet{Seen: -1}
		var created int64
		err := rows.Scan(&set.ID, &set.Name, &set.Builtin, &created)
		set.CreatedAt = instant(created)
		return set, err
	})
	for i := range sets {
		if err == nil {
			sets[i].Taxa, err = taxaOf(ctx, tx, sets[i].ID)
		}
	}
	return sets, err
}

// taxaOf lists the taxa of a label set, each once. A synonym among them reads as what
// it is a synonym of; it stays in the table, so that it is back once that is undone,
// and a newer vocabulary may go on naming it.
func taxaOf(ctx context.Context, tx *sql.Tx, id identify.LabelSetID) ([]identify.TaxonID, error) {
	rows, err := tx.QueryContext(ctx, `SELECT coalesce(t.accepted_id, t.id) FROM label_set_taxa l JOIN taxa t ON t.id = l.taxon_id
		WHERE l.label_set_id = ? ORDER BY l.position`, id)
	list, err := collect(rows, err, func(rows *sql.Rows) (taxon identify.TaxonID, err error) {
		err = rows.Scan(&taxon)
		return taxon, err
	})
	seen := make(map[identify.TaxonID]bool, len(list))
	return slices.DeleteFunc(list, func(t identify.TaxonID) bool {
		twice := seen[t]
		seen[t] = true
		return twice
	}), err
}

// setsWith lists the label sets, without their taxa, that a taxon or a synonym of it
// is in.
func setsWith(ctx context.Context, tx *sql.Tx, id identify.TaxonID) ([]identify.LabelSet, error) {
	rows, err := tx.QueryContext(ctx, `SELECT DISTINCT l.id, l.name, l.key IS NOT NULL FROM label_set_taxa x
		JOIN label_sets l ON l.id = x.label_set_id WHERE x.taxon_id IN (SELECT id FROM taxa WHERE id = ?1 OR accepted_id = ?1)
		ORDER BY l.key IS NULL, l.position, l.folded, l.id`, id)
	return collect(rows, err, func(rows *sql.Rows) (l identify.LabelSet, err error) {
		l.Seen = -1
		return l, rows.Scan(&l.ID, &l.Name, &l.Builtin)
	})
}

func setTaxa(ctx context.Context, tx *sql.Tx, id identify.LabelSetID, taxa []identify.TaxonID) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM label_set_taxa WHERE label_set_id = ?`, id); err != nil {
		return err
	}
	insert, err := tx.PrepareContext(ctx, `INSERT INTO label_set_taxa (label_set_id, position, taxon_id) VALUES (?, ?, ?)`)
	if err != nil {
		return err
	}
	defer insert.Close()
	for i, t := range taxa {
		if err := taxonExists(ctx, tx, t, "taxa"); err != nil {
			return err
		}
		if _, err := insert.ExecContext(ctx, id, i, t); err != nil {
			return err
		}
	}
	return nil
}

// taxonExists returns an error about field unless there is such a taxon.
func taxonExists(ctx context.Context, tx *sql.Tx, id identify.TaxonID, field string) error {
	var known bool
	err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM taxa WHERE id = ?)`, id).Scan(&known)
	if err == nil && !known {
		return identify.Errorf(identify.Invalid, field, "There is no taxon with the id %d.", id)
	}
	return err
}

func changeable(ctx context.Context, tx *sql.Tx, id identify.LabelSetID) error {
	set, err := labelSet(ctx, tx, id)
	if err == nil && set.Builtin {
		return identify.Errorf(identify.Conflict, "", "The label set %q comes with Fieldmark and cannot be changed. Make one of your own.", set.Name)
	}
	return err
}

// nameIsFree returns an error if another label set than own has the name, or one that a
// checklist is to make.
func nameIsFree(ctx context.Context, tx *sql.Tx, name string, own identify.LabelSetID) error {
	var taken bool
	err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM label_sets WHERE folded = ?1 AND id <> ?2)
		OR EXISTS (SELECT 1 FROM checklist WHERE set_name <> '' AND set_folded = ?1)`, fold(name), own).Scan(&taken)
	if err == nil && taken {
		return identify.Errorf(identify.Conflict, "name", "There is a label set with the name %q already. Choose another name.", brief(name))
	}
	return err
}
