package protocol

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"fieldmark/internal/fusion"
	"fieldmark/internal/vec"
)

// DefaultPlan is the paper's experiments with the paper's systems and rules and
// with ours: one seed, one order.
func DefaultPlan() Plan {
	p := Plan{
		Rules:        fusion.Rules(),
		Protocols:    []Protocol{DataIncremental, ClassIncremental, TaskIncremental, LongTail, Log, Growth},
		LongTailRule: true,
		Seeds:        []uint64{1},
		Orders:       1,
		Fractions:    []float64{.02, .04, .08, .16, .32, .64, 1},
		ClassStages:  5,
		Imbalance:    100,
		LogWindow:    100,

		ZeroShotLabels: 100,
		MixSplits:      5,
		MixPerClass:    100,
		Bins:           15,
	}
	for _, k := range fusion.Systems() {
		p.Systems = append(p.Systems, System{Kind: k})
	}
	return p
}

// Check says what is wrong with a suite, in words for whoever made it.
func (s Suite) Check() error {
	if len(s.Tasks) == 0 || !slices.ContainsFunc(s.Tasks, target) {
		return errors.New("there is no target task: at least one task must be taught")
	}
	if !(s.Tau > 0) {
		return fmt.Errorf("τ is %g; want the encoder's logit scale, 100 for CLIP", s.Tau)
	}
	dim := 0
	names := map[string]bool{}
	for _, t := range s.Tasks {
		if names[t.Name] {
			return fmt.Errorf("two tasks are named %q", t.Name)
		}
		names[t.Name] = true
		if len(t.Texts) > 0 && dim == 0 {
			dim = len(t.Texts[0])
		}
		if err := t.check(dim); err != nil {
			return fmt.Errorf("task %q: %w", t.Name, err)
		}
	}
	for i, l := range s.Log {
		if l.Task < 0 || l.Task >= len(s.Tasks) || s.Tasks[l.Task].ZeroShot || l.Image < 0 || l.Image >= len(s.Tasks[l.Task].Train.Labels) {
			return fmt.Errorf("lesson %d of the log is of task %d, training image %d, which is not there", i, l.Task, l.Image)
		}
	}
	return nil
}

func (t Task) check(dim int) error {
	if len(t.Classes) == 0 || len(t.Texts) != len(t.Classes) {
		return fmt.Errorf("%d classes with %d text embeddings; want one for each, and at least one", len(t.Classes), len(t.Texts))
	}
	for i, v := range t.Texts {
		if len(v) != dim || !vec.Finite(v) || math.Abs(vec.Norm(v)-1) > 1e-3 {
			return fmt.Errorf("text embedding of class %q is no unit vector of %d numbers", t.Classes[i], dim)
		}
	}
	if len(t.Test.Labels) == 0 {
		return errors.New("no test images")
	}
	if !t.ZeroShot && len(t.Train.Labels) == 0 {
		return errors.New("no training images, and it is no zero-shot task")
	}
	if err := t.Train.check(dim, len(t.Classes)); err != nil {
		return fmt.Errorf("training images: %w", err)
	}
	if err := t.Test.check(dim, len(t.Classes)); err != nil {
		return fmt.Errorf("test images: %w", err)
	}
	return nil
}

func (s Split) check(dim, classes int) error {
	if len(s.Vectors) != len(s.Labels) {
		return fmt.Errorf("%d embeddings with %d labels", len(s.Vectors), len(s.Labels))
	}
	for i, v := range s.Vectors {
		if len(v) != dim || !vec.Finite(v) {
			return fmt.Errorf("embedding %d is not %d finite numbers", i, dim)
		}
		if s.Labels[i] < 0 || s.Labels[i] >= classes {
			return fmt.Errorf("embedding %d has label %d of %d classes", i, s.Labels[i], classes)
		}
	}
	return nil
}

// Check says what is wrong with a plan.
func (p Plan) Check() error {
	for _, s := range p.Systems {
		if err := s.check(); err != nil {
			return err
		}
	}
	for _, r := range p.Rules {
		if _, err := fusion.ParseRule(string(r)); err != nil {
			return err
		}
	}
	for _, name := range p.Protocols {
		if _, err := ParseProtocol(string(name)); err != nil {
			return err
		}
	}
	growing := len(p.Fractions) > 0 && slices.IsSorted(p.Fractions) && p.Fractions[0] > 0 && p.Fractions[len(p.Fractions)-1] <= 1
	switch {
	case len(p.Systems) == 0 || len(p.Rules) == 0 || len(p.Protocols) == 0 || len(p.Seeds) == 0:
		return errors.New("a plan wants at least one system, rule, protocol and seed")
	case p.Orders < 1 || p.ClassStages < 1 || p.LogWindow < 1 || p.ZeroShotLabels < 1 || p.MixSplits < 1 || p.MixPerClass < 1 || p.Bins < 1 || p.LogLimit < 0:
		return errors.New("orders, stages, windows, splits, labels and bins must be at least 1")
	case !growing:
		return fmt.Errorf("shares of the training images must grow within 0 and 1, not %v", p.Fractions)
	case !(p.Imbalance >= 1):
		return fmt.Errorf("imbalance is %g; want 1 (none) or more", p.Imbalance)
	}
	return nil
}

// ParseProtocol returns the protocol of that name, which can be planned.
func ParseProtocol(name string) (Protocol, error) {
	all := DefaultPlan().Protocols
	if i := slices.Index(all, Protocol(name)); i >= 0 {
		return all[i], nil
	}
	if Protocol(name) == Flexible {
		return "", fmt.Errorf("protocol %q comes with %q: choose that", Flexible, TaskIncremental)
	}
	return "", fmt.Errorf("unknown protocol %q; choose of %v", name, all)
}
