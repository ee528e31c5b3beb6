package identify

import (
	"cmp"
	"context"
	"slices"
	"time"

	"fieldmark/internal/eval"
)

// calibrationBins is how many bars a reliability diagram has.
const calibrationBins = 10

// Learning is how well the memory did along the real log, each photo asked before it
// was taught (test-then-train).
type Learning struct {
	Encoder  string // name
	Counts   TrialCounts
	Fused    Score
	ZeroShot Score
	Recent   RecentScores
	Curve    []CurvePoint
	Groups   []GroupScores // most asked first
	Sure     SureThreshold
}

// Score sums up answers that were put to the test.
type Score struct {
	Asked, Right int
	Low, High    float64 // 95 % interval of Right/Asked
	Confidence   float64 // mean probability of what was named
	ECE          float64 // expected calibration error; 0 for none
	Bins         []eval.Bin
}

// RecentScores are those of the last lessons alone.
type RecentScores struct{ Fused, ZeroShot Score }

// GroupScores are those of one group of organisms.
type GroupScores struct {
	Group           string // "" of none
	Fused, ZeroShot Score
	Unknown         int // lessons whose name was no candidate before: nothing could have been right
}

// CurvePoint is the accuracy over the lessons of a window that ends at one.
type CurvePoint struct {
	Lesson          int // first lessons so far, from 1
	At              time.Time
	Fused, ZeroShot float64
}

// SureThreshold is the probability from which a species is said without reserve, and
// where it comes from.
type SureThreshold struct {
	eval.ThresholdRule
	eval.Threshold
}

// sureRule says how the threshold of headlines is found.
func sureRule() eval.ThresholdRule {
	return eval.ThresholdRule{Target: 0.9, Conventional: sure, Least: 0.3, Most: 0.95, Step: 0.01,
		Window: 1000, Enough: 100, EnoughSaid: 30, Every: 25, Inertia: 0.03}
}

// Learning returns the live memory's learning curve under the encoder that serves.
func (s *Service) Learning(ctx context.Context) (Learning, error) {
	e, release := s.acquire()
	defer release()
	trials, err := s.Store.Trials(ctx, e.info.Digest)
	if err != nil {
		return Learning{}, err
	}
	l := learningOf(trials)
	l.Encoder = e.info.Name
	if found := e.sure.Load(); found != nil {
		l.Sure = *found
	}
	l.Counts, err = s.Store.TrialCounts(ctx, e.info.Digest)
	return l, err
}

func learningOf(trials []TrialRecord) Learning {
	fused, zero := answersOf(trials)
	window := curveWindow(len(trials))
	l := Learning{Fused: scoreOf(fused), ZeroShot: scoreOf(zero)}
	recent := max(0, len(trials)-window)
	l.Recent = RecentScores{scoreOf(fused[recent:]), scoreOf(zero[recent:])}
	l.Curve = curveOf(trials, fused, zero, window, min(leastWindow, len(trials)))
	l.Groups = groupScores(trials)
	return l
}

// curveOf is how the share of right answers went, each point over the lessons of a
// window that ends at one: the first at least lessons, the last at the last one.
func curveOf(trials []TrialRecord, fused, zero []eval.Answer, window, least int) (curve []CurvePoint) {
	a, b := eval.Running(fused, window), eval.Running(zero, window)
	step := max(1, len(trials)/maxCurve)
	for i, t := range trials {
		if i+1 >= least && (len(trials)-1-i)%step == 0 {
			curve = append(curve, CurvePoint{Lesson: i + 1, At: t.At, Fused: a[i], ZeroShot: b[i]})
		}
	}
	return curve
}

// maxCurve is about how many points a curve has, and leastWindow how many lessons
// its first one looks back on: a share of fewer says nothing.
const (
	maxCurve    = 240
	leastWindow = 20
)

// curveWindow is how many lessons a point of the curve looks back on.
func curveWindow(n int) int { return min(max(n/5, leastWindow), 100) }

func answersOf(trials []TrialRecord) (fused, zero []eval.Answer) {
	for _, t := range trials {
		fused = append(fused, eval.Answer{Confidence: t.Fused.Probability, Right: t.Right(t.Fused)})
		zero = append(zero, eval.Answer{Confidence: t.ZeroShot.Probability, Right: t.Right(t.ZeroShot)})
	}
	return fused, zero
}

func scoreOf(answers []eval.Answer) Score {
	s := Score{Asked: len(answers), Bins: eval.Reliability(answers, calibrationBins)}
	for _, b := range s.Bins {
		s.Right += b.Right
		s.Confidence += b.Confidence
	}
	if s.Asked > 0 {
		s.Confidence /= float64(s.Asked)
		s.ECE = eval.ECE(answers, calibrationBins)
	}
	s.Low, s.High = eval.Wilson(s.Right, s.Asked)
	return s
}

func groupScores(trials []TrialRecord) []GroupScores {
	of := map[string][]TrialRecord{}
	for _, t := range trials {
		of[t.Group] = append(of[t.Group], t)
	}
	var out []GroupScores
	for group, list := range of {
		fused, zero := answersOf(list)
		g := GroupScores{Group: group, Fused: scoreOf(fused), ZeroShot: scoreOf(zero)}
		for _, t := range list {
			if !t.Known {
				g.Unknown++
			}
		}
		out = append(out, g)
	}
	slices.SortFunc(out, func(a, b GroupScores) int {
		return cmp.Or(cmp.Compare(b.Fused.Asked, a.Fused.Asked), cmp.Compare(a.Group, b.Group))
	})
	return out
}

// calibrate works the threshold of headlines out anew, from the whole log.
func (e *engine) calibrate(ctx context.Context) error {
	trials, err := e.Store.Trials(ctx, e.info.Digest)
	if err != nil {
		return err
	}
	fused, _ := answersOf(slices.DeleteFunc(trials, e.undecided))
	rule := sureRule()
	e.sure.Store(&SureThreshold{ThresholdRule: rule, Threshold: rule.Find(fused)})
	e.calibrated.Store(int64(e.learner.memory().seq))
	return nil
}

// undecided reports that nobody can say whether what was named is right: people say
// no more than a taxon above it.
func (e *engine) undecided(t TrialRecord) bool {
	return slices.ContainsFunc(e.taxonomy.ancestors(t.Fused.Taxon), func(a Taxon) bool { return a.ID == t.Truth })
}

// sureFrom is the probability from which a species is said without reserve.
func (e *engine) sureFrom() float64 {
	if s := e.sure.Load(); s != nil {
		return s.Value
	}
	return sure
}

// recalibrate does so in the background once the log has grown by enough lessons.
func (s *Service) recalibrate(e *engine) {
	seq, last := int64(e.learner.memory().seq), e.calibrated.Load()
	if seq-last < int64(sureRule().Every) || !e.calibrated.CompareAndSwap(last, seq) || !s.enter() {
		return
	}
	go func() {
		defer s.background.Done()
		ctx, done := context.WithTimeout(s.working, time.Minute)
		defer done()
		if err := e.calibrate(ctx); err != nil && s.working.Err() == nil {
			s.Log.Error("the threshold of headlines could not be worked out", "error", err)
		}
	}()
}
