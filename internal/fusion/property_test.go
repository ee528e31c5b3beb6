package fusion

import (
	"math"
	"math/rand/v2"
	"testing"

	"fieldmark/internal/vec"
)

// sane fails the test unless r is what the package promises of every answer.
func sane(t testing.TB, r Result, n int) {
	t.Helper()
	for what, p := range map[string][]float64{"p": r.P, "p_z": r.ZeroShot, "p_e": r.Exemplar} {
		if p == nil && what == "p_e" {
			continue
		}
		var sum float64
		for _, v := range p {
			if !(v >= 0) {
				t.Fatalf("%s: %s holds %g", r.Rule, what, v)
			}
			sum += v
		}
		if len(p) != n || !(math.Abs(sum-1) <= 1e-5) {
			t.Fatalf("%s: %d entries of %s sum to %g", r.Rule, len(p), what, sum)
		}
	}
	if !(r.Weight >= 0 && r.Weight <= 1+1e-12 && r.Near >= 0 && r.Near <= 1) {
		t.Fatalf("%s: weight %g, near %g", r.Rule, r.Weight, r.Near)
	}
}

// randomQuery draws a query of all shapes and sizes: vectors zero, denormal and
// huge, one candidate or many, twins among them, everything or nothing known.
func randomQuery(rng *rand.Rand) (Query, []float64, int) {
	d, rows := 1+rng.IntN(9), 1+rng.IntN(12)
	q := Query{Candidates: 1 + rng.IntN(rows), Tau: math.Exp(rng.Float64()*12 - 4), Near: NearParams{rng.Float64() * 60, rng.Float64()}}
	scale := []float64{0, 1e-45, 1e-40, 1e-20, 1, 10, 1e20, 1e38}[rng.IntN(8)]
	for range d {
		q.Vector = append(q.Vector, float32(scale*(rng.Float64()*2-1)))
	}
	for y := range rows {
		row := make([]float32, d)
		switch {
		case y > 0 && rng.IntN(4) == 0:
			copy(row, q.Texts[rng.IntN(y)])
		case y > 0 && rng.IntN(4) == 0:
			vec.Axpy(-1, q.Texts[rng.IntN(y)], row)
		default:
			for i := range row {
				row[i] = float32(rng.NormFloat64())
			}
			vec.Normalize(row)
		}
		q.Texts = append(q.Texts, row)
	}
	logProb := make([]float64, q.Candidates)
	q.Known = make([]bool, q.Candidates)
	for y := range logProb {
		logProb[y] = -math.Exp(rng.Float64() * 8)
		if rng.IntN(3) == 0 {
			logProb[y] = none
		}
		q.Known[y] = rng.IntN(2) == 0
	}
	c := 1.0
	for range rng.IntN(10) {
		c = max(-1, c-rng.Float64()*rng.Float64())
		q.Neighbours = append(q.Neighbours, Neighbour{c, rng.IntN(rows), rng.IntN(rows), rng.IntN(4), randomExemplar(rng, d)})
		if rng.IntN(3) == 0 {
			q.Nearest = append(q.Nearest, Neighbour{min(1, c+rng.Float64()), rng.IntN(rows), rng.IntN(rows), rng.IntN(4), randomExemplar(rng, d)})
		}
	}
	return q, logProb, rng.IntN(rows)
}

// randomExemplar is the vector of a neighbour: not known, zero, denormal or huge.
func randomExemplar(rng *rand.Rand, d int) []float32 {
	if rng.IntN(4) == 0 {
		return nil
	}
	v := make([]float32, d)
	scale := []float64{0, 1e-45, 1e-40, 1, 10, 1e38}[rng.IntN(6)]
	for i := range v {
		v[i] = float32(scale * (rng.Float64()*2 - 1))
	}
	return v
}

func everyAnswerIsSane(t testing.TB, rng *rand.Rand) {
	t.Helper()
	q, logProb, row := randomQuery(rng)
	s := scorer(t, q)
	probe, err := s.Probe(logProb, row)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := s.Tree(logProb)
	if err != nil {
		t.Fatal(err)
	}
	predictions := []*Prediction{nil, probe, tree}
	for _, system := range []System{KNNMV, KNNAvg, KNNWAvg} {
		p, err := s.KNN(system)
		if err != nil {
			t.Fatal(err)
		}
		predictions = append(predictions, p)
	}
	for _, rule := range Rules() {
		for _, p := range predictions {
			r, err := s.Fuse(rule, p)
			if err != nil {
				t.Fatal(err)
			}
			sane(t, r, q.Candidates)
		}
	}
}

func TestEveryAnswerIsAProbability(t *testing.T) {
	for seed := range uint64(3000) {
		everyAnswerIsSane(t, rand.New(rand.NewPCG(seed, 1)))
	}
}

func FuzzEveryAnswerIsAProbability(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, a, b uint64) { everyAnswerIsSane(t, rand.New(rand.NewPCG(a, b))) })
}

// blend never forms the vector a·v̂_e + b·v̂; here it is formed, in float64.
func TestBlendAgainstTheVectorItself(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		q, logProb, row := randomQuery(rng)
		for i := range q.Vector {
			q.Vector[i] = float32(rng.NormFloat64())
		}
		q.Tau = 20
		s := scorer(t, q)
		r := fuse(t, s, AIMEmb, logProb, row)
		out := make([]float64, len(q.Vector))
		vec.Axpy(s.PIn(), q.Texts[row], out)
		vec.Axpy((1-s.PIn())/vec.Norm(q.Vector), q.Vector, out)
		if vec.Normalize(out) < 1e-3 {
			continue // cancelled out: either form is rounding error
		}
		want := make([]float64, q.Candidates)
		for y := range want {
			for i, x := range q.Texts[y] {
				want[y] += q.Tau * out[i] * float64(x)
			}
		}
		vec.Softmax(want)
		if !alike(r.P, want, 2e-4) { // float32 texts, a length of 1e-3, τ = 20
			t.Fatalf("%v, want %v", r.P, want)
		}
	}
}

func TestBadInputIsAnError(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	good := func() Query {
		return Query{Vector: []float32{1, 0, 0}, Texts: axes, Candidates: 2, Tau: 10, Neighbours: []Neighbour{{Cosine: .5, Row: 2}}}
	}
	tests := []struct {
		name  string
		spoil func(*Query)
	}{
		{"no vector", func(q *Query) { q.Vector = nil }},
		{"NaN in the vector", func(q *Query) { q.Vector = []float32{nan, 0, 0} }},
		{"infinite vector", func(q *Query) { q.Vector = []float32{inf, 0, 0} }},
		{"no candidates", func(q *Query) { q.Candidates = 0 }},
		{"more candidates than rows", func(q *Query) { q.Candidates = 4 }},
		{"row of another length", func(q *Query) { q.Texts = [][]float32{{1, 0}, {0, 1}} }},
		{"row that is not unit", func(q *Query) { q.Texts = [][]float32{{9, 0, 0}, {0, 1, 0}, {0, 0, 1}} }},
		{"NaN in a row", func(q *Query) { q.Texts = [][]float32{{nan, 0, 0}, {0, 1, 0}, {0, 0, 1}} }},
		{"Known of another length", func(q *Query) { q.Known = []bool{true} }},
		{"τ = 0", func(q *Query) { q.Tau = 0 }},
		{"τ = NaN", func(q *Query) { q.Tau = math.NaN() }},
		{"τ infinite", func(q *Query) { q.Tau = math.Inf(1) }},
		{"τ_β < 0", func(q *Query) { q.TauBeta = -1 }},
		{"neighbour of no row", func(q *Query) { q.Neighbours[0].Row = 3 }},
		{"neighbour with cosine 2", func(q *Query) { q.Neighbours[0].Cosine = 2 }},
		{"nearest of no row", func(q *Query) { q.Nearest = []Neighbour{{Cosine: .5, Row: -1}} }},
		{"nearest with cosine NaN", func(q *Query) { q.Nearest = []Neighbour{{Cosine: math.NaN()}} }},
		{"negative slope", func(q *Query) { q.Near.Slope = -1 }},
		{"NaN midpoint", func(q *Query) { q.Near.Midpoint = math.NaN() }},
	}
	if _, err := NewScorer(good()); err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		q := good()
		tt.spoil(&q)
		if _, err := NewScorer(q); err == nil {
			t.Errorf("%s: no error", tt.name)
		}
	}

	s := scorer(t, good())
	for name, l := range map[string][]float64{"short": {0}, "NaN": {0, math.NaN()}, "infinite": {0, math.Inf(1)}} {
		if _, err := s.Probe(l, 0); err == nil {
			t.Errorf("%s log p_e: no error", name)
		}
	}
	if _, err := s.Probe([]float64{0, 0}, 3); err == nil {
		t.Error("arg max outside the rows: no error")
	}
	if _, err := s.Fuse("best", nil); err == nil {
		t.Error("unknown rule: no error")
	}
}

// BenchmarkFuse is one request: 3,500 candidates, 512 dimensions, 9 neighbours.
func BenchmarkFuse(b *testing.B) {
	rng := rand.New(rand.NewPCG(5, 6))
	q := Query{Candidates: 3500, Tau: 20, Near: NearParams{20, .8}, Known: make([]bool, 3500)}
	for range 3500 {
		row := make([]float32, 512)
		for i := range row {
			row[i] = float32(rng.NormFloat64())
		}
		vec.Normalize(row)
		q.Texts = append(q.Texts, row)
	}
	q.Vector = q.Texts[0]
	logProb := make([]float64, 3500)
	for y := range logProb {
		logProb[y] = none
	}
	for j := range 9 {
		q.Neighbours = append(q.Neighbours, Neighbour{Cosine: .9 - .01*float64(j), Row: j, Predicted: j, Vector: q.Texts[100+j]})
		q.Known[j], logProb[j] = true, math.Log(1./9)
	}
	for _, rules := range [][]Rule{{ZeroShot}, {AIMEmb}, {Near}, Rules()} {
		name := string(rules[0])
		if len(rules) > 1 {
			name = "all-rules"
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s := scorer(b, q)
				p, err := s.Tree(logProb)
				if err != nil {
					b.Fatal(err)
				}
				for _, rule := range rules {
					if _, err := s.Fuse(rule, p); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
