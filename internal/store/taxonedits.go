package store

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"fieldmark/internal/identify"
)

// belowAll is a table of a taxon, ?1, and all below it.
const belowAll = `WITH RECURSIVE below (id) AS (SELECT ?1 UNION SELECT t.id FROM below b JOIN taxa t ON t.parent_id = b.id) `

// TaxonDetails describes one taxon beside its names.
func (s *Store) TaxonDetails(ctx context.Context, id identify.TaxonID) (identify.TaxonDetails, error) {
	var d identify.TaxonDetails
	err := s.view(ctx, func(tx *sql.Tx) error {
		if _, err := taxon(ctx, tx, id); err != nil {
			return err
		}
		err := tx.QueryRowContext(ctx, belowAll+`, read (id) AS (SELECT t.id FROM below b JOIN taxa t ON t.id = b.id WHERE t.accepted_id IS NULL
				UNION SELECT s.id FROM below b JOIN taxa s ON s.accepted_id = b.id)
			SELECT (SELECT count(*) FROM taxa WHERE parent_id = ?1 AND accepted_id IS NULL), (SELECT edited_at IS NOT NULL FROM taxa WHERE id = ?1),
				(SELECT count(*) FROM read b JOIN identifications i ON i.taxon_id = b.id WHERE i.withdrawn_at IS NULL),
				(SELECT count(*) FROM read b JOIN observations o ON o.current_taxon_id = b.id)`, id).
			Scan(&d.Children, &d.Edited, &d.Lessons, &d.Observations)
		if err != nil {
			return err
		}
		d.Sets, err = setsWith(ctx, tx, id)
		return err
	})
	return d, err
}

// TaxaBelow lists the children of a taxon by name, or what is at the top, by rank and
// name. Synonyms are no children.
func (s *Store) TaxaBelow(ctx context.Context, parent identify.TaxonID, skip, limit int) ([]identify.Taxon, error) {
	order := `coalesce(nullif(t.scientific_name, ''), t.english_name) COLLATE NOCASE, t.id`
	if parent == 0 {
		order = `t.rank <> 'kingdom', t.rank, ` + order
	}
	var list []identify.Taxon
	err := s.view(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `SELECT `+taxonColumns+` FROM taxa t WHERE t.parent_id IS ? AND t.accepted_id IS NULL ORDER BY `+order+` LIMIT ? OFFSET ?`,
			number(parent), limit, skip)
		if list, err = collect(rows, err, scanTaxon); err != nil {
			return err
		}
		return nameAll(ctx, tx, list, func(t *identify.Taxon) *identify.Taxon { return t })
	})
	return list, err
}

// EditTaxon replaces what is said of a taxon and notes it.
func (s *Store) EditTaxon(ctx context.Context, id identify.TaxonID, e identify.TaxonEdit, what identify.Notice, by identify.UserID, at time.Time) (identify.Taxon, error) {
	var t identify.Taxon
	err := s.update(ctx, func(tx *sql.Tx) (err error) {
		if t, err = taxon(ctx, tx, id); err != nil {
			return err
		}
		before := t.Label()
		t.ScientificName, t.EnglishName, t.Synonyms, t.Vernacular = e.ScientificName, e.EnglishName, e.Synonyms, e.Vernacular
		t.Rank, t.Parent = e.Rank, e.Parent
		w, err := newTaxonWriter(ctx, tx, at)
		if err != nil {
			return err
		}
		defer w.close()
		if err := w.edit(ctx, t); err != nil {
			return err
		}
		if err := notAboveItself(ctx, tx, t); err != nil {
			return err
		}
		return noteTaxa(ctx, tx, identify.DidChangeTaxon, before, what, id, by, at)
	})
	return t, err
}

// notAboveItself returns an error if a taxon is among those above it.
func notAboveItself(ctx context.Context, tx *sql.Tx, t identify.Taxon) error {
	var circle bool
	err := tx.QueryRowContext(ctx, `
		WITH RECURSIVE up (id) AS (SELECT parent_id FROM taxa WHERE id = ?1 UNION SELECT t.parent_id FROM up JOIN taxa t ON t.id = up.id)
		SELECT EXISTS (SELECT 1 FROM up WHERE id = ?1)`, t.ID).Scan(&circle)
	if err == nil && circle {
		return errAboveItself(t)
	}
	return err
}

func errAboveItself(t identify.Taxon) error {
	return identify.Errorf(identify.Conflict, "parent", "%s would be above itself. Put it in another place.", t.Name())
}

// noteTaxa adds what was done to names to the audit trail.
func noteTaxa(ctx context.Context, tx *sql.Tx, kind identify.HistoryKind, subject string, detail identify.Notice, id identify.TaxonID, by identify.UserID, at time.Time) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO audit (at, user_id, kind, subject, detail, taxon_id) VALUES (?, ?, ?, ?, ?, ?)`,
		micros(at), number(by), kind, subject, detail.Text(), number(id))
	return err
}

// TaxaNamed lists the taxa that have names as scientific ones or as synonyms.
func (s *Store) TaxaNamed(ctx context.Context, names []string) (map[string][]identify.NamedTaxon, error) {
	found := map[string][]identify.NamedTaxon{}
	err := s.view(ctx, func(tx *sql.Tx) error {
		find, err := tx.PrepareContext(ctx, `SELECT DISTINCT n.taxon_id, n.kind = 1 FROM taxon_names n JOIN taxa t ON t.id = n.taxon_id
			WHERE n.folded = ? AND n.kind IN (1, 3) AND n.language IS NULL AND t.accepted_id IS NULL ORDER BY n.kind, n.taxon_id`)
		if err != nil {
			return err
		}
		defer find.Close()
		for _, name := range names {
			folded := fold(name)
			if _, did := found[name]; did || folded == "" {
				continue
			}
			rows, err := find.QueryContext(ctx, folded)
			list, err := collect(rows, err, func(rows *sql.Rows) (n identify.NamedTaxon, err error) {
				return n, rows.Scan(&n.Taxon, &n.Scientific)
			})
			if err != nil {
				return err
			}
			if len(list) > 0 {
				found[name] = slices.Clip(list)
			}
		}
		return nil
	})
	return found, err
}
