package probe

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// course is some data, an optimum on its first exemplars, and an overlay of that.
type course struct {
	t       *testing.T
	data    set
	stands  []bool // by exemplar: taught and not withdrawn
	base    *Model
	overlay *Overlay
	workers int
}

// newCourse takes the first n exemplars for the base.
func newCourse(t *testing.T, data set, n int) *course {
	t.Helper()
	c := &course{t: t, data: data, stands: make([]bool, data.Len()), workers: 2}
	for i := range n {
		c.stands[i] = true
	}
	base, _ := fit(t, c.standing(), Options{Workers: 2})
	curve, err := Curve(t.Context(), base, c.standing(), Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	c.base, c.overlay = base, NewOverlay(base, curve)
	return c
}

func (c *course) standing() set {
	var s set
	for i, stands := range c.stands {
		if stands {
			s.rows, s.labels = append(s.rows, c.data.rows[i]), append(s.labels, c.data.labels[i])
		}
	}
	return s
}

func (c *course) labels() []int32 {
	l := c.standing().labels
	slices.Sort(l)
	return slices.Compact(l)
}

func (c *course) exemplar(i int) Exemplar {
	return Exemplar{ID: i, X: c.data.rows[i], Label: c.data.labels[i]}
}

func (c *course) teach(ids ...int) {
	var added []Exemplar
	for _, i := range ids {
		c.stands[i] = true
		added = append(added, c.exemplar(i))
	}
	c.overlay = c.overlay.Learn(added, nil, c.labels(), c.workers)
}

func (c *course) withdraw(i int) {
	c.stands[i] = false
	c.overlay = c.overlay.Learn(nil, []Exemplar{c.exemplar(i)}, c.labels(), c.workers)
}

// gap is how far a model is above the least f of what stands.
func (c *course) gap(m *Model) float64 {
	c.t.Helper()
	f, _, err := Evaluate(c.t.Context(), m, c.standing(), Options{})
	if err != nil {
		c.t.Fatal(err)
	}
	_, report := fit(c.t, c.standing(), Options{Workers: 2, Warm: c.base})
	return f - report.Objective
}

// agreement is the share of vectors that two models name alike.
func agreement(a, b *Model, rows [][]float32) float64 {
	same := 0
	for _, x := range rows {
		la, _ := a.Predict(x).Best()
		lb, _ := b.Predict(x).Best()
		if la == lb {
			same++
		}
	}
	return float64(same) / float64(len(rows))
}

// Half of the lessons contradict what the base believes: those are corrections.
func TestLessonsComeNearTheOptimum(t *testing.T) {
	const n, lessons, held = 3000, 60, 1000
	data := embeddings(n+lessons+held, 12, 40, 21)
	for i := n; i < n+lessons; i += 2 {
		data.labels[i] = data.labels[i+1]
	}
	c := newCourse(t, data, n)
	for i := range lessons {
		c.teach(n + i)
	}
	optimum, _ := fit(t, c.standing(), Options{Workers: 2})
	before, after := c.gap(c.base), c.gap(c.overlay.Model())
	if after < 0 || after > before/2 {
		t.Errorf("f is %v above the optimum, and was %v without a stroke", after, before)
	}
	if a := agreement(c.overlay.Model(), optimum, data.rows[n+lessons:]); a < 0.98 {
		t.Errorf("names %v of held-out vectors as the optimum does", a)
	}
	var off, idle float64
	for i := n; i < n+lessons; i++ {
		want := optimum.Predict(data.rows[i]).Prob(data.labels[i])
		off += math.Abs(c.overlay.Model().Predict(data.rows[i]).Prob(data.labels[i]) - want)
		idle += math.Abs(c.base.Predict(data.rows[i]).Prob(data.labels[i]) - want)
	}
	if off > idle/2 {
		t.Errorf("the lessons' own probabilities are off by %v in the mean, without a stroke by %v", off/lessons, idle/lessons)
	}
}

func TestWithdrawnLessonLeavesNoTrace(t *testing.T) {
	data := embeddings(1200, 8, 24, 22)
	c := newCourse(t, data, 1000)
	c.teach(1000)
	if farthest(c.overlay.Model(), c.base, data.rows[1000:1001]) < 1e-4 {
		t.Errorf("a lesson moved nothing")
	}
	c.withdraw(1000)
	if d := farthest(c.overlay.Model(), c.base, data.rows); d > 1e-5 {
		t.Errorf("after a lesson and its withdrawal probabilities differ by %v", d)
	}
}

// One that belongs to the base goes by a single Newton step.
func TestWithdrawalFromTheBase(t *testing.T) {
	data := embeddings(1500, 8, 24, 23)
	c := newCourse(t, data, 1500)
	for i := range 30 {
		c.withdraw(40 * i)
	}
	before, after := c.gap(c.base), c.gap(c.overlay.Model())
	if after < 0 || after > before*3/4 {
		t.Errorf("f is %v above the optimum, and was %v without a stroke", after, before)
	}
}

func TestANewLabel(t *testing.T) {
	data := embeddings(2040, 10, 32, 24)
	fresh := []int{2000, 2005, 2010, 2015}
	for _, i := range fresh {
		data.labels[i], data.rows[i] = 500, slices.Clone(data.rows[2000])
		data.rows[i][i%32]++
	}
	c := newCourse(t, data, 2000)
	for n, i := range fresh {
		c.teach(i)
		optimum, _ := fit(t, c.standing(), Options{Workers: 2})
		for _, j := range fresh {
			p, want := c.overlay.Model().Predict(data.rows[j]).Prob(500), optimum.Predict(data.rows[j]).Prob(500)
			if math.Abs(p-want) > 0.15 {
				t.Errorf("after %d lessons p = %v, at the optimum %v", n+1, p, want)
			}
		}
		if a := agreement(c.overlay.Model(), optimum, data.rows[:2000]); a < 0.99 {
			t.Errorf("after %d lessons names %v as the optimum does", n+1, a)
		}
	}
	for _, i := range fresh {
		c.withdraw(i)
	}
	if !slices.Equal(c.overlay.Model().Classes(), c.base.Classes()) {
		t.Errorf("classes %v after the label's last exemplar has gone", c.overlay.Model().Classes())
	}
	if d := farthest(c.overlay.Model(), c.base, data.rows[:500]); d > 1e-4 {
		t.Errorf("probabilities differ by %v from those without the label", d)
	}
}

func TestALabelOfTheBaseGoesAndComesBack(t *testing.T) {
	data := embeddings(604, 3, 16, 25)
	for i := range 600 {
		if data.labels[i] == 9 {
			data.labels[i] = 6
		}
	}
	data.labels[10], data.labels[11], data.labels[603] = 9, 9, 9
	c := newCourse(t, data, 600)
	c.withdraw(10)
	c.withdraw(11)
	if p := c.overlay.Model().Predict(data.rows[10]); p.Prob(9) != 0 || len(p.Labels) != 2 {
		t.Errorf("a label without exemplars: %+v", p)
	}
	c.teach(603)
	if p := c.overlay.Model().Predict(data.rows[603]); !(p.Prob(9) > 0.05) {
		t.Errorf("the label is back, and p = %v", p.Prob(9))
	}
}

// From one class only, its lessons' newcomers are all that there is to learn.
func TestOverlayOfOneClass(t *testing.T) {
	data := embeddings(420, 2, 16, 26)
	for i := range 400 {
		data.labels[i] = 3
	}
	c := newCourse(t, data, 400)
	for i := 400; i < 420; i++ {
		c.teach(i)
	}
	optimum, _ := fit(t, c.standing(), Options{})
	if a := agreement(c.overlay.Model(), optimum, data.rows); a < 0.95 {
		t.Errorf("names %v as the optimum does", a)
	}
}

func TestRandomLessonsAndWithdrawals(t *testing.T) {
	data := embeddings(1700, 9, 24, 27)
	r := rand.New(rand.NewPCG(27, 1))
	for i := 1500; i < 1700; i++ {
		if r.IntN(6) == 0 {
			data.labels[i] = int32(100 + r.IntN(3))
		}
	}
	c := newCourse(t, data, 1500)
	for range 150 {
		before, model := c.overlay, slices.Clone(c.overlay.Model().w)
		if i := r.IntN(1700); c.stands[i] {
			c.withdraw(i)
		} else {
			c.teach(i)
		}
		m := c.overlay.Model()
		if !slices.Equal(m.Classes(), c.labels()) {
			t.Fatalf("classes %v, want %v", m.Classes(), c.labels())
		}
		for _, b := range m.b {
			if math.IsNaN(b) || math.IsInf(b, 0) {
				t.Fatalf("intercepts %v", m.b)
			}
		}
		if !slices.Equal(before.Model().w, model) {
			t.Fatal("a former overlay has changed")
		}
	}
	optimum, _ := fit(t, c.standing(), Options{Workers: 2})
	if a := agreement(c.overlay.Model(), optimum, data.rows); a < 0.96 {
		t.Errorf("names %v as the optimum does", a)
	}
}

func TestManyLessonsAtOnce(t *testing.T) {
	data := embeddings(1800, 6, 16, 28)
	c := newCourse(t, data, 1000)
	ids := make([]int, 800)
	for i := range ids {
		ids[i] = 1000 + i
	}
	c.teach(ids...)
	if n := len(c.overlay.lessons); n != maxLessons {
		t.Errorf("%d lessons are kept, want %d", n, maxLessons)
	}
	if before, after := c.gap(c.base), c.gap(c.overlay.Model()); after < 0 || after > 0.85*before {
		t.Errorf("f is %v above the optimum, and was %v without a stroke", after, before)
	}
	for _, l := range c.overlay.lessons {
		if l.id < 1800-maxLessons {
			t.Fatalf("lesson %d is kept in place of a newer one", l.id)
		}
	}
}

func TestOverlayDoesNotDependOnWorkers(t *testing.T) {
	data := embeddings(900, 20, 40, 29)
	data.labels[899] = 1000
	one := newCourse(t, data, 880)
	many := &course{t: t, data: data, stands: slices.Clone(one.stands), base: one.base, overlay: one.overlay, workers: 5}
	one.workers = 1
	for i := 880; i < 900; i++ {
		one.teach(i)
		many.teach(i)
	}
	if a, b := one.overlay.Model(), many.overlay.Model(); !slices.Equal(a.w, b.w) || !slices.Equal(a.b, b.b) {
		t.Errorf("one worker and five differ")
	}
}

// A stroke's work is bounded also where a whole import comes at once, or all that
// someone taught is withdrawn.
func TestManyNewLabelsAtOnce(t *testing.T) {
	const fresh = 3 * maxNewcomers
	data := embeddings(1000+fresh+1, 6, 16, 30)
	var ids []int
	for i := range fresh {
		ids, data.labels[1000+i] = append(ids, 1000+i), int32(500+i)
	}
	data.labels[1000+fresh] = 500 // one that had to wait
	c := newCourse(t, data, 1000)
	c.teach(ids...)
	for i, id := range ids {
		label := data.labels[id]
		p := c.overlay.Model().Predict(data.rows[id]).Prob(label)
		if newest := i >= fresh-maxNewcomers; newest != (p > 0) {
			t.Errorf("new label %d of %d: p = %v", i, fresh, p)
		}
	}
	c.teach(1000 + fresh)
	if p := c.overlay.Model().Predict(data.rows[1000]).Prob(500); !(p > 0.05) {
		t.Errorf("a label that had to wait has p = %v after its next lesson", p)
	}
}

func TestManyWithdrawalsAtOnce(t *testing.T) {
	data := embeddings(1500, 6, 16, 31)
	c := newCourse(t, data, 1500)
	var gone []Exemplar
	for i := range 2 * maxLessons {
		gone = append(gone, c.exemplar(i))
	}
	all := c.overlay.Learn(nil, gone, c.labels(), 2)
	last := c.overlay.Learn(nil, gone[maxLessons:], c.labels(), 2)
	if d := farthest(all.Model(), last.Model(), data.rows); d > 0 {
		t.Errorf("of more withdrawals than one stroke takes, the last alone end elsewhere: %v apart", d)
	}
	if d := farthest(last.Model(), c.base, data.rows); d < 1e-3 {
		t.Errorf("withdrawals have moved probabilities by %v only", d)
	}
}
