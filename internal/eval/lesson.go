package eval

import (
	"context"
	"fmt"
	"math/rand/v2"

	"fieldmark/internal/fusion"
)

// Class is the photos of one label.
type Class struct {
	Label  int
	Photos []Shot
}

// Shot is the raw embedding of a photo, those of its views, which are remembered
// beside it when it is taught, and those of altered copies of it.
type Shot struct {
	Vector []float32
	Views  [][]float32
	Copies []Copy
}

// Copy is an altered copy (a crop, say) of a photo.
type Copy struct {
	Kind   string
	Vector []float32
}

// Lesson is the simplest experiment on learning: some photos of each class are
// taught, some others are asked.
type Lesson struct {
	Subject       Subject
	Classes       []Class
	Taught, Asked int // photos of each class
	Sets          []CandidateSet
	Rules         []fusion.Rule
	Draws         int // how often the taught and the asked are drawn anew
}

// LessonResult is one rule's success over one candidate set.
type LessonResult struct {
	Set     string
	Rule    fusion.Rule
	Top1    []float64 // of each draw
	Answers []Answer  // of all draws
}

// Run does the lesson Draws times and returns the results by set, then rule.
func (l Lesson) Run(ctx context.Context, rng *rand.Rand) ([]LessonResult, error) {
	for _, c := range l.Classes {
		if len(c.Photos) < l.Taught+l.Asked {
			return nil, fmt.Errorf("class of label %d has %d photos; %d to teach and %d to ask are wanted", c.Label, len(c.Photos), l.Taught, l.Asked)
		}
	}
	var results []LessonResult
	for _, set := range l.Sets {
		for _, rule := range l.Rules {
			results = append(results, LessonResult{Set: set.Name, Rule: rule})
		}
	}
	for range l.Draws {
		taught, asked := l.draw(rng)
		student, err := NewStudent(l.Subject, 0)
		if err != nil {
			return nil, err
		}
		if err := student.Teach(ctx, taught...); err != nil {
			return nil, err
		}
		for i, set := range l.Sets {
			of := results[i*len(l.Rules) : (i+1)*len(l.Rules)]
			if err := student.examine(student.Among(set.Labels), asked, l.Rules, of); err != nil {
				return nil, err
			}
		}
	}
	return results, nil
}

// draw shuffles each class and splits it.
func (l Lesson) draw(rng *rand.Rand) (taught, asked []Example) {
	for _, c := range l.Classes {
		for i, at := range rng.Perm(len(c.Photos))[:l.Taught+l.Asked] {
			x := Example{Label: c.Label, Vector: c.Photos[at].Vector, Views: c.Photos[at].Views}
			if i < l.Taught {
				taught = append(taught, x)
			} else {
				asked = append(asked, x)
			}
		}
	}
	return taught, asked
}

// examine asks every example and adds a draw to each rule's result.
func (s *Student) examine(c *Candidates, asked []Example, rules []fusion.Rule, into []LessonResult) error {
	right := make([]int, len(rules))
	for _, x := range asked {
		answers, err := s.Ask(x.Vector, c, rules)
		if err != nil {
			return err
		}
		for r, a := range answers {
			ok := a.Label == x.Label
			if ok {
				right[r]++
			}
			into[r].Answers = append(into[r].Answers, Answer{a.Confidence, ok})
		}
	}
	for r := range rules {
		into[r].Top1 = append(into[r].Top1, float64(right[r])/float64(len(asked)))
	}
	return nil
}
