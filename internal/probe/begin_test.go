package probe

import (
	"slices"
	"testing"
)

// A beginning names most as the optimum does, where guessing would name a
// twentieth, and goes on doing so while lessons are learnt.
func TestLessonsFromABeginning(t *testing.T) {
	const n, lessons, held = 4000, 30, 1000
	data := embeddings(n+lessons+held, 20, 40, 61)
	for i := n; i < n+lessons; i += 2 {
		data.labels[i] = data.labels[i+1]
	}
	data.labels[n+4] = 500
	c := &course{t: t, data: data, stands: make([]bool, data.Len()), workers: 2}
	for i := range n {
		c.stands[i] = true
	}
	model, curve, err := Begin(t.Context(), c.standing(), Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	c.base, c.overlay = model, NewOverlay(model, curve)
	optimum, _ := fit(t, c.standing(), Options{Workers: 2, Tol: 0.01})
	if a := agreement(model, optimum, data.rows[n+lessons:]); a < 0.7 {
		t.Errorf("the beginning names %v as the optimum does", a)
	}
	more := 0
	for i := range lessons {
		label := data.labels[n+i]
		before := c.overlay.Model().Predict(data.rows[n+i]).Prob(label)
		c.teach(n + i)
		if c.overlay.Model().Predict(data.rows[n+i]).Prob(label) > before {
			more++
		}
	}
	if more < lessons {
		t.Errorf("%d of %d lessons made their label likelier", more, lessons)
	}
	if p := c.overlay.Model().Predict(data.rows[n+4]).Prob(500); p < 1./n {
		t.Errorf("a new label has p = %v, less than one among all has without looking", p)
	}
	if a := agreement(c.overlay.Model(), optimum, data.rows[n+lessons:]); a < 0.7 {
		t.Errorf("after the lessons names %v as the optimum does", a)
	}
}

// What is known already and is better is kept, and workers change nothing.
func TestBeginKeepsTheBetter(t *testing.T) {
	data := embeddings(1500, 12, 24, 62)
	optimum, _ := fit(t, data, Options{})
	model, curve, err := Begin(t.Context(), data, Options{Workers: 3, Warm: optimum})
	if err != nil {
		t.Fatal(err)
	}
	if d := farthest(model, optimum, data.rows); d > 1e-5 {
		t.Errorf("begins %v from the optimum", d)
	}
	measured, err := Curve(t.Context(), optimum, data, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for k, s := range curve.s { // both measured s on all of so few exemplars
		if r := s / measured.s[k]; r < 0.99 || r > 1.01 {
			t.Errorf("s of class %d is %v, want %v", k, s, measured.s[k])
		}
	}
	a, _, err := Begin(t.Context(), data, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	b, _, err := Begin(t.Context(), data, Options{Workers: 5})
	if err != nil || !slices.Equal(a.w, b.w) || !slices.Equal(a.b, b.b) {
		t.Errorf("one worker and five differ: %v", err)
	}
}

func TestBeginOfLittle(t *testing.T) {
	if m, curve, err := Begin(t.Context(), set{}, Options{}); m != nil || curve != nil || err != nil {
		t.Errorf("of no data: %v, %v, %v", m, curve, err)
	}
	one := set{[][]float32{{1, 2}, {1, 2}, {2, 1}}, []int32{7, 7, 7}}
	m, curve, err := Begin(t.Context(), one, Options{})
	if err != nil || m.Predict([]float32{1, 1}).Prob(7) != 1 {
		t.Fatalf("of one label: %v", err)
	}
	learnt := NewOverlay(m, curve).Learn([]Exemplar{{ID: 3, X: []float32{5, 5}, Label: 8}}, nil, []int32{7, 8}, 1)
	if p := learnt.Model().Predict([]float32{5, 5}); len(p.Labels) != 2 || !(p.Prob(8) > 0) {
		t.Errorf("after a second label: %+v", p)
	}
}
