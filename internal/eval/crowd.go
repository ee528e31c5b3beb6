package eval

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"fieldmark/internal/fusion"
	"fieldmark/internal/nearest"
)

// Crowd is the experiment on how well copies of a taught photo are still named as
// taught among ever more exemplars. One photo is taught, with its views, and stands
// among exemplars that are drawn like embeddings of other photos, without views. The
// first photo of each class that has copies is taught and asked for, each by itself;
// the other photos are what strangers are made of.
type Crowd struct {
	Subject  Subject
	Classes  []Class // of at least three photos each
	Invented []int   // labels of names that mean nothing, for every other photo that is taught; none: all get their class's
	Sizes    []int   // exemplars in all, ascending
}

// Followed is how many copies of a kind are named as their photo was taught among so
// many exemplars, whatever the rest of the rule says: Near gives more than half of
// all probability to the label by its vote alone.
type Followed struct {
	Size         int
	Kind         string
	Asked, Right int
}

// crowded is a copy that is asked, and what is known of it.
type crowded struct {
	kind    string
	vector  []float32
	shot    Shot // of which it is a copy
	label   int  // under which that was taught
	near    []stranger
	exceeds float64 // the cosine that a further stranger must exceed
}

// Run draws the crowd and asks at each size. The results are by size, then kind, of
// invented names apart.
func (c Crowd) Run(ctx context.Context, rng *rand.Rand) ([]Followed, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	asked, labels := c.deal()
	draw := c.strangers(rng)
	var out []Followed
	size := 1 // the photo itself
	for _, next := range c.Sizes {
		for size < next {
			n := min(crowdBatch, next-size)
			if err := c.gather(ctx, asked, draw, n); err != nil {
				return nil, err
			}
			size += n
		}
		counts, err := c.count(asked, labels)
		if err != nil {
			return nil, err
		}
		for i := range counts {
			counts[i].Size = size
		}
		out = append(out, counts...)
	}
	return out, nil
}

func (c Crowd) check() error {
	for _, k := range c.Classes {
		if len(k.Photos) < 3 {
			return fmt.Errorf("class of label %d has %d photos; one to teach and two to draw strangers like are wanted", k.Label, len(k.Photos))
		}
	}
	if len(c.Sizes) == 0 || c.Sizes[0] < 1 || !slices.IsSorted(c.Sizes) {
		return fmt.Errorf("want sizes that ascend from 1, not %v", c.Sizes)
	}
	return nil
}

// deal returns what is asked, and the candidates: all classes and the invented names.
func (c Crowd) deal() (asked []*crowded, labels []int) {
	labels = slices.Clone(c.Invented)
	taught := 0
	for _, k := range c.Classes {
		labels = append(labels, k.Label)
		shot, label, prefix := k.Photos[0], k.Label, ""
		if len(shot.Copies) == 0 {
			continue
		}
		if taught%2 == 1 && len(c.Invented) > 0 {
			label, prefix = c.Invented[taught/2%len(c.Invented)], inventedPrefix
		}
		taught++
		for _, v := range shot.Copies {
			asked = append(asked, &crowded{kind: prefix + v.Kind, vector: v.Vector, shot: shot, label: label, exceeds: math.Inf(-1)})
		}
	}
	return asked, labels
}

// count asks every copy, by kind in the order in which kinds come up.
func (c Crowd) count(asked []*crowded, labels []int) ([]Followed, error) {
	var out []Followed
	for _, q := range asked {
		at := slices.IndexFunc(out, func(f Followed) bool { return f.Kind == q.kind })
		if at < 0 {
			at = len(out)
			out = append(out, Followed{Kind: q.kind})
		}
		out[at].Asked++
		vote, err := c.vote(q, labels)
		if err != nil {
			return nil, err
		}
		if vote > .5 {
			out[at].Right++
		}
	}
	return out, nil
}

// vote is what Near gives to the label of a copy's photo by its exemplars' vote
// alone: without a prediction the rest of the rule is p_z, whose share is known.
func (c Crowd) vote(q *crowded, labels []int) (float64, error) {
	query := fusion.Query{Vector: q.vector, Candidates: len(labels), Tau: c.Subject.Tau, Near: c.Subject.Near, Nearest: []fusion.Neighbour{}}
	for _, y := range labels {
		query.Texts = append(query.Texts, c.Subject.Texts[y])
	}
	row := func(label int) int { return slices.Index(labels, label) }
	for _, n := range q.nearest(c.Subject.K) {
		query.Nearest = append(query.Nearest, fusion.Neighbour{Cosine: n.cos, Row: row(n.label), Vector: n.vector})
	}
	s, err := fusion.NewScorer(query)
	if err != nil {
		return 0, err
	}
	r, err := s.Fuse(fusion.Near, nil)
	if err != nil {
		return 0, err
	}
	at := row(q.label)
	return r.P[at] - (1-r.Near)*r.ZeroShot[at], nil
}

// nearest are the k exemplars nearest to a copy, the photo itself by its best view.
func (q *crowded) nearest(k int) []stranger {
	list := slices.Clone(q.near)
	own := stranger{cosine(q.vector, q.shot.Vector), q.label, q.shot.Vector}
	at := slices.IndexFunc(list, func(s stranger) bool { return s.cos <= own.cos })
	if at < 0 {
		at = len(list)
	}
	list = slices.Insert(list, at, own)
	wholes := make([]nearest.Neighbour, len(list))
	for i, s := range list {
		wholes[i] = nearest.Neighbour{ID: i, Cos: s.cos}
	}
	var views []nearest.Neighbour
	for i, v := range q.shot.Views {
		views = append(views, nearest.Neighbour{ID: i, Cos: cosine(q.vector, v)})
	}
	var out []stranger
	for _, n := range nearest.Best(k, wholes[:min(k, len(wholes))], views, func(int) int { return at }) {
		list[n.ID].cos = n.Cos
		out = append(out, list[n.ID])
	}
	return out
}
