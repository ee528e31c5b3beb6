package protocol

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"fieldmark/internal/fusion"
)

// prepared is a Runner that knows its labels.
func prepared(t *testing.T, s Suite, p Plan) *Runner {
	t.Helper()
	r := &Runner{Suite: s, Plan: p, Workers: 1, Clock: ticks()}
	if err := r.Run(t.Context(), func(Cell) bool { return true }, nil); err != nil {
		t.Fatal(err)
	}
	return r
}

func taughtLabels(s stage) map[int32]int {
	out := map[int32]int{}
	for _, e := range s.examples {
		out[e.label]++
	}
	return out
}

// Of 60 images 2, 4, 8, 16, 32, 64 and 100 %: 1, 2, 5, 10, 19, 38, 60 (1.2, 2.4,
// 4.8, 9.6, 19.2, 38.4), each once.
func TestDataIncrementalByHand(t *testing.T) {
	r := prepared(t, small(), DefaultPlan())
	c := r.course(Cell{Protocol: DataIncremental, Taught: "target 2", Seed: 1})
	n := 0
	seen := map[*float32]bool{}
	for i, want := range []int{1, 2, 5, 10, 19, 38, 60} {
		for _, e := range c.stages[i].examples {
			seen[&e.vector[0]] = true
		}
		if n += len(c.stages[i].examples); n != want || len(seen) != want {
			t.Errorf("after %s: %d exemplars, %d of them different; want %d", c.stages[i].name, n, len(seen), want)
		}
	}
	asked := map[string]int{}
	for _, q := range c.questions {
		asked[c.headings[q.score].name]++
		if len(q.among.Labels) != 5 {
			t.Errorf("%d candidates of 5", len(q.among.Labels))
		}
	}
	if len(asked) != 2 || asked["target 2"] != 30 || asked["zero-shot 1"] != 30 {
		t.Errorf("asked %v", asked)
	}
}

// Five classes in three stages: 1, 2, 2 of them, each whole and once.
func TestClassIncrementalByHand(t *testing.T) {
	plan := DefaultPlan()
	plan.ClassStages = 3
	r := prepared(t, small(), plan)
	c := r.course(Cell{Protocol: ClassIncremental, Taught: "target 1", Seed: 1})
	all := map[int32]bool{}
	for i, want := range []int{1, 2, 2} {
		of := taughtLabels(c.stages[i])
		for y, n := range of {
			if n != 12 || all[y] {
				t.Errorf("stage %d: label %d has %d images of 12, taught before: %v", i+1, y, n, all[y])
			}
			all[y] = true
		}
		if len(of) != want {
			t.Errorf("stage %d: %d classes, want %d", i+1, len(of), want)
		}
	}
	if names := []string{c.stages[0].name, c.stages[1].name, c.stages[2].name}; !slices.Equal(names, []string{"33 % of classes", "67 % of classes", "100 % of classes"}) {
		t.Errorf("%q", names)
	}
}

// Seen and unseen images of the taught task add up to the whole; at the end none
// is unseen.
func TestSeenAndUnseen(t *testing.T) {
	plan := smallPlan()
	plan.Protocols, plan.Systems = []Protocol{ClassIncremental}, plan.Systems[:1]
	for _, row := range run(t, &Runner{Suite: small(), Plan: plan, Workers: 1}, none) {
		s := row.Scores[0]
		asked, right := 0, 0
		for _, g := range s.Groups {
			asked, right = asked+g.Asked, right+g.Right
			if want := map[string]int{"seen": 6 * row.Stage, "unseen": 30 - 6*row.Stage}[g.Name]; g.Asked != want {
				t.Errorf("stage %d: %d images %s, want %d", row.Stage, g.Asked, g.Name, want)
			}
		}
		if asked != s.Asked || right != s.Right {
			t.Errorf("stage %d: groups %+v of %+v", row.Stage, s.Groups, s)
		}
		if len(row.Scores[1].Groups) != 0 {
			t.Error("a zero-shot task has groups")
		}
	}
}

// 12 images of each of five classes, imbalance 16: shares 1, ½, ¼, ⅛, 1/16 of 12,
// rounded up: 12, 6, 3, 2, 1. The rarest two thirds of five are three; the images
// of the two others are "many".
func TestLongTailByHand(t *testing.T) {
	plan := DefaultPlan()
	plan.Imbalance = 16
	plan.Protocols, plan.Systems = []Protocol{LongTail}, []System{{Kind: fusion.KNNAvg}}
	r := prepared(t, small(), plan)
	c := r.course(Cell{Protocol: LongTail, Taught: "target 1", Seed: 1})
	var counts []int
	for _, n := range taughtLabels(c.stages[0]) {
		counts = append(counts, n)
	}
	slices.Sort(counts)
	if !slices.Equal(counts, []int{1, 2, 3, 6, 12}) {
		t.Errorf("images of the classes: %v", counts)
	}
	rows := run(t, r, none)
	for _, g := range rows[0].Scores[0].Groups {
		if want := map[string]int{"many": 12, "few": 18}[g.Name]; g.Asked != want {
			t.Errorf("%d images of classes with %s, want %d", g.Asked, g.Name, want)
		}
	}
}

// Order 0 is as given; another is a permutation that every seed shares; all images
// of a task come in its stage.
func TestTaskIncremental(t *testing.T) {
	s := Synthetic(Shape{Dim: 8, Targets: 6, ZeroShotTasks: 1, Classes: 2, Train: 3, Test: 1}, 1)
	r := prepared(t, s, DefaultPlan())
	if got := r.order(0); !slices.Equal(got, []int{0, 1, 2, 3, 4, 5}) {
		t.Errorf("order 0 is %v", got)
	}
	if slices.Equal(r.order(1), r.order(0)) || slices.Equal(r.order(1), r.order(2)) {
		t.Errorf("orders %v, %v, %v", r.order(0), r.order(1), r.order(2))
	}
	for seed := range uint64(2) {
		c := r.course(Cell{Protocol: TaskIncremental, Order: 1, Seed: seed})
		for i, task := range r.order(1) {
			if c.stages[i].name != s.Tasks[task].Name || len(c.stages[i].examples) != 6 || len(taughtLabels(c.stages[i])) != 2 {
				t.Errorf("stage %d is %s with %d images", i+1, c.stages[i].name, len(c.stages[i].examples))
			}
		}
		if len(c.questions) != 14 || len(c.headings) != 7 {
			t.Errorf("%d questions under %d headings", len(c.questions), len(c.headings))
		}
	}
}

// Classes of two tasks with one text share a label, whatever their names; classes
// of one name with two texts do not, nor do two classes of one task.
func TestLabelsAreShared(t *testing.T) {
	s := small()
	s.Tasks[1].Texts[0] = s.Tasks[0].Texts[0]
	s.Tasks[1].Classes[1] = s.Tasks[0].Classes[1]
	s.Tasks[2].Texts[3] = s.Tasks[0].Texts[0]
	s.Tasks[2].Texts[4] = s.Tasks[0].Texts[0]
	u := unite(s.Tasks)
	want := [][]int{{0, 1, 2, 3, 4}, {0, 5, 6, 7, 8}, {9, 10, 11, 0, 12}}
	if !reflect.DeepEqual(u.of, want) || len(u.texts) != 13 {
		t.Errorf("labels %v of %d, want %v of 13", u.of, len(u.texts), want)
	}
	c := u.among([]int{3, 1, 3})
	if !slices.Equal(c.Labels, []int{3, 1}) || c.Row[3] != 0 || c.Row[1] != 1 || len(c.Texts) != 13 {
		t.Errorf("candidates %v, rows %v", c.Labels, c.Row)
	}
	for y, row := range c.Row {
		if &c.Texts[row][0] != &u.texts[y][0] {
			t.Errorf("row %d is not label %d", row, y)
		}
	}
}

// Ten target labels in two parts, three drawn of five zero-shot labels, at most
// four images of six a label: a split asks 5·4 + 3·4 images among 8 labels. The
// union asks 2·30 images among 10, and 3·6 among 3.
func TestFlexibleByHand(t *testing.T) {
	plan := smallPlan()
	plan.Protocols, plan.Systems, plan.Orders = []Protocol{TaskIncremental}, plan.Systems[:1], 1
	var union, mix *Row
	for _, row := range run(t, &Runner{Suite: small(), Plan: plan, Workers: 1}, none) {
		if row.Rule != fusion.AIMEmb || row.LongTailRule || row.Protocol != Flexible {
			continue
		}
		switch row.Candidates {
		case "union":
			union = &row
		case "mix":
			mix = &row
		}
	}
	asked := func(r *Row) (out []int) {
		for _, s := range r.Scores {
			out = append(out, s.Asked)
		}
		return out
	}
	if got := asked(union); !slices.Equal(got, []int{30, 30, 18}) || !union.Scores[2].ZeroShot {
		t.Errorf("union asks %v", got)
	}
	if got := asked(mix); !slices.Equal(got, []int{20, 12, 20, 12}) || mix.Scores[0].ZeroShot || !mix.Scores[1].ZeroShot {
		t.Errorf("mix asks %v: %+v", got, mix.Scores)
	}
	p := Summarise([]Row{*union})[0]
	want := (mean([]float64{union.Scores[0].Top1(), union.Scores[1].Top1()}) + union.Scores[2].Top1()) / 2
	if math.Abs(p.Both.Mean-want) > 1e-12 {
		t.Errorf("Union + Zero-shot = %g, want %g", p.Both.Mean, want)
	}
	r := prepared(t, small(), plan)
	targets := r.labels.all(r.Suite.Tasks, target)
	c := r.mix([]int{9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, targets, []int{10, 12, 14})
	if got := c.questions[0].among.Labels; !slices.Equal(got, []int{5, 6, 7, 8, 9, 10, 12, 14}) {
		t.Errorf("the first split is among %v", got)
	}
}

// 25 lessons of windows of 10: each is asked before it is taught, so that the
// first is answered by an empty memory, as by zero-shot.
func TestLogByHand(t *testing.T) {
	s := small()
	for i := range 25 {
		s.Log = append(s.Log, Lesson{Task: i % 2, Image: i})
	}
	plan := smallPlan()
	plan.Protocols = []Protocol{Log}
	plan.LogWindow, plan.LogLimit = 1, 3
	for _, row := range run(t, &Runner{Suite: s, Plan: plan, Workers: 1}, none) {
		if row.Exemplars != row.Stage || row.Scores[0].Asked != 1 || row.Bins == nil {
			t.Errorf("lesson %d: %d exemplars, %+v", row.Stage, row.Exemplars, row.Scores)
		}
	}
	plan.LogWindow, plan.LogLimit = 10, 0
	plan.Systems = []System{{Kind: fusion.Tree}}
	plan.Rules, plan.LongTailRule = []fusion.Rule{fusion.ZeroShot, fusion.AIMEmb}, false
	rows := run(t, &Runner{Suite: s, Plan: plan, Workers: 1}, none)
	if len(rows) != 6 {
		t.Fatalf("%d rows", len(rows))
	}
	for i, want := range []int{10, 10, 20, 20, 25, 25} {
		if rows[i].Exemplars != want || rows[i].Stage != i/2+1 {
			t.Errorf("row %d: stage %d, %d exemplars, want %d", i, rows[i].Stage, rows[i].Exemplars, want)
		}
	}
	if name := rows[4].StageName; name != "lessons 21–25" {
		t.Errorf("the last window is %q", name)
	}
}

// Memories of 1, 2, 4, … 64 and all 120 exemplars, one lesson timed in each: by a
// clock that goes on by one second whenever it is read, a second for each part.
func TestGrowthByHand(t *testing.T) {
	plan := smallPlan()
	plan.Protocols = []Protocol{Growth}
	plan.Systems = []System{{Kind: fusion.Tree, Psi: 15}, {Kind: fusion.LinProbe}}
	rows := run(t, &Runner{Suite: small(), Plan: plan, Workers: 1}, none)
	want := []int{1, 2, 4, 8, 16, 32, 64, 120}
	if len(rows) != 2*len(want) {
		t.Fatalf("%d rows", len(rows))
	}
	for i, row := range rows {
		if row.Exemplars != want[i%len(want)] || row.Cost.Lessons != 1 || row.Cost.Place != 1 || row.Cost.Stroke != 1 || row.Cost.Train != 1 {
			t.Errorf("%d: %d exemplars, %+v", i, row.Exemplars, row.Cost)
		}
	}
	if got := doublings(4); !slices.Equal(got, []int{1, 2, 4}) {
		t.Errorf("doublings of 4: %v", got)
	}
	if got := doublings(1); !slices.Equal(got, []int{1}) {
		t.Errorf("doublings of 1: %v", got)
	}
}
