package identify

import (
	"maps"
	"slices"
	"sync"
)

// taxonomy is the tree of life as it is known here, in memory: looked up for
// every candidate of every answer. It only grows.
type taxonomy struct {
	mu   sync.RWMutex
	byID map[TaxonID]Taxon
}

func newTaxonomy(list []Taxon) *taxonomy {
	t := &taxonomy{byID: make(map[TaxonID]Taxon, len(list))}
	for _, x := range list {
		t.add(x)
	}
	return t
}

// add puts a taxon in, or replaces what is known of it.
func (t *taxonomy) add(x Taxon) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.byID[x.ID] = x
}

// all lists every taxon, in no order.
func (t *taxonomy) all() []Taxon {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return slices.Collect(maps.Values(t.byID))
}

// newest is the highest number of a taxon, 0 if there is none.
func (t *taxonomy) newest() TaxonID {
	t.mu.RLock()
	defer t.mu.RUnlock()
	var newest TaxonID
	for id := range t.byID {
		newest = max(newest, id)
	}
	return newest
}

func (t *taxonomy) taxon(id TaxonID) (Taxon, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	x, ok := t.byID[id]
	return x, ok
}

// accepted is a taxon, or what it is a synonym of.
func (t *taxonomy) accepted(id TaxonID) TaxonID {
	if x, _ := t.taxon(id); x.Accepted != 0 {
		return x.Accepted
	}
	return id
}

// ancestors returns the taxa above id, nearest first.
func (t *taxonomy) ancestors(id TaxonID) []Taxon {
	t.mu.RLock()
	defer t.mu.RUnlock()
	var up []Taxon
	for x := t.byID[id]; x.Parent != 0 && len(up) < maxDepth; {
		parent, ok := t.byID[x.Parent]
		if !ok {
			break
		}
		up, x = append(up, parent), parent
	}
	return up
}

// maxDepth bounds a walk to the root, so that a cycle in the data cannot hang it.
const maxDepth = 40
