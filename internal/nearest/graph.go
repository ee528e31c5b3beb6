package nearest

import (
	"fmt"
	"math/bits"
	"sync"
	"sync/atomic"
)

// GraphParams shape a Graph. Zero fields stand for the defaults.
type GraphParams struct {
	M     int    // links that a node seeks when it is inserted; it may come to have 2M on level 0. 4 to 64; default 16
	Width int    // candidates among which a new node seeks its links (ef_construction); default 128
	Seed  uint64 // decides, with a node's number, on how many levels it is
}

const (
	defaultM, minM, maxM       = 16, 4, 64
	defaultBuildWidth          = 128
	maxBuildWidth              = 1 << 12
	levelShift                 = 4  // a node of one level is on the next with probability 2^−levelShift
	maxLevel                   = 7  // 16⁷ nodes are more than there can be
	blockBits                  = 10 // nodes of a block, and lists of a block of upper levels
	blockNodes                 = 1 << blockBits
	blockMask                  = blockNodes - 1
	batchNodes                 = 256 // vectors that are taken in together
	slack                      = 4   // a list that is too long loses one in so many of its places
	upperWidth                 = 16  // candidates that a search keeps on the levels above those it is about
	nobody               int32 = -1
)

func (p GraphParams) withDefaults() GraphParams {
	if p.M == 0 {
		p.M = defaultM
	}
	if p.Width == 0 {
		p.Width = defaultBuildWidth
	}
	return p
}

func (p GraphParams) check() error {
	if p.M < minM || p.M > maxM || p.Width < p.M || p.Width > maxBuildWidth {
		return fmt.Errorf("nearest: M = %d, width %d: want M of %d to %d, and a width from there to %d",
			p.M, p.Width, minM, maxM, maxBuildWidth)
	}
	return nil
}

// Graph is a navigable small world with levels (HNSW) after Malkov and Yashunin,
// "Efficient and Robust Approximate Nearest Neighbor Search Using Hierarchical
// Navigable Small World Graphs" (IEEE TPAMI 42/4, 2020), for cosine. Node id
// stands for vector id; the graph keeps an 8-bit code of each, and no vectors:
// whoever searches it (Hybrid) compares what it finds with the vectors themselves.
//
// It differs from the paper in this:
//
//   - Vectors are taken in by batches of a fixed size, whose members are compared
//     with one another exactly and sought in the graph as it was before the
//     batch. So the graph depends on the vectors, the parameters and the order of
//     Extend and Remove only, not on the number of workers, and what is left over
//     (fewer than a batch) is for the searcher to scan.
//   - Every node but the first is the child of an earlier one, and the two are
//     linked both ways on level 0 by links that pruning never drops. So all nodes
//     can be reached from all others, whatever was pruned or removed.
//   - A removed node stays as a way to others.
//
// Any number of goroutines may search while one (they take turns) extends,
// removes or writes; a search never waits.
type Graph struct {
	params GraphParams
	dim    int

	writer  sync.Mutex // held by whoever changes the graph
	removed atomic.Int32

	// What a search reads: first entry, then n, then the rest, so that it finds
	// whatever an entry or a number below n stands for.
	entry  atomic.Int32 // the first of the nodes that are on the greatest number of levels; nobody if empty
	n      atomic.Int32 // nodes
	blocks atomic.Pointer[[]*block]
	uppers atomic.Pointer[[]*upperBlock]
	lists  int // link lists in use in uppers

	searchers sync.Pool // of *searcher
}

// block is the level 0 of blockNodes nodes.
type block struct {
	codes  []int8          // blockNodes × dim, written before the node is published
	scales []float32       // of the codes
	upper  []int32         // number of the node's first list in uppers, that of level 1
	links  []atomic.Uint32 // blockNodes × 2M
	gone   []atomic.Uint64 // bit set of the removed nodes
}

// upperBlock is blockNodes lists of M links on upper levels.
type upperBlock struct {
	links []atomic.Uint32
}

// NewGraph is the empty graph for vectors with dim elements.
func NewGraph(dim int, params GraphParams) (*Graph, error) {
	params = params.withDefaults()
	if err := params.check(); err != nil {
		return nil, err
	}
	if dim < 1 {
		return nil, fmt.Errorf("nearest: dimension %d", dim)
	}
	g := &Graph{params: params, dim: dim}
	g.blocks.Store(new([]*block))
	g.uppers.Store(new([]*upperBlock))
	g.entry.Store(nobody)
	g.searchers.New = func() any { return new(searcher) }
	return g, nil
}

// Len is the number of vectors that the graph has taken in, the removed included.
func (g *Graph) Len() int { return int(g.n.Load()) }

// Removed is the number of nodes that were removed.
func (g *Graph) Removed() int { return int(g.removed.Load()) }

// level is the highest level that node id is on, from a hash of its number: 0
// with probability 15/16, 1 with 15/256 and so on.
func (g *Graph) level(id int32) int {
	h := g.params.Seed + (uint64(id)+1)*0x9e3779b97f4a7c15 // SplitMix64 (Steele, Lea, Flood 2014)
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return min(bits.TrailingZeros64(h^h>>31)/levelShift, maxLevel)
}

// view is the graph as one search sees it. What is added later it does not know;
// links to that it must pass over.
type view struct {
	g      *Graph
	entry  int32
	n      int32
	blocks []*block
	uppers []*upperBlock
}

func (g *Graph) view() view {
	v := view{g: g, entry: g.entry.Load()}
	v.n = g.n.Load()
	v.blocks, v.uppers = *g.blocks.Load(), *g.uppers.Load()
	return v
}

func (v *view) code(id int32) (code []int8, scale float32) {
	b, at := v.blocks[id>>blockBits], int(id&blockMask)
	return b.codes[at*v.g.dim : (at+1)*v.g.dim], b.scales[at]
}

// encode makes the code of node id of its vector, which it returns: in buf, if it
// had to be decoded.
func (v *view) encode(vectors *Vectors, id int32, buf []float32) []float32 {
	code, _ := v.code(id)
	row := vectors.Row(int(id), buf)
	v.blocks[id>>blockBits].scales[id&blockMask] = encode(code, row, vectors.Norm(int(id)))
	return row
}

// gone says whether node id was removed.
func (v *view) gone(id int32) bool {
	at := id & blockMask
	return v.blocks[id>>blockBits].gone[at>>6].Load()>>(at&63)&1 == 1
}

// links is the list of node id on a level that it is on.
func (v *view) links(id int32, level int) []atomic.Uint32 {
	b, at := v.blocks[id>>blockBits], int(id&blockMask)
	width := 2 * v.g.params.M
	if level > 0 {
		list := int(b.upper[at]) + level - 1
		width = v.g.params.M
		at = list & blockMask
		return v.uppers[list>>blockBits].links[at*width : (at+1)*width]
	}
	return b.links[at*width : (at+1)*width]
}

// grow makes room for node id, which is the next one.
func (g *Graph) grow(id int32) {
	if int(id)>>blockBits == len(*g.blocks.Load()) {
		blocks := append((*g.blocks.Load())[:id>>blockBits:id>>blockBits], &block{
			codes:  make([]int8, blockNodes*g.dim),
			scales: make([]float32, blockNodes),
			upper:  make([]int32, blockNodes),
			links:  make([]atomic.Uint32, blockNodes*2*g.params.M),
			gone:   make([]atomic.Uint64, blockNodes/64),
		})
		g.blocks.Store(&blocks)
	}
	(*g.blocks.Load())[id>>blockBits].upper[id&blockMask] = int32(g.lists)
	for range g.level(id) {
		if g.lists>>blockBits == len(*g.uppers.Load()) {
			uppers := append((*g.uppers.Load())[:g.lists>>blockBits:g.lists>>blockBits], &upperBlock{
				links: make([]atomic.Uint32, blockNodes*g.params.M),
			})
			g.uppers.Store(&uppers)
		}
		g.lists++
	}
}

// publish lets searches see the nodes below n.
func (g *Graph) publish(n int32) {
	entry := g.entry.Load()
	for id := g.n.Load(); id < n; id++ {
		if entry == nobody || g.level(id) > g.level(entry) {
			entry = id
		}
	}
	g.n.Store(n)
	g.entry.Store(entry)
}
