package eval

import (
	"math/rand/v2"
	"testing"

	"fieldmark/internal/fusion"
)

// axes are n text embeddings at right angles.
func axes(n int) [][]float32 {
	texts := make([][]float32, n)
	for i := range texts {
		texts[i] = make([]float32, n)
		texts[i][i] = 1
	}
	return texts
}

// alikeClasses are classes whose photos all lie along the axis of their label, each
// with one copy.
func alikeClasses(texts [][]float32, n, photos int) []Class {
	var out []Class
	for y := range n {
		c := Class{Label: y}
		for range photos {
			c.Photos = append(c.Photos, Shot{Vector: texts[y], Copies: []Copy{{"copy", texts[y]}}})
		}
		out = append(out, c)
	}
	return out
}

// Of ten classes of three photos a fifth, 2, are taught under invented names, half of
// the others, 4, under their own and 4 not at all; one photo of each. So in a draw 4·2
// and 2·2 other photos of taught classes are asked, 4·3 of untaught ones, and a copy of
// each of the 4 and 2 that are taught. Zero-shot knows every name but the invented ones;
// near follows a photo at cosine 1, whatever its name, and no photo at right angles.
func TestNearTrialByHand(t *testing.T) {
	texts := axes(12)
	trial := NearTrial{
		Subject: Subject{Texts: texts, Tau: 20, K: 9}, Classes: alikeClasses(texts, 10, 3), Invented: []int{10, 11},
		Taught: 1, Grid: []fusion.NearParams{{Slope: 10, Midpoint: .5}}, Draws: 2,
	}
	counts, err := trial.Run(t.Context(), rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]struct{ asked, zeroShot int }{
		OtherPhoto: {16, 16}, UntaughtPhoto: {24, 24}, InventedPhoto: {8, 0}, "copy": {8, 8}, inventedPrefix + "copy": {4, 0},
	}
	if len(counts) != len(want) {
		t.Errorf("%d kinds, want %d: %+v", len(counts), len(want), counts)
	}
	for _, n := range counts {
		if w := want[n.Kind]; n.Asked != w.asked || n.ZeroShot != w.zeroShot || n.Near[0] != w.asked {
			t.Errorf("%+v, want %d asked, %d right by zero-shot and all by near", n, w.asked, w.zeroShot)
		}
	}
}

// Of 200 photos a loss of half a point is one. The second parameters lose one of either
// kind and follow 80 copies; the third follow more and lose two of one kind.
func TestChooseByHand(t *testing.T) {
	counts := []NearCount{
		{Kind: OtherPhoto, Asked: 200, AIM: 150, Near: []int{151, 149, 148}},
		{Kind: UntaughtPhoto, Asked: 200, AIM: 120, Near: []int{120, 119, 125}},
		{Kind: "copy", Asked: 100, AIM: 60, Near: []int{50, 80, 90}},
	}
	for loss, want := range map[float64]int{0: 0, .005: 1, .01: 2} {
		if got := Choose(counts, 3, loss); got != want {
			t.Errorf("at a loss of %g: parameters %d, want %d", loss, got, want)
		}
	}
	if got := Choose(counts, 3, -.01); got != -1 {
		t.Errorf("none gains a point, and yet %d is chosen", got)
	}
	counts[2].Near = []int{80, 80, 90}
	if got := Choose(counts, 3, .005); got != 0 {
		t.Errorf("of equals %d is chosen, want the first", got)
	}
}

// One photo of each of three classes is taught, the other is asked, in four draws. Near
// names it by that; the text tower takes each for another. Among the first two classes
// a photo of the third cannot be named right, and for one of the first zero-shot prefers
// neither, so that it says the first.
func TestLesson(t *testing.T) {
	photos := axes(3)
	texts := [][]float32{photos[1], photos[2], photos[0]}
	lesson := Lesson{
		Subject: Subject{Texts: texts, Tau: 20, K: 9, Near: fusion.NearParams{Slope: 10, Midpoint: .5}}, Classes: alikeClasses(photos, 3, 2),
		Taught: 1, Asked: 1, Sets: []CandidateSet{{"all", []int{0, 1, 2}}, {"two", []int{0, 1}}},
		Rules: []fusion.Rule{fusion.ZeroShot, fusion.Near}, Draws: 4,
	}
	results, err := lesson.Run(t.Context(), rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		set  string
		rule fusion.Rule
		top1 float64
	}{{"all", fusion.ZeroShot, 0}, {"all", fusion.Near, 1}, {"two", fusion.ZeroShot, 1. / 3}, {"two", fusion.Near, 2. / 3}}
	if len(results) != len(want) {
		t.Fatalf("%d results, want %d", len(results), len(want))
	}
	for i, r := range results {
		w := want[i]
		if r.Set != w.set || r.Rule != w.rule || len(r.Top1) != lesson.Draws || len(r.Answers) != 3*lesson.Draws {
			t.Fatalf("result %d is of %s, %s, %d draws, %d answers", i, r.Set, r.Rule, len(r.Top1), len(r.Answers))
		}
		for _, share := range r.Top1 {
			if share != w.top1 {
				t.Errorf("%s, %s: %v right, want %v", r.Set, r.Rule, share, w.top1)
			}
		}
	}
	lesson.Asked = 2
	if _, err := lesson.Run(t.Context(), rand.New(rand.NewPCG(1, 2))); err == nil {
		t.Error("three photos of classes that have two: no error")
	}
}
