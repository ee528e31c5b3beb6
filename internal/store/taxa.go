package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strconv"

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
		names, err := otherNames(ctx, tx, `TRUE`)
		if err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, `SELECT `+taxonColumns+` FROM taxa t ORDER BY t.id`)
		list, err = collect(rows, err, scanTaxon)
		for i := range list {
			names[list[i].ID].give(&list[i])
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
	err = nameAll(ctx, tx, list, func(t *identify.Taxon) *identify.Taxon { return t })
	return list[0], err
}

func scanTaxon(rows *sql.Rows) (identify.Taxon, error) {
	var t identify.Taxon
	var created int64
	err := rows.Scan(&t.ID, &t.ScientificName, &t.EnglishName, &t.Rank, &t.Group, &t.Parent, &t.Local, &t.Accepted, &created)
	t.CreatedAt = instant(created)
	return t, err
}

// nameSet are the names of a taxon beside its scientific and its English one.
type nameSet struct {
	synonyms   []string
	vernacular []identify.VernacularName
}

// give puts the names into their taxon.
func (n nameSet) give(t *identify.Taxon) { t.Synonyms, t.Vernacular = n.synonyms, n.vernacular }

// nameAll puts the other names of taxa into them, which taxonOf finds in the entries of
// a list: with one query, however many there are.
func nameAll[T any](ctx context.Context, tx *sql.Tx, list []T, taxonOf func(*T) *identify.Taxon) error {
	if len(list) == 0 {
		return nil
	}
	ids := make([]identify.TaxonID, len(list))
	for i := range list {
		ids[i] = taxonOf(&list[i]).ID
	}
	text, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	names, err := otherNames(ctx, tx, `taxon_id IN (SELECT value FROM json_each(?))`, string(text))
	for i := range list {
		t := taxonOf(&list[i])
		names[t.ID].give(t)
	}
	return err
}

// otherNames reads the names that a condition on taxon_names selects, by taxon: those of
// a language in the order in which they were given.
func otherNames(ctx context.Context, tx *sql.Tx, condition string, args ...any) (map[identify.TaxonID]nameSet, error) {
	of := map[identify.TaxonID]nameSet{}
	rows, err := tx.QueryContext(ctx, `SELECT taxon_id, coalesce(language, ''), name FROM taxon_names
		WHERE kind = `+strconv.Itoa(synonym)+` AND `+condition+` ORDER BY coalesce(language, ''), id`, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id identify.TaxonID
		var language, name string
		if err := rows.Scan(&id, &language, &name); err != nil {
			return nil, err
		}
		n := of[id]
		if language == "" {
			n.synonyms = append(n.synonyms, name)
		} else {
			n.vernacular = append(n.vernacular, identify.VernacularName{Language: language, Name: name})
		}
		of[id] = n
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
