package identify

import (
	"context"
	"slices"
	"strings"
)

// checklistPlanner brings the rows of a checklist into a tree, finds its taxa among
// those that are here, and tells what it leaves out.
type checklistPlanner struct {
	shared   *shared
	name     string
	rows     []ChecklistRow
	nodes    []checklistNode
	byKey    map[string]int // accepted rows' nodes
	byName   map[string]int // by rank and name
	problems []ChecklistProblem
	merged   int // rows that are synonyms
}

// checklistNode is an accepted taxon of a checklist.
type checklistNode struct {
	ChecklistRow
	parent int // node, -1 none
	above  bool
	out    bool // left out
	known  TaxonID
}

func newChecklistPlanner(s *shared, c Checklist) *checklistPlanner {
	return &checklistPlanner{shared: s, name: c.Name, rows: c.Rows, byKey: map[string]int{}, byName: map[string]int{}}
}

func (p *checklistPlanner) problem(row ChecklistRow, why error) {
	p.problems = append(p.problems, ChecklistProblem{row.Line, shortened(row.Name), why})
}

func (r *ChecklistRow) synonym() bool { return r.AcceptedKey != "" && r.AcceptedKey != r.Key }

func nameKey(rank Rank, name string) string { return string(rank) + "\x00" + strings.ToLower(name) }

// accepted makes a node of each row that is no synonym. Two rows of one name and
// rank are one taxon.
func (p *checklistPlanner) accepted() {
	for i := range p.rows {
		row := &p.rows[i]
		if row.Problem == nil {
			row.tidy()
		}
		switch {
		case row.Problem != nil:
			p.problem(*row, row.Problem)
			continue
		case row.synonym():
			continue
		}
		if first, twice := p.byKey[row.Key]; twice && row.Key != "" {
			row.Problem = Errorf(Invalid, "row", "its id %s is that of line %d already", shortened(row.Key), p.nodes[first].Line)
			p.problem(*row, row.Problem)
			continue
		}
		at, twice := p.byName[nameKey(row.Rank, row.Name)]
		if twice {
			p.nodes[at].take(*row)
		} else {
			at = p.add(*row)
		}
		if row.Key != "" {
			p.byKey[row.Key] = at
		}
	}
}

func (p *checklistPlanner) add(row ChecklistRow) int {
	at := len(p.nodes)
	p.nodes = append(p.nodes, checklistNode{ChecklistRow: row, parent: -1})
	p.byName[nameKey(row.Rank, row.Name)] = at
	return at
}

// take adds the names of another row of the same taxon.
func (n *checklistNode) take(row ChecklistRow) {
	if n.English == "" {
		n.English = row.English
	}
	n.Synonyms, n.Vernacular = append(n.Synonyms, row.Synonyms...), append(n.Vernacular, row.Vernacular...)
}

// tidy checks the names of a row.
func (r *ChecklistRow) tidy() {
	check := func(name string) string {
		clean, err := cleanName("name", name)
		if err != nil && r.Problem == nil {
			r.Problem = err
		}
		return clean
	}
	r.Name = check(r.Name)
	if r.English != "" {
		r.English = check(r.English)
	}
	for i := range r.Synonyms {
		r.Synonyms[i] = check(r.Synonyms[i])
	}
	for i := range r.Higher {
		r.Higher[i].Name = check(r.Higher[i].Name)
	}
	var err error
	if r.Vernacular, err = cleanVernacular(r.Vernacular); err != nil && r.Problem == nil {
		r.Problem = err
	}
	if len(r.Synonyms)+len(r.Vernacular) > maxNames && r.Problem == nil {
		r.Problem = Errorf(Invalid, "row", "it has more than %d names", maxNames)
	}
}

// synonyms gives the names of synonyms to what they are synonyms of, be it by way of
// others.
func (p *checklistPlanner) synonyms() {
	next := map[string]string{}
	for _, r := range p.rows {
		if r.Problem == nil && r.synonym() && r.Key != "" {
			next[r.Key] = r.AcceptedKey
		}
	}
	for _, r := range p.rows {
		if r.Problem != nil || !r.synonym() {
			continue
		}
		to := r.AcceptedKey
		for n := 0; next[to] != "" && n <= maxDepth; n++ {
			to = next[to]
		}
		at, there := p.byKey[to]
		switch {
		case next[to] != "":
			p.problem(r, Errorf(Invalid, "row", "it is a synonym of what is a synonym of it, in a circle"))
		case !there:
			p.problem(r, Errorf(Invalid, "row", "it is a synonym of %s, which the checklist does not have", shortened(to)))
		default:
			p.merged++
			n := &p.nodes[at]
			n.Synonyms = append(append(n.Synonyms, r.Name), r.Synonyms...)
			n.Vernacular = append(n.Vernacular, r.Vernacular...)
		}
	}
}

// parents puts each node below the one above it: the row of that id, else the lowest
// of the higher taxa that the row names, which is made if no row has it.
func (p *checklistPlanner) parents() {
	for i := range len(p.nodes) { // those that are appended meanwhile have their places
		n := &p.nodes[i]
		if n.ParentKey != "" && n.ParentKey != n.Key {
			at, there := p.byKey[n.ParentKey]
			if !there {
				p.leaveOut(i, Errorf(Invalid, "row", "the taxon above it, %s, is not in the checklist", shortened(n.ParentKey)))
				continue
			}
			n.parent = at
			continue
		}
		p.higher(i)
	}
	for i := range p.nodes {
		if above := p.nodes[i].parent; above >= 0 {
			p.nodes[above].above = true
		}
	}
}

// higher makes a chain of a row's higher taxa.
func (p *checklistPlanner) higher(i int) {
	above := -1
	for _, h := range p.nodes[i].Higher {
		key := nameKey(h.Rank, h.Name)
		at, there := p.byName[key]
		if at == i && there {
			continue
		}
		if !there {
			at = p.add(ChecklistRow{Name: h.Name, Rank: h.Rank})
		}
		if p.nodes[at].parent < 0 && p.nodes[at].Line == 0 {
			p.nodes[at].parent = above
		}
		above = at
	}
	p.nodes[i].parent = above
}

func (p *checklistPlanner) leaveOut(i int, why error) {
	if p.nodes[i].out {
		return
	}
	p.nodes[i].out = true
	p.problem(p.nodes[i].ChecklistRow, why)
}

// cycles leaves out what is above itself, and what is below something left out.
func (p *checklistPlanner) cycles() {
	const unseen, onPath, good = 0, 1, 2
	state := make([]byte, len(p.nodes))
	for i := range p.nodes {
		var path []int
		at := i
		for at >= 0 && state[at] == unseen {
			state[at], path = onPath, append(path, at)
			at = p.nodes[at].parent
		}
		if at >= 0 && state[at] == onPath {
			for _, n := range path[slices.Index(path, at):] {
				p.leaveOut(n, Errorf(Invalid, "row", "it is above itself: the taxa above it lead back to it"))
			}
		}
		for _, n := range slices.Backward(path) {
			state[n] = good
			if above := p.nodes[n].parent; above >= 0 && p.nodes[above].out {
				p.leaveOut(n, Errorf(Invalid, "row", "what is above it, %s, is left out", shortened(p.nodes[above].Name)))
			}
		}
	}
}

// match finds the nodes among the taxa that are here.
func (p *checklistPlanner) match(ctx context.Context) error {
	names := make([]string, 0, len(p.nodes))
	for i := range p.nodes {
		names = append(names, p.nodes[i].Name)
	}
	found, err := p.shared.Store.TaxaNamed(ctx, names)
	if err != nil {
		return err
	}
	for i := range p.nodes {
		if n := &p.nodes[i]; !n.out {
			if err := p.matchOne(ctx, i, found[n.Name]); err != nil {
				return err
			}
		}
	}
	return nil
}

// shortened is a name that goes into a message.
func shortened(name string) string {
	if r := []rune(name); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return name
}
