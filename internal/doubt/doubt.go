package doubt

import (
	"fieldmark/internal/nearest"
	"fieldmark/internal/probe"
)

// Memory is what is judged. Exemplars and labels are numbered as in a tree.
type Memory interface {
	Label(id int) int32
	// Count is how many exemplars a label has.
	Count(label int32) int
	// SamePhoto says whether two exemplars are of one photo.
	SamePhoto(a, b int) bool
	// OfPhoto lists the exemplars of an exemplar's photo, itself included.
	OfPhoto(id int) []int
	// Agree says whether one thing can rightly have both names.
	Agree(a, b int32) bool
	// Nearest is the k exemplars nearest to an exemplar for which keep is true, the
	// nearest first.
	Nearest(id, k int, keep func(id int) bool) []nearest.Neighbour
	// Leaf is what the classifier of the exemplar's leaf says of it.
	Leaf(id int) (probe.Distribution, error)
}

// Params are the thresholds. Zero fields stand for the defaults.
type Params struct {
	K         int     // neighbours that vote; 0 is 15
	Sharpness float64 // how much more a nearer one counts; 0 is 20
	Twin      float64 // cosine from which two photos are near-duplicates; 0 is 0.97
}

func (p Params) withDefaults() Params {
	if p.K == 0 {
		p.K = 15
	}
	if p.Sharpness == 0 {
		p.Sharpness = 20
	}
	if p.Twin == 0 {
		p.Twin = 0.97
	}
	return p
}

// Kind is what speaks against a name.
type Kind string

// The kinds of reasons.
const (
	Disagreement Kind = "disagreement"
	Duplicate    Kind = "duplicate"
	Outlier      Kind = "outlier"
)

// Reason is one thing that speaks against an exemplar's name.
type Reason struct {
	Kind Kind
	// Other is the label that speaks against it: the likeliest instead, or that of
	// the duplicate; −1 for an outlier.
	Other int32
	// Own and Against are p̄ of its own name and of Other (Disagreement), or p_near of
	// them where NearAlone says that the leaf holds with the name.
	Own, Against float64
	NearAlone    bool
	// Twin is the exemplar that it is a near-duplicate of, and Cos their cosine.
	Twin int
	Cos  float64
	// Distance is 1 − cos to the nearest of its own name, Usual the median of that
	// over the name (Outlier).
	Distance, Usual float64
}

// Doubt is an exemplar with all that speaks against its name, the strongest reason
// first. Score, 0 to 1, is the greatest of its reasons': (1 + margin)/2 of a
// disagreement, with the margin of p̄, 1 − p̄(own) of a duplicate but at least ½, and
// ½(1 − Usual/Distance) of an outlier, which says least.
type Doubt struct {
	ID      int
	Score   float64
	Reasons []Reason
}

func (d *Doubt) add(score float64, r Reason) {
	if score > d.Score {
		d.Score, d.Reasons = score, append([]Reason{r}, d.Reasons...)
		return
	}
	d.Reasons = append(d.Reasons, r)
}
