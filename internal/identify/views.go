package identify

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"fieldmark/internal/nearest"
	"fieldmark/internal/photo"
)

// ViewScheme is which views of a photo are remembered.
const ViewScheme = photo.ViewScheme

// PhotoViews are the raw embeddings [D] of a photo's views, in the order of
// photo.Views; none if the photo could not be read for them.
type PhotoViews struct {
	Photo   PhotoHash
	Vectors [][]float32
}

// viewed is one version of what a memory remembers of its exemplars' views: parts
// of a photo, by which a crop of it is found. They count for nothing but how near
// an exemplar is: the tree and its classifiers, the paper's system, know only
// wholes. Exemplars that came without a photo have none. They are kept in half
// precision, some kilobyte for each view.
type viewed struct {
	vectors *nearest.Vectors
	owners  sequence[int32] // by number in vectors: the exemplar
	photos  int             // exemplars that have views, the withdrawn ones included
	index   *index
}

func newViewed(c MemoryConfig, dim int) (viewed, error) {
	x, err := newIndex(c, dim)
	return viewed{vectors: nearest.NewVectors(dim, nearest.Half), index: x}, err
}

// add makes it a version with the views of an exemplar, all of them or, on an error,
// none.
func (v *viewed) add(exemplar int, views [][]float32) error {
	longer := v.vectors
	for i, row := range views {
		var err error
		if longer, err = longer.Append(row); err != nil {
			return fmt.Errorf("view %d: %w", i, err)
		}
	}
	for range views {
		v.owners.append(int32(exemplar))
	}
	if v.vectors = longer; len(views) > 0 {
		v.photos++
	}
	return nil
}

// nearestByView is the k exemplars that are nearest to vector by the whole or by a
// view that fits far better than any whole (nearest.Best), each with that cosine; the
// earlier first where they tie. wholes are the k nearest by their wholes.
func (m *memory) nearestByView(vector []float32, k, workers int, wholes []nearest.Neighbour) []nearest.Neighbour {
	owner := func(view int) int { return int(*m.views.owners.at(view)) }
	standing := func(view int) bool { return m.tree.Has(owner(view)) }
	// Among so many views there are those of k exemplars.
	found := m.views.index.of(m.views.vectors, workers).Search(vector, k*len(photo.Views()), standing)
	return nearest.Best(k, wholes, found, owner)
}

// same says whether two memories remember the same views of the same exemplars.
func (v *viewed) same(other *viewed) bool {
	if v.vectors.Len() != other.vectors.Len() {
		return false
	}
	var a, b []byte
	for i := range v.vectors.Len() {
		a, b = v.vectors.Encoded(i, a[:0]), other.vectors.Encoded(i, b[:0])
		if *v.owners.at(i) != *other.owners.at(i) || !slices.Equal(a, b) {
			return false
		}
	}
	return true
}

// write writes the views, each after the number of its exemplar.
func (v *viewed) write(w *bufio.Writer) error {
	var b []byte
	for i := range v.vectors.Len() {
		b = binary.LittleEndian.AppendUint32(b[:0], uint32(*v.owners.at(i)))
		if _, err := w.Write(v.vectors.Encoded(i, b)); err != nil {
			return err
		}
	}
	return nil
}

// read reads n views, of the first `exemplars` exemplars, that write wrote.
func (v *viewed) read(r io.Reader, n, exemplars int) (err error) {
	b := make([]byte, 4+v.vectors.EncodedLen())
	for last := -1; n > 0; n-- {
		if _, err := io.ReadFull(r, b); err != nil {
			return err
		}
		owner := int(int32(binary.LittleEndian.Uint32(b)))
		if owner < max(last, 0) || owner >= exemplars {
			return fmt.Errorf("a view of exemplar %d of %d follows one of %d", owner, exemplars, last)
		}
		if v.vectors, err = v.vectors.AppendEncoded(b[4:]); err != nil {
			return err
		}
		if v.owners.append(int32(owner)); owner != last {
			v.photos++
		}
		last = owner
	}
	return nil
}
