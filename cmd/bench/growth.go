package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/internal/identify/identifytest"
	"fieldmark/internal/nearest"
	"fieldmark/internal/probe"
)

// grownCorrections are timed at every size.
const grownCorrections = 30

// line is one way of learning: how long one exemplar takes at each size.
type line struct {
	name   string
	points []point
}

// point is a value y at x; of growth, seconds at a number of exemplars.
type point struct{ x, y float64 }

// growth measures one correction of an ever larger memory, which its service
// lives through as it would over years, and beside it what the paper does for the
// same exemplar.
func (b *bench) growth(ctx context.Context) (s section, err error) {
	sizes := growing(b.exemplars)
	k := b.labels[0]
	refits, err := b.refitLine(ctx, sizes, k)
	if err != nil {
		s.notes = append(s.notes, fmt.Sprintf("LinProbe and TreeProbe by the paper: missing (%s).", missing(err)))
	}
	answered, learned, err := b.grow(ctx, sizes, k)
	if err != nil {
		return s, err
	}
	kept, err := b.keptLine(sizes)
	if err != nil {
		return s, err
	}
	lines := []line{answered, learned, kept}
	if len(refits.points) > 0 {
		lines = append(lines, treeProbe(refits, float64(b.leaf), float64(b.exemplars)), refits)
	}
	for i, size := range sizes {
		r := row{what: fmt.Sprintf("one correction, the median, at %s exemplars, K = %s", count(size), count(k)),
			unit: duration, ours: answered.points[i].y, note: "of that " + seconds(learned.points[i].y) + " learning"}
		for _, l := range lines[2:] {
			for _, p := range l.points {
				if int(p.x) == size {
					r.peers = append(r.peers, figure{name: l.name, value: p.y})
				}
			}
		}
		s.rows = append(s.rows, r)
	}
	if b.plots == "" {
		return s, nil
	}
	s.notes = append(s.notes, "![Time of one correction by the number of exemplars](growth.svg)")
	return s, plotLines(lines, filepath.Join(b.plots, "growth.svg"), filepath.Join(b.plots, "growth.png"))
}

// growing are the sizes 1, 2, 5 times a power of ten from 1,000 to most, which is
// the last.
func growing(most int) []int {
	var sizes []int
	for power := 1000; power < most; power *= 10 {
		for _, times := range []int{1, 2, 5} {
			if size := times * power; size < most {
				sizes = append(sizes, size)
			}
		}
	}
	return append(sizes, most)
}

// grow fills a memory step by step, and at each size, when it is consolidated,
// times corrections: until they are answered, and the learning of it.
func (b *bench) grow(ctx context.Context, sizes []int, k int) (answered, learned line, err error) {
	answered.name, learned.name = "Fieldmark, answered", "Fieldmark, learned"
	x := identifytest.NewExemplars(b.seed, b.dim, k, 0)
	w, err := identifytest.New(ctx, filepath.Join(b.scratch, "growth"), x)
	if err != nil {
		return answered, learned, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	b.configure(w)
	if err := w.Open(ctx); err != nil {
		return answered, learned, err
	}
	for _, size := range sizes {
		b.tell("growing to %d", size)
		next, err := seen(ctx, w)
		if err != nil {
			return answered, learned, err
		}
		if err := extend(ctx, w, next, size); err != nil {
			return answered, learned, err
		}
		if _, err := b.settle(ctx, w); err != nil {
			return answered, learned, err
		}
		whole, part, err := correct(ctx, w, grownCorrections)
		if err != nil {
			return answered, learned, err
		}
		answered.points = append(answered.points, point{float64(size), whole.quantile(.5)})
		learned.points = append(learned.points, point{float64(size), part.quantile(.5)})
	}
	return answered, learned, nil
}

// extend imports the exemplars from one number up to, but not including, another.
func extend(ctx context.Context, w *identifytest.Workshop, from, to int) error {
	f := stretch{w.Exemplars, w.Config.Embedder.Info().Digest, from, to}
	plan, err := w.PlanImport(ctx, w.Owner, identify.ImportSource{Kind: "npz", Name: "made-up.npz", Digest: fmt.Sprintf("%064x", to)}, f, identify.ImportOptions{})
	if err != nil {
		return err
	}
	_, err = w.RunImport(ctx, w.Owner, plan, f, func(identify.ImportProgress) {})
	return err
}

// stretch is a stretch of exemplars as a file to be imported.
type stretch struct {
	*identifytest.Exemplars
	encoder  string
	from, to int
}

func (s stretch) Rows() int       { return s.to - s.from }
func (s stretch) Encoder() string { return s.encoder }

func (s stretch) Each(visit func(identify.EmbeddingRow) error) error {
	for i := s.from; i < s.to; i++ {
		v, label := s.At(i)
		id := identify.TaxonID(label + 1)
		if err := visit(identify.EmbeddingRow{Row: i - s.from, Embedding: v, Label: fmt.Sprint("taxon ", id), Taxon: id}); err != nil {
			return err
		}
	}
	return nil
}

// keptAtOnce exemplars are timed together: one is too quick for the clock.
const keptAtOnce = 1000

// keptLine is what KNN does for one exemplar: it is kept, and nothing is learned.
func (b *bench) keptLine(sizes []int) (line, error) {
	l := line{name: "KNN"}
	x := identifytest.NewExemplars(b.seed, b.dim, 2, 0)
	rows := make([][]float32, 256)
	for i := range rows {
		rows[i], _ = x.At(i)
	}
	v := nearest.NewVectors(b.dim, nearest.Half)
	for _, size := range sizes {
		var err error
		for v.Len() < size {
			if v, err = v.Append(rows[v.Len()%len(rows)]); err != nil {
				return l, err
			}
		}
		start := time.Now()
		for i := range keptAtOnce {
			if v, err = v.Append(rows[i%len(rows)]); err != nil {
				return l, err
			}
		}
		l.points = append(l.points, point{float64(size), time.Since(start).Seconds() / keptAtOnce})
	}
	return l, nil
}

// refitLine is what LinProbe does for one exemplar: scikit-learn fits anew on all
// exemplars, up to a full leaf's; more would take too long to be measured.
func (b *bench) refitLine(ctx context.Context, sizes []int, k int) (line, error) {
	l := line{name: "LinProbe, refit by " + scikit}
	if !slices.Contains(b.peers.wanted, scikit) {
		return l, errMissing("not asked")
	}
	x := identifytest.NewExemplars(b.seed, b.dim, k, 0)
	var feasible []int
	for _, size := range sizes {
		if size < b.leaf {
			feasible = append(feasible, size)
		}
	}
	n := min(b.leaf, sizes[len(sizes)-1])
	feasible = append(feasible, n)
	labels := make([]int32, n)
	err := errors.Join(
		meta{Dim: b.dim, C: probe.DefaultC}.write(b.scratch),
		writeRows(filepath.Join(b.scratch, "leaf.f32"), n, func(i int) []float32 {
			v, label := x.At(i)
			labels[i] = int32(label)
			return v
		}),
		writeInts(filepath.Join(b.scratch, "leaf_labels.i32"), labels))
	if err != nil {
		return l, err
	}
	b.tell("scikit-learn's refits, up to %d exemplars", n)
	list, err := b.peers.ask(ctx, scikit, "refits", b.scratch, b.workers, feasible...)
	for _, f := range list {
		l.points = append(l.points, point{float64(f.N), f.Seconds})
	}
	return l, err
}

// treeProbe is what TreeProbe does by the paper: it refits a leaf, which takes as
// long as all do until one is full, and never longer than a full one.
func treeProbe(refits line, leaf, most float64) line {
	l := line{name: "TreeProbe by the paper"}
	for _, p := range refits.points {
		if p.x <= leaf {
			l.points = append(l.points, p)
		}
	}
	if last := len(l.points) - 1; last >= 0 && most > l.points[last].x {
		l.points = append(l.points, point{most, l.points[last].y})
	}
	return l
}
