package probe

import (
	"slices"

	"fieldmark/internal/vec"
)

// assemble makes the model of the overlay: the base's rows, moved, and the
// newcomers'.
func (e *stroke) assemble() *Model {
	m := &Model{dim: e.curve.d}
	for k, label := range e.base.classes {
		if e.present[k] {
			m.classes = append(m.classes, label)
		}
	}
	for _, n := range e.born {
		m.classes = append(m.classes, n.label)
	}
	slices.Sort(m.classes)
	if len(m.classes) == 0 {
		return nil
	}
	m.w, m.b = make([]float32, len(m.classes)*m.dim), make([]float64, len(m.classes))
	e.turnBack()
	for i, label := range m.classes {
		row := m.w[i*m.dim : (i+1)*m.dim]
		k, known := e.curve.class(label)
		if !known {
			n := e.newcomer(label)
			copy(row, e.curve.unrotate(n.w, 1))
			m.b[i] = n.b - vec.DotWide(row, e.curve.mean)
			continue
		}
		w, b := e.base.Weights(k)
		copy(row, w)
		m.b[i] = b
		if s := e.shifts[k]; s != nil {
			vec.AddScaled(1, s.plain, row)
			m.b[i] += s.b - s.toB - vec.DotWide(s.plain, e.curve.mean)
		}
	}
	centre(m.b)
	return m
}

// turnBack sets plain of all shifts that this stroke has changed.
func (e *stroke) turnBack() {
	var rows []float32
	for k := range e.shifts {
		if e.own[k] {
			rows = append(rows, e.shifts[k].w...)
		}
	}
	rows = e.curve.unrotate(rows, e.workers)
	for k := range e.shifts {
		if e.own[k] {
			e.shifts[k].plain, rows = rows[:e.curve.d:e.curve.d], rows[e.curve.d:]
		}
	}
}
