package nearest

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"fieldmark/internal/nearest/nearesttest"
)

// stored are the first n vectors of a clustered sequence.
func stored(t testing.TB, c *nearesttest.Clustered, n int, format Format) *Vectors {
	t.Helper()
	v := NewVectors(c.Dim(), format)
	var row []float32
	for i := range n {
		row = c.Row(i, row)
		var err error
		if v, err = v.Append(row); err != nil {
			t.Fatal(err)
		}
	}
	return v
}

func graphOf(t testing.TB, v *Vectors, params GraphParams, workers int) *Graph {
	t.Helper()
	g, err := NewGraph(v.Dim(), params)
	if err != nil {
		t.Fatal(err)
	}
	g.Extend(v, v.Len(), workers)
	return g
}

// recall is the share of the true k nearest that the graph finds for queries of
// the sequence beyond those that are stored.
func recall(t testing.TB, h Hybrid, c *nearesttest.Clustered, queries, k int, keep func(int) bool) float64 {
	t.Helper()
	found, all := 0, 0
	for i := range queries {
		q := c.Row(1<<30+i, nil)
		want := Exact{Vectors: h.Vectors}.Search(q, k, keep)
		got, ok := h.walk(q, k, keep)
		if !ok {
			got = want
		}
		checkFound(t, h.Vectors, q, got, k, keep)
		found += len(common(got, want))
		all += len(want)
	}
	return float64(found) / float64(all)
}

func common(a, b []Neighbour) []Neighbour {
	var both []Neighbour
	for _, x := range a {
		if slices.Contains(b, x) {
			both = append(both, x)
		}
	}
	return both
}

// checkFound checks what must hold of any answer: it is in order, only of what is
// kept, without repetition, and every cosine is the exact one.
func checkFound(t testing.TB, v *Vectors, q []float32, got []Neighbour, k int, keep func(int) bool) {
	t.Helper()
	if len(got) > k {
		t.Fatalf("%d neighbours, want at most %d", len(got), k)
	}
	seen := make(map[int]bool)
	for i, nb := range got {
		if keep != nil && !keep(nb.ID) || seen[nb.ID] || nb.ID >= v.Len() {
			t.Fatalf("neighbour %d is vector %d of %d, which is not kept or there before", i, nb.ID, v.Len())
		}
		seen[nb.ID] = true
		if i > 0 && (nb.Cos > got[i-1].Cos || nb.Cos == got[i-1].Cos && nb.ID < got[i-1].ID) {
			t.Fatalf("neighbours %d and %d are out of order: %v", i-1, i, got)
		}
		if want := oracle([][]float32{v.Row(nb.ID, nil)}, q, 1, nil)[0].Cos; max(nb.Cos-want, want-nb.Cos) > 1e-12 {
			t.Fatalf("vector %d has cosine %v, want %v", nb.ID, nb.Cos, want)
		}
	}
}

func TestGraphFindsWhatExactFinds(t *testing.T) {
	for _, c := range []struct {
		n, dim, centres int
		format          Format
	}{
		{256, 2, 4, Float32}, {512, 3, 4, Half}, {600, 64, 6, Float32}, {1200, 16, 10, Half},
	} {
		t.Run(fmt.Sprintf("n=%d,dim=%d", c.n, c.dim), func(t *testing.T) {
			seq := nearesttest.NewClustered(1, c.dim, c.centres)
			v := stored(t, seq, c.n, c.format)
			h := Hybrid{Vectors: v, Graph: graphOf(t, v, GraphParams{}, 2)}
			checkInvariants(t, h.Graph)
			for _, k := range []int{1, 9, 40} {
				if got := recall(t, h, seq, 20, k, nil); got < 0.99 {
					t.Errorf("k=%d: recall %.4f", k, got)
				}
			}
		})
	}
}

// With a width of all nodes the walk reaches every one of them, and so is as good
// as a scan: for any k, with duplicates and ties, and whatever is kept.
func TestAWalkOfFullWidthIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{256, 300, 600, 1100} {
		for _, dim := range []int{1, 3, 32} {
			rows := clustered(r, n, dim)
			v := build(t, dim, rows)
			h := Hybrid{Vectors: v, Graph: graphOf(t, v, GraphParams{M: 4, Width: 8}, 2), Width: n}
			checkInvariants(t, h.Graph)
			for name, keep := range map[string]func(int) bool{
				"all": nil, "third": func(id int) bool { return id%3 == 0 },
				"one": func(id int) bool { return id == n/2 }, "none": func(int) bool { return false },
			} {
				for _, k := range []int{1, 9, n + 1} {
					q := rows[r.IntN(n)]
					want := oracle(rows, q, k, keep)
					got, ok := h.walk(q, k, keep)
					if !ok {
						t.Fatalf("n=%d dim=%d: gave up", n, dim)
					}
					if err := equal(got, want); err != nil {
						t.Fatalf("n=%d dim=%d k=%d %s: %v", n, dim, k, name, err)
					}
				}
			}
		}
	}
}

func TestManyDuplicates(t *testing.T) {
	const n = 4500
	v := NewVectors(8, Float32)
	for i := range n { // 3 places, each held by 1,500
		row := make([]float32, 8)
		row[i%3] = 1
		v, _ = v.Append(row)
	}
	g := graphOf(t, v, GraphParams{M: 8, Width: 40}, 2)
	checkInvariants(t, g)
	for i := range 3 {
		q := make([]float32, 8)
		q[i] = 2
		for _, nb := range (Hybrid{Vectors: v, Graph: g}).Search(q, 9, nil) {
			if nb.ID%3 != i || nb.Cos != 1 {
				t.Errorf("near place %d: %v", i, nb)
			}
		}
	}
}

// checkInvariants checks the shape that Graph promises.
func checkInvariants(t testing.TB, g *Graph) {
	t.Helper()
	v := g.view()
	levels := make([]int, maxLevel+1)
	for id := range v.n {
		levels[g.level(id)]++
		if g.level(id) > g.level(v.entry) {
			t.Fatalf("entry %d is on %d levels, node %d on more", v.entry, g.level(v.entry), id)
		}
		parents := 0
		for level := range g.level(id) + 1 {
			list := v.links(id, level)
			links := read(list, nil)
			for i, l := range links {
				to := l.id()
				if to < 0 || to >= v.n || to == id || g.level(to) < level {
					t.Fatalf("level %d: node %d links to %d", level, id, to)
				}
				if slices.ContainsFunc(links[:i], func(k link) bool { return k.id() == to }) {
					t.Fatalf("level %d: node %d links to %d twice", level, id, to)
				}
				if l.isKin() {
					if level != 0 || !slices.Contains(read(v.links(to, 0), nil), linkTo(id)|kin) {
						t.Fatalf("level %d: node %d is kin to %d, but not the other way round", level, id, to)
					}
					if to < id {
						parents++
					}
				}
			}
			for i := range list[len(links):] {
				if list[len(links)+i].Load() != 0 {
					t.Fatalf("level %d: the list of node %d goes on after its end", level, id)
				}
			}
		}
		if want := min(1, int(id)); parents != want {
			t.Fatalf("node %d has %d parents, want %d", id, parents, want)
		}
	}
	// Parents are earlier and links to them go both ways: so all nodes can be
	// reached from all. Told once more by walking.
	if v.n > 0 {
		reached, todo := map[int32]bool{v.n - 1: true}, []int32{v.n - 1}
		for len(todo) > 0 {
			for _, l := range read(v.links(todo[0], 0), nil) {
				if !reached[l.id()] {
					reached[l.id()] = true
					todo = append(todo, l.id())
				}
			}
			todo = todo[1:]
		}
		if len(reached) != int(v.n) {
			t.Fatalf("%d of %d nodes can be reached", len(reached), v.n)
		}
	}
	// A node is on the next level with probability 1/16.
	if expected := float64(v.n) / 16; v.n > 1000 && (float64(levels[1]) > 1.5*expected || float64(levels[1]) < 0.5*expected) {
		t.Errorf("%d of %d nodes end on level 1", levels[1], v.n)
	}
}

// lists are all lists of links, as one sequence.
func lists(g *Graph) []link {
	v := g.view()
	var all []link
	for id := range v.n {
		for level := range g.level(id) + 1 {
			all = append(read(v.links(id, level), all), 0)
		}
	}
	return all
}

func TestWorkersAndPortionsChangeNothing(t *testing.T) {
	v := stored(t, nearesttest.NewClustered(3, 16, 10), 1000, Half)
	want := lists(graphOf(t, v, GraphParams{M: 8, Width: 40, Seed: 7}, 1))
	for _, workers := range []int{2, 4} {
		if !slices.Equal(lists(graphOf(t, v, GraphParams{M: 8, Width: 40, Seed: 7}, workers)), want) {
			t.Errorf("%d workers make another graph", workers)
		}
	}
	g := graphOf(t, NewVectors(16, Half), GraphParams{M: 8, Width: 40, Seed: 7}, 1)
	for to := 0; to <= 1000; to += 137 {
		g.Extend(v, to, 2)
	}
	if g.Extend(v, 1<<30, 1); !slices.Equal(lists(g), want) {
		t.Errorf("portions make another graph")
	}
	if slices.Equal(lists(graphOf(t, v, GraphParams{M: 8, Width: 40, Seed: 8}, 1)), want) {
		t.Errorf("the seed changes nothing")
	}
	if g.Len() != 1000/batchNodes*batchNodes {
		t.Errorf("%d nodes of 1000 vectors", g.Len())
	}
}

func TestFiltersOfAllDensities(t *testing.T) {
	seq := nearesttest.NewClustered(4, 16, 20)
	v := stored(t, seq, 4500, Half)
	h := Hybrid{Vectors: v, Graph: graphOf(t, v, GraphParams{M: 8, Width: 40}, 2)}
	for _, every := range []int{1, 3, 30, 300, 3000, 20_000} {
		keep := func(id int) bool { return id%every == every/2 }
		if got := recall(t, h, seq, 8, 9, keep); got < 0.99 {
			t.Errorf("one of %d kept: recall %.4f", every, got)
		}
		q := seq.Row(1<<20, nil)
		got, want := h.Search(q, 9, keep), Exact{Vectors: v}.Search(q, 9, keep)
		if len(got) != len(want) || every >= 3000 && !slices.Equal(got, want) {
			t.Errorf("one of %d kept: %d neighbours, want %d", every, len(got), len(want))
		}
	}
}

// What is kept may lie far from the query, where a walk does not come to.
func TestWhatIsKeptIsFoundWhereverItIs(t *testing.T) {
	seq := nearesttest.NewClustered(5, 16, 10)
	v := stored(t, seq, 4500, Half)
	h := Hybrid{Vectors: v, Graph: graphOf(t, v, GraphParams{M: 8, Width: 40}, 2)}
	q := seq.Row(1<<20, nil)
	far := Exact{Vectors: v}.Search(q, 4500, nil)
	kept := make(map[int]bool)
	for _, nb := range far[3500:] {
		kept[nb.ID] = true
	}
	keep := func(id int) bool { return kept[id] }
	want := Exact{Vectors: v}.Search(q, 9, keep)
	if got := h.Search(q, 9, keep); len(common(got, want)) < 8 {
		t.Errorf("found %v, want %v", got, want)
	}
}

func TestTheTailIsScanned(t *testing.T) {
	seq := nearesttest.NewClustered(6, 16, 20)
	v := stored(t, seq, 4500, Half)
	g := graphOf(t, v, GraphParams{M: 8, Width: 40}, 2)
	var err error
	for i := range 300 {
		row := seq.Row(1<<20+i, nil)
		if v, err = v.Append(row); err != nil {
			t.Fatal(err)
		}
		h := Hybrid{Vectors: v, Graph: g}
		if got := h.Search(row, 1, nil); len(got) != 1 || got[0].Cos < 0.9999 {
			t.Fatalf("vector %d is not found once it is appended: %v", v.Len()-1, got)
		}
	}
	old := stored(t, seq, 4200, Half) // a version of before, which knows fewer
	keep := func(id int) bool { return id < old.Len() }
	if got := recall(t, Hybrid{Vectors: old, Graph: g}, seq, 30, 9, keep); got < 0.99 {
		t.Errorf("an earlier version: recall %.4f", got)
	}
}

func TestHalfRemoved(t *testing.T) {
	seq := nearesttest.NewClustered(7, 16, 15)
	v := stored(t, seq, 3000, Half)
	g := graphOf(t, v, GraphParams{M: 8, Width: 40}, 2)
	r := rand.New(rand.NewPCG(7, 7))
	removed := make([]bool, v.Len())
	for n := 0; n < v.Len()/2; {
		if id := r.IntN(v.Len()); !removed[id] {
			removed[id] = true
			n++
			if taken := id < g.Len(); g.Remove(id) != taken || g.Remove(id) {
				t.Fatalf("Remove(%d) is wrong about what it did", id)
			}
		}
	}
	checkInvariants(t, g)
	keep := func(id int) bool { return !removed[id] }
	if got := recall(t, Hybrid{Vectors: v, Graph: g}, seq, 50, 9, keep); got < 0.99 {
		t.Errorf("recall %.4f", got)
	}
	toRemoved, links := 0, 0
	for id := range g.view().n {
		now := g.view()
		for _, l := range read(now.links(id, 0), nil) {
			links++
			if removed[l.id()] && !removed[id] {
				toRemoved++
			}
		}
	}
	if toRemoved > links/4 { // of half the nodes, a quarter if nothing had been mended
		t.Errorf("%d of %d links lead from what stays to what is removed", toRemoved, links)
	}
}

func TestInsertAndRemoveInTurns(t *testing.T) {
	seq := nearesttest.NewClustered(8, 24, 30)
	r := rand.New(rand.NewPCG(8, 8))
	v := NewVectors(24, Half)
	g := graphOf(t, v, GraphParams{M: 8, Width: 40}, 1)
	removed := make(map[int]bool)
	for i := range 3000 {
		v, _ = v.Append(seq.Row(i, nil))
		if i%100 == 0 {
			g.Extend(v, v.Len(), 2)
		}
		if r.IntN(3) == 0 {
			id := r.IntN(v.Len())
			removed[id] = true
			g.Remove(id)
		}
	}
	checkInvariants(t, g)
	keep := func(id int) bool { return !removed[id] }
	if got := recall(t, Hybrid{Vectors: v, Graph: g}, seq, 50, 9, keep); got < 0.99 {
		t.Errorf("recall %.4f", got)
	}
}

// The race detector watches searches beside a writer; their answers are as right
// as ever.
func TestSearchBesideAWriter(t *testing.T) {
	seq := nearesttest.NewClustered(9, 16, 20)
	var newest atomic.Pointer[Vectors]
	v := stored(t, seq, 2000, Half)
	g := graphOf(t, v, GraphParams{M: 8, Width: 32}, 2)
	newest.Store(v)
	var done atomic.Bool
	var wg sync.WaitGroup
	var found, all atomic.Int64
	for w := range 3 {
		wg.Go(func() {
			for i := 0; !done.Load() || i == 0; i++ {
				h := Hybrid{Vectors: newest.Load(), Graph: g}
				q := seq.Row(1<<20+i*3+w, nil)
				want := Exact{Vectors: h.Vectors}.Search(q, 9, nil)
				got, ok := h.walk(q, 9, nil)
				if !ok {
					t.Error("a walk gave up")
				}
				found.Add(int64(len(common(got, want))))
				all.Add(9)
			}
		})
	}
	for i := 2000; i < 3500; i++ {
		v, _ = v.Append(seq.Row(i, nil))
		newest.Store(v)
		if i%50 == 0 {
			g.Extend(v, v.Len(), 2)
			g.Remove(i / 3)
		}
	}
	done.Store(true)
	wg.Wait()
	if got := float64(found.Load()) / float64(all.Load()); got < 0.99 {
		t.Errorf("recall %.4f", got)
	}
}

func TestNewGraphRefuses(t *testing.T) {
	for _, p := range []GraphParams{{M: 3}, {M: 65}, {Width: 8}, {Width: 1 << 20}, {M: -1}} {
		if _, err := NewGraph(4, p); err == nil {
			t.Errorf("%+v was accepted", p)
		}
	}
	if _, err := NewGraph(0, GraphParams{}); err == nil {
		t.Error("dimension 0 was accepted")
	}
}

func TestHybridWithoutGraphOrDirection(t *testing.T) {
	v := stored(t, nearesttest.NewClustered(10, 8, 5), 4300, Half)
	q := v.Row(17, nil)
	want := Exact{Vectors: v}.Search(q, 9, nil)
	if got := (Hybrid{Vectors: v}).Search(q, 9, nil); !slices.Equal(got, want) {
		t.Errorf("without a graph: %v, want %v", got, want)
	}
	h := Hybrid{Vectors: v, Graph: graphOf(t, v, GraphParams{M: 8, Width: 40}, 2)}
	zero := h.Search(make([]float32, 8), 3, nil)
	if err := equal(zero, []Neighbour{{0, 0}, {1, 0}, {2, 0}}); err != nil {
		t.Errorf("a query without direction: %v", err)
	}
	if got := h.Search(q, 0, nil); got != nil {
		t.Errorf("k = 0 found %v", got)
	}
}

// The same vectors make the same graph on every machine, with vector instructions
// or without: all that decides about a link is whole numbers and single products.
// (The expected sum was computed by the plain and by the vector form alike; a change
// of how graphs are made changes it, and then graphs that were written before are
// still read, but those made anew differ from them.)
func TestTheGraphIsTheSameEverywhere(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 11))
	v := NewVectors(96, Half)
	for range 1024 {
		row := make([]float32, 96)
		for d := range row {
			row[d] = float32(r.IntN(201) - 100)
		}
		v, _ = v.Append(row)
	}
	sum := crc32.New(castagnoli)
	for _, l := range lists(graphOf(t, v, GraphParams{Seed: 1}, 2)) {
		sum.Write(binary.LittleEndian.AppendUint32(nil, uint32(l)))
	}
	if got := sum.Sum32(); got != 0x7b43f847 {
		t.Errorf("the sum of all links is %#08x, want 0x7b43f847", got)
	}
}
