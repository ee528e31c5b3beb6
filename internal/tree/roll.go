package tree

import (
	"cmp"
	"slices"
)

// roll is the numbers of a leaf's members, ascending. It is kept in pieces that
// its versions share: the next version of a full leaf copies one piece and the
// list of pieces, some kilobytes, not the whole.
type roll struct {
	n      int
	pieces [][]int32 // none of them empty; what a piece shows is never written again
}

const pieceLen = 512

// clone is a version that may be changed without r noticing. It shares the
// pieces; the room behind the last one stays r's.
func (r roll) clone() roll {
	r.pieces = slices.Clone(r.pieces)
	if last := len(r.pieces) - 1; last >= 0 {
		r.pieces[last] = slices.Clip(r.pieces[last])
	}
	return r
}

// add puts in a number greater than all others.
func (r *roll) add(id int32) {
	r.n++
	last := len(r.pieces) - 1
	if last < 0 || len(r.pieces[last]) >= pieceLen {
		r.pieces = append(r.pieces, append(make([]int32, 0, pieceLen), id))
		return
	}
	if piece := r.pieces[last]; len(piece) == cap(piece) {
		r.pieces[last] = append(make([]int32, 0, pieceLen), piece...)
	}
	r.pieces[last] = append(r.pieces[last], id)
}

// insert puts in a number that is not there, wherever it belongs.
func (r *roll) insert(id int32) {
	last := len(r.pieces) - 1
	if last < 0 || id > r.pieces[last][len(r.pieces[last])-1] {
		r.add(id)
		return
	}
	p, _ := slices.BinarySearchFunc(r.pieces, id, func(piece []int32, id int32) int {
		return cmp.Compare(piece[0], id)
	})
	p = max(p-1, 0) // the last piece that begins below id, or else the first
	i, _ := slices.BinarySearch(r.pieces[p], id)
	longer := slices.Concat(r.pieces[p][:i], []int32{id}, r.pieces[p][i:])
	r.n++
	if len(longer) <= pieceLen {
		r.pieces[p] = longer
		return
	}
	half := len(longer) / 2
	r.pieces[p] = slices.Clip(longer[:half])
	r.pieces = slices.Insert(r.pieces, p+1, longer[half:])
}

// remove takes out a number, which must be there.
func (r *roll) remove(id int32) {
	p, found := slices.BinarySearchFunc(r.pieces, id, func(piece []int32, id int32) int {
		return cmp.Compare(piece[0], id)
	})
	if !found {
		p-- // the last piece that begins below id
	}
	i, _ := slices.BinarySearch(r.pieces[p], id)
	r.n--
	if len(r.pieces[p]) == 1 {
		r.pieces = slices.Delete(r.pieces, p, p+1)
		return
	}
	r.pieces[p] = slices.Concat(r.pieces[p][:i], r.pieces[p][i+1:])
}

// first is the least number of a roll that is not empty.
func (r roll) first() int32 { return r.pieces[0][0] }

// list is all numbers in one slice, the caller's own.
func (r roll) list() []int32 { return slices.Concat(r.pieces...) }

// from is the numbers from id on.
func (r roll) from(id int32) []int32 {
	var out []int32
	for _, piece := range slices.Backward(r.pieces) {
		i, _ := slices.BinarySearch(piece, id)
		out = append(out, piece[i:]...)
		if i > 0 {
			break
		}
	}
	slices.Sort(out)
	return out
}

// has says whether a number is in the roll.
func (r roll) has(id int) bool {
	p, found := slices.BinarySearchFunc(r.pieces, int32(id), func(piece []int32, id int32) int {
		return cmp.Compare(piece[0], id)
	})
	if found || p == 0 {
		return found
	}
	_, found = slices.BinarySearch(r.pieces[p-1], int32(id))
	return found
}
