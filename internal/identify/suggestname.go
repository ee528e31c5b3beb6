package identify

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

const (
	// suggestedFor is for how many new names of a plan others are looked for, and
	// suggestedNames how many are given for each.
	suggestedFor   = 50
	suggestedNames = 3
)

// suggest looks for taxa whose names are spelled much like the new ones: most such
// names are slips of the keyboard.
func (p *ImportPlan) suggest(ctx context.Context, st Store) error {
	var taxa []Taxon
	looked := 0
	for i := range p.Labels {
		l := &p.Labels[i]
		if l.Taxon.ID != 0 || looked == suggestedFor {
			continue
		}
		if looked++; taxa == nil {
			var err error
			if taxa, err = st.Taxa(ctx); err != nil {
				return err
			}
		}
		l.Near = alike(taxa, l.Label)
	}
	return ctx.Err()
}

// alike lists the taxa one of whose names can be made of name by changing,
// leaving out or adding at most a fifth of its letters, the nearest first.
func alike(taxa []Taxon, name string) []Taxon {
	type match struct {
		taxon    Taxon
		distance int
	}
	letters := []rune(strings.ToLower(name))
	most := len(letters) / 5
	if most == 0 {
		return nil
	}
	var found []match
	for _, t := range taxa {
		best := most + 1
		for _, n := range append([]string{t.ScientificName, t.EnglishName}, t.Synonyms...) {
			best = min(best, distance(letters, []rune(strings.ToLower(n)), most))
		}
		if best <= most {
			found = append(found, match{t, best})
		}
	}
	slices.SortStableFunc(found, func(a, b match) int { return cmp.Compare(a.distance, b.distance) })
	var list []Taxon
	for _, m := range found[:min(suggestedNames, len(found))] {
		list = append(list, m.taxon)
	}
	return list
}

// distance is Levenshtein's distance between a and b, or most+1 where it is more
// than most.
func distance(a, b []rune, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal, least := row[0], i+1
		row[0] = i + 1
		for j, y := range b {
			replaced := diagonal
			if x != y {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
			least = min(least, row[j+1])
		}
		if least > most {
			return most + 1
		}
	}
	return min(row[len(b)], most+1)
}
