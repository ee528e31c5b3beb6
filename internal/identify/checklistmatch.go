package identify

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// matchOne decides which of the taxa that have its name a node is: one by its
// scientific name before one by a synonym, one of its rank before others. What is in
// another kingdom is another taxon of the same name (a homonym), which is for a
// person to sort out.
func (p *checklistPlanner) matchOne(ctx context.Context, i int, named []NamedTaxon) error {
	n := &p.nodes[i]
	var best []Taxon
	least := 4
	for _, x := range named {
		t, err := p.shared.meet(ctx, x.Taxon)
		if err != nil {
			return err
		}
		score := 0
		if !x.Scientific {
			score = 2
		}
		if n.Rank != "" && t.Rank != n.Rank && t.Rank != RankUnranked {
			score++
		}
		if score < least {
			best, least = nil, score
		}
		if score == least && !slices.ContainsFunc(best, func(b Taxon) bool { return b.ID == t.ID }) {
			best = append(best, t)
		}
	}
	// A synonym of another rank is a name that two taxa share, no more.
	if len(best) == 0 || least == 3 {
		return nil
	}
	if len(best) > 1 {
		best = p.sameKingdom(i, best)
	}
	switch {
	case len(best) > 1:
		p.leaveOut(i, Errorf(Invalid, "row", "%d taxa here have this name: %s", len(best), numbers(best)))
	case len(p.sameKingdom(i, best)) == 0:
		p.leaveOut(i, Errorf(Invalid, "row", "here this is a name in another kingdom: the taxon %d, %s", best[0].ID, best[0].Name()))
	default:
		n.known = best[0].ID
	}
	return nil
}

func numbers(list []Taxon) string {
	texts := make([]string, len(list))
	for i, t := range list {
		texts[i] = fmt.Sprintf("%s (%d)", t.Label(), t.ID)
	}
	return strings.Join(texts, ", ")
}

// sameKingdom drops the taxa whose kingdom is known to be another than a node's.
func (p *checklistPlanner) sameKingdom(i int, list []Taxon) []Taxon {
	kingdom := ""
	for at, n := i, 0; at >= 0 && n <= maxDepth; at, n = p.nodes[at].parent, n+1 {
		if p.nodes[at].Rank == "kingdom" {
			kingdom = p.nodes[at].Name
		}
	}
	return slices.DeleteFunc(slices.Clone(list), func(t Taxon) bool {
		if kingdom == "" || t.Rank == "kingdom" {
			return false
		}
		for _, up := range p.shared.taxonomy.ancestors(t.ID) {
			if up.Rank == "kingdom" {
				return !strings.EqualFold(up.ScientificName, kingdom)
			}
		}
		return false
	})
}

// plan is what came of it all. Nodes that stand above others come first, so that
// groups are handed down.
func (p *checklistPlanner) plan() ChecklistPlan {
	plan := ChecklistPlan{Name: p.name, Rows: len(p.rows), Synonyms: p.merged, Problems: p.problems}
	place := make([]int, len(p.nodes)) // in the plan, by node; -1 not yet
	for i := range place {
		place[i] = -1
	}
	taken := map[TaxonID]int{}
	for i := range p.nodes {
		var path []int
		for at := i; at >= 0 && place[at] < 0 && !p.nodes[at].out; at = p.nodes[at].parent {
			path = append(path, at)
		}
		for _, at := range slices.Backward(path) {
			n := p.nodes[at]
			if first, twice := taken[n.known]; twice && n.known != 0 {
				place[at] = first // two names of one taxon
				plan.Problems = append(plan.Problems, ChecklistProblem{n.Line, shortened(n.Name),
					Errorf(Invalid, "name", "here it is the same taxon as %s", shortened(plan.Taxa[first].Taxon.Label()))})
				continue
			}
			place[at] = len(plan.Taxa)
			taken[n.known] = place[at]
			plan.add(p.taxon(&n, &plan, place))
		}
	}
	slices.SortStableFunc(plan.Problems, func(a, b ChecklistProblem) int { return a.Line - b.Line })
	return plan
}

func (p *ChecklistPlan) add(t ChecklistTaxon) {
	switch t.State {
	case ChecklistNew:
		p.New++
	case ChecklistChanged:
		p.Changed++
	default:
		p.Known++
	}
	p.Taxa = append(p.Taxa, t)
}

// taxon is a node as it would be taken, below what is in the plan already.
func (p *checklistPlanner) taxon(n *checklistNode, plan *ChecklistPlan, place []int) ChecklistTaxon {
	x := ChecklistTaxon{Line: n.Line, State: ChecklistNew, Parent: -1, Listed: n.Line != 0 && !n.above}
	var above Taxon
	if n.parent >= 0 {
		x.Parent = place[n.parent]
		above = plan.Taxa[x.Parent].Taxon
	}
	if n.known == 0 {
		x.Taxon = Taxon{ScientificName: n.Name, EnglishName: n.English, Synonyms: distinct(n.Synonyms, n.Name, n.English), Vernacular: n.Vernacular, Rank: n.Rank, Group: above.Group, Local: true, Parent: above.ID}
		if x.Taxon.Rank == "" {
			x.Taxon.Rank = RankUnranked
		}
		return x
	}
	x.State = ChecklistKnown
	x.Taxon, _ = p.shared.taxonomy.taxon(n.known)
	if x.Changed, x.Changes = n.changed(x.Taxon, above, p.shared); len(x.Changes) > 0 {
		x.State = ChecklistChanged
	}
	x.Moves = n.moves(x.Taxon, above, p.shared)
	return x
}

// changed is a known taxon as the checklist has it, and what differs. What
// the checklist does not say stays; names are added, none is taken away.
func (n *checklistNode) changed(t, above Taxon, s *shared) (Taxon, []TaxonDifference) {
	now := t
	var changes []TaxonDifference
	note := func(in TaxonPart, before, after string) {
		changes = append(changes, TaxonDifference{in, before, after})
	}
	if n.Line == 0 {
		return now, nil // it is only named as being above others
	}
	if !strings.EqualFold(n.Name, t.ScientificName) {
		note(PartScientificName, t.ScientificName, n.Name)
		now.ScientificName = n.Name
	}
	if n.English != "" && !strings.EqualFold(n.English, t.EnglishName) {
		note(PartEnglishName, t.EnglishName, n.English)
		now.EnglishName = n.English
	}
	if n.Rank != "" && n.Rank != t.Rank {
		note(PartRank, string(t.Rank), string(n.Rank))
		now.Rank = n.Rank
	}
	if n.moves(t, above, s) {
		note(PartPlace, s.labelOf(t.Parent), above.Label())
		now.Parent = above.ID
	}
	before := append(slices.Clone(t.Synonyms), t.ScientificName, t.EnglishName)
	now.Synonyms = distinct(append(append(slices.Clone(t.Synonyms), n.Synonyms...), t.ScientificName, t.EnglishName), now.ScientificName, now.EnglishName)
	if more := distinct(now.Synonyms, before...); len(more) > 0 {
		note(PartSynonyms, "", strings.Join(more, ", "))
	}
	if more := newVernacular(n.Vernacular, t.Vernacular); len(more) > 0 {
		note(PartVernacular, "", vernacularText(more))
		now.Vernacular = append(slices.Clone(t.Vernacular), more...)
	}
	return now, changes
}

// moves reports whether a known taxon would come below one that is not above it yet;
// above has no id where it is new. A checklist that names the family alone does not
// take a species out of its genus.
func (n *checklistNode) moves(t, above Taxon, s *shared) bool {
	return n.Line != 0 && n.parent >= 0 &&
		!slices.ContainsFunc(s.taxonomy.ancestors(t.ID), func(up Taxon) bool { return up.ID == above.ID })
}

// distinct lists names once each, without some, whatever their case.
func distinct(names []string, without ...string) []string {
	has := map[string]bool{"": true}
	for _, x := range without {
		has[strings.ToLower(x)] = true
	}
	var list []string
	for _, x := range names {
		if key := strings.ToLower(x); !has[key] {
			has[key], list = true, append(list, x)
		}
	}
	return list
}
