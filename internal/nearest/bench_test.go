package nearest

import (
	"bytes"
	"flag"
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	"fieldmark/internal/nearest/nearesttest"
)

// The benchmarks of retrieval are run at other sizes by
//
//	go test -run '^$' -bench 'Graph|Exact' ./internal/nearest -args -n 1000000 -centres 3000
//
// Beside the time that passes they report the processor's (cpu-µs/op), which says
// more on a machine that has other things to do.
var (
	benchN       = flag.Int("n", 10_000, "vectors that the benchmarks store")
	benchCentres = flag.Int("centres", 30, "clusters that these lie in")
	benchM       = flag.Int("m", 0, "links that a node seeks; 0 is the default")
	benchBuild   = flag.Int("build", 0, "width when building; 0 is the default")
)

const (
	benchDim     = 512
	benchK       = 9
	benchQueries = 200
)

// processorTime is what this process has used so far.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// benchSet is what all the benchmarks of retrieval are about.
type benchSet struct {
	vectors *Vectors
	queries [][]float32
	truth   [][]Neighbour
}

func newBenchSet(b *testing.B) benchSet {
	seq := nearesttest.NewClustered(1, benchDim, *benchCentres)
	s := benchSet{vectors: stored(b, seq, *benchN, Half)}
	for i := range benchQueries {
		q := seq.Row(*benchN+i, nil)
		s.queries = append(s.queries, q)
		s.truth = append(s.truth, Exact{Vectors: s.vectors}.Search(q, benchK, nil))
	}
	return s
}

// measure asks index about every query, over and over, and reports its recall and
// the slowest hundredth of its answers.
func (s benchSet) measure(b *testing.B, index Index) {
	found := 0
	for i, q := range s.queries {
		found += len(common(index.Search(q, benchK, nil), s.truth[i]))
	}
	var took []time.Duration
	started := processorTime()
	for b.Loop() {
		at := time.Now()
		index.Search(s.queries[len(took)%len(s.queries)], benchK, nil)
		took = append(took, time.Since(at))
	}
	b.ReportMetric((processorTime()-started).Seconds()*1e6/float64(len(took)), "cpu-µs/op")
	slices.Sort(took)
	b.ReportMetric(took[len(took)*99/100].Seconds()*1e6, "p99-µs")
	b.ReportMetric(float64(found)/float64(benchK*len(s.queries)), "recall")
}

func BenchmarkGraph(b *testing.B) {
	s := newBenchSet(b)
	b.Run(fmt.Sprintf("exact/n=%d", *benchN), func(b *testing.B) {
		s.measure(b, Exact{Vectors: s.vectors})
	})
	var g *Graph
	b.Run(fmt.Sprintf("build/n=%d", *benchN), func(b *testing.B) {
		started, nodes := processorTime(), 0
		for b.Loop() {
			g = graphOf(b, s.vectors, GraphParams{M: *benchM, Width: *benchBuild}, 1)
			nodes += g.Len()
		}
		b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "vectors/s")
		b.ReportMetric(float64(nodes)/(processorTime()-started).Seconds(), "vectors/cpu-s")
		b.ReportMetric(g.bytesPerNode(), "B/vector")
	})
	if g == nil {
		return // another benchmark was asked for
	}
	for _, width := range []int{16, 32, 64, 96, 128, 256} {
		b.Run(fmt.Sprintf("search/n=%d/width=%d", *benchN, width), func(b *testing.B) {
			s.measure(b, Hybrid{Vectors: s.vectors, Graph: g, Width: width})
		})
	}
	b.Run(fmt.Sprintf("load/n=%d", *benchN), func(b *testing.B) {
		var file bytes.Buffer
		if _, err := g.WriteTo(&file); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(file.Len()))
		for b.Loop() {
			if _, err := ReadGraph(bytes.NewReader(file.Bytes()), s.vectors, 2); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// bytesPerNode is the memory of the graph's arrays by node, codes included.
func (g *Graph) bytesPerNode() float64 {
	v := g.view()
	perBlock := blockNodes*(g.dim+4+4+4*2*g.params.M) + blockNodes/8
	return float64(len(v.blocks)*perBlock+len(v.uppers)*blockNodes*4*g.params.M) / float64(v.n)
}
