package identify

// labelled are the labels of a memory by the taxa that they read as: several of one taxon
// while a merge of names is under way, whose lessons are given the accepted taxon one by
// one. Then they count together, so that nobody sees half of a merge.
type labelled struct {
	memory *memory
	others map[TaxonID][]int32 // labels of synonyms that exemplars still carry
}

// labelled groups the labels of a memory.
func (e *engine) labelled(m *memory) labelled {
	l := labelled{memory: m}
	for label, id := range m.taught {
		into := e.taxonomy.accepted(id)
		if into == id || m.tree.Count(int32(label)) == 0 {
			continue
		}
		if l.others == nil {
			l.others = map[TaxonID][]int32{}
		}
		l.others[into] = append(l.others[into], int32(label))
	}
	return l
}

// of lists the labels of a taxon: its own, if it was ever taught, first.
func (l labelled) of(id TaxonID) []int32 {
	if own, taught := l.memory.labels[id]; taught {
		return append([]int32{own}, l.others[id]...)
	}
	return l.others[id]
}

// exemplars counts the standing exemplars of a taxon.
func (l labelled) exemplars(id TaxonID) int {
	n := 0
	for _, label := range l.of(id) {
		n += l.memory.tree.Count(label)
	}
	return n
}
