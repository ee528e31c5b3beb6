package probe

import "slices"

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
	// answer to later ones any more. Of more at once, or of more withdrawals from the
	// base, the first are left to the next optimum.
	maxLessons = 512
	// maxNewcomers bounds the rows of new labels that one stroke fits, those of the
	// newest lessons; the other labels wait for their next lesson, or the optimum.
	maxNewcomers = 16
	// nearLessons is the number of former lessons that a new one is settled with,
	// those that it bears upon most; looking is the number of new lessons of a stroke
	// that have such.
	nearLessons = 6
	looking     = 12
	// rounds is how often new lessons and those near to them take turns; once, if
	// there are more than many new ones.
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

// Base is the optimum that the overlay is of.
func (o *Overlay) Base() *Model { return o.base }

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
	e.withdraw(withdrawn)
	if over := len(added) - maxLessons; over > 0 {
		added = added[over:]
	}
	e.add(added, labels)
	e.fitNewcomers()
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
