package fusion

import (
	"math"
	"testing"
)

var (
	ln2  = math.Ln2
	none = math.Inf(-1)
	// axes are three text rows at right angles.
	axes = [][]float32{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
)

// scorer makes a Scorer or ends the test.
func scorer(t testing.TB, q Query) *Scorer {
	t.Helper()
	s, err := NewScorer(q)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fuse applies a rule to log p_e and the arg max row, or ends the test.
func fuse(t testing.TB, s *Scorer, rule Rule, logProb []float64, row int) Result {
	t.Helper()
	p, err := s.Probe(logProb, row)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Fuse(rule, p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func logs(p ...float64) []float64 {
	for i := range p {
		p[i] = math.Log(p[i])
	}
	return p
}

func alike(a, b []float64, tol float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !(math.Abs(a[i]-b[i]) <= tol) {
			return false
		}
	}
	return true
}

// With τ = ln 2, e^l = 2^cos. v along the first axis has cosines (1, 0, 0), so
// p_z = (2, 1, 1)/4.
func TestRulesByHand(t *testing.T) {
	onAxis := Query{Vector: []float32{7, 0, 0}, Texts: axes, Candidates: 3, Tau: ln2}
	// v = (2, 2, 1)/3 has just these cosines: 2^(2/3) = 1.587401, 2^(1/3) = 1.259921,
	// their sum 4.434723, p_z = (0.357948, 0.357948, 0.284104).
	oblique := onAxis
	oblique.Vector = []float32{2, 2, 1}

	tests := []struct {
		name   string
		q      Query
		known  []bool
		rule   Rule
		logPe  []float64
		row    int
		want   []float64
		weight float64
	}{
		{"zero-shot", onAxis, nil, ZeroShot, logs(0, 1, 0), 1, []float64{.5, .25, .25}, 0},
		// p_e sums to ½ over Y (the rest lies on labels outside) and is renormalised.
		{"exemplar", onAxis, nil, Exemplar, logs(0, .4, .1), 1, []float64{0, .8, .2}, 1},
		// v_e = e_2: 2^(0,1,0).
		{"exemplar embedding", onAxis, nil, ExemplarEmb, logs(0, 1, 0), 1, []float64{.25, .5, .25}, 1},
		{"avg-prob", onAxis, nil, AvgProb, logs(0, 1, 0), 1, []float64{.25, .625, .125}, .5},
		// v_out ∝ (1, 1, 0): cosines .707107 twice and 0; 2^.707107 = 1.632527, sum 4.265054.
		{"avg-emb", onAxis, nil, AvgEmb, logs(0, 1, 0), 1, []float64{.382768, .382768, .234463}, .5},
		// P_in = ¼: v_out ∝ (¾, ¼, 0), length .790569, cosines .948683 and .316228;
		// 2^ them = 1.930110, 1.245070, 1; sum 4.175180.
		{"aim-emb", onAxis, []bool{false, true, false}, AIMEmb, logs(0, 1, 0), 1, []float64{.462282, .298208, .239511}, .25},
		// P_in = ¾; p_z p_e ∝ (.5·.25, .25·.75) = (.125, .1875), that is (.4, .6);
		// q is all on the third label.
		{"aim-prob", onAxis, []bool{true, true, false}, AIMProb, logs(.25, .75, 0), 1, []float64{.3, .45, .25}, .75},
		// The same with q = p_z: + ¼·(.5, .25, .25).
		{"aim-prob-printed", onAxis, []bool{true, true, false}, AIMProbPrinted, logs(.25, .75, 0), 1, []float64{.425, .5125, .0625}, .75},
		// P_in = .357948 on the second; cosines instead of p_z: q = (2/3, 1/3)/1 over the first and third.
		{"aim-prob-program", oblique, []bool{false, true, false}, AIMProbProgram, logs(0, 1, 0), 1,
			[]float64{.642052 * 2 / 3, .357948, .642052 / 3}, .357948},
		// |Y_e| = 2: p_e·2 = (.5, 1.5) and so, with 1 % of ignorance, factors .505, 1.495
		// and 1 on p_z = (2, 1, 1)/4: (1.01, 1.495, 1)/3.505. p_z moved by |.5 - .288160|.
		{"bayes", onAxis, []bool{true, true, false}, Bayes, logs(.25, .75, 0), 1, []float64{.288160, .426534, .285307}, .211840},
		// The same p_e = (.25, .75): c = ¾. P_in = ¾, v_e = e_2: v_out ∝ (¼, ¾, 0), cosines
		// .316228 and .948683, p_AIM = (.298208, .462282, .239511); ¾ of it and ¼ of bayes.
		{"aim-bayes", onAxis, []bool{true, true, false}, AIMBayes, logs(.25, .75, 0), 1, []float64{.295696, .453345, .250960}, .204304},
		// Everything known: the second term vanishes, z p_e ∝ (2·.5, 2·.25, 1·.25)/3.
		{"aim-prob-program, all known", oblique, []bool{true, true, true}, AIMProbProgram, logs(.5, .25, .25), 0,
			[]float64{1 / 1.75, .5 / 1.75, .25 / 1.75}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.q.Known = tt.known
			r := fuse(t, scorer(t, tt.q), tt.rule, tt.logPe, tt.row)
			if !alike(r.P, tt.want, 2e-6) {
				t.Errorf("p = %.6f, want %.6f", r.P, tt.want)
			}
			if math.Abs(r.Weight-tt.weight) > 1e-6 {
				t.Errorf("weight = %g, want %g", r.Weight, tt.weight)
			}
		})
	}
}

// v_e = ½(e_1 + e_2) has length 1/√2. Unnormalised, v_out = (¾, ¼, 0); normalised,
// it is ½(.707107 + 1, .707107, 0).
func TestAvgEmbKeepsOrDropsTheLength(t *testing.T) {
	s := scorer(t, Query{Vector: []float32{1, 0, 0}, Texts: axes, Candidates: 3, Tau: ln2,
		Neighbours: []Neighbour{{Cosine: .9, Row: 0}, {Cosine: .9, Row: 1}}})
	p, err := s.KNN(KNNAvg)
	if err != nil {
		t.Fatal(err)
	}
	for rule, cos := range map[Rule][]float64{
		AvgEmbRaw: {.75 / math.Hypot(.75, .25), .25 / math.Hypot(.75, .25), 0},
		AvgEmb:    {1.707107 / math.Hypot(1.707107, .707107), .707107 / math.Hypot(1.707107, .707107), 0},
	} {
		r, err := s.Fuse(rule, p)
		if err != nil {
			t.Fatal(err)
		}
		var sum float64
		want := make([]float64, 3)
		for y, c := range cos {
			want[y] = math.Exp2(c)
			sum += want[y]
		}
		for y := range want {
			want[y] /= sum
		}
		if !alike(r.P, want, 1e-6) {
			t.Errorf("%s: %.6f, want %.6f", rule, r.P, want)
		}
	}
}

func TestAnEmptyMemoryIsCLIP(t *testing.T) {
	s := scorer(t, Query{Vector: []float32{1, 2, 3}, Texts: axes, Candidates: 2, Tau: 20, Near: NearParams{20, .8}})
	unknown, err := s.KNN(KNNWAvg) // of no neighbours
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range Rules() {
		for name, p := range map[string]*Prediction{"nil": nil, "no neighbours": unknown} {
			r, err := s.Fuse(rule, p)
			if err != nil {
				t.Fatal(err)
			}
			if !alike(r.P, s.ZeroShot(), 0) || r.Weight != 0 || r.Exemplar != nil {
				t.Errorf("%s of %s: %v, weight %g; want p_z = %v and 0", rule, name, r.P, r.Weight, s.ZeroShot())
			}
		}
	}
}

// Exemplars of labels outside Y leave AIM with p_z, and still pull where all of
// v_e counts.
func TestNothingKnownAmongTheCandidates(t *testing.T) {
	s := scorer(t, Query{Vector: []float32{3, 2, 1}, Texts: axes, Candidates: 2, Tau: 20})
	for _, rule := range []Rule{Exemplar, AvgProb, AIMEmb, AIMProb, AIMProbPrinted, AIMProbProgram, Bayes, AIMBayes, Careful, Near} {
		if r := fuse(t, s, rule, []float64{none, none}, 2); !alike(r.P, s.ZeroShot(), 0) || r.Weight != 0 {
			t.Errorf("%s: %v, weight %g; want p_z = %v", rule, r.P, r.Weight, s.ZeroShot())
		}
	}
	if r := fuse(t, s, AvgEmb, []float64{none, none}, 2); alike(r.P, s.ZeroShot(), 1e-3) || r.Weight != .5 {
		t.Errorf("avg-emb: a label outside Y does not pull: %v", r.P)
	}
}

// e^-800 is 0 in float64 too; in log space it still decides.
func TestUnderflowDoesNotDecide(t *testing.T) {
	s := scorer(t, Query{Vector: []float32{1, 0, 0}, Texts: axes, Candidates: 3, Tau: ln2, Known: []bool{true, true, false}})
	l := []float64{-800, -800 + math.Log(3), none}
	if r := fuse(t, s, Exemplar, l, 1); !alike(r.P, []float64{.25, .75, 0}, 1e-12) {
		t.Errorf("exemplar: %v, want ¼, ¾, 0", r.P)
	}
	if r := fuse(t, s, AIMProb, l, 1); !alike(r.P, []float64{.3, .45, .25}, 1e-7) {
		t.Errorf("aim-prob: %v, want .3, .45, .25", r.P)
	}
}

func TestAnswersDoNotDependOnTheLengthOfTheImage(t *testing.T) {
	q := Query{Vector: []float32{1, 2, 2}, Texts: axes, Candidates: 3, Tau: 20, Known: []bool{true, false, false}}
	want := fuse(t, scorer(t, q), AIMEmb, logs(1, 0, 0), 0).P
	for _, scale := range []float32{1e38, 1e-30, 1e-40} {
		q.Vector = []float32{scale, 2 * scale, 2 * scale}
		tol := 1e-6
		if scale < 1e-38 {
			tol = 1e-3 // a denormal number has fewer digits
		}
		if got := fuse(t, scorer(t, q), AIMEmb, logs(1, 0, 0), 0).P; !alike(got, want, tol) {
			t.Errorf("at %g: %v, want %v", scale, got, want)
		}
	}
}
