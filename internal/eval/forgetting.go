package eval

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"fieldmark/internal/fusion"
)

// Forgetting is the experiment on what lessons cost elsewhere: a memory with some
// exemplars gets some lessons more, and photos of classes that none of these were
// of are asked before and after. Every n-th photo of a class, the first included, is
// asked and never taught. Photos are remembered as wholes, without views.
type Forgetting struct {
	Subject         Subject
	Classes         []Class
	Extra           []int // candidates besides the classes
	Before, Lessons int   // exemplars in the memory, and lessons then
	Every           int
	Rules           []fusion.Rule
	Draws           int
}

// Forgotten is what one rule made of it, shares of each draw.
type Forgotten struct {
	Rule          fusion.Rule
	Before, After []float64 // photos of other classes than the lessons', named right
	// SameBefore and SameAfter are of the classes of the lessons, other photos than
	// those taught, named right.
	SameBefore, SameAfter []float64
}

// dealt is one draw.
type dealt struct {
	before, lessons []Example
	other, same     []Example // asked, of other classes than the lessons and of the same
}

// Run draws, teaches and asks Draws times; the results are by rule.
func (f Forgetting) Run(ctx context.Context, rng *rand.Rand) ([]Forgotten, error) {
	out := make([]Forgotten, len(f.Rules))
	for r, rule := range f.Rules {
		out[r].Rule = rule
	}
	labels := slices.Clone(f.Extra)
	for _, c := range f.Classes {
		labels = append(labels, c.Label)
	}
	for range f.Draws {
		d, err := f.deal(rng)
		if err != nil {
			return nil, err
		}
		s, err := NewStudent(f.Subject, 0)
		if err != nil {
			return nil, err
		}
		c := s.Among(labels)
		before, sameBefore, err := s.learn(ctx, c, d.before, d, f.Rules)
		if err != nil {
			return nil, err
		}
		after, sameAfter, err := s.learn(ctx, c, d.lessons, d, f.Rules)
		if err != nil {
			return nil, err
		}
		for r := range out {
			o := &out[r]
			o.Before, o.After = append(o.Before, before[r]), append(o.After, after[r])
			o.SameBefore, o.SameAfter = append(o.SameBefore, sameBefore[r]), append(o.SameAfter, sameAfter[r])
		}
	}
	return out, nil
}

// learn teaches some examples and asks what a draw asks, by each rule.
func (s *Student) learn(ctx context.Context, c *Candidates, examples []Example, d dealt, rules []fusion.Rule) (other, same []float64, err error) {
	if err := s.Teach(ctx, examples...); err != nil {
		return nil, nil, err
	}
	if other, err = s.shares(ctx, c, d.other, rules); err != nil {
		return nil, nil, err
	}
	same, err = s.shares(ctx, c, d.same, rules)
	return other, same, err
}

// deal draws what is taught before, and what then.
func (f Forgetting) deal(rng *rand.Rand) (dealt, error) {
	var d dealt
	var taught, asked []Example
	for _, c := range f.Classes {
		for i, p := range c.Photos {
			x := Example{Label: c.Label, Vector: p.Vector}
			if i%f.Every == 0 {
				asked = append(asked, x)
			} else {
				taught = append(taught, x)
			}
		}
	}
	if len(taught) < f.Before+f.Lessons {
		return d, fmt.Errorf("%d photos may be taught; %d and %d are wanted", len(taught), f.Before, f.Lessons)
	}
	rng.Shuffle(len(taught), func(i, j int) { taught[i], taught[j] = taught[j], taught[i] })
	d.before, d.lessons = taught[:f.Before], taught[f.Before:][:f.Lessons]
	of := map[int]bool{}
	for _, x := range d.lessons {
		of[x.Label] = true
	}
	for _, x := range asked {
		if of[x.Label] {
			d.same = append(d.same, x)
		} else {
			d.other = append(d.other, x)
		}
	}
	if len(d.other) == 0 || len(d.same) == 0 {
		return d, fmt.Errorf("the lessons leave %d photos of other classes and %d of their own to ask", len(d.other), len(d.same))
	}
	return d, nil
}

// shares is the share of examples that each rule names right.
func (s *Student) shares(ctx context.Context, c *Candidates, asked []Example, rules []fusion.Rule) ([]float64, error) {
	out := make([]float64, len(rules))
	for _, x := range asked {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		answers, err := s.Ask(x.Vector, c, rules)
		if err != nil {
			return nil, err
		}
		for r, a := range answers {
			if a.Label == x.Label {
				out[r] += 1 / float64(len(asked))
			}
		}
	}
	return out, nil
}
