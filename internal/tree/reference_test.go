package tree

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"fieldmark/internal/probe"
)

// pack is the part of the reference pack (its README describes it) that
// concerns this package.
type pack struct {
	Dim           int
	C             float64
	ExemplarLabel []int32 `json:"exemplar_label"`
	Vectors       struct{ Layout [][4]any }
	Candidates    map[string][]int32
	ProbeQueries  []int `json:"probe_queries"`
	Runs          map[string][]packStage
	Expected      struct{ Blocks [][7]any }

	vectors, expected []float32
}

type packStage struct {
	Exemplars []int
	Lin       struct {
		Classes   []int32
		Objective float64
		Intercept []float64
	}
	Neighbours [][]int
	Trees      map[string]struct {
		LeafOfExemplar []int      `json:"leaf_of_exemplar"`
		LeafSizes      []int      `json:"leaf_sizes"`
		LeafObjective  []*float64 `json:"leaf_objective"`
	}
}

func loadPack(t *testing.T) *pack {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "shared", "data", "reference")
	text, err := os.ReadFile(filepath.Join(dir, "reference.json"))
	if err != nil {
		t.Skipf("the reference pack is not beside the repository: %v", err)
	}
	var p pack
	if err := json.Unmarshal(text, &p); err != nil {
		t.Fatal(err)
	}
	p.vectors = floats(t, filepath.Join(dir, "vectors.f32"))
	p.expected = floats(t, filepath.Join(dir, "expected.f32"))
	return &p
}

func floats(t *testing.T, path string) []float32 {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]float32, len(raw)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return out
}

// row is a vector of a block of vectors.f32.
func (p *pack) row(block string, i int) []float32 {
	for _, l := range p.Vectors.Layout {
		if l[0] == block {
			at := int(l[1].(float64)) + i*p.Dim
			return p.vectors[at : at+p.Dim]
		}
	}
	panic("no block " + block)
}

// fold inserts a stage's exemplars in order.
func (p *pack) fold(t *testing.T, s packStage, psi int) *Tree {
	t.Helper()
	tree, err := New(p.Dim, Params{Psi: psi, C: p.C})
	if err != nil {
		t.Fatal(err)
	}
	e := tree.Edit()
	for _, x := range s.Exemplars {
		if _, err := e.Insert(p.ExemplarLabel[x], p.row("exemplars", x)); err != nil {
			t.Fatal(err)
		}
	}
	return e.Tree()
}

// compare checks a distribution, restricted to the candidates and renormalised
// there, against every row of the block of that name.
func (p *pack) compare(t *testing.T, run string, stage int, method string, tolerance float64, predict func(v []float32) probe.Distribution) {
	t.Helper()
	rows := 0
	for _, b := range p.Expected.Blocks {
		if b[0] != run || int(b[1].(float64)) != stage || b[2] != "target" && b[2] != "union" || b[3] != method {
			continue
		}
		labels := p.Candidates[b[2].(string)]
		at := int(b[4].(float64))
		for i := range int(b[5].(float64)) {
			d := predict(p.row("queries", p.ProbeQueries[i]))
			var sum float64
			for _, y := range labels {
				sum += d.Prob(y)
			}
			for j, y := range labels {
				if got, want := d.Prob(y)/sum, float64(p.expected[at+i*len(labels)+j]); math.Abs(got-want) > tolerance {
					t.Fatalf("%s %d %s: query %d, label %d: %v, want %v", run, stage, method, i, y, got, want)
				}
			}
			rows++
		}
	}
	if rows == 0 {
		t.Fatalf("%s %d: the pack has no block %s", run, stage, method)
	}
}

// Where each exemplar lives, leaf by leaf, must be as the pack says.
func TestReferencePartitions(t *testing.T) {
	p := loadPack(t)
	for run, stages := range p.Runs {
		for stage, s := range stages {
			for psi, want := range s.Trees {
				tree := p.fold(t, s, map[string]int{"50": 50, "200": 200, "500": 500}[psi])
				theirs := make(map[int]int) // our leaf by theirs
				for id := range s.Exemplars {
					leaf, ok := theirs[want.LeafOfExemplar[id]]
					if !ok {
						theirs[want.LeafOfExemplar[id]] = tree.LeafOf(id)
					} else if leaf != tree.LeafOf(id) {
						t.Fatalf("%s %d ψ=%s: exemplar %d of %d lives elsewhere", run, stage, psi, id, len(s.Exemplars))
					}
				}
				if got := tree.Stats().Leaves; got != len(want.LeafSizes) || len(theirs) != got {
					t.Errorf("%s %d ψ=%s: %d leaves, want %d", run, stage, psi, got, len(want.LeafSizes))
				}
			}
		}
	}
}

// The stages that the pack holds every query for; package eval goes through the
// rest.
func TestReferenceLeaves(t *testing.T) {
	p := loadPack(t)
	full := map[string]int{"class_inc": 2, "data_inc": 3}
	for run, stages := range p.Runs {
		for stage, s := range stages {
			if stage != full[run] {
				continue
			}
			for psi, want := range s.Trees {
				tree := consolidate(t, p.fold(t, s, map[string]int{"50": 50, "200": 200, "500": 500}[psi]))
				for id := range s.Exemplars {
					objective, leaf := want.LeafObjective[want.LeafOfExemplar[id]], tree.LeafOf(id)
					if first := tree.nodes.get(leaf).leaf.members.first(); int(first) != id || objective == nil {
						continue // each leaf once
					}
					got, _, err := probe.Evaluate(t.Context(), tree.Probe(leaf), tree.Members(leaf), probe.Options{C: p.C})
					if err != nil || math.Abs(got-*objective) > 1e-6**objective {
						t.Errorf("%s %d ψ=%s leaf %d: f = %v, want %v (%v)", run, stage, psi, leaf, got, *objective, err)
					}
				}
				p.compare(t, run, stage, "tree"+psi+".prob", 1e-5, func(v []float32) probe.Distribution {
					pred, err := tree.Predict(v, 9)
					if err != nil {
						t.Fatal(err)
					}
					return pred.Exemplar
				})
			}
		}
	}
}

func TestReferenceLinProbe(t *testing.T) {
	p := loadPack(t)
	for run, stages := range p.Runs {
		for stage, s := range stages {
			tree := p.fold(t, s, DefaultPsi)
			m, err := tree.LinProbe(t.Context(), 1)
			if err != nil {
				t.Fatal(err)
			}
			f, _, err := probe.Evaluate(t.Context(), m, tree.Members(-1), probe.Options{C: p.C})
			if err != nil || math.Abs(f-s.Lin.Objective) > 1e-7*s.Lin.Objective {
				t.Errorf("%s %d: f = %v, want %v (%v)", run, stage, f, s.Lin.Objective, err)
			}
			if !slices.Equal(m.Classes(), s.Lin.Classes) {
				t.Fatalf("%s %d: classes %v, want %v", run, stage, m.Classes(), s.Lin.Classes)
			}
			for i, want := range s.Lin.Intercept {
				if _, got := m.Weights(i); math.Abs(got-want) > 1e-4 {
					t.Errorf("%s %d: intercept %d = %v, want %v", run, stage, i, got, want)
				}
			}
			p.compare(t, run, stage, "lin.prob", 1e-5, m.Predict)
		}
	}
}

func TestReferenceNeighbours(t *testing.T) {
	p := loadPack(t)
	for run, stages := range p.Runs {
		for stage, s := range stages {
			tree := p.fold(t, s, DefaultPsi)
			for i, want := range s.Neighbours {
				got, err := tree.Nearest(p.row("queries", p.ProbeQueries[i]), 9, nil)
				if err != nil {
					t.Fatal(err)
				}
				var ids []int
				for _, n := range got {
					ids = append(ids, s.Exemplars[n.ID])
				}
				if !slices.Equal(ids, want) {
					t.Errorf("%s %d query %d: neighbours %v, want %v", run, stage, i, ids, want)
				}
			}
		}
	}
}

// consolidate fits every stale leaf to convergence.
func consolidate(t testing.TB, tree *Tree) *Tree {
	t.Helper()
	for _, leaf := range tree.Stale() {
		f, err := tree.Fit(t.Context(), leaf, probe.Options{})
		if err != nil || !f.Report.Converged {
			t.Fatalf("leaf %d: %+v, %v", leaf, f.Report, err)
		}
		var ok bool
		if tree, ok = tree.WithProbe(f); !ok {
			t.Fatalf("leaf %d does not take its own probe", leaf)
		}
	}
	if tree.Pending() != 0 {
		t.Fatalf("%d leaves still stale", tree.Pending())
	}
	return tree
}
