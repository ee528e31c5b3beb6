package protocol

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fieldmark/internal/eval"
	"fieldmark/internal/fusion"
)

// referencePack opens the pack that lies beside the repository, or skips.
func referencePack(t testing.TB) *eval.Pack {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "shared", "data", "reference")
	if _, err := os.Stat(filepath.Join(dir, "reference.json")); err != nil {
		t.Skipf("no reference pack beside the repository (../shared/data/reference): nothing to compare with: %v", err)
	}
	p, err := eval.ReadPack(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// packLabels is the pack's labels as they are, and the candidate sets.
func packLabels(p *eval.Pack) labels { return labels{texts: p.Texts} }

// methods are the pack's names of what an examiner answers.
var methods = map[string]struct {
	kind fusion.System
	rule fusion.Rule
}{
	"zero_shot":                {fusion.KNNMV, fusion.ZeroShot},
	"knn.prob":                 {fusion.KNNMV, fusion.Exemplar},
	"knn.emb.mv":               {fusion.KNNMV, fusion.ExemplarEmb},
	"knn.avg_emb_unit.avg":     {fusion.KNNAvg, fusion.AvgEmb},
	"knn.aim_emb.wavg":         {fusion.KNNWAvg, fusion.AIMEmb},
	"knn.aim_prob_authors":     {fusion.KNNWAvg, fusion.AIMProb},
	"lin.prob":                 {fusion.LinProbe, fusion.Exemplar},
	"lin.avg_prob":             {fusion.LinProbe, fusion.AvgProb},
	"lin.emb.argmax":           {fusion.LinProbe, fusion.ExemplarEmb},
	"lin.aim_emb.argmax":       {fusion.LinProbe, fusion.AIMEmb},
	"lin.aim_prob_printed":     {fusion.LinProbe, fusion.AIMProbPrinted},
	"lin.aim_prob_repo_logits": {fusion.LinProbe, fusion.AIMProbProgram},
}

// What an examiner counts as right, on the pack's exemplars and queries, is what
// the independent program counted, at every stage and over every candidate set,
// but for its near-ties. The tree, which here is grown and not given, is counted
// compared in internal/eval.
func TestCountsOfTheReferencePack(t *testing.T) {
	p := referencePack(t)
	u := packLabels(p)
	want := map[string]eval.AccuracyRow{}
	for _, a := range p.Accuracy {
		want[fmt.Sprint(a.Run, a.Stage, a.Candidates, a.Method)] = a
	}
	compared, least := 0, 200
	if raceEnabled {
		p.Stages, least = p.Stages[:3], 50 // the last stages fit long under the race detector
	}
	for _, st := range p.Stages {
		for _, kind := range []fusion.System{fusion.KNNMV, fusion.KNNAvg, fusion.KNNWAvg, fusion.LinProbe} {
			c := Cell{System: System{Kind: kind, K: p.K, TauBeta: p.TauBeta}}
			r := Runner{Suite: Suite{Tau: p.Tau}, Plan: Plan{Rules: fusion.Rules()}, Workers: 1, Clock: ticks(), labels: u}
			_, xs, err := r.examiners([]Cell{c})
			if err != nil {
				t.Fatal(err)
			}
			x := xs[0]
			var examples []example
			for _, id := range st.Exemplars {
				examples = append(examples, example{int32(p.ExemplarLabel[id]), p.Exemplars[id]})
			}
			if _, _, err := x.learn(t.Context(), examples); err != nil {
				t.Fatal(err)
			}
			for _, set := range p.Candidates {
				right, asked := countRight(t, x, p, u, set)
				for name, m := range methods {
					a, ok := want[fmt.Sprint(st.Run, st.Stage, set.Name, name)]
					if !ok || m.kind != kind {
						continue
					}
					compared++
					v := slices.IndexFunc(x.variants, func(v variant) bool { return v.rule == m.rule })
					if d := right[v] - a.Right; asked != a.Total || max(d, -d) > a.NearTies {
						t.Errorf("%s %d %s %s: %d of %d, want %d of %d (%d near-ties)", st.Run, st.Stage, set.Name, name, right[v], asked, a.Right, a.Total, a.NearTies)
					}
				}
			}
		}
	}
	if compared < least {
		t.Errorf("only %d counts compared", compared)
	}
	t.Logf("%d counts compared", compared)
}

// countRight asks those of a pack's queries whose label is among the candidates.
func countRight(t *testing.T, x *examiner, p *eval.Pack, u labels, set eval.CandidateSet) (right []int, asked int) {
	t.Helper()
	among := u.among(set.Labels)
	var questions []question
	for i, v := range p.Queries {
		if slices.Contains(set.Labels, p.QueryLabel[i]) {
			questions = append(questions, question{vector: v, label: p.QueryLabel[i], among: among})
		}
	}
	answers, err := x.ask(t.Context(), questions)
	if err != nil {
		t.Fatal(err)
	}
	right = make([]int, len(x.variants))
	for _, of := range answers {
		for v, a := range of {
			if a.Right {
				right[v]++
			}
		}
	}
	return right, len(questions)
}

// packSuite makes tasks of the pack's ten foods: two target tasks of four and of
// three, and a zero-shot task of three.
func packSuite(p *eval.Pack) Suite {
	s := Suite{Name: "reference pack", Encoder: "OpenAI CLIP ViT-B/32", Tau: p.Tau, Near: fusion.NearParams{Slope: 10, Midpoint: .6}}
	from := 0
	for _, t := range []struct {
		name     string
		classes  int
		zeroShot bool
	}{{"four foods", 4, false}, {"three foods", 3, false}, {"three more", 3, true}} {
		task := Task{Name: t.name, ZeroShot: t.zeroShot, Classes: p.Labels[from : from+t.classes], Texts: p.Texts[from : from+t.classes]}
		add := func(to *Split, vectors [][]float32, of []int) {
			for i, y := range of {
				if y >= from && y < from+t.classes {
					to.Vectors, to.Labels = append(to.Vectors, vectors[i]), append(to.Labels, y-from)
				}
			}
		}
		if !t.zeroShot {
			add(&task.Train, p.Exemplars, p.ExemplarLabel)
		}
		add(&task.Test, p.Queries, p.QueryLabel)
		s.Tasks = append(s.Tasks, task)
		from += t.classes
	}
	return s
}

// The figures of the pack's tasks do not change unnoticed. go test -run Golden
// -update writes them anew.
func TestGoldenReferencePack(t *testing.T) {
	plan := smallPlan()
	plan.Systems = []System{{Kind: fusion.Tree}, {Kind: fusion.Tree, Psi: 100}, {Kind: fusion.KNNWAvg}, {Kind: fusion.LinProbe}}
	plan.LogWindow, plan.LogLimit = 50, 100
	plan.Imbalance = 20
	plan.Protocols = slices.DeleteFunc(plan.Protocols, func(p Protocol) bool { return p == Growth })
	golden(t, "reference.golden", packSuite(referencePack(t)), plan)
}

func TestGoldenSynthetic(t *testing.T) {
	golden(t, "synthetic.golden", small(), smallPlan())
}

// golden compares a run with a file: a line for each series, with the percentage
// on targets and zero-shot tasks after each stage.
func golden(t *testing.T, name string, s Suite, p Plan) {
	t.Helper()
	if raceEnabled {
		t.Skip("long under the race detector, and TestSameSeedSameNumbers runs the same code")
	}
	rows := run(t, &Runner{Suite: s, Plan: p, Workers: 2}, none)
	var got strings.Builder
	of := map[series][]Point{}
	var order []series
	for _, p := range Summarise(rows) {
		if of[p.series()] == nil {
			order = append(order, p.series())
		}
		of[p.series()] = append(of[p.series()], p)
	}
	for _, k := range order {
		fmt.Fprintf(&got, "%s:", k)
		for _, p := range of[k] {
			fmt.Fprintf(&got, " %s/%s", percent(p.Target), percent(p.ZeroShot))
		}
		fmt.Fprintln(&got)
	}
	for _, m := range MTIL(rows) {
		fmt.Fprintf(&got, "MTIL %s, %s, %v: Transfer %s, Avg. %s, Last %s\n", m.System, m.Rule, m.LongTailRule, percent(m.Transfer), percent(&m.Avg), percent(&m.Last))
	}
	compareGolden(t, filepath.Join("testdata", name), got.String())
}

func percent(f *Figure) string {
	if f == nil {
		return "-"
	}
	if f.SD == 0 {
		return fmt.Sprintf("%.1f", 100*f.Mean)
	}
	return fmt.Sprintf("%.1f±%.1f", 100*f.Mean, 100*f.SD)
}
