package identify

// changes is what is to be stored of a plan.
func (p *ChecklistPlan) changes(choice ChecklistChoice) (ChecklistChanges, TakenChecklist) {
	c := ChecklistChanges{Name: p.Name, Set: choice.Set, Taxa: make([]ChecklistChange, 0, len(p.Taxa))}
	var done TakenChecklist
	for _, t := range p.Taxa {
		x := ChecklistChange{Taxon: t.Taxon, Parent: -1, Member: t.Listed}
		switch {
		case t.State == ChecklistNew:
			x.Write, x.Parent = true, t.Parent
			done.New++
		case t.State == ChecklistChanged && choice.Changes:
			x.Taxon, x.Write = t.Changed, true
			if t.Moves {
				x.Parent = t.Parent
			}
			done.Changed++
		}
		c.Taxa = append(c.Taxa, x)
	}
	c.What = Noticef("%d new, %d changed, %d as they were, %d rows left out", done.New, done.Changed, len(p.Taxa)-done.New-done.Changed, len(p.Problems))
	return c, done
}

// members are the numbers of the taxa that a label set of the checklist would have.
func (c *ChecklistChanges) members() []int {
	var list []int
	for i, t := range c.Taxa {
		if t.Member {
			list = append(list, i)
		}
	}
	return list
}
