package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"fieldmark/internal/identify"
)

// maxWords is how many words of a query are looked at.
const maxWords = 12

// SearchTaxa finds taxa that have a name in which every word of the query is
// the beginning of a word, or in which the query's letters follow one another from
// the beginning of a word ("kohl meise", "roteiche"), at most limit. Best first: the
// name itself; a name that ends with the query's words ("American Robin" for "robin");
// one that has them elsewhere; one that begins with the query; the others. Among equals
// species come before genera and those before families, the very letters that were
// typed before their like ("Boea" before "Boa"), and the shorter name before the
// longer. A plural finds the singular, gray finds grey, and an umlaut is found however
// it is typed (spelled). Each taxon comes once, with the best of its names.
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
		return nameAll(ctx, tx, found, func(m *identify.TaxonMatch) *identify.Taxon { return &m.Taxon })
	})
	return found, err
}

// searchQuery builds the statement. The longest word, likely the rarest, is
// looked up in the index of words; the others are checked for each name found. What is
// found by all of them run together needs no check.
func searchQuery(folded string, list []string, limit int) (string, []any) {
	longest := 0
	others := make([]string, len(list)) // other spellings of the same words
	for i, w := range list {
		list[i], others[i] = spelled(w), spelled(otherSpelling(w))
		if len(list[i]) > len(list[longest]) {
			longest = i
		}
	}
	together := strings.Join(wordList(spelled(folded)), "")
	args := []any{folded, after(folded), spaced(list), spaced(others), list[longest], after(list[longest]), others[longest],
		len(list[longest]), together, after(together), len(together), limit}
	// Words that the index has run together are for who goes on after the first of them.
	found := `SELECT word, first, name_id, FALSE AS whole FROM taxon_words WHERE (word >= ?5 AND word < ?6 OR word = ?7) AND first < ?8`
	check, forms := `TRUE`, []string{`?3`, `?4`}
	if len(list) > 1 {
		found += ` UNION ALL SELECT word, first, name_id, TRUE FROM taxon_words WHERE word >= ?9 AND word < ?10 AND first < ?11`
		var checks []string
		for i, w := range list {
			if i != longest {
				checks = append(checks, fmt.Sprintf(`(instr(n.words, ?%d) > 0 OR instr(n.words || ' ', ?%d) > 0)`, len(args)+1, len(args)+2))
				args = append(args, " "+w, " "+others[i]+" ")
			}
		}
		check = `(w.whole OR ` + strings.Join(checks, ` AND `) + `)`
		forms = append(forms, `' ' || ?9`)
	}
	each := func(condition string) string {
		list := make([]string, len(forms))
		for i, form := range forms {
			list[i] = strings.ReplaceAll(condition, `@`, form)
		}
		return strings.Join(list, ` OR `)
	}
	// With a lone min(), SQLite takes the other columns from the row that has
	// it: the best name of each taxon.
	return `
		SELECT ` + taxonColumns + `, best.name, best.folded = ?1 FROM (
			SELECT n.taxon_id, n.name, n.folded, min(((CASE
				WHEN n.folded = ?1 OR ` + each(`n.words = @`) + ` THEN 0
				WHEN ` + each(`substr(n.words, -length(@)) = @`) + ` OR w.first > 0 AND w.word = ?9 THEN 1
				WHEN ` + each(`instr(n.words || ' ', @ || ' ') > 0`) + ` THEN 2
				WHEN n.folded >= ?1 AND n.folded < ?2 THEN 3
				ELSE 4 END * 10 + ` + rankOrder + `) * 2 + (n.folded <> ?1)) * 100000 + min(length(n.folded), 9999) * 10 + n.kind) AS score
			FROM (` + found + `) w CROSS JOIN taxon_names n ON n.id = w.name_id CROSS JOIN taxa r ON r.id = n.taxon_id
			WHERE r.accepted_id IS NULL AND ` + check + `
			GROUP BY n.taxon_id ORDER BY score, n.taxon_id LIMIT ?12
		) best JOIN taxa t ON t.id = best.taxon_id ORDER BY best.score, t.id`, args
}

// rankOrder puts what people mean by a name before what it is a part of.
const rankOrder = `CASE r.rank WHEN 'genus' THEN 1 WHEN 'family' THEN 2 WHEN 'order' THEN 3
	WHEN 'class' THEN 4 WHEN 'phylum' THEN 5 WHEN 'kingdom' THEN 6 ELSE 0 END`

// otherSpelling is the singular of an English plural, grey for gray and gray
// for grey, and any other word itself.
func otherSpelling(word string) string {
	switch {
	case word == "gray":
		return "grey"
	case word == "grey":
		return "gray"
	case len(word) < 4 || !strings.HasSuffix(word, "s"):
		return word
	}
	for _, ending := range []string{"xes", "ches", "shes", "sses"} {
		if stem, ok := strings.CutSuffix(word, "es"); ok && strings.HasSuffix(word, ending) {
			return stem
		}
	}
	if stem, ok := strings.CutSuffix(word, "ies"); ok && len(stem) > 2 {
		return stem + "y"
	}
	for _, ending := range []string{"ss", "us", "is"} {
		if strings.HasSuffix(word, ending) {
			return word
		}
	}
	return word[:len(word)-1]
}

func scanMatch(rows *sql.Rows) (identify.TaxonMatch, error) {
	var m identify.TaxonMatch
	var created int64
	err := rows.Scan(&m.ID, &m.ScientificName, &m.EnglishName, &m.Rank, &m.Group, &m.Parent, &m.Local, &m.Accepted, &created, &m.MatchedName, &m.Same)
	m.CreatedAt = instant(created)
	return m, err
}
