package projection

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// blobs is n vectors about each of k directions at right angles.
func blobs(k, n, dim int) (rows [][]float32, of []int) {
	random := rand.New(rand.NewPCG(1, 2))
	for i := range k * n {
		row := make([]float32, dim)
		for d := range row {
			row[d] = float32(0.05 * random.NormFloat64())
		}
		row[i%k]++
		rows, of = append(rows, row), append(of, i%k)
	}
	return rows, of
}

func TestLayoutKeepsNeighboursTogether(t *testing.T) {
	rows, of := blobs(5, 30, 16)
	at, err := Layout(t.Context(), rows, nil, Params{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range at {
		best := -1
		for j := range at {
			if j != i && (best < 0 || apart(at[i], at[j]) < apart(at[i], at[best])) {
				best = j
			}
		}
		if of[best] != of[i] {
			t.Errorf("point %d of blob %d lies beside one of blob %d", i, of[i], of[best])
		}
	}
	clusters := Clusters(at, 5)
	for i, c := range clusters {
		if c == None || c != clusters[of[i]] {
			t.Fatalf("point %d of blob %d is in cluster %d, its blob in %d", i, of[i], c, clusters[of[i]])
		}
	}
	if slices.Max(clusters) != 4 {
		t.Errorf("%d clusters of 5 blobs", slices.Max(clusters)+1)
	}
}

func TestLayoutIsRepeatable(t *testing.T) {
	rows, _ := blobs(3, 20, 8)
	a, err := Layout(t.Context(), rows, nil, Params{Iterations: 60})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Layout(t.Context(), rows, nil, Params{Iterations: 60})
	if err != nil || !slices.Equal(a, b) {
		t.Errorf("the second layout differs (%v)", err)
	}
}

// From a finished layout another one hardly moves: on average by less than a tenth
// of its extent.
func TestLayoutStaysWhereItStarts(t *testing.T) {
	rows, _ := blobs(4, 25, 16)
	first, err := Layout(t.Context(), rows, nil, Params{})
	if err != nil {
		t.Fatal(err)
	}
	again, err := Layout(t.Context(), rows, first, Params{})
	if err != nil {
		t.Fatal(err)
	}
	var moved, extent float64
	for i := range first {
		moved += apart(first[i], again[i]) / float64(len(first))
		extent = max(extent, math.Hypot(first[i].X, first[i].Y))
	}
	if moved > 0.1*2*extent {
		t.Errorf("moved by %.2f on average, of an extent of %.2f", moved, 2*extent)
	}
}

// The first map of a memory may be of three rows, which are laid on a line, and what comes
// next is placed among them. That is no start: by hand, the forces on points of a line are
// along it, so a layout from there would be a line for ever.
func TestLayoutLeavesALine(t *testing.T) {
	rows, of := blobs(3, 6, 8)
	for name, direction := range map[string]Point{"level": {1, 0}, "upright": {0, 1}, "oblique": {0.6, -0.8}, "one place": {}} {
		start := make([]Point, len(rows))
		for i := range start {
			along := float64(i % 5)
			start[i] = Point{2 + along*direction.X, 3 + along*direction.Y}
		}
		at, err := Layout(t.Context(), rows, start, Params{})
		if err != nil || flat(at) {
			t.Errorf("%s: %v, %v", name, at, err)
			continue
		}
		for i := range at {
			within, between := apart(at[i], at[(i+3)%len(at)]), apart(at[i], at[(i+1)%len(at)])
			if of[(i+3)%len(at)] != of[i] || within >= between {
				t.Errorf("%s: point %d is %.2f from its blob, %.2f from another", name, i, within, between)
			}
		}
	}
}

// The force is the derivative of the divergence: compared with differences of it.
func TestForceIsTheGradient(t *testing.T) {
	rows, _ := blobs(2, 6, 4)
	joint, err := affinities(t.Context(), rows, 3)
	if err != nil {
		t.Fatal(err)
	}
	at := spread(principal(rows, 1))
	for i := range at {
		at[i].X, at[i].Y = at[i].X*2e4, at[i].Y*2e4
	}
	const h = 1e-5
	shifted := func(by float64) float64 {
		moved := slices.Clone(at)
		moved[3].X += by
		return divergence(joint, moved)
	}
	want := (shifted(h) - shifted(-h)) / (2 * h)
	d := descent{joint: joint, at: slices.Clone(at), step: make([]Point, len(at)), gain: make([]Point, len(at)), force: make([]Point, len(at))}
	d.iterate(1, 0, 0)
	if got := d.force[3].X; math.Abs(got-want) > 1e-6*max(1, math.Abs(want)) {
		t.Errorf("∂C/∂x is %g, by differences %g", got, want)
	}
}

// divergence is C = Σ p log(p/q), over the pairs that have a p.
func divergence(joint [][]link, at []Point) float64 {
	var z, c float64
	for i := range at {
		for j := range at {
			if i != j {
				z += 1 / (1 + apart(at[i], at[j])*apart(at[i], at[j]))
			}
		}
	}
	for i, links := range joint {
		for _, l := range links {
			d := apart(at[i], at[l.to])
			c += l.p * math.Log(l.p*z*(1+d*d))
		}
	}
	return c
}

// Joint probabilities sum to one, and a row's conditional ones have the perplexity:
// over neighbours at equal distance they are equal.
func TestAffinitiesAreProbabilities(t *testing.T) {
	rows, _ := blobs(3, 20, 8)
	joint, err := affinities(t.Context(), rows, 5)
	if err != nil {
		t.Fatal(err)
	}
	var sum float64
	for _, links := range joint {
		for _, l := range links {
			sum += l.p
		}
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Errorf("they sum to %v", sum)
	}
	near := []link{{0, 0.3}, {1, 0.5}, {2, 0.9}, {3, 1.4}, {4, 1.5}, {5, 1.6}}
	conditional(near, 3)
	var entropy float64
	for _, l := range near {
		entropy -= l.p * math.Log(l.p)
	}
	if math.Abs(math.Exp(entropy)-3) > 1e-3 {
		t.Errorf("perplexity %v, want 3", math.Exp(entropy))
	}
}

func TestTheEndOfTheContextEndsALayout(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	rows, _ := blobs(3, 20, 8)
	if _, err := Layout(ctx, rows, nil, Params{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
}

func TestLayoutTakesWhatHasNoShape(t *testing.T) {
	same := [][]float32{{1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}}
	for n := range same {
		at, err := Layout(t.Context(), same[:n], nil, Params{Iterations: 50})
		if err != nil || len(at) != n {
			t.Fatalf("%d equal rows: %v", n, err)
		}
		for _, p := range at {
			if math.IsNaN(p.X) || math.IsNaN(p.Y) || math.IsInf(p.X, 0) {
				t.Fatalf("%d equal rows: at %v", n, p)
			}
		}
	}
	if _, err := Layout(t.Context(), same, []Point{{}}, Params{}); err == nil {
		t.Error("a start of one point was taken for six rows")
	}
}

// Two neighbours, at 2 − 2cos = 0 and 0.999: weights (1/0.001)² and 1², so that the
// mean is 10⁻⁶ of the way from the first to the second.
func TestPlaceIsNearTheNearest(t *testing.T) {
	p := Place([]Neighbour{{Point{1, 1}, 1}, {Point{3, 1}, 1 - 0.999/2}})
	if math.Abs(p.X-1-2e-6) > 1e-9 || p.Y != 1 {
		t.Errorf("placed at %v", p)
	}
	if Place(nil) != (Point{}) {
		t.Error("without neighbours it is not at the origin")
	}
}

func TestPrincipalFindsThePlane(t *testing.T) {
	var rows [][]float32
	for i := range 40 {
		a, b := float64(i%8)-3.5, float64(i/8)-2
		rows = append(rows, []float32{float32(a), float32(3 * b), 0, 5})
	}
	at := principal(rows, 7)
	for i, r := range rows { // the second element varies most
		if math.Abs(math.Abs(at[i].X)-math.Abs(float64(r[1]))) > 1e-5 || math.Abs(math.Abs(at[i].Y)-math.Abs(float64(r[0]))) > 1e-5 {
			t.Fatalf("row %v is at %v", r, at[i])
		}
	}
}

func apart(a, b Point) float64 { return math.Hypot(a.X-b.X, a.Y-b.Y) }

func BenchmarkLayout(b *testing.B) {
	rows, _ := blobs(20, 50, 512)
	for b.Loop() {
		if _, err := Layout(b.Context(), rows, nil, Params{}); err != nil {
			b.Fatal(err)
		}
	}
}
