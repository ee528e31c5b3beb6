package store

import (
	"context"
	"database/sql"
	"errors"

	"fieldmark/internal/identify"
)

// The kinds of names, in the order in which they take precedence.
const (
	scientificName = 1
	englishName    = 2
	synonym        = 3 // or, with a language, what it is called in that
)

const taxonColumns = `t.id, t.scientific_name, t.english_name, t.rank, t.group_key, coalesce(t.parent_id, 0), t.local, coalesce(t.accepted_id, 0), t.created_at`

// Taxa returns the whole tree, by id.
func (s *Store) Taxa(ctx context.Context) ([]identify.Taxon, error) {
	var list []identify.Taxon
	err := s.view(ctx, func(tx *sql.Tx) error {
		synonyms, err := synonymsOfAll(ctx, tx)
		if err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, `SELECT `+taxonColumns+` FROM taxa t ORDER BY t.id`)
		list, err = collect(rows, err, scanTaxon)
		for i := range list {
			list[i].Synonyms = synonyms[list[i].ID]
		}
		return err
	})
	return list, err
}

// Taxon returns one taxon; KindOf NotFound if there is none.
func (s *Store) Taxon(ctx context.Context, id identify.TaxonID) (identify.Taxon, error) {
	var t identify.Taxon
	err := s.view(ctx, func(tx *sql.Tx) (err error) {
		t, err = taxon(ctx, tx, id)
		return err
	})
	return t, err
}

// TaxonByName finds a taxon by any of its names, folded. Where several have it,
// a taxon of the vocabulary goes before a local one, a scientific name before
// an English one and that before a synonym, a species before other ranks. A taxon
// that is a synonym is not found: what it is a synonym of has its names.
func (s *Store) TaxonByName(ctx context.Context, name string) (identify.Taxon, error) {
	var t identify.Taxon
	err := s.view(ctx, func(tx *sql.Tx) (err error) {
		t, err = taxonByName(ctx, tx, name)
		return err
	})
	return t, err
}

func taxonByName(ctx context.Context, tx *sql.Tx, name string) (identify.Taxon, error) {
	var id identify.TaxonID
	err := tx.QueryRowContext(ctx, `
		SELECT t.id FROM taxon_names n JOIN taxa t ON t.id = n.taxon_id
		WHERE n.folded = ? AND n.folded <> '' AND t.accepted_id IS NULL
		ORDER BY t.local, n.kind, t.rank <> 'species', t.id LIMIT 1`, fold(name)).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return identify.Taxon{}, identify.Errorf(identify.NotFound, "", "No taxon has the name %q.", brief(name))
	} else if err != nil {
		return identify.Taxon{}, err
	}
	return taxon(ctx, tx, id)
}

func taxon(ctx context.Context, tx *sql.Tx, id identify.TaxonID) (identify.Taxon, error) {
	rows, err := tx.QueryContext(ctx, `SELECT `+taxonColumns+` FROM taxa t WHERE t.id = ?`, id)
	list, err := collect(rows, err, scanTaxon)
	if err != nil {
		return identify.Taxon{}, err
	}
	if len(list) == 0 {
		return identify.Taxon{}, identify.Errorf(identify.NotFound, "", "There is no taxon with the id %d.", id)
	}
	t := list[0]
	t.Synonyms, err = synonymsOf(ctx, tx, id)
	return t, err
}

func scanTaxon(rows *sql.Rows) (identify.Taxon, error) {
	var t identify.Taxon
	var created int64
	err := rows.Scan(&t.ID, &t.ScientificName, &t.EnglishName, &t.Rank, &t.Group, &t.Parent, &t.Local, &t.Accepted, &created)
	t.CreatedAt = instant(created)
	return t, err
}

func synonymsOf(ctx context.Context, tx *sql.Tx, id identify.TaxonID) ([]string, error) {
	rows, err := tx.QueryContext(ctx, `SELECT name FROM taxon_names WHERE taxon_id = ? AND kind = ? AND language IS NULL ORDER BY id`, id, synonym)
	return collect(rows, err, func(rows *sql.Rows) (name string, err error) {
		err = rows.Scan(&name)
		return name, err
	})
}

func synonymsOfAll(ctx context.Context, tx *sql.Tx) (map[identify.TaxonID][]string, error) {
	of := map[identify.TaxonID][]string{}
	rows, err := tx.QueryContext(ctx, `SELECT taxon_id, name FROM taxon_names WHERE kind = ? AND language IS NULL ORDER BY id`, synonym)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id identify.TaxonID
		var name string
		if err := rows.Scan(&id, &name); err != nil {
			return nil, err
		}
		of[id] = append(of[id], name)
	}
	return of, rows.Err()
}

// brief cuts a name that goes into a message.
func brief(name string) string {
	if r := []rune(name); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return name
}
