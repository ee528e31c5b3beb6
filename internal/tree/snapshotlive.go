package tree

import (
	"fmt"

	"fieldmark/internal/probe"
)

// live writes how a leaf follows lessons: the base, its curvature, and what of
// the leaf's members and departures came since. What these did to the overlay is
// learnt again by Read.
func (e *encoder) live(v *live) {
	e.bool(v.overlay != nil)
	if v.overlay == nil {
		return
	}
	e.length(v.upTo)
	e.length(v.learnt)
	e.uint64(v.heard)
	e.bool(v.begun)
	e.length(len(v.gone))
	for _, g := range v.gone {
		e.int32(int32(g.id))
		e.int32(g.label)
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

// live reads what encoder.live wrote. The overlay has its lessons to learn again.
func (d *decoder) live(dim int) live {
	var v live
	if !d.bool() {
		return v
	}
	v.upTo, v.learnt, v.heard = d.length("exemplars at the base"), d.length("exemplars learnt"), d.uint64()
	v.begun = d.bool()
	for n := d.length("departures"); len(v.gone) < n && d.err == nil; {
		v.gone = append(v.gone, departure{int(d.int32()), d.int32(), d.uint64()})
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

// relearn lets the overlay of a leaf that was read learn its lessons again: the
// members that it had learnt since the base, and the departures from that. (A
// lesson that was withdrawn again is neither.) The leaf's model stays the one that
// was written: it is what the same lessons came to.
func (e *Edit) relearn(l *leaf) error {
	v := &l.live
	if v.overlay == nil {
		return nil
	}
	if v.upTo > v.learnt || v.learnt > e.t.Len() {
		return fmt.Errorf("a base of %d exemplars has learnt %d of %d", v.upTo, v.learnt, e.t.Len())
	}
	var added, gone []probe.Exemplar
	for _, id := range l.members.from(int32(v.upTo)) {
		if int(id) < v.learnt {
			added = append(added, e.t.exemplar(int(id)))
		}
	}
	for _, g := range v.gone {
		if g.id < 0 || g.id >= e.t.Len() {
			return fmt.Errorf("it lost exemplar %d of %d", g.id, e.t.Len())
		}
		if g.id < v.upTo && g.revision <= v.heard {
			gone = append(gone, e.t.departed(g))
		}
	}
	if len(added)+len(gone) > 0 {
		v.overlay = v.overlay.Learn(added, gone, l.labels(), e.t.params.Workers)
	}
	return nil
}
