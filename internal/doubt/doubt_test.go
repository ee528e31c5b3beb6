package doubt

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"fieldmark/internal/tree"
)

// cloud is n rows about each of k directions at right angles, and their labels.
func cloud(k, n int) (rows [][]float32, labels []int32) {
	random := rand.New(rand.NewPCG(3, 4))
	for i := range k * n {
		row := make([]float32, 12)
		for d := range row {
			row[d] = float32(0.8 * random.NormFloat64())
		}
		row[i%k] += 10
		rows, labels = append(rows, row), append(labels, int32(i%k))
	}
	return rows, labels
}

func TestAWrongNameIsInDoubtFirst(t *testing.T) {
	rows, labels := cloud(4, 12)
	labels[8] = 3 // it lies among the 0s
	m := teach(t, rows, labels)
	found := find(t, m, Params{Twin: 0.9999})
	if len(found) == 0 || found[0].ID != 8 {
		t.Fatalf("found %+v, want exemplar 8 first", found)
	}
	r := found[0].Reasons[0]
	if r.Kind != Disagreement || r.Other != 0 || r.Against <= r.Own || r.Own+r.Against > 1+1e-9 {
		t.Errorf("the reason is %+v, want that it disagrees with 0", r)
	}
	for _, d := range found[1:] {
		if d.Score >= found[0].Score || slices.ContainsFunc(d.Reasons, func(r Reason) bool { return r.Kind == Disagreement }) {
			t.Errorf("a right name is in doubt as well: %+v", d)
		}
	}
	// What may be called both things is not in doubt.
	m.kin[[2]int32{0, 3}] = true
	for _, d := range find(t, m, Params{Twin: 0.9999}) {
		if d.ID == 8 && d.Reasons[0].Kind != Outlier {
			t.Errorf("its name agrees with the others', and yet %+v", d)
		}
	}
}

// A name of one exemplar is not asked of neighbours, which could only outvote it.
func TestAnOnlyExemplarIsNotOutvoted(t *testing.T) {
	rows, labels := cloud(3, 10)
	lone := make([]float32, 12)
	lone[7], lone[0] = 10, 4
	rows, labels = append(rows, lone), append(labels, 9)
	for _, d := range find(t, teach(t, rows, labels), Params{}) {
		if d.ID == 30 {
			t.Errorf("it is in doubt: %+v", d)
		}
	}
}

func TestNearDuplicatesUnderOtherNames(t *testing.T) {
	rows, labels := cloud(3, 10)
	twin := slices.Clone(rows[4]) // of label 1
	twin[11] += 0.3
	rows, labels = append(rows, twin), append(labels, 2)
	found := find(t, teach(t, rows, labels), Params{})
	if found[0].ID != 30 {
		t.Fatalf("%+v is first, want exemplar 30", found[0])
	}
	at := slices.IndexFunc(found[0].Reasons, func(r Reason) bool { return r.Kind == Duplicate })
	if at < 0 || found[0].Reasons[at].Twin != 4 || found[0].Reasons[at].Cos < 0.99 {
		t.Errorf("reasons %+v, want that it is nearly exemplar 4", found[0].Reasons)
	}
}

// Two people gave one photo different names: the one that nothing else supports is
// in doubt, and neither votes about the other.
func TestOnePhotoUnderTwoNames(t *testing.T) {
	rows, labels := cloud(3, 10)
	rows, labels = append(rows, slices.Clone(rows[4])), append(labels, 2)
	m := teach(t, rows, labels)
	m.photo[30] = m.photo[4]
	found := find(t, m, Params{})
	at := slices.IndexFunc(found[0].Reasons, func(r Reason) bool { return r.Kind == Duplicate })
	if found[0].ID != 30 || at < 0 || found[0].Reasons[at].Twin != 4 || found[0].Reasons[at].Cos != 1 {
		t.Errorf("%+v is first, want exemplar 30 as a duplicate of 4", found[0])
	}
	l := NewLists(Params{})
	if err := l.Update(t.Context(), m, m.standing(), true); err != nil {
		t.Fatal(err)
	}
	for _, n := range l.Of(30) {
		if n.ID == 4 || n.ID == 30 {
			t.Errorf("its own photo votes: %+v", n)
		}
	}
}

// Distances 1, 1, 1, 1, 2 and 8 have the median 1 (of six, the fourth smallest) and
// the MAD 0, which is bounded by 0.1: 8 is an outlier with 0.6745·70, and 2 with
// 6.745 too; 1.5 would score 3.37 and not be.
func TestMedianAndMAD(t *testing.T) {
	median, mad := medianAndMAD([]float64{8, 1, 1, 2, 1, 1})
	if median != 1 || mad != 0 {
		t.Errorf("median %v, MAD %v", median, mad)
	}
	median, mad = medianAndMAD([]float64{1, 2, 4, 7, 11})
	if median != 4 || mad != 3 {
		t.Errorf("median %v, MAD %v, want 4 and 3", median, mad)
	}
}

func TestAnOutlierIsFarFromItsName(t *testing.T) {
	rows, labels := cloud(2, 12)
	odd := make([]float32, 12)
	odd[9] = 10
	rows, labels = append(rows, odd), append(labels, 1)
	found := find(t, teach(t, rows, labels), Params{})
	at := slices.IndexFunc(found, func(d Doubt) bool { return d.ID == 24 })
	if at < 0 || !slices.ContainsFunc(found[at].Reasons, func(r Reason) bool { return r.Kind == Outlier && r.Distance > 2*r.Usual }) {
		t.Fatalf("%+v, want exemplar 24 as an outlier", found)
	}
}

// Lists that follow a memory are those made anew.
func TestListsFollowTheMemory(t *testing.T) {
	rows, labels := cloud(3, 20)
	m := teach(t, rows, labels)
	l := NewLists(Params{K: 5})
	first := m.standing()[:50]
	m.Tree = without(t, m, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59)
	if err := l.Update(t.Context(), m, first, true); err != nil {
		t.Fatal(err)
	}
	for _, d := range []int{3, 17} {
		m.Tree = without(t, m, d)
	}
	fresh := slices.Clone(rows[9])
	fresh[2] += 0.5
	for _, row := range [][]float32{fresh, rows[20], rows[20]} {
		tr, _, err := m.Insert(1, row)
		if err != nil {
			t.Fatal(err)
		}
		m.Tree, m.photo = tr, append(m.photo, len(m.photo))
	}
	anew := NewLists(Params{K: 5})
	for _, x := range []*Lists{l, anew} {
		if err := x.Update(t.Context(), m, m.standing(), true); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(l.IDs(), anew.IDs()) {
		t.Fatalf("lists of %v, want of %v", l.IDs(), anew.IDs())
	}
	for _, id := range anew.IDs() {
		if !reflect.DeepEqual(l.Of(id), anew.Of(id)) {
			t.Errorf("exemplar %d: followed %v, anew %v", id, l.Of(id), anew.Of(id))
		}
	}
}

func TestTheEndOfTheContextEndsIt(t *testing.T) {
	rows, labels := cloud(2, 6)
	m := teach(t, rows, labels)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l := NewLists(Params{})
	if err := l.Update(ctx, m, m.standing(), true); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if err := l.Update(t.Context(), m, m.standing(), true); err != nil || len(l.IDs()) != 12 {
		t.Errorf("afterwards %d lists (%v)", len(l.IDs()), err)
	}
}

// p_near of two neighbours of cosines 0.9 and 0.8: weights 1 and e^(20·(−0.1)).
func TestVotesAreWeightedBySimilarity(t *testing.T) {
	s6 := float32(math.Sqrt(1 - 0.81))
	rows := [][]float32{{1, 0, 0}, {0.9, s6, 0}, {0.8, 0, 0.6}, {0, 0, -1}}
	m := teach(t, rows, []int32{0, 0, 1, 0})
	l := NewLists(Params{K: 2})
	if err := l.Update(t.Context(), m, m.standing(), true); err != nil {
		t.Fatal(err)
	}
	f := finder{m: m, l: l}
	w := math.Exp(-2)
	if p := f.votes(0); math.Abs(p[1]-w/(1+w)) > 1e-5 || math.Abs(p[0]-1/(1+w)) > 1e-5 {
		t.Errorf("votes %v", p)
	}
}

func without(t *testing.T, m *treeMemory, ids ...int) *tree.Tree {
	t.Helper()
	tr := m.Tree
	for _, id := range ids {
		next, err := tr.Withdraw(id)
		if err != nil {
			t.Fatal(err)
		}
		tr = next
	}
	return tr
}
