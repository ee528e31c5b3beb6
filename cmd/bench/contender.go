package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"fieldmark/internal/coderhnsw"
	"fieldmark/internal/nearest"
	"fieldmark/internal/nearest/nearesttest"
)

// searches is how an index did with one width.
type searches struct {
	width     int
	recall    float64
	perSecond float64 // on one core
	p50, p99  float64 // seconds
}

func (s searches) note() string {
	if s.width == 0 {
		return fmt.Sprintf("recall %.3f", s.recall)
	}
	return fmt.Sprintf("recall %.3f at width %d", s.recall, s.width)
}

// leastEnough is the fastest of a sweep that finds enough; if none does, the one
// that finds most.
func leastEnough(sweep []searches) searches {
	var best searches
	for _, s := range sweep {
		better := s.perSecond > best.perSecond
		if best.recall < enough {
			better = s.recall > best.recall
		}
		if better && (s.recall >= enough || best.recall < enough) {
			best = s
		}
	}
	return best
}

// collection is the vectors that are searched, and the right answers.
type collection struct {
	seq     *nearesttest.Clustered
	n       int
	queries [][]float32
	truth   [][]int32
}

// search times an index on queries, one after the other.
func (c *collection) search(index nearest.Index, width int, queries [][]float32) searches {
	var t times
	hits := 0
	began := processorTime()
	for i, q := range queries {
		start := time.Now()
		got := index.Search(q, neighbours, nil)
		t = append(t, time.Since(start))
		for _, nb := range got {
			if slices.Contains(c.truth[i], int32(nb.ID)) {
				hits++
			}
		}
	}
	used := processorTime() - began
	return searches{width: width, recall: float64(hits) / float64(len(queries)*neighbours),
		perSecond: float64(len(queries)) / used.Seconds(), p50: t.quantile(.5), p99: t.quantile(.99)}
}

// stored is the first n vectors.
func (c *collection) stored(format nearest.Format, n int) (*nearest.Vectors, error) {
	v := nearest.NewVectors(c.seq.Dim(), format)
	x := make([]float32, c.seq.Dim())
	var err error
	for i := 0; i < n && err == nil; i++ {
		v, err = v.Append(c.seq.Row(i, x))
	}
	return v, err
}

// collect draws n vectors and queries beyond them, and finds the truth by an exact
// scan in single precision. dir, if not "", is given the arrays for the peers.
func (b *bench) collect(n int, dir string) (*collection, error) {
	c := &collection{seq: nearesttest.NewClustered(b.seed, b.dim, max(10, min(centres, n/cluster))), n: n}
	v, err := c.stored(nearest.Float32, n)
	if err != nil {
		return nil, err
	}
	var flat []int32
	for i := range b.queries {
		q := c.seq.Row(n+i, nil)
		ids := make([]int32, 0, neighbours)
		for _, nb := range (nearest.Exact{Vectors: v, Workers: b.workers}).Search(q, neighbours, nil) {
			ids = append(ids, int32(nb.ID))
		}
		c.queries, c.truth, flat = append(c.queries, q), append(c.truth, ids), append(flat, ids...)
	}
	if dir == "" {
		return c, nil
	}
	return c, errors.Join(
		meta{Dim: b.dim, Neighbours: neighbours, M: graphM, BuildWidth: graphBuild}.write(dir),
		writeRows(filepath.Join(dir, "rows.f32"), n, func(i int) []float32 { return v.Row(i, nil) }),
		writeRows(filepath.Join(dir, "queries.f32"), len(c.queries), func(i int) []float32 { return c.queries[i] }),
		writeInts(filepath.Join(dir, "truth.i32"), flat))
}

// contender is an index with all that was measured of it.
type contender struct {
	name    string
	inserts float64 // per second, on one core
	sweep   []searches
	exact   []figure // exact scans, by queries per second; ours alone
	missing string
	note    string
	usual   searches // by the default width; ours alone
}

func (b *bench) ourGraph(c *collection) (contender, error) {
	v, err := c.stored(nearest.Half, c.n)
	if err != nil {
		return contender{}, err
	}
	g, err := nearest.NewGraph(b.dim, nearest.GraphParams{M: graphM, Width: graphBuild, Seed: b.seed})
	if err != nil {
		return contender{}, err
	}
	began := processorTime()
	g.Extend(v, v.Len(), 1)
	out := contender{inserts: float64(g.Len()) / (processorTime() - began).Seconds()}
	search := func(width int) searches {
		return c.search(nearest.Hybrid{Vectors: v, Graph: g, Width: width}, width, c.queries)
	}
	for _, width := range b.widths {
		out.sweep = append(out.sweep, search(width))
	}
	out.usual = search(nearest.DefaultWidth)
	scan := c.search(nearest.Exact{Vectors: v}, 0, c.queries[:min(len(c.queries), fewQueries)])
	out.exact = []figure{{name: "our exact scan", value: scan.perSecond, note: scan.note()}}
	return out, nil
}

// peerGraph asks a peer of another language.
func (b *bench) peerGraph(ctx context.Context, peer, what, dir string) contender {
	b.tell("%s %s", peer, what)
	out := contender{name: peer}
	list, err := b.peers.ask(ctx, peer, what, dir, 1, b.widths...)
	if slow := (errSlow{}); errors.As(err, &slow) && len(list) > 1 {
		out.note = slow.Error()
	} else if err != nil {
		out.missing = missing(err)
		return out
	}
	for _, f := range list {
		s := searches{f.Width, f.Recall, f.PerSecond, f.P50 / 1e3, f.P99 / 1e3}
		switch f.What {
		case "build":
			out.inserts = f.PerSecond
		case "search":
			out.sweep = append(out.sweep, s)
		}
	}
	return out
}

// coderGraph measures coder/hnsw.
func (b *bench) coderGraph(c *collection) (contender, error) {
	out := contender{name: "coder/hnsw"}
	if !slices.Contains(b.peers.wanted, coderPeer) {
		out.missing = "not asked"
		return out, nil
	}
	b.tell("coder/hnsw")
	v, err := c.stored(nearest.Float32, c.n)
	if err != nil {
		return out, err
	}
	for _, width := range []int{20, 400} {
		x := coderhnsw.New(int64(b.seed), width)
		began := processorTime()
		x.Extend(v, c.n)
		out.inserts = float64(c.n) / (processorTime() - began).Seconds()
		out.sweep = append(out.sweep, c.search(x.Of(v), width, c.queries))
	}
	return out, nil
}
