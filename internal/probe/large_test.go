package probe

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
)

// largeData is as much data as Fit begins with a part of, and preconditions Newton
// steps over.
func largeData(seed uint64) set { return embeddings(large/64+100, 64, pad, seed) }

// The start on parts of the data, Newton steps and a warm start change the way, not
// the end: the gradient of f over all of it, and one more fit from there, say so.
func TestLargeFitsEndAtTheOptimum(t *testing.T) {
	data := largeData(51)
	one, report := fit(t, data, Options{Workers: 1, Tol: 1e-2})
	if _, g, err := Evaluate(t.Context(), one, data, Options{}); err != nil || g > 2e-2 {
		t.Errorf("|∇f| = %v at the optimum, %v", g, err)
	}
	many, _ := fit(t, data, Options{Workers: 5, Tol: 1e-2})
	if !slices.Equal(one.w, many.w) || !slices.Equal(one.b, many.b) {
		t.Errorf("one worker and five differ")
	}
	// From the optimum of a third, which lacks labels: 9 and 12 are new.
	var third set
	for i, label := range data.labels[:data.Len()/3] {
		if label != 9 && label != 12 {
			third.rows, third.labels = append(third.rows, data.rows[i]), append(third.labels, label)
		}
	}
	m, _ := fit(t, third, Options{Workers: 2, Tol: 1})
	grown, r := fit(t, data, Options{Workers: 2, Warm: m, Tol: 1e-2})
	if math.Abs(r.Objective-report.Objective) > 1e-6*report.Objective {
		t.Errorf("from a third f = %v, want %v", r.Objective, report.Objective)
	}
	if d := farthest(grown, one, data.rows[:300]); d > 1e-2 {
		t.Errorf("from a third: probabilities differ by %v", d)
	}
}

// A fit can be cancelled at any of its stages, and then says so.
func TestCancelledLargeFit(t *testing.T) {
	data := largeData(52)
	_, whole := fit(t, data, Options{Tol: 1e-2})
	stages := map[bool]bool{}
	for _, looks := range []int{0, 3, 30, 100, 300, 600, 900} {
		m, report, err := Fit(&stopping{context.Background(), looks}, data, Options{})
		if !errors.Is(err, context.Canceled) || report.Converged {
			t.Fatalf("after %d looks: %+v, %v", looks, report, err)
		}
		stages[m != nil] = true
		if m == nil != (report.Evaluations == 0) {
			t.Errorf("after %d looks: model %v, %+v", looks, m != nil, report)
		}
		if report.Objective < whole.Objective*(1-1e-6) {
			t.Errorf("after %d looks f = %v, least %v", looks, report.Objective, whole.Objective)
		}
	}
	if len(stages) != 2 {
		t.Errorf("cancelled with and without a model: %v", stages)
	}
}

// The preconditioner leaves out how classes depend on one another, as those do that
// lie together. A Newton step is of the right length all the same: few are tried twice.
func TestStepsAreRarelyTriedTwice(t *testing.T) {
	data := embeddings(9000, 60, 48, 5)
	for i, row := range data.rows {
		row[data.labels[i]/3%8] += 6 // eight groups
	}
	_, report := fit(t, data, Options{Workers: 2, Tol: 1e-2})
	if float64(report.Evaluations) > 1.2*float64(report.Iterations) {
		t.Errorf("%d evaluations for %d steps", report.Evaluations, report.Iterations)
	}
}

// Where Newton steps have given up, L-BFGS goes on with their preconditioner, scaled
// by the curvature that its last step met: it ends at the optimum, in fewer steps than
// without one, and few of them are tried twice.
func TestLBFGSWithThePreconditioner(t *testing.T) {
	data := embeddings(2000, 24, 32, 53)
	for i, row := range data.rows {
		row[data.labels[i]/3%4] += 6 // four groups, whose classes depend on one another
	}
	_, want := fit(t, data, Options{Workers: 2})
	p, err := gather(data, Options{C: DefaultC, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	e := newEvaluator[float64](p)
	run := func(from []float64, precondition func(g []float64), most int) *lbfgs {
		t.Helper()
		l := newLBFGS(slices.Clone(from))
		l.precondition = precondition
		err := l.begin(t.Context(), e.eval)
		if err == nil {
			err = l.run(t.Context(), e.eval, noise64, most, func() bool { return l.gradNorm() <= 1e-2 })
		}
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	near := run(p.start(nil), nil, 20)
	h, err := p.hessian(t.Context(), near.x, e.doubt)
	if err != nil {
		t.Fatal(err)
	}
	q, err := h.precondition(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	plain, preconditioned := run(near.x, nil, 1000), run(near.x, q.apply, 1000)
	if d := preconditioned.f - want.Objective; math.Abs(d) > 1e-6*want.Objective || preconditioned.gradNorm() > 1e-2 {
		t.Errorf("f is %v above the optimum, |∇f| = %v", d, preconditioned.gradNorm())
	}
	if preconditioned.iterations >= plain.iterations {
		t.Errorf("%d steps with the preconditioner, %d without", preconditioned.iterations, plain.iterations)
	}
	if float64(preconditioned.evals) > 1.2*float64(preconditioned.iterations) {
		t.Errorf("%d evaluations for %d steps", preconditioned.evals, preconditioned.iterations)
	}
}
