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

// alike lists the taxa one of whose names can be made of name by changing, leaving
// out, adding or exchanging with the next at most a fifth of its letters, the
// nearest first.
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
		if t.Accepted != 0 {
			continue // what it is a synonym of has its names
		}
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

// distance is the optimal string alignment distance between a and b (Levenshtein's,
// with two neighbours that change places as one step), or most+1 where it is more
// than most.
func distance(a, b []rune, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	// The last row of the table but one, the last, and the present one.
	former, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i, x := range a {
		row[0] = i + 1
		least := row[0]
		for j, y := range b {
			changed := last[j]
			if x != y {
				changed++
			}
			row[j+1] = min(changed, row[j]+1, last[j+1]+1)
			if i > 0 && j > 0 && x == b[j-1] && a[i-1] == y {
				row[j+1] = min(row[j+1], former[j-1]+1)
			}
			least = min(least, row[j+1])
		}
		// Only an exchange reaches back by two rows, and it costs one.
		if least > most+1 {
			return most + 1
		}
		former, last, row = last, row, former
	}
	return min(last[len(b)], most+1)
}
