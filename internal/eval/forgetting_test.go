package eval

import (
	"math/rand/v2"
	"strings"
	"testing"

	"fieldmark/internal/fusion"
)

// forgettingOfFour is an experiment on four classes of nine photos at right angles,
// a ninth of which is asked. The text tower knows 0 and 1, and takes 2 and 3 for them.
func forgettingOfFour(before, lessons int) Forgetting {
	axis := func(i int) []float32 { v := make([]float32, 4); v[i] = 10; return v }
	text := func(i int) []float32 { v := make([]float32, 4); v[i] = 1; return v }
	f := Forgetting{
		Subject: Subject{Texts: [][]float32{text(0), text(1), {.6, 0, 0, -.8}, {0, .6, -.8, 0}}, Tau: 20, K: 9, Near: fusion.NearParams{Slope: 10, Midpoint: .7}},
		Before:  before, Lessons: lessons, Every: 9, Rules: []fusion.Rule{fusion.ZeroShot, fusion.Near}, Draws: 3,
	}
	for y := range 4 {
		c := Class{Label: y}
		for range 9 {
			c.Photos = append(c.Photos, Shot{Vector: axis(y)})
		}
		f.Classes = append(f.Classes, c)
	}
	return f
}

// One lesson is of one class: three photos of other classes are asked and one of its
// own, which Near names right then, whether zero-shot did or not. Photos at right
// angles are not near: the others stay as they were.
func TestForgetting(t *testing.T) {
	results, err := forgettingOfFour(0, 1).Run(t.Context(), rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	zero, near := results[0], results[1]
	for i := range 3 {
		if zero.Before[i] != zero.After[i] || zero.SameBefore[i] != zero.SameAfter[i] {
			t.Errorf("draw %d: lessons changed zero-shot: %+v", i, zero)
		}
		if near.Before[i] != zero.Before[i] || near.SameBefore[i] != zero.SameBefore[i] {
			t.Errorf("draw %d: an empty memory is not zero-shot: %+v, %+v", i, near, zero)
		}
		if near.After[i] != near.Before[i] || near.SameAfter[i] != 1 {
			t.Errorf("draw %d: %+v", i, near)
		}
	}
}

// Photos that are asked are never taught: of 36 photos 32 may be.
func TestForgettingWantsEnoughPhotos(t *testing.T) {
	if _, err := forgettingOfFour(2, 31).Run(t.Context(), rand.New(rand.NewPCG(1, 2))); err == nil || !strings.Contains(err.Error(), "32 photos") {
		t.Errorf("error %v", err)
	}
	if _, err := forgettingOfFour(0, 32).Run(t.Context(), rand.New(rand.NewPCG(1, 2))); err == nil || !strings.Contains(err.Error(), "0 photos of other classes") {
		t.Errorf("error %v", err)
	}
}
