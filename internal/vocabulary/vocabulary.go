// Package vocabulary holds the taxa that Fieldmark starts with: birds and
// insects, the organisms of the ImageNet list, several hundred other plants,
// fungi and animals that people photograph, and "not an organism". Each stands
// in one tree of genus, family, order, class, phylum and kingdom, so that an
// answer can fall back to a common ancestor.
//
// The tree is built from tab-separated tables in data/, which are embedded;
// data/README.md says what each of them holds and how to add to them.
package vocabulary

import (
	"cmp"
	"fmt"
	"slices"
)

// MaxID is the greatest id a built-in taxon may have. Taxa that people create
// themselves are numbered above it.
const MaxID = 999_999

// The lists that taxa come from, as in Source.List.
const (
	Birds    = "birds"
	Insects  = "insects"
	ImageNet = "imagenet"
	Others   = "others"
)

// A Taxon is one node of the tree. At least one of its two names is given:
// many insects have no English name, and what is not an organism has no
// scientific one.
type Taxon struct {
	ID             int64 // stable for ever; 1 to MaxID
	ParentID       int64 // 0 for the kingdoms and for what is not an organism
	ScientificName string
	EnglishName    string // plural above the rank of species
	GermanName     string // likewise
	Rank           Rank
	Group          string   // key of a Group; empty where its descendants are of several
	Synonyms       []string // other names of either kind, sorted
	Sources        []Source // why it is in the vocabulary; empty if only as an ancestor
}

// A Source is a list that names a taxon.
type Source struct {
	List  string
	Label int // index in a teacher's list of labels, -1 if the list has none for it
}

// A Group is a set of taxa under a name from daily life, such as "Moths".
type Group struct {
	Key  string
	Name string
}

// Name is the taxon's English name or, if it has none, the scientific one.
func (t Taxon) Name() string {
	return cmp.Or(t.EnglishName, t.ScientificName)
}

// Listed reports whether a list names the taxon itself. The others are there
// as ancestors only.
func (t Taxon) Listed() bool {
	return len(t.Sources) > 0
}

// Load returns the vocabulary, parents before their children, and the groups
// in the order in which they are to be shown. The result is a fresh copy.
func Load() ([]Taxon, []Group, error) {
	t, err := readTree(embedded)
	if err != nil {
		return nil, nil, fmt.Errorf("built-in vocabulary: %w", err)
	}
	ids, err := readIDs(embedded)
	if err != nil {
		return nil, nil, fmt.Errorf("built-in vocabulary: %w", err)
	}
	if missing := ids.assign(t.nodes); len(missing) > 0 {
		return nil, nil, fmt.Errorf("built-in vocabulary: %d taxa have no id in data/ids.tsv, the first is %v", len(missing), missing[0].key)
	}
	slices.SortFunc(t.nodes, func(a, b *node) int {
		return cmp.Or(cmp.Compare(a.rank.Depth(), b.rank.Depth()), cmp.Compare(a.id, b.id))
	})
	taxa := make([]Taxon, 0, len(t.nodes))
	for _, n := range t.nodes {
		taxa = append(taxa, n.taxon())
	}
	groups := make([]Group, 0, len(t.groups))
	for _, g := range t.groups {
		groups = append(groups, g.Group)
	}
	return taxa, groups, nil
}
