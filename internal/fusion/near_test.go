package fusion

import (
	"math"
	"testing"

	"fieldmark/internal/vec"
)

// nearQuery is an image that zero-shot takes for candidate 0 (p_z ≈ 1), with
// given neighbours. Row 3 is a label outside Y.
func nearQuery(nbs ...Neighbour) Query {
	known := make([]bool, 3)
	for _, nb := range nbs {
		if nb.Row < 3 {
			known[nb.Row] = true
		}
	}
	return Query{
		Vector: []float32{1, 0, 0, 0}, Texts: [][]float32{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}, Candidates: 3,
		Tau: 20, Known: known, Neighbours: nbs, Near: NearParams{Slope: 20, Midpoint: .8},
	}
}

func nearResult(t *testing.T, q Query) (near, base Result) {
	t.Helper()
	s := scorer(t, q)
	p, err := s.KNN(KNNWAvg)
	if err != nil {
		t.Fatal(err)
	}
	if near, err = s.Fuse(Near, p); err != nil {
		t.Fatal(err)
	}
	if base, err = s.Fuse(Careful, p); err != nil {
		t.Fatal(err)
	}
	return near, base
}

func TestNearFollowsACopyNotAStranger(t *testing.T) {
	tests := []struct {
		name   string
		cosine float64
		others int // exemplars of another label, a little below the midpoint
		want   int
	}{
		{"the photo", 1, 0, 1},
		{"re-encoded", .97, 0, 1},
		{"crop", .85, 0, 1},
		{"another photo", .7, 0, 0},
		{"the photo among many", 1, 8, 1},
		{"re-encoded among many", .97, 8, 1},
		{"crop among many", .87, 8, 1},
		{"another photo among many", .71, 8, 0},
		{"another photo, near by density", .8, 8, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			nbs := []Neighbour{{Cosine: tt.cosine, Row: 1}}
			for range tt.others {
				nbs = append(nbs, Neighbour{Cosine: .7, Row: 0})
			}
			got, _ := nearResult(t, nearQuery(nbs...))
			if best := argMax(got.P); best != tt.want {
				t.Errorf("named candidate %d, want %d: %v", best, tt.want, got.P)
			}
		})
	}
}

func TestNearOutsideTheCandidatesPullsNothing(t *testing.T) {
	got, base := nearResult(t, nearQuery(Neighbour{Cosine: 1, Row: 3}))
	if !alike(got.P, base.P, 0) || got.Near != 0 || got.Weight != base.Weight {
		t.Errorf("%v with share %g, want careful %v and 0", got.P, got.Near, base.P)
	}
}

// The order is not known. Half of the votes at cosine 1 are for a label outside Y: r/2 stays with Careful.
func TestNearSharesAVectorTaughtTwice(t *testing.T) {
	r := 1 / (1 + math.Exp(-20*(1-.8)))
	got, _ := nearResult(t, nearQuery(Neighbour{Cosine: 1, Row: 1}, Neighbour{Cosine: 1, Row: 3}))
	if math.Abs(got.Near-r/2) > 1e-12 {
		t.Errorf("share %g, want %g", got.Near, r/2)
	}
	got, base := nearResult(t, nearQuery(Neighbour{Cosine: 1, Row: 1}, Neighbour{Cosine: 1, Row: 2}))
	if math.Abs(got.P[1]-r/2-(1-r)*base.P[1]) > 1e-12 || math.Abs(got.P[1]-got.P[2]) > 1e-6 {
		t.Errorf("two names of one vector share unevenly: %v", got.P)
	}
	if want := 1 - (1-r)*(1-base.Weight); math.Abs(got.Weight-want) > 1e-12 {
		t.Errorf("weight %g, want %g", got.Weight, want)
	}
}

// The vote of each exemplar, of its share r, by hand: e^(-100·.0005) = .951229
// against 1, e^(-10) = 4.54e-5 for one that is .1 farther away.
func TestNearFollowsTheLatestOfCopies(t *testing.T) {
	tests := []struct {
		name string
		nbs  []Neighbour
		want []float64
	}{
		{"later last", []Neighbour{{Cosine: 1, Order: 1}, {Cosine: 1, Order: 2}}, []float64{.4, .6}},
		{"later first", []Neighbour{{Cosine: 1, Order: 7}, {Cosine: 1, Order: 3}}, []float64{.6, .4}},
		{"taught wrongly twice", []Neighbour{{Cosine: 1, Order: 1}, {Cosine: 1, Order: 2}, {Cosine: 1, Order: 3}}, []float64{.2, .2, .6}},
		{"later by a little farther away", []Neighbour{{Cosine: .996, Order: 1}, {Cosine: .9955, Order: 2}}, []float64{.4, .6}},
		{"one vector, re-encoded", []Neighbour{{Cosine: .95, Order: 1}, {Cosine: .95, Order: 2}}, []float64{.4, .6}},
		{"alike, but no copies", []Neighbour{{Cosine: .95, Order: 1}, {Cosine: .9495, Order: 2}}, []float64{1 / 1.951229, .951229 / 1.951229}},
		{"a stranger taught later", []Neighbour{{Cosine: 1, Order: 1}, {Cosine: .9, Order: 2}}, []float64{1 / 1.0000454, 4.53979e-5 / 1.0000454}},
		{"order unknown", []Neighbour{{Cosine: 1}, {Cosine: 1}}, []float64{.5, .5}},
		{"nothing", nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			votes := make([]float64, len(tt.nbs))
			for j, nb := range tt.nbs {
				votes[j] = voteTau * nb.Cosine
			}
			vec.Softmax(votes)
			preferLatest(votes, tt.nbs)
			if !alike(votes, tt.want, 1e-6) {
				t.Errorf("votes %v, want %v", votes, tt.want)
			}
		})
	}
}

// The whole rule names a photo as it was taught last, whatever the order of its
// neighbours and however often it was taught otherwise.
func TestNearNamesACorrectedPhotoAsTaught(t *testing.T) {
	for _, nbs := range [][]Neighbour{
		{{Cosine: 1, Row: 1, Order: 1}, {Cosine: 1, Row: 2, Order: 2}},
		{{Cosine: 1, Row: 2, Order: 3}, {Cosine: 1, Row: 1, Order: 2}, {Cosine: 1, Row: 1, Order: 1}},
	} {
		got, _ := nearResult(t, nearQuery(nbs...))
		if argMax(got.P) != 2 {
			t.Errorf("named candidate %d, want 2: %v", argMax(got.P), got.P)
		}
	}
}

// The exemplars by their best views decide, not those by their wholes; the rules of
// the paper know only wholes.
func TestNearAsksTheNearestByTheirViews(t *testing.T) {
	q := nearQuery(Neighbour{Cosine: .7, Row: 0})
	_, without := nearResult(t, q)
	q.Nearest = []Neighbour{{Cosine: .95, Row: 1}, {Cosine: .7, Row: 0}}
	got, base := nearResult(t, q)
	if argMax(got.P) != 1 {
		t.Errorf("named candidate %d, want 1: %v", argMax(got.P), got.P)
	}
	if !alike(base.P, without.P, 0) {
		t.Errorf("careful says %v, %v without views", base.P, without.P)
	}
	q.Nearest = []Neighbour{} // none is near
	if got, base := nearResult(t, q); !alike(got.P, base.P, 0) {
		t.Errorf("%v, want %v", got.P, base.P)
	}
}

func TestNearSwitchedOffIsCareful(t *testing.T) {
	q := nearQuery(Neighbour{Cosine: 1, Row: 1})
	q.Near = NearParams{}
	if got, base := nearResult(t, q); !alike(got.P, base.P, 0) || got.Near != 0 {
		t.Errorf("%v, want %v", got.P, base.P)
	}
}

// a = 20, s₀ = .8: σ(20·.1) = .880797 at cosine .9. With a farthest of .6,
// ρ = .1/.4 = ¼ and σ(20·.3) = .997527; with .82, ρ = 5/9 and σ(20·(-.005556)) =
// .472250.
func TestTrustByHand(t *testing.T) {
	for last, want := range map[float64]float64{.9: .880797, .6: .880797 * .997527, .82: .880797 * .472250} {
		got := scorer(t, nearQuery(Neighbour{Cosine: .9, Row: 1}, Neighbour{Cosine: last, Row: 2})).trust()
		if math.Abs(got-want) > 1e-6 {
			t.Errorf("farthest at %g: r = %.6f, want %.6f", last, got, want)
		}
	}
}

// The more alike, the more trust: p of the taught label never falls as its
// cosine rises.
func TestNearIsMonotone(t *testing.T) {
	before := -1.0
	for c := -1.0; c <= 1; c += .01 {
		got, _ := nearResult(t, nearQuery(Neighbour{Cosine: c, Row: 1}))
		if got.P[1] < before-1e-12 {
			t.Fatalf("at cosine %.2f p falls from %g to %g", c, before, got.P[1])
		}
		before = got.P[1]
	}
}

func argMax(p []float64) int {
	best := 0
	for i, v := range p {
		if v > p[best] {
			best = i
		}
	}
	return best
}
