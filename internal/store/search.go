package store

import (
	"context"
	"database/sql"
	"strings"

	"fieldmark/internal/identify"
)

// maxWords is how many words of a query are looked at.
const maxWords = 12

// SearchTaxa finds taxa that have a name in which every word of the query is
// the beginning of a word, at most limit. Best first: the name itself, then a
// name that begins with the query, then the others; the shorter name before
// the longer. Each taxon comes once, with the best of its names.
func (s *Store) SearchTaxa(ctx context.Context, query string, limit int) ([]identify.TaxonMatch, error) {
	folded := fold(query)
	list := words(folded)
	if len(list) == 0 || limit < 1 {
		return nil, nil
	}
	q, args := searchQuery(folded, list[:min(len(list), maxWords)], limit)
	var found []identify.TaxonMatch
	err := s.view(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, q, args...)
		if found, err = collect(rows, err, scanMatch); err != nil {
			return err
		}
		for i := range found {
			if found[i].Synonyms, err = synonymsOf(ctx, tx, found[i].ID); err != nil {
				return err
			}
		}
		return nil
	})
	return found, err
}

// searchQuery builds the statement. The longest word, likely the rarest, is
// looked up in the index of words; the others are checked for each name found.
func searchQuery(folded string, list []string, limit int) (string, []any) {
	longest := 0
	for i, w := range list {
		if len(w) > len(list[longest]) {
			longest = i
		}
	}
	args := []any{folded, after(folded), list[longest], after(list[longest])}
	var others strings.Builder
	for i, w := range list {
		if i != longest {
			others.WriteString(` AND instr(n.words, ?) > 0`)
			args = append(args, " "+w)
		}
	}
	// With a lone min(), SQLite takes the other columns from the row that has
	// it: the best name of each taxon.
	return `
		SELECT ` + taxonColumns + `, best.name FROM (
			SELECT n.taxon_id, n.name, length(n.folded) AS len, min(
				CASE WHEN n.folded = ?1 THEN 0 WHEN n.folded >= ?1 AND n.folded < ?2 THEN 1 ELSE 2 END
				* 100000 + min(length(n.folded), 9999) * 10 + n.kind) AS score
			FROM taxon_words w JOIN taxon_names n ON n.id = w.name_id
			WHERE w.word >= ?3 AND w.word < ?4` + others.String() + `
			GROUP BY n.taxon_id ORDER BY score, n.taxon_id LIMIT ?
		) best JOIN taxa t ON t.id = best.taxon_id ORDER BY best.score, t.id`, append(args, limit)
}

func scanMatch(rows *sql.Rows) (identify.TaxonMatch, error) {
	var m identify.TaxonMatch
	var created int64
	err := rows.Scan(&m.ID, &m.ScientificName, &m.EnglishName, &m.Rank, &m.Group, &m.Parent, &m.Local, &created, &m.MatchedName)
	m.CreatedAt = instant(created)
	return m, err
}
