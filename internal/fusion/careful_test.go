package fusion

import (
	"math"
	"testing"
)

// carefulQuery is an image at cosines .8, .6 and 0 to three candidates, of which 1
// alone has exemplars, four labels having some in all. Zero-shot's first is 0.
func carefulQuery(nbs ...Neighbour) Query {
	return Query{
		Vector: []float32{8, 6, 0}, Texts: axes, Candidates: 3, Tau: 2, Known: []bool{false, true, false}, Labels: 4,
		Neighbours: nbs, Near: NearParams{Slope: 20, Midpoint: .8},
	}
}

// carefully answers by a probe that gives pe to label 1, its likeliest.
func carefully(t *testing.T, q Query, pe float64, rule Rule) Result {
	t.Helper()
	s := scorer(t, q)
	p, err := s.Probe([]float64{none, math.Log(pe), none}, 1)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Fuse(rule, p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The evidence for 1 is f = log(.99·4·.9 + .01) = 1.273686 nats. Zero-shot prefers
// 0 to it by 2·(.8 - .6) = .4. On the exemplar at (.6, .8, 0) it preferred 1 by .4,
// so that .8 is held against f; on the one at (.9, .1, 0)/√.82 it preferred 0 by
// 1.767, so that nothing is. p_Bayes ∝ (e^1.6, e^(1.2+f-e), 1).
//
// P_in = e^1.2/(e^1.6 + e^1.2 + 1) = .358037. v_out = .358037·(0, 1, 0) +
// .641963·(.8, .6, 0), at cosines .568500 and .822680, so that p_AIM = (.335190,
// .557286, .107524). Its weight in p is .9·e^-.8 = .404396 where .8 is held against 1,
// .9 where nothing is, and .9·P_in = .322233 where no exemplar of 1 can be asked.
func TestCarefulByHand(t *testing.T) {
	there := Neighbour{Cosine: .9, Row: 1, Vector: []float32{6, 8, 0}}
	objected := Neighbour{Cosine: .86, Row: 1, Vector: []float32{9, 1, 0}}
	tests := []struct {
		name string
		nbs  []Neighbour
		f, c float64
	}{
		{"zero-shot objects more than on the exemplar", []Neighbour{there}, 1.273686 - .8, .404396},
		{"no more than on the exemplar", []Neighbour{objected}, 1.273686, .9},
		{"no more than on one of two exemplars", []Neighbour{there, objected}, 1.273686, .9},
		{"the exemplar's vector is not known", []Neighbour{{Cosine: .9, Row: 1}}, 1.273686, .9},
		{"no exemplar of the label is near", []Neighbour{{Cosine: .9, Row: 0, Vector: []float32{6, 8, 0}}}, 0, .322233},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bayes := []float64{math.Exp(1.6), math.Exp(1.2 + tt.f), 1}
			sum := bayes[0] + bayes[1] + bayes[2]
			want := make([]float64, 3)
			for y, aim := range []float64{.335190, .557286, .107524} {
				want[y] = tt.c*aim + (1-tt.c)*bayes[y]/sum
			}
			if got := carefully(t, carefulQuery(tt.nbs...), .9, Careful); !alike(got.P, want, 2e-5) {
				t.Errorf("%v, want %v", got.P, want)
			}
		})
	}
}

// Where zero-shot objects by more than the exemplars say for the label, they say nothing
// rather than speak against it: of p_e = .3 the evidence is log(.99·4·.3 + .01) = .180653
// nats, against which .8 are held. So p is p_z, but for the .3·e^-.8 that AIM has.
func TestCarefulTakesNoMoreThanTheEvidence(t *testing.T) {
	got := carefully(t, carefulQuery(Neighbour{Cosine: .9, Row: 1, Vector: []float32{6, 8, 0}}), .3, Careful)
	c, want := .3*math.Exp(-.8), make([]float64, 3)
	for y, aim := range []float64{.335190, .557286, .107524} {
		want[y] = c*aim + (1-c)*got.ZeroShot[y]
	}
	if !alike(got.P, want, 2e-5) {
		t.Errorf("%v, want %v", got.P, want)
	}
}

// Of labels that have exemplars zero-shot's preference does not count here, of the others
// that for its first does. With 0 taught too it is that for 2, at cosine 0: by 2·(0 - .6)
// = -1.2 nats on the image, by 2·(0 - .8) = -1.6 on the exemplar at (.6, .8, 0), so that
// .4 is held against 1; by -.221 on the one at (.9, .1, 0)/√.82, so that nothing is.
func TestConfidenceByHand(t *testing.T) {
	there, objected := []float32{6, 8, 0}, []float32{9, 1, 0}
	tests := []struct {
		name   string
		known  []bool
		vector []float32
		want   float64
	}{
		{"1 is taught", []bool{false, true, false}, there, .9 * math.Exp(-.8)},
		{"0 and 1 are", []bool{true, true, false}, there, .9 * math.Exp(-.4)},
		{"0 and 1, the exemplar less like its label", []bool{true, true, false}, objected, .9},
		{"all are", []bool{true, true, true}, there, .9},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q := carefulQuery(Neighbour{Cosine: .9, Row: 1, Vector: tt.vector})
			q.Known = tt.known
			s := scorer(t, q)
			p, err := s.Probe([]float64{math.Log(.1), math.Log(.9), none}, 1)
			if err != nil {
				t.Fatal(err)
			}
			if got := s.confidence(p); math.Abs(got-tt.want) > 1e-6 {
				t.Errorf("%.6f, want %.6f", got, tt.want)
			}
		})
	}
}

// What speaks against a label needs no exemplar of it near.
func TestCarefulHearsWhatSpeaksAgainstALabel(t *testing.T) {
	r := carefully(t, carefulQuery(), .01, Careful)
	if r.P[1] >= r.ZeroShot[1] {
		t.Errorf("p of the label is %g, by zero-shot %g", r.P[1], r.ZeroShot[1])
	}
}

// One neighbour at cosine .96: resemblance is σ(20·.16), whose odds are e^3.2.
// Zero-shot objects to label 1 by 2·(.8 - .6) = .4 nats on the image. On (.6, .8, 0)
// it does not: o = .4, and the odds are e^(3.2+1-.2). On (.9, .1, 0)/√.82 it objects
// by more than that: o = 0. A vector that is not known leaves r as it is.
func TestObjectionByHand(t *testing.T) {
	tests := []struct {
		name   string
		vector []float32
		want   float64
	}{
		{"none on the exemplar", []float32{6, 8, 0}, 1 / (1 + math.Exp(-4.0))},
		{"more on the exemplar", []float32{9, 1, 0}, 1 / (1 + math.Exp(-4.2))},
		{"the image itself", []float32{8, 6, 0}, 1 / (1 + math.Exp(-4.2))},
		{"not known", nil, 1 / (1 + math.Exp(-3.2))},
		{"zero", []float32{0, 0, 0}, 1 / (1 + math.Exp(-3.2))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := carefully(t, carefulQuery(Neighbour{Cosine: .96, Row: 1, Vector: tt.vector}), .9, Near)
			if math.Abs(got.Near-tt.want) > 1e-6 {
				t.Errorf("r = %.6f, want %.6f", got.Near, tt.want)
			}
		})
	}
}

// Whatever has been taught elsewhere, a label that zero-shot is sure of, and that the
// exemplars' own photos did not look like, is not lost to one that looks a little
// like it: aim-bayes loses it.
func TestCarefulKeepsWhatZeroShotIsSureOf(t *testing.T) {
	q := Query{
		Vector: []float32{8, 6, 0}, Texts: axes, Candidates: 3, Tau: 10, Known: []bool{false, true, false}, Labels: 500,
		Neighbours: []Neighbour{{Cosine: .6, Row: 1, Vector: []float32{0, 10, 0}}},
	}
	if got := carefully(t, q, .3, AIMBayes); argMax(got.P) != 1 {
		t.Errorf("aim-bayes %v: the example shows nothing", got.P)
	}
	if got := carefully(t, q, .3, Careful); argMax(got.P) != 0 {
		t.Errorf("careful %v, want candidate 0", got.P)
	}
}
