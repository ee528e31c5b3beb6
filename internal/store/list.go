package store

import (
	"context"
	"database/sql"
	"strings"

	"fieldmark/internal/identify"
)

// defaultLimit is how many observations a page has unless the filter says.
const defaultLimit = 50

// Observations lists the observations that match, newest first, at most
// f.Limit; more says that older ones match.
func (s *Store) Observations(ctx context.Context, f identify.ObservationFilter) (list []identify.Observation, more bool, err error) {
	if f.Limit <= 0 {
		f.Limit = defaultLimit
	}
	clause, args := where(f)
	err = s.view(ctx, func(tx *sql.Tx) (err error) {
		// The page is chosen before anything is joined to it.
		list, err = observations(ctx, tx, `WHERE o.id IN (SELECT o.id FROM observations o `+clause+` ORDER BY o.id DESC LIMIT ?)
			ORDER BY o.id DESC`, append(args, f.Limit+1)...)
		return err
	})
	if len(list) > f.Limit {
		list, more = list[:f.Limit], true
	}
	return list, more, err
}

// where turns a filter into a clause over observations o.
func where(f identify.ObservationFilter) (string, []any) {
	var conditions []string
	var args []any
	add := func(condition string, values ...any) {
		conditions, args = append(conditions, condition), append(args, values...)
	}
	if f.Before > 0 {
		add(`o.id < ?`, f.Before)
	}
	if f.Taxon != 0 {
		add(`o.current_taxon_id IN (
			WITH RECURSIVE below (id) AS (VALUES (?) UNION SELECT t.id FROM taxa t JOIN below ON t.parent_id = below.id)
			SELECT id FROM below)`, f.Taxon)
	}
	switch f.Status {
	case "identified":
		add(`o.current_taxon_id IS NOT NULL`)
	case "unidentified":
		add(`o.current_taxon_id IS NULL`)
	}
	if f.Disputed {
		add(`o.disputed = 1`)
	}
	if f.Observer != 0 {
		add(`o.observer_id = ?`, f.Observer)
	}
	if f.Import != 0 {
		add(`o.import_id = ?`, f.Import)
	}
	if f.Photo != "" {
		add(`o.photo_hash = ?`, f.Photo)
	}
	if f.From != nil {
		add(`o.observed_at >= ?`, micros(*f.From))
	}
	if f.To != nil {
		add(`o.observed_at < ?`, micros(*f.To))
	}
	if q := fold(f.Query); q != "" {
		// What an observation is called: its identification, or else what was
		// suggested first, which may be free text.
		add(`(coalesce(o.current_taxon_id, o.suggested_taxon_id) IN (SELECT n.taxon_id FROM taxon_names n WHERE instr(n.folded, ?) > 0)
			OR (o.current_taxon_id IS NULL AND instr(o.folded_suggestion, ?) > 0)
			OR instr(o.folded_notes, ?) > 0)`, q, q, q)
	}
	if len(conditions) == 0 {
		return "", nil
	}
	return `WHERE ` + strings.Join(conditions, ` AND `), args
}
