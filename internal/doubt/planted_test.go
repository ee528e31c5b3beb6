package doubt

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files in testdata anew")

// reference is the exemplars of the reference pack: real CLIP embeddings of 850
// photos of ten classes.
func reference(t *testing.T) (rows [][]float32, labels []int32) {
	t.Helper()
	if raceEnabled {
		t.Skip("a minute under the race detector, and one goroutine throughout")
	}
	dir := filepath.Join("..", "..", "..", "shared", "data", "reference")
	text, err := os.ReadFile(filepath.Join(dir, "reference.json"))
	if err != nil {
		t.Skipf("the reference pack is not beside the repository: %v", err)
	}
	var p struct {
		Dim           int
		ExemplarLabel []int32 `json:"exemplar_label"`
	}
	if err := json.Unmarshal(text, &p); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(dir, "vectors.f32")) // its first block is the exemplars
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.ExemplarLabel {
		row := make([]float32, p.Dim)
		for d := range row {
			row[d] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*(i*p.Dim+d):]))
		}
		rows = append(rows, row)
	}
	return rows, p.ExemplarLabel
}

const (
	plantedShare = 0.05
	drawings     = 3
)

// plant gives 5 % of the exemplars another name, drawn at random.
func plant(labels []int32, seed uint64) (wrong []int32, planted map[int]bool) {
	random := rand.New(rand.NewPCG(seed, 0))
	wrong, planted = slices.Clone(labels), map[int]bool{}
	kinds := slices.Max(labels) + 1
	for _, i := range random.Perm(len(labels))[:int(math.Round(plantedShare*float64(len(labels))))] {
		wrong[i], planted[i] = (labels[i]+1+random.Int32N(kinds-1))%kinds, true
	}
	return wrong, planted
}

// ranking is the quality of an order of suspects.
type ranking struct{ precision, recall, twice, average float64 }

// rank measures an order, the likeliest mistake first: precision among as many as
// were planted (recall is the same number there), recall among twice as many, and
// average precision.
func rank(order []int, planted map[int]bool) (r ranking) {
	hits := 0
	for i, id := range order {
		if planted[id] {
			hits++
			r.average += float64(hits) / float64(i+1) / float64(len(planted))
		}
		if i+1 == len(planted) {
			r.precision = float64(hits) / float64(len(planted))
		}
		if i < 2*len(planted) {
			r.twice = float64(hits) / float64(len(planted))
		}
	}
	r.recall = float64(hits) / float64(len(planted))
	return r
}

// byNeighbours is the alternative: suspects by the share of their nearest K others
// that have another name, the nearer of those first.
func byNeighbours(m *treeMemory, l *Lists) []int {
	share := map[int]float64{}
	var order []int
	for _, id := range l.IDs() {
		for place, n := range l.Of(id) {
			if m.Label(n.ID) != m.Label(id) {
				share[id] += 1 - 1e-6*float64(place)
			}
		}
		if share[id] > 0 {
			order = append(order, id)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(share[b], share[a]) })
	return order
}

// How well wrong names are found does not change unnoticed. go test -run Planted
// -update writes the figures anew.
func TestPlantedMistakesAreFound(t *testing.T) {
	rows, right := reference(t)
	var got bytes.Buffer
	fmt.Fprintf(&got, "# 5 %% wrong names among real embeddings of ten classes, %d drawings\n", drawings)
	fmt.Fprintln(&got, "# exemplars, measure, precision among as many as were planted, recall among twice as many, recall of the whole list, average precision")
	for _, size := range []int{100, 300, 850} {
		compare(t, &got, rows[:size], right[:size])
	}
	golden(t, filepath.Join("testdata", "planted.golden"), got.Bytes())
}

// compare plants mistakes among exemplars and writes how well they are found.
func compare(t *testing.T, got *bytes.Buffer, rows [][]float32, right []int32) {
	t.Helper()
	mean := map[string]ranking{}
	for seed := range uint64(drawings) {
		labels, planted := plant(right, seed)
		m := teach(t, rows, labels)
		for _, by := range []struct {
			name  string
			order []int
		}{
			{"doubts", suspects(find(t, m, Params{}))},
			{"neighbours-9", byNeighbours(m, listsOf(t, m, 9))},
			{"neighbours-15", byNeighbours(m, listsOf(t, m, 15))},
		} {
			r, sum := rank(by.order, planted), mean[by.name]
			mean[by.name] = ranking{sum.precision + r.precision/drawings, sum.recall + r.recall/drawings, sum.twice + r.twice/drawings, sum.average + r.average/drawings}
		}
	}
	for _, name := range []string{"doubts", "neighbours-9", "neighbours-15"} {
		r := mean[name]
		fmt.Fprintf(got, "%d %s %.2f %.2f %.2f %.2f\n", len(rows), name, r.precision, r.twice, r.recall, r.average)
	}
	if d, n := mean["doubts"], mean["neighbours-15"]; d.average <= n.average || d.precision < n.precision {
		t.Errorf("neighbours alone find them better: %+v, doubts %+v", n, d)
	}
}

func suspects(found []Doubt) (order []int) {
	for _, d := range found {
		order = append(order, d.ID)
	}
	return order
}

func listsOf(t *testing.T, m *treeMemory, k int) *Lists {
	t.Helper()
	l := NewLists(Params{K: k})
	if err := l.Update(t.Context(), m, m.standing(), true); err != nil {
		t.Fatal(err)
	}
	return l
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the figures changed (-update accepts them); got\n%s\nwant\n%s", got, want)
	}
}
