package probe

import (
	"math"
	"slices"

	"fieldmark/internal/vec"
)

// Exemplar is one exemplar of a probe's data, for an Overlay.
type Exemplar struct {
	ID    int       // by which it can be withdrawn again
	X     []float32 // raw embedding, copied
	Label int32
}

// Overlay is an optimum, and what was taught and withdrawn since: a Model that
// follows every single lesson at a cost that does not depend on how many
// exemplars there are (the immediate stroke).
//
// The exemplars at the optimum θ₀, the base, are stood for by the second-order
// model that Curvature is, the lessons since are taken for what they are:
//
//	minimise  ½ Δᵀ H Δ + C Σ_added ℓ_j(θ₀ + Δ) − C Σ_withdrawn ∇ℓ_jᵀ Δ
//
// Its dual has one variable α_jk a lesson and class, with Δ_k = Σ_j α_jk H_k⁻¹x_j
// and α_j = C (onehot(y_j) − p_j), and is ascended a lesson at a time: settle
// solves a lesson's K conditions exactly. Those of the base need no variables:
// theirs are implied by θ₀ and move as H says.
//
// A label that the base does not know gets a row of its own, fitted against a
// sample of the base's exemplars: see newcomer.
//
// An Overlay is immutable. All vectors in it are centred on the curvature's mean
// and turned into its basis.
type Overlay struct {
	base    *Model
	curve   *Curvature
	model   *Model
	present []bool   // by class of the base: whether it has an exemplar still
	shifts  []*shift // by class of the base; nil has not moved
	born    []*newcomer
	lessons []*lesson // oldest first
}

// shift is how far the row of a class of the base has moved: its logit for y by
// w·(y − m_k) + b.
type shift struct {
	w     []float32 // D
	b     float64
	toB   float64   // w·m_k
	plain []float32 // D, U w: what is added to the base's row
}

// lesson is an exemplar that came after the base. It is never changed.
type lesson struct {
	id     int
	label  int32
	y      []float32 // D
	logits []float32 // by class of the base: the base's logits
	duals  []dual    // of classes that it may have moved, ascending
}

// dual is the dual variable of a lesson for a class of the base.
type dual struct {
	class  int
	alpha  float64
	kernel float64 // of the lesson with itself
}

const (
	// maxLessons bounds an Overlay: older lessons keep their influence, but do not
	// answer to later ones any more. Of more at once, the oldest are left to the next
	// optimum.
	maxLessons = 512
	// nearLessons is the number of former lessons that a new one is weighed
	// against.
	nearLessons = 12
	// rounds is how often new lessons and those near to them take turns; once, if
	// they are many.
	rounds = 3
	many   = 32
	// negligible is the probability below which a class is left where it is.
	negligible = 1e-3
)

// NewOverlay is the overlay of an optimum that nothing has been taught since.
// The curvature is that of the model.
func NewOverlay(base *Model, curve *Curvature) *Overlay {
	if base == nil || !slices.Equal(base.classes, curve.classes) {
		panic("probe: an overlay of a model with another's curvature")
	}
	return &Overlay{base: base, curve: curve, model: base,
		present: slices.Repeat([]bool{true}, len(base.classes)), shifts: make([]*shift, len(base.classes))}
}

// Model is the model by all lessons so far.
func (o *Overlay) Model() *Model { return o.model }

// Curvature is that of the optimum.
func (o *Overlay) Curvature() *Curvature { return o.curve }

// Learn is the overlay after further exemplars were added and others withdrawn,
// labels being those that have an exemplar now, ascending. What is withdrawn may
// be a lesson or belong to the base.
func (o *Overlay) Learn(added, withdrawn []Exemplar, labels []int32, workers int) *Overlay {
	e := &stroke{Overlay: *o, touched: map[int32]bool{}, workers: workers}
	e.shifts, e.born, e.lessons = slices.Clone(o.shifts), slices.Clone(o.born), slices.Clone(o.lessons)
	e.present = make([]bool, len(o.present))
	for k, label := range o.base.classes {
		_, e.present[k] = slices.BinarySearch(labels, label)
	}
	e.born = slices.DeleteFunc(e.born, func(n *newcomer) bool {
		_, stays := slices.BinarySearch(labels, n.label)
		return !stays
	})
	for _, x := range withdrawn {
		e.withdraw(x)
	}
	if over := len(added) - maxLessons; over > 0 {
		added = added[over:]
	}
	e.add(added, labels)
	e.bear()
	e.sweep(len(added))
	if over := len(e.lessons) - maxLessons; over > 0 {
		e.lessons = slices.Delete(e.lessons, 0, over)
	}
	next := e.Overlay
	next.model = e.assemble()
	return &next
}

// Forget is the overlay without those lessons for which keep is false, their
// influence remaining: they are no longer this overlay's concern.
func (o *Overlay) Forget(keep func(id int) bool) *Overlay {
	next := *o
	next.lessons = slices.DeleteFunc(slices.Clone(o.lessons), func(l *lesson) bool { return !keep(l.id) })
	return &next
}

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
		l := &lesson{id: x.ID, label: x.Label, y: e.curve.centred(x.X), logits: make([]float32, len(e.base.classes))}
		for k := range l.logits {
			w, b := e.base.Weights(k)
			l.logits[k] = float32(float64(vec.Dot(w, x.X)) + b)
		}
		e.lessons = append(e.lessons, l)
		_, known := e.curve.class(x.Label)
		if _, lives := slices.BinarySearch(labels, x.Label); lives && !known {
			e.touched[x.Label] = true
		}
	}
}

// withdraw takes back a lesson's influence, or subtracts that of an exemplar of
// the base by one Newton step.
func (e *stroke) withdraw(x Exemplar) {
	if i := slices.IndexFunc(e.lessons, func(l *lesson) bool { return l.id == x.ID }); i >= 0 {
		l := e.lessons[i]
		for _, d := range l.duals {
			e.move(l.y, d.class, -d.alpha)
		}
		e.lessons = slices.Delete(e.lessons, i, i+1)
		if _, known := e.curve.class(l.label); !known && e.newcomer(l.label) != nil {
			e.touched[l.label] = true
		}
		return
	}
	own, known := e.curve.class(x.Label)
	if !known || e.single() {
		return
	}
	l := &lesson{y: e.curve.centred(x.X), logits: make([]float32, len(e.base.classes))}
	for k := range l.logits {
		w, b := e.base.Weights(k)
		l.logits[k] = float32(float64(vec.Dot(w, x.X)) + b)
	}
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

// sweep settles the newest lessons and, in turns, those near to them.
func (e *stroke) sweep(fresh int) {
	first := len(e.lessons) - fresh
	var near []int
	for i := first; i < len(e.lessons) && i < first+nearLessons; i++ {
		near = append(near, e.nearest(i, first)...)
	}
	slices.Sort(near)
	near = slices.Compact(near)
	turns := rounds
	if fresh > many {
		turns = 1
	}
	for range turns {
		for i := first; i < len(e.lessons); i++ {
			e.settle(i)
		}
		if len(near) == 0 && fresh <= 1 {
			return
		}
		for _, i := range near {
			e.settle(i)
		}
	}
}

// nearest lists the former lessons, those before the first fresh one, which
// lesson i bears upon most.
func (e *stroke) nearest(i, first int) []int {
	c := e.curve
	mean := float32(0)
	for _, s := range c.s {
		mean += s / float32(len(c.s))
	}
	probe := make([]float32, c.d)
	for d, l := range c.lambda {
		probe[d] = e.lessons[i].y[d] / (1 + float32(c.c)*mean*l)
	}
	ids := make([]int, first)
	bears := make([]float64, first)
	for j := range ids {
		ids[j], bears[j] = j, math.Abs(float64(vec.Dot(probe, e.lessons[j].y)))
	}
	slices.SortStableFunc(ids, func(a, b int) int {
		switch {
		case bears[a] > bears[b]:
			return -1
		case bears[a] < bears[b]:
			return 1
		}
		return 0
	})
	return ids[:min(first, nearLessons/2)]
}

// settle makes lesson i's dual variables what they must be, all else being as it
// is.
func (e *stroke) settle(i int) {
	l := e.lessons[i]
	z, own := e.logitsOf(l)
	if own < 0 {
		return
	}
	c := e.curve.c
	moving, rest := e.moving(l, z, own)
	at, influence, p := make([]float64, len(moving)), make([]float64, len(moving)), make([]float64, len(moving))
	mine := 0
	for j, m := range moving {
		at[j], influence[j] = z[m.class]-m.alpha*m.kernel, c*m.kernel
		if m.class == own {
			mine = j
		}
	}
	settle(at, influence, mine, rest, p)
	for j, m := range moving {
		alpha := -c * p[j]
		if j == mine {
			alpha += c
		}
		if m.kernel == 0 || math.Abs(alpha-m.alpha) < negligible*c {
			continue
		}
		e.move(l.y, m.class, alpha-m.alpha)
		moving[j].alpha = alpha
	}
	next := *l
	next.duals = slices.DeleteFunc(moving, func(m dual) bool { return m.kernel == 0 })
	e.lessons[i] = &next
}

// moving lists the classes whose dual variables for a lesson are worth a change,
// given its logits z, and its own class in any case. rest is log Σ exp of the
// logits of all others.
func (e *stroke) moving(l *lesson, z []float64, own int) (moving []dual, rest float64) {
	lse := vec.LogSumExp(z)
	former := l.duals
	others := 0.0
	for k, v := range z {
		p := math.Exp(v - lse)
		var d dual
		if len(former) > 0 && former[0].class == k {
			d, former = former[0], former[1:]
		} else if k != own && p < negligible || k >= len(l.logits) && k != own {
			others += p
			continue
		}
		d.class = k
		if d.kernel == 0 && k < len(l.logits) && !e.single() {
			d.kernel = e.kernel(l.y, k)
		}
		moving = append(moving, d)
	}
	return moving, lse + math.Log(others)
}
