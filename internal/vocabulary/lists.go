package vocabulary

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// readLists reads the four lists. A taxon in several of them is one taxon,
// with the names of all.
func (t *tree) readLists(fsys fs.FS) error {
	columns := []string{"scientific", "english", "rank", "group", "synonyms"}
	for _, list := range []string{Birds, Insects, ImageNet, Others} {
		wanted := columns
		if list == ImageNet {
			wanted = append(slices.Clone(columns), "label")
		}
		rows, err := readTable(fsys, list, wanted...)
		if err != nil {
			return err
		}
		for _, r := range rows {
			if err := t.addListed(list, r); err != nil {
				return r.errorf("%w", err)
			}
		}
	}
	return nil
}

func (t *tree) addListed(list string, r row) error {
	n, err := t.place(r.get("scientific"), Rank(r.get("rank")), r.get("group"))
	if err != nil {
		return err
	}
	n.addNames(r.get("english"), r.list("synonyms")...)
	if list != ImageNet {
		n.sources = append(n.sources, Source{list, -1})
		return nil
	}
	for _, part := range r.list("label") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		from, err1 := strconv.Atoi(first)
		to, err2 := strconv.Atoi(last)
		if err1 != nil || err2 != nil || from > to {
			return fmt.Errorf("label %q is neither a number nor a range", part)
		}
		for label := from; label <= to; label++ {
			n.sources = append(n.sources, Source{list, label})
		}
	}
	return nil
}

// place returns the node of a list's row. Species and what is below them are
// made under their genus; taxa above must be in the tree already.
func (t *tree) place(name string, rank Rank, groupKey string) (*node, error) {
	if rank.Depth() < 0 {
		return nil, fmt.Errorf("unknown rank %q", rank)
	}
	if name == "" && rank != None {
		return nil, fmt.Errorf("a %s without a scientific name", rank)
	}
	i := slices.IndexFunc(t.groups, func(g group) bool { return g.Key == groupKey })
	if i < 0 {
		return nil, fmt.Errorf("unknown group %q", groupKey)
	}
	n, err := t.placeIn(name, rank, t.groups[i].kingdoms)
	if err != nil {
		return nil, err
	}
	for a := n; a != nil && a.rank.AtMostSpecies(); a = a.parent {
		if a.group != "" && a.group != groupKey {
			return nil, fmt.Errorf("%v is in the groups %q and %q", a.key, a.group, groupKey)
		}
		a.group = groupKey
	}
	if n.group == "" {
		n.group = groupKey
	}
	return n, nil
}

func (t *tree) placeIn(name string, rank Rank, kingdoms []string) (*node, error) {
	if rank == None {
		return t.add(key{name, None, ""}, nil)
	}
	if !rank.AtMostSpecies() {
		for _, kingdom := range kingdoms {
			if n := t.byKey[key{name, rank, kingdom}]; n != nil {
				return n, nil
			}
		}
		return nil, fmt.Errorf("no lineage for %s %q", rank, name)
	}
	parentName, parentRank := parentOf(name, rank)
	parent, err := t.placeIn(parentName, parentRank, kingdoms)
	if err != nil {
		return nil, err
	}
	return t.add(key{name, rank, parent.kingdom}, parent)
}

// parentOf derives a taxon's parent from its own name: the genus for a species
// or a hybrid of two, the species for anything below.
func parentOf(name string, rank Rank) (string, Rank) {
	words := strings.Fields(name)
	if rank == Species || rank == Hybrid || len(words) < 3 {
		return words[0], Genus
	}
	if words[1] == "×" {
		return strings.Join(words[:3], " "), Species
	}
	return strings.Join(words[:2], " "), Species
}

// readLabels reads which taxa the labels of the bird and insect teachers mean.
func (t *tree) readLabels(fsys fs.FS) error {
	rows, err := readTable(fsys, "labels", "list", "label", "scientific", "rank")
	if err != nil {
		return err
	}
	for _, r := range rows {
		n, err := t.find(r.get("scientific"), Rank(r.get("rank")))
		if err != nil {
			return r.errorf("%w", err)
		}
		list := r.get("list")
		label, err := strconv.Atoi(r.get("label"))
		if err != nil {
			return r.errorf("label: %w", err)
		}
		n.sources = slices.DeleteFunc(n.sources, func(s Source) bool { return s == Source{list, -1} })
		n.sources = append(n.sources, Source{list, label})
	}
	return nil
}
