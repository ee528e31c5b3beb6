package eval

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"fieldmark/internal/fusion"
)

var update = flag.Bool("update", false, "write the golden files in testdata anew")

// clipNear are the parameters of near for the pack's encoder, as `evaluate near
// --pack` proposes them.
var clipNear = fusion.NearParams{Slope: 10, Midpoint: .6}

var goldenRules = []fusion.Rule{fusion.ZeroShot, fusion.AIMEmb, fusion.Bayes, fusion.AIMBayes, fusion.Careful, fusion.Near}

// The figures by which the rules are compared do not change unnoticed. go test
// -run Quality -update writes them anew.
func TestQualityOfTheRules(t *testing.T) {
	if raceEnabled {
		t.Skip("half a minute under the race detector, and one goroutine throughout")
	}
	list, err := Qualities(t.Context(), referencePack(t), goldenRules, clipNear)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	fmt.Fprintf(&got, "run stage exemplars candidates asked %v\n", goldenRules)
	for _, q := range list {
		fmt.Fprintf(&got, "%s %d %d %s %d %v\n", q.Run, q.Stage, q.Exemplars, q.Set, q.Asked, q.Right)
	}
	file := filepath.Join("testdata", "quality.golden")
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the figures changed (-update accepts them); got\n%s\nwant\n%s", &got, want)
	}
	nearHoldsAgainstAIM(t, list)
}

// nearHoldsAgainstAIM is METHOD section 7 (b): over the runs near is never more
// than half a point below aim-emb, or than one query of those asked where one is
// more than that, for any candidate set.
func nearHoldsAgainstAIM(t *testing.T, list []Quality) {
	t.Helper()
	type sum struct {
		stages    int
		aim, near float64
		query     float64 // points that one is worth
	}
	sums := map[string]*sum{}
	for _, q := range list {
		key := q.Run + " " + q.Set
		if sums[key] == nil {
			sums[key] = &sum{}
		}
		s := sums[key]
		s.stages++
		s.query = 100 / float64(q.Asked)
		s.aim += 100 * float64(q.Right[1]) / float64(q.Asked)
		s.near += 100 * float64(q.Right[len(goldenRules)-1]) / float64(q.Asked)
	}
	for key, s := range sums {
		aim, near := s.aim/float64(s.stages), s.near/float64(s.stages)
		t.Logf("%s: aim-emb %.2f, near %.2f", key, aim, near)
		if near < aim-.5 {
			t.Errorf("%s: near %.2f, aim-emb %.2f", key, near, aim)
		}
	}
}

// Zero-shot tasks: among labels that have no exemplars near is zero-shot.
func TestNearLeavesZeroShotTasksAlone(t *testing.T) {
	p := referencePack(t)
	s, err := NewStudent(Subject{Texts: p.Texts, Tau: p.Tau, K: p.K, Near: clipNear}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		if err := s.Teach(t.Context(), Example{Label: p.ExemplarLabel[i], Vector: p.Exemplars[i]}); err != nil {
			t.Fatal(err)
		}
	}
	for _, set := range p.Candidates {
		if set.Name != "disjoint" {
			continue
		}
		c := s.Among(set.Labels)
		for _, v := range p.Queries {
			a, err := s.Ask(v, c, []fusion.Rule{fusion.ZeroShot, fusion.Near})
			if err != nil {
				t.Fatal(err)
			}
			if a[0] != a[1] {
				t.Fatalf("zero-shot %+v, near %+v", a[0], a[1])
			}
		}
		return
	}
	t.Error("the pack has no disjoint candidates")
}
