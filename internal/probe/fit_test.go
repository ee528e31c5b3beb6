package probe

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestGradientAgainstDifferences(t *testing.T) {
	const n, k, d = 40, 4, 6
	data := embeddings(n, k, d, 1)
	p, err := gather(data, Options{C: 0.7, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(2, 2))
	theta := make([]float64, p.size())
	for i := range theta {
		theta[i] = 0.1 * r.NormFloat64()
	}
	for name, eval := range map[string]function{
		"double": newEvaluator[float64](p).eval, "single": newEvaluator[float32](p).eval,
	} {
		grad, unused := make([]float64, len(theta)), make([]float64, len(theta))
		if _, err := eval(t.Context(), theta, grad); err != nil {
			t.Fatal(err)
		}
		exact := newEvaluator[float64](p)
		for i := range theta {
			const h = 1e-5
			at := func(step float64) float64 {
				moved := slices.Clone(theta)
				moved[i] += step
				f, _ := exact.eval(t.Context(), moved, unused)
				return f
			}
			want := (at(h) - at(-h)) / (2 * h)
			if math.Abs(grad[i]-want) > 1e-5*(1+math.Abs(want)) {
				t.Errorf("%s: ∂f/∂θ[%d] = %v, by differences %v", name, i, grad[i], want)
			}
		}
	}
}

// Two points at ±1 with different labels: by symmetry w₁ = −w₀ = w/2, b = 0, and
// f = w²/4 + 2C log(1 + e^−w) is least where w/2 = 2C / (1 + e^w). Choosing
// C = w(1 + e^w)/4 puts the optimum at w.
func TestTwoPointsSolvedByHand(t *testing.T) {
	for _, w := range []float64{0.01, 1, 4} {
		c := w * (1 + math.Exp(w)) / 4
		data := set{[][]float32{{1}, {-1}}, []int32{8, 2}}
		m, report := fit(t, data, Options{C: c, Tol: 1e-10})
		if want := []int32{2, 8}; !slices.Equal(m.Classes(), want) {
			t.Fatalf("classes %v, want %v", m.Classes(), want)
		}
		w8, b8 := m.Weights(1)
		if math.Abs(float64(w8[0])-w/2) > 1e-6 || math.Abs(b8) > 1e-6 {
			t.Errorf("weight %v and intercept %v, want %v and 0", w8[0], b8, w/2)
		}
		if want := w*w/4 + 2*c*math.Log1p(math.Exp(-w)); math.Abs(report.Objective-want) > 1e-9*want {
			t.Errorf("f = %v, want %v", report.Objective, want)
		}
		if p, want := m.Predict([]float32{1}).Prob(8), 1/(1+math.Exp(-w)); math.Abs(p-want) > 1e-6 {
			t.Errorf("p = %v, want %v", p, want)
		}
	}
}

// Exemplars that are all alike teach only how frequent the labels are: W = 0 and
// softmax(b) = frequencies, which no penalty holds back.
func TestEqualVectorsTeachFrequencies(t *testing.T) {
	data := set{labels: []int32{5, 5, 5, 9}}
	for range 4 {
		data.rows = append(data.rows, []float32{6, 8})
	}
	m, _ := fit(t, data, Options{})
	for _, x := range [][]float32{{6, 8}, {-8, 6}} {
		p := m.Predict(x)
		if math.Abs(p.Prob(5)-0.75) > 1e-6 || math.Abs(p.Prob(9)-0.25) > 1e-6 {
			t.Errorf("p = %v and %v, want 0.75 and 0.25", p.Prob(5), p.Prob(9))
		}
	}
}

func TestFewClasses(t *testing.T) {
	none, report := fit(t, set{}, Options{})
	if none != nil || !report.Converged {
		t.Errorf("no data: %v, %+v", none, report)
	}
	if d := none.Predict([]float32{1}); len(d.Labels) != 0 {
		t.Errorf("the model of no data predicts %v", d)
	}
	if _, ok := none.Predict([]float32{1}).Best(); ok {
		t.Errorf("the model of no data knows a best label")
	}
	one, _ := fit(t, set{[][]float32{{1, 2}, {-3, 4}}, []int32{7, 7}}, Options{})
	if d := one.Predict([]float32{5, 5}); len(d.Labels) != 1 || d.Prob(7) != 1 || d.Prob(8) != 0 {
		t.Errorf("one class: %+v, want all probability on 7", d)
	}
}

func TestOptimumIsReachedFromAnywhere(t *testing.T) {
	data := embeddings(600, 12, 40, 3)
	cold, report := fit(t, data, Options{Workers: 2})
	f, g, err := Evaluate(t.Context(), cold, data, Options{})
	if err != nil || math.Abs(f-report.Objective) > 1e-9*f || g > 1e-3 {
		t.Errorf("Evaluate: f = %v, |∇f| = %v, %v; Fit reported %+v", f, g, err, report)
	}

	part := set{data.rows[:200], data.labels[:200]}
	half, _ := fit(t, part, Options{MaxIter: 3})
	shuffled := rand.New(rand.NewPCG(1, 2)).Perm(600)
	other := set{}
	for _, i := range shuffled {
		other.rows, other.labels = append(other.rows, data.rows[i]), append(other.labels, data.labels[i])
	}
	for name, c := range map[string]struct {
		data Data
		opts Options
	}{
		"one worker":                     {data, Options{Workers: 1}},
		"warm from the optimum":          {data, Options{Warm: cold}},
		"warm from a part, not finished": {data, Options{Warm: half}},
		"in another order":               {other, Options{}},
	} {
		m, r := fit(t, c.data, c.opts)
		if d := farthest(m, cold, data.rows); d > 2e-6 {
			t.Errorf("%s: probabilities differ by %v", name, d)
		}
		if math.Abs(r.Objective-report.Objective) > 1e-10*report.Objective {
			t.Errorf("%s: f = %v, want %v", name, r.Objective, report.Objective)
		}
	}
}

func TestWorkersDoNotChangeABit(t *testing.T) {
	data := embeddings(1300, 7, 33, 4)
	a, ra := fit(t, data, Options{Workers: 1})
	b, rb := fit(t, data, Options{Workers: 5})
	if ra != rb || !slices.Equal(a.w, b.w) || !slices.Equal(a.b, b.b) {
		t.Errorf("one worker and five differ: %+v, %+v", ra, rb)
	}
}

func TestFewStepsAreResumed(t *testing.T) {
	data := embeddings(500, 10, 30, 5)
	optimum, want := fit(t, data, Options{})
	var m *Model
	last := math.Inf(1)
	rounds := 0
	for converged := false; !converged; rounds++ {
		if rounds == 100 {
			t.Fatalf("no end after %d rounds: f = %v, want %v", rounds, last, want.Objective)
		}
		next, report, err := Fit(t.Context(), data, Options{Warm: m, MaxIter: 15, Tol: 1e-4})
		if err != nil || report.Objective > last*(1+1e-9) || report.Iterations > 15 {
			t.Fatalf("round %d: %+v after f = %v: %v", rounds, report, last, err)
		}
		m, last, converged = next, report.Objective, report.Converged
	}
	if rounds < 2 {
		t.Errorf("converged in %d rounds: nothing was resumed", rounds)
	}
	if d := farthest(m, optimum, data.rows); d > 1e-4 {
		t.Errorf("probabilities differ by %v from those of one fit", d)
	}
}

// stopping ends its context after some looks at it.
type stopping struct {
	context.Context
	looks int
}

func (s *stopping) Err() error {
	if s.looks--; s.looks < 0 {
		return context.Canceled
	}
	return nil
}

func TestCancelledFitKeepsWhatItHas(t *testing.T) {
	data := embeddings(700, 10, 30, 6) // two blocks, so that an evaluation is cut short
	_, whole := fit(t, data, Options{})
	last := math.Inf(1)
	for _, looks := range []int{0, 1, 2, 7, 40} {
		ctx := &stopping{context.Background(), looks}
		m, report, err := Fit(ctx, data, Options{})
		if !errors.Is(err, context.Canceled) || report.Converged {
			t.Fatalf("after %d looks: %+v, %v", looks, report, err)
		}
		if report.Evaluations == 0 {
			if m != nil || !math.IsInf(report.Objective, 1) || !math.IsInf(report.GradNorm, 1) {
				t.Errorf("after %d looks, too few for an evaluation: model %v, %+v", looks, m != nil, report)
			}
			continue
		}
		f, _, err := Evaluate(t.Context(), m, data, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if f > last*(1+1e-9) || f < whole.Objective*(1-1e-9) {
			t.Errorf("after %d looks f = %v, before %v, least %v", looks, f, last, whole.Objective)
		}
		last = f
		if _, again := fit(t, data, Options{Warm: m}); math.Abs(again.Objective-whole.Objective) > 1e-9*whole.Objective {
			t.Errorf("resumed after %d looks: f = %v, want %v", looks, again.Objective, whole.Objective)
		}
	}
}

func TestWarmStartWithOtherClasses(t *testing.T) {
	data := embeddings(400, 8, 20, 7)
	known := set{}
	for i, l := range data.labels {
		if l != 3 && l != 12 {
			known.rows, known.labels = append(known.rows, data.rows[i]), append(known.labels, l)
		}
	}
	all, _ := fit(t, data, Options{})
	fewer, _ := fit(t, known, Options{})
	grown, _ := fit(t, data, Options{Warm: fewer})
	if d := farthest(grown, all, data.rows); d > 2e-6 {
		t.Errorf("two classes more: probabilities differ by %v", d)
	}
	shrunk, _ := fit(t, known, Options{Warm: all})
	if d := farthest(shrunk, fewer, data.rows); d > 2e-6 {
		t.Errorf("two classes fewer: probabilities differ by %v", d)
	}
}

func TestBadInputIsRefused(t *testing.T) {
	good := embeddings(4, 2, 3, 8)
	m, _ := fit(t, embeddings(9, 2, 5, 8), Options{})
	for name, c := range map[string]struct {
		data Data
		opts Options
		want string
	}{
		"ragged rows":  {set{[][]float32{{1, 2}, {1}}, []int32{1, 2}}, Options{}, "exemplar 1 has 1 elements"},
		"empty rows":   {set{[][]float32{{}, {}}, []int32{1, 2}}, Options{}, "0 elements"},
		"negative C":   {good, Options{C: -1}, "C = -1"},
		"C not finite": {good, Options{C: math.Inf(1)}, "C = +Inf"},
		"negative Tol": {good, Options{Tol: -1}, "Tol = -1"},
		"other model":  {good, Options{Warm: m}, "a model of 5"},
	} {
		if _, _, err := Fit(t.Context(), c.data, c.opts); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error about %q", name, err, c.want)
		}
	}
}
