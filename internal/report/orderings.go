package report

import (
	"cmp"
	"slices"
)

// orderings are what the paper reports, looked up here: how often each holds, and
// where it does not.
func (c composer) orderings() (Section, bool) {
	if len(c.claims) == 0 {
		return Section{}, false
	}
	sum := Table{ID: "orderings", Title: "How often each holds", Columns: []Column{{Name: "What"}, {Name: "Looked up", Numeric: true}, {Name: "Holds", Numeric: true}}}
	broken := Table{ID: "orderings-broken", Title: "Where it does not", Columns: []Column{
		{Name: "What"}, {Name: "Where"}, {Name: "Has", Numeric: true}, {Name: "Against", Numeric: true}, {Name: "Lacks", Numeric: true}, {Name: "Photos", Numeric: true},
	}, Note: "Lacks: the points by which it is missed, after what is allowed. Nothing is allowed for chance: a difference of a few photos in the number asked means little."}
	type tally struct{ all, holds int }
	var order []string
	of := map[string]*tally{}
	for _, k := range c.claims {
		if of[k.Text] == nil {
			order, of[k.Text] = append(order, k.Text), &tally{}
		}
		of[k.Text].all++
		if k.Holds {
			of[k.Text].holds++
			continue
		}
		lacks := k.Right - k.Slack - k.Left
		broken.Rows = append(broken.Rows, []Cell{words(k.Text), words(k.Where), percent(k.Left, 0), percent(k.Right, 0), percent(lacks, 0), count(k.Asked)})
	}
	for _, text := range order {
		sum.Rows = append(sum.Rows, []Cell{words(text), count(of[text].all), count(of[text].holds)})
	}
	slices.SortStableFunc(broken.Rows, func(a, b []Cell) int { return cmp.Compare(b[4].Value, a[4].Value) })
	broken.fold(func(i int) bool { return i < manyRows })
	s := Section{ID: "orderings", Title: "Does it hold?", Tables: []Table{sum},
		Text: []string{"What the paper reports, and what is asked of the rule near (METHOD.md, section 7), at the last stage of every protocol but the log, for every system and rule."}}
	if len(broken.Rows) > 0 {
		s.Tables = append(s.Tables, broken)
	}
	return s, true
}
