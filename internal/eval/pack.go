package eval

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"fieldmark/internal/vec"
)

// Pack is a reference pack: real embeddings with results that were computed in
// float64 by an independent program. Labels are indices into Labels, exemplars
// and queries into their matrices.
type Pack struct {
	Tau, TauBeta float64
	K            int     // neighbours
	C            float64 // of the linear probe's objective

	Labels        []string
	Exemplars     [][]float32 // raw embeddings [n][D]
	ExemplarLabel []int
	Queries       [][]float32 // raw embeddings [m][D]
	QueryLabel    []int
	Texts         [][]float32 // unit rows, one for each label

	Candidates   []CandidateSet
	ProbeQueries []int // queries whose probabilities are in Blocks
	Stages       []Stage
	Blocks       []Block
	Accuracy     []AccuracyRow
}

// CandidateSet is Y under a name.
type CandidateSet struct {
	Name   string
	Labels []int
}

// Stage is the state of a run after one more delivery of exemplars.
type Stage struct {
	Run        string
	Stage      int
	K          int         // neighbours asked; fewer than Pack.K where there are fewer exemplars
	Exemplars  []int       // all so far, in the order of insertion
	Known      []int       // Y_e
	Neighbours [][]int     // exemplars nearest to each probe query, nearest first
	Partitions []Partition // clustering trees, by growing ψ
}

// Partition is a given clustering tree's leaf for each of a Stage's Exemplars.
type Partition struct {
	Psi    int
	LeafOf []int
}

// Block holds expected probabilities: a row for each of the first ProbeQueries,
// a column for each candidate.
type Block struct {
	Run, Candidates, Method string
	Stage                   int
	Rows                    [][]float32
}

// AccuracyRow counts, over the queries whose label is among the candidates, how
// many a method named right; Seen are those whose label is in Y_e.
type AccuracyRow struct {
	Run, Candidates, Method string
	Stage                   int
	Right, Total            int
	RightSeen, TotalSeen    int
	NearTies                int // queries whose first two differ by less than 1e-6
}

// packJSON is reference.json as it is written.
type packJSON struct {
	Format        int
	Dim           int
	Tau           float64
	TauBeta       float64 `json:"tau_beta"`
	K             int
	C             float64
	Labels        []string
	ExemplarLabel []int `json:"exemplar_label"`
	QueryLabel    []int `json:"query_label"`
	ProbeQueries  []int `json:"probe_queries"`
	Candidates    map[string][]int
	Vectors       struct {
		File   string
		Layout []tuple
	}
	Runs     map[string][]stageJSON
	Expected struct {
		File   string
		Blocks []tuple
		Fields []string `json:"block_fields"`
	}
	Accuracy []tuple
	Fields   []string `json:"accuracy_fields"`
}

type stageJSON struct {
	Stage      int
	K          int
	Exemplars  []int
	Known      []int `json:"Y_e"`
	Neighbours [][]int
	Trees      map[string]struct {
		LeafOf []int `json:"leaf_of_exemplar"`
	}
}

// tuple is a JSON array of mixed types.
type tuple []json.RawMessage

// scan decodes the first entries of t into the targets.
func (t tuple) scan(targets ...any) error {
	if len(t) < len(targets) {
		return fmt.Errorf("a row has %d entries instead of %d", len(t), len(targets))
	}
	for i, v := range targets {
		if err := json.Unmarshal(t[i], v); err != nil {
			return err
		}
	}
	return nil
}

// named brings a row whose fields have names into the order of want; without names
// it has that order. A name may go on: "offset_floats" is an offset.
func (t tuple) named(fields, want []string) (tuple, error) {
	if fields == nil {
		return t, nil
	}
	out := make(tuple, len(want))
	for i, name := range want {
		at := slices.Index(fields, name)
		if at < 0 {
			at = slices.IndexFunc(fields, func(f string) bool { return strings.HasPrefix(f, name+"_") || strings.HasPrefix(f, name+"(") })
		}
		if at < 0 || at >= len(t) {
			return nil, fmt.Errorf("a row has no %s, only %s", name, strings.Join(fields, ", "))
		}
		out[i] = t[at]
	}
	return out, nil
}

// floats reads a file of little-endian float32.
func floats(fsys fs.FS, name string) ([]float32, error) {
	raw, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	if len(raw)%4 != 0 {
		return nil, fmt.Errorf("%s: %d bytes are no whole number of float32", name, len(raw))
	}
	out := make([]float32, len(raw)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	if !vec.Finite(out) {
		return nil, fmt.Errorf("%s: holds a number that is not finite", name)
	}
	return out, nil
}

// matrix cuts rows of cols numbers out of all, from offset on.
func matrix(all []float32, offset, rows, cols int) ([][]float32, error) {
	if offset < 0 || rows < 0 || cols < 1 || rows > (len(all)-offset)/cols {
		return nil, fmt.Errorf("a block of %d x %d at %d does not fit into %d numbers", rows, cols, offset, len(all))
	}
	out := make([][]float32, rows)
	for i := range out {
		out[i] = all[offset+i*cols : offset+(i+1)*cols : offset+(i+1)*cols]
	}
	return out, nil
}
