package eval

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"fieldmark/internal/fusion"
)

// crowdOfThree has classes whose photos are all along an axis of their own, but for
// the first of each, which is along a further one. Its copies are itself, and what
// lies half way between it and the others of its class.
func crowdOfThree() Crowd {
	axis := func(i int, length float32) []float32 { v := make([]float32, 7); v[i] = length; return v }
	c := Crowd{
		Subject: Subject{Texts: [][]float32{axis(0, 1), axis(1, 1), axis(2, 1), axis(6, 1)}, Tau: 20, K: 2, Near: fusion.NearParams{Slope: 10, Midpoint: .7}},
		Sizes:   []int{1, 40},
	}
	for y := range 3 {
		first := axis(3+y, 10)
		between := axis(3+y, 7)
		between[y] = 7
		c.Classes = append(c.Classes, Class{Label: y, Photos: []Shot{
			{Vector: first, Copies: []Copy{{"itself", first}, {"half way", between}}},
			{Vector: axis(y, 10)}, {Vector: axis(y, 10)}, {Vector: axis(y, 10)},
		}})
	}
	return c
}

func followed(t *testing.T, c Crowd) []Followed {
	t.Helper()
	got, err := c.Run(t.Context(), rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// By hand, of odds e^(10·(s₁ - .7) + 1) where ρ says nothing, as zero-shot never has
// more against the label than on the photo itself: the photo alone, at cosine 1, is
// trusted by σ(4), what lies half way, at √½, by σ(1.07). Among the others the photo
// has ρ = 0 and all of the vote. What lies half way is as near to photos of its class:
// these have the same label, so that the vote for it is all, and followed; unless
// nobody else has the label.
func TestCrowd(t *testing.T) {
	want := []Followed{{1, "itself", 3, 3}, {1, "half way", 3, 3}, {40, "itself", 3, 3}, {40, "half way", 3, 3}}
	if got := followed(t, crowdOfThree()); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Under an invented name zero-shot objects to what lies half way by 20·√½ nats, half
// of which leave odds of e^(1.07 - 7.07). Views bring it back: the view is as near as
// can be, at ρ = 0, and only the objection is left, e^(3 + 1 - 7.07).
func TestCrowdUnderInventedNames(t *testing.T) {
	c := crowdOfThree()
	c.Invented = []int{3}
	for i := range c.Classes {
		c.Classes[i].Photos[0].Views = [][]float32{c.Classes[i].Photos[0].Copies[1].Vector}
	}
	for _, f := range followed(t, c) {
		if want := f.Kind != inventedPrefix+"half way"; (f.Right == f.Asked) != want || !want && f.Right != 0 {
			t.Errorf("%+v", f)
		}
	}
}

// Strangers have the means of their classes and the covariance within these. Here
// that is s² = 4 along either axis about (10, 0, 0) and (0, 10, 0).
func TestStrangersAreLikePhotos(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	c := Crowd{}
	for y := range 2 {
		k := Class{Label: y, Photos: make([]Shot, 1, 2001)}
		k.Photos[0].Vector = make([]float32, 3)
		for range 2000 {
			v := []float32{0, 0, float32(2 * rng.NormFloat64())}
			v[y] = 10 + float32(2*rng.NormFloat64())
			k.Photos = append(k.Photos, Shot{Vector: v})
		}
		c.Classes = append(c.Classes, k)
	}
	draw := c.strangers(rng)
	var n [2]int
	var mean, square [2][3]float64
	for range 20000 {
		y, x := draw()
		n[y]++
		for d, v := range x {
			mean[y][d] += float64(v)
			square[y][d] += float64(v) * float64(v)
		}
	}
	for y := range 2 {
		for d := range 3 {
			m := mean[y][d] / float64(n[y])
			variance := square[y][d]/float64(n[y]) - m*m
			centre := 0.0
			if d == y {
				centre = 10
			}
			if math.Abs(m-centre) > .2 {
				t.Errorf("class %d, axis %d: mean %.2f, want %g", y, d, m, centre)
			}
			// Another class's residual, of its own axis, is half of every second one.
			want := map[bool]float64{true: 4, false: 1}[d == 2]
			if d == y {
				want = 3
			}
			if math.Abs(variance-want) > .4 {
				t.Errorf("class %d, axis %d: variance %.2f, want %g", y, d, variance, want)
			}
		}
	}
}

func TestCrowdSaysWhatItLacks(t *testing.T) {
	for name, spoil := range map[string]func(*Crowd){
		"too few photos":  func(c *Crowd) { c.Classes[1].Photos = c.Classes[1].Photos[:2] },
		"no size":         func(c *Crowd) { c.Sizes = nil },
		"sizes that fall": func(c *Crowd) { c.Sizes = []int{5, 4} },
	} {
		c := crowdOfThree()
		spoil(&c)
		if _, err := c.Run(t.Context(), rand.New(rand.NewPCG(1, 2))); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
