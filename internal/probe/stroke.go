package probe

import (
	"math"
	"slices"

	"fieldmark/internal/vec"
)

// stroke is an Overlay while it is being changed. What it shares with the one
// before is replaced, not written to.
type stroke struct {
	Overlay
	own     map[int]bool   // classes whose shift is this stroke's own
	touched map[int32]bool // labels unknown to the base whose rows must be fitted
	workers int
}

// centred is Uᵀ(x − μ).
func (c *Curvature) centred(x []float32) []float32 {
	plain, y := make([]float32, c.d), make([]float32, c.d)
	vec.SubInto(plain, x, c.mean)
	for j := range y {
		y[j] = vec.Dot(c.basis[j*c.d:(j+1)*c.d], plain)
	}
	return y
}

// add appends lessons. They have no influence yet.
func (e *stroke) add(added []Exemplar, labels []int32) {
	for _, x := range added {
		e.lessons = append(e.lessons, e.lesson(x))
		_, known := e.curve.class(x.Label)
		if _, lives := slices.BinarySearch(labels, x.Label); lives && !known {
			e.touched[x.Label] = true
		}
	}
}

// lesson is an exemplar as a lesson without influence.
func (e *stroke) lesson(x Exemplar) *lesson {
	l := &lesson{id: x.ID, label: x.Label, y: e.curve.centred(x.X), logits: make([]float32, len(e.base.classes))}
	for k := range l.logits {
		w, b := e.base.Weights(k)
		l.logits[k] = float32(float64(vec.Dot(w, x.X)) + b)
	}
	return l
}

// withdraw takes back what lessons did, and subtracts exemplars of the base.
func (e *stroke) withdraw(withdrawn []Exemplar) {
	var base []Exemplar
	for _, x := range withdrawn {
		if !e.takeBack(x.ID) {
			base = append(base, x)
		}
	}
	for _, x := range base[max(0, len(base)-maxLessons):] {
		e.subtract(x)
	}
}

// takeBack takes back a lesson's influence; false if there is no such lesson.
func (e *stroke) takeBack(id int) bool {
	i := slices.IndexFunc(e.lessons, func(l *lesson) bool { return l.id == id })
	if i < 0 {
		return false
	}
	l := e.lessons[i]
	for _, d := range l.duals {
		e.move(l.y, d.class, -d.alpha)
	}
	e.lessons = slices.Delete(e.lessons, i, i+1)
	if _, known := e.curve.class(l.label); !known && e.newcomer(l.label) != nil {
		e.touched[l.label] = true
	}
	return true
}

// subtract takes out the influence of an exemplar of the base by one Newton step.
func (e *stroke) subtract(x Exemplar) {
	own, known := e.curve.class(x.Label)
	if !known || e.single() {
		return
	}
	l := e.lesson(x)
	z, _ := e.logitsOf(l)
	vec.Softmax(z)
	for k := range e.base.classes {
		r := z[k]
		if k == own {
			r--
		}
		if !e.present[k] || math.Abs(r) < negligible {
			continue
		}
		// Without the exemplar its own part of the curvature goes too, which makes
		// the step longer by this factor (Sherman and Morrison).
		less := 1 - min(0.5, e.curve.c*z[k]*(1-z[k])*e.kernel(l.y, k))
		e.move(l.y, k, e.curve.c*r/less)
	}
}

// logitsOf are a lesson's present logits by class of the base, −Inf for one that
// has no exemplar, followed by those of the newcomers; and the index of the
// lesson's own class, −1 if it has none.
func (e *stroke) logitsOf(l *lesson) (z []float64, own int) {
	z = make([]float64, len(l.logits)+len(e.born))
	own = -1
	for k, base := range l.logits {
		switch s := e.shifts[k]; {
		case !e.present[k]:
			z[k] = math.Inf(-1)
		case s == nil:
			z[k] = float64(base)
		default:
			z[k] = float64(base) + float64(vec.Dot(s.w, l.y)) - s.toB + s.b
		}
	}
	if k, known := e.curve.class(l.label); known && e.present[k] {
		own = k
	}
	for i, n := range e.born {
		z[len(l.logits)+i] = n.logit(l.y)
		if n.label == l.label {
			own = len(l.logits) + i
		}
	}
	return z, own
}

// single says whether the base knows one class only. Its row stays where it is:
// only differences between rows count, and newcomers' are enough for those.
func (e *stroke) single() bool { return len(e.base.classes) == 1 }

// kernel is [y; 1]ᵀ H_k⁻¹ [y; 1]: how far a dual variable of a lesson at y moves
// its own logit.
func (e *stroke) kernel(y []float32, k int) float64 {
	c := e.curve
	weight := float32(c.c) * c.s[k]
	m := c.centre[k*c.d : (k+1)*c.d]
	var sum float32
	for d, l := range c.lambda {
		v := y[d] - m[d]
		sum += v * v / (1 + weight*l)
	}
	return float64(sum) + 1/float64(weight)
}

// move adds alpha·H_k⁻¹[y; 1] to a class of the base.
func (e *stroke) move(y []float32, k int, alpha float64) {
	if e.own == nil {
		e.own = map[int]bool{}
	}
	c := e.curve
	if !e.own[k] {
		s := &shift{w: make([]float32, c.d)}
		if old := e.shifts[k]; old != nil {
			copy(s.w, old.w)
			s.b, s.toB = old.b, old.toB
		}
		e.shifts[k], e.own[k] = s, true
	}
	s := e.shifts[k]
	weight := float32(c.c) * c.s[k]
	m := c.centre[k*c.d : (k+1)*c.d]
	a := float32(alpha)
	for d, l := range c.lambda {
		s.w[d] += a * (y[d] - m[d]) / (1 + weight*l)
	}
	s.b += alpha / float64(weight)
	s.toB = vec.DotWide(s.w, m)
}
