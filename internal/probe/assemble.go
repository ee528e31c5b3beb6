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
			copy(row, n.plain)
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

// turnBack sets plain of all shifts that this stroke has changed, and of all
// newcomers that it has fitted.
func (e *stroke) turnBack() {
	var rows []float32
	for k := range e.shifts {
		if e.own[k] {
			rows = append(rows, e.shifts[k].w...)
		}
	}
	for _, n := range e.born {
		if n.plain == nil {
			rows = append(rows, n.w...)
		}
	}
	rows = e.curve.unrotate(rows, e.workers)
	next := func() []float32 {
		row := rows[:e.curve.d:e.curve.d]
		rows = rows[e.curve.d:]
		return row
	}
	for k := range e.shifts {
		if e.own[k] {
			e.shifts[k].plain = next()
		}
	}
	for _, n := range e.born {
		if n.plain == nil {
			n.plain = next()
		}
	}
}
