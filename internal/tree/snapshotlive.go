package tree

import (
	"fmt"
	"slices"

	"fieldmark/internal/probe"
)

// live writes how a leaf follows lessons: the optimum, its curvature, and which
// lessons came and went since. What they did to the model is learnt again by Read.
func (e *encoder) live(v *live) {
	e.bool(v.overlay != nil)
	if v.overlay == nil {
		return
	}
	e.length(v.learnt)
	e.uint64(v.heard)
	lessons := v.overlay.Lessons()
	e.length(len(lessons))
	for _, id := range lessons {
		e.int32(int32(id))
	}
	e.length(len(v.gone))
	for _, g := range v.gone {
		e.int32(int32(g.id))
		e.uint64(g.revision)
	}
	e.model(v.overlay.Base())
	p := v.overlay.Curvature().Parts()
	e.float(p.C)
	e.length(p.N)
	e.float(p.Weight)
	e.length(len(p.LSE))
	for _, part := range [][]float32{p.Mean, p.Basis, p.Lambda, p.S, p.Centre, p.Rows, p.LSE} {
		e.row(part)
	}
}

// live reads what encoder.live wrote of a leaf. The lessons that its overlay has
// to learn again are left in d.lessons.
func (d *decoder) live(l *leaf, dim int) live {
	var v live
	if !d.bool() {
		return v
	}
	v.learnt, v.heard = d.length("exemplars learnt"), d.uint64()
	d.lessons[l] = d.numbers("lessons")
	for n := d.length("departures"); len(v.gone) < n && d.err == nil; {
		v.gone = append(v.gone, departure{int(d.int32()), d.uint64()})
	}
	base := d.model(dim)
	k := len(base.Classes())
	p := probe.CurvatureParts{C: d.float(), N: d.length("exemplars"), Classes: base.Classes(), Weight: d.float()}
	m := d.length("exemplars of the sample")
	p.Mean, p.Basis, p.Lambda = d.rows(1, dim), d.rows(dim, dim), d.rows(1, dim)
	p.S, p.Centre, p.Rows, p.LSE = d.rows(k, 1), d.rows(k, dim), d.rows(m, dim), d.rows(m, 1)
	if d.err != nil {
		return live{}
	}
	curve, err := probe.RestoreCurvature(p)
	if err != nil {
		d.fail("%w", err)
		return live{}
	}
	v.overlay = probe.NewOverlay(base, curve)
	return v
}

// numbers are some exemplars' numbers.
func (d *decoder) numbers(what string) []int {
	var ids []int
	for n := d.length(what); len(ids) < n && d.err == nil; {
		ids = append(ids, int(d.int32()))
	}
	return ids
}

// rows are n rows of dim numbers, taken in one by one.
func (d *decoder) rows(n, dim int) []float32 {
	var out []float32
	row := make([]float32, dim)
	for i := 0; i < n && d.err == nil; i++ {
		d.row(row)
		out = append(out, row...)
	}
	return out
}

// relearn lets the overlay of a leaf that was read learn its lessons again. The
// leaf's model stays the one that was written: it is what the same lessons came to.
func (e *Edit) relearn(l *leaf, again []int) error {
	v := &l.live
	if v.overlay == nil || len(again)+len(v.gone) == 0 {
		return nil
	}
	var added, gone []probe.Exemplar
	for _, id := range again {
		if id < 0 || id >= e.t.Len() {
			return fmt.Errorf("it learnt exemplar %d of %d", id, e.t.Len())
		}
		added = append(added, e.t.exemplar(id))
	}
	for _, g := range v.gone {
		if g.id < 0 || g.id >= e.t.Len() {
			return fmt.Errorf("it lost exemplar %d of %d", g.id, e.t.Len())
		}
		if !slices.Contains(again, g.id) && g.revision <= v.heard {
			gone = append(gone, e.t.exemplar(g.id))
		}
	}
	v.overlay = v.overlay.Learn(added, gone, l.labels(), e.t.params.Workers)
	return nil
}
