package vocabulary

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// A key tells taxa apart. The kingdom is needed because zoology and botany
// have separate codes of names: Morus is both the gannets and the mulberries.
type key struct {
	name    string
	rank    Rank
	kingdom string
}

func (k key) String() string {
	return fmt.Sprintf("%s %q (%s)", k.rank, k.name, k.kingdom)
}

// A node is a taxon under construction.
type node struct {
	key
	id       int64
	parent   *node
	english  string
	german   string
	group    string
	synonyms []string
	sources  []Source
}

// A group is a Group with the kingdoms in which its genera are looked up.
type group struct {
	Group
	kingdoms []string
}

type tree struct {
	nodes    []*node // in the order of their making; parents may come after children
	byKey    map[key]*node
	byName   map[string][]*node
	groups   []group
	kingdoms map[string]string // of each phylum
}

// readTree builds the tree from the tables: first the lineages of the genera,
// then the clades beside and between them, then the rows of the lists.
func readTree(fsys fs.FS) (*tree, error) {
	t := &tree{byKey: make(map[key]*node), byName: make(map[string][]*node), kingdoms: make(map[string]string)}
	for _, step := range []func(fs.FS) error{
		t.readGroups, t.readPhyla, t.readGenera, t.readClades, t.readLists, t.readLabels, t.readHigher, t.readGerman,
	} {
		if err := step(fsys); err != nil {
			return nil, err
		}
	}
	t.spreadGroups()
	return t, nil
}

// add returns the node with the given key, making it if there is none. A node
// that exists must have the same parent, or one between it and parent.
func (t *tree) add(k key, parent *node) (*node, error) {
	if n := t.byKey[k]; n != nil {
		if n.parent != parent && !n.within(parent) {
			return nil, fmt.Errorf("%v is in %v, not in %v", k, n.parent.key, parent.key)
		}
		return n, nil
	}
	if parent != nil && parent.rank.Depth() >= k.rank.Depth() {
		return nil, fmt.Errorf("%v cannot be in %v", k, parent.key)
	}
	n := &node{key: k, parent: parent}
	t.byKey[k] = n
	t.byName[k.name] = append(t.byName[k.name], n)
	t.nodes = append(t.nodes, n)
	return n, nil
}

// within reports whether ancestor is above n.
func (n *node) within(ancestor *node) bool {
	for p := n.parent; p != nil; p = p.parent {
		if p == ancestor {
			return true
		}
	}
	return false
}

// find returns the only node with the given name and one of the given ranks
// (any, if none is given).
func (t *tree) find(name string, ranks ...Rank) (*node, error) {
	found := slices.DeleteFunc(slices.Clone(t.byName[name]), func(n *node) bool {
		return len(ranks) > 0 && !slices.Contains(ranks, n.rank)
	})
	if len(found) != 1 {
		return nil, fmt.Errorf("%d taxa are called %q, want 1", len(found), name)
	}
	return found[0], nil
}

// addNames gives the node another English name, synonyms or both.
// The first English name stays, later ones become synonyms.
func (n *node) addNames(english string, synonyms ...string) {
	if n.english == "" {
		n.english = english
	} else {
		synonyms = append(synonyms, english)
	}
	for _, s := range synonyms {
		known := func(name string) bool { return strings.EqualFold(name, s) }
		if s != "" && !known(n.english) && !known(n.key.name) && !slices.ContainsFunc(n.synonyms, known) {
			n.synonyms = append(n.synonyms, s)
		}
	}
}

// spreadGroups gives every ancestor the group of its descendants, if they are
// all of one.
func (t *tree) spreadGroups() {
	const several = "\x00"
	seen := make(map[*node]string)
	for _, n := range t.nodes {
		if n.group == "" {
			continue
		}
		for p := n.parent; p != nil; p = p.parent {
			if g, ok := seen[p]; ok && g != n.group {
				seen[p] = several
			} else {
				seen[p] = n.group
			}
		}
	}
	for n, g := range seen {
		if n.group == "" && g != several {
			n.group = g
		}
	}
}

func (n *node) taxon() Taxon {
	t := Taxon{
		ID: n.id, ScientificName: n.name, EnglishName: n.english, GermanName: n.german, Rank: n.rank, Group: n.group,
		Synonyms: slices.Sorted(slices.Values(n.synonyms)), Sources: n.sources,
	}
	if n.parent != nil {
		t.ParentID = n.parent.id
	}
	return t
}
