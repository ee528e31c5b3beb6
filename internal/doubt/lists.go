package doubt

import (
	"cmp"
	"context"
	"slices"

	"fieldmark/internal/nearest"
)

// Lists are the K nearest others of exemplars, those of the same photo left out.
// They are kept from one version of a memory to the next.
type Lists struct {
	params Params
	of     map[int][]nearest.Neighbour
}

// NewLists is lists of no exemplars.
func NewLists(p Params) *Lists {
	return &Lists{params: p.withDefaults(), of: map[int][]nearest.Neighbour{}}
}

// Of is the nearest others of an exemplar, the nearest first; it must not be changed.
func (l *Lists) Of(id int) []nearest.Neighbour { return l.of[id] }

// IDs are the exemplars that have lists, ascending.
func (l *Lists) IDs() []int {
	out := make([]int, 0, len(l.of))
	for id := range l.of {
		out = append(out, id)
	}
	slices.Sort(out)
	return out
}

// freshAtMost is how many new exemplars are put into the lists of the others; with
// more, all lists are made anew.
const freshAtMost = 64

// Update makes the lists those of the given exemplars in a memory. whole says that
// these are all that the memory has: then an exemplar that is new is put where it
// belongs in the others' lists, and only lists that lost a member are sought anew. A
// sample is sought anew wholly. An error of ctx leaves lists that the next Update
// completes.
func (l *Lists) Update(ctx context.Context, m Memory, ids []int, whole bool) error {
	standing := make(map[int]bool, len(ids))
	var fresh []int
	for _, id := range ids {
		standing[id] = true
		if l.of[id] == nil {
			fresh = append(fresh, id)
		}
	}
	if !whole || len(fresh) > freshAtMost {
		clear(l.of)
		fresh = ids
	} else if err := l.follow(ctx, m, standing, fresh); err != nil {
		return err
	}
	for _, id := range fresh {
		if err := ctx.Err(); err != nil {
			return err
		}
		l.of[id] = l.seek(m, id)
	}
	return nil
}

// follow drops what no longer stands and tells the lists of what is new.
func (l *Lists) follow(ctx context.Context, m Memory, standing map[int]bool, fresh []int) error {
	for id, list := range l.of {
		switch {
		case !standing[id]:
			delete(l.of, id)
		case slices.ContainsFunc(list, func(n nearest.Neighbour) bool { return !standing[n.ID] }):
			if err := ctx.Err(); err != nil {
				clear(l.of)
				return err
			}
			l.of[id] = l.seek(m, id)
		}
	}
	for _, id := range fresh {
		if err := ctx.Err(); err != nil {
			clear(l.of)
			return err
		}
		known := func(other int) bool { return l.of[other] != nil && !m.SamePhoto(id, other) }
		for _, n := range m.Nearest(id, len(l.of), known) {
			l.of[n.ID] = inserted(l.of[n.ID], nearest.Neighbour{ID: id, Cos: n.Cos}, l.params.K)
		}
	}
	return nil
}

// inserted is a list with one more, if it is near enough and not there yet. The list
// itself stays as it is.
func inserted(list []nearest.Neighbour, n nearest.Neighbour, k int) []nearest.Neighbour {
	at, _ := slices.BinarySearchFunc(list, n, func(a, b nearest.Neighbour) int {
		return cmp.Or(cmp.Compare(b.Cos, a.Cos), cmp.Compare(a.ID, b.ID))
	})
	if at >= k || slices.ContainsFunc(list, func(x nearest.Neighbour) bool { return x.ID == n.ID }) {
		return list
	}
	longer := slices.Insert(slices.Clone(list), at, n)
	return longer[:min(k, len(longer))]
}

func (l *Lists) seek(m Memory, id int) []nearest.Neighbour {
	found := m.Nearest(id, l.params.K, func(other int) bool { return other != id && !m.SamePhoto(id, other) })
	if found == nil {
		found = []nearest.Neighbour{} // it has been sought
	}
	return found
}
