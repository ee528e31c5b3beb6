package identify

// changes is what is to be stored of a plan.
func (p *ChecklistPlan) changes(choice ChecklistChoice) (ChecklistChanges, TakenChecklist) {
	c := ChecklistChanges{Name: p.Name, Set: choice.Set, LeftOut: len(p.Problems), Newest: p.newest, Taxa: make([]ChecklistChange, 0, len(p.Taxa))}
	var done TakenChecklist
	for _, t := range p.Taxa {
		x := ChecklistChange{Taxon: t.Taxon, Parent: -1, Member: t.Listed}
		switch {
		case t.State == ChecklistNew:
			x.Write, x.Parent = true, t.Parent
			done.New++
		case t.State == ChecklistChanged && choice.Changes:
			x.Taxon, x.Before, x.Write = t.Changed, &t.Taxon, true
			if t.Moves {
				x.Parent = t.Parent
			}
			done.Changed++
		}
		c.Taxa = append(c.Taxa, x)
	}
	return c, done
}

// ChecklistNotice says what came of a checklist, for the audit trail: how many of its taxa
// are new, were changed and stay as they were, and how many rows were left out.
func ChecklistNotice(added, changed, same, leftOut int) Notice {
	return Noticef("%d new, %d changed, %d as they were, %s left out", added, changed, same, Noticef("%d rows", leftOut))
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
