package identify

import (
	"cmp"
	"context"
	"math"
	"slices"

	"fieldmark/internal/nearest"
	"fieldmark/internal/projection"
)

// plane is where the exemplars of a memory lie on the map. What has a place keeps it
// until the memory has grown by half; then all is relaxed from where it is.
type plane struct {
	at       map[int]projection.Point // by exemplar number, in the map's own units
	laid     int                      // landmarks of the last layout
	frame    frame
	shown    int // exemplars on the map
	all      int // that the memory held
	clusters []placedCluster
	order    []int // the exemplars on the map, ascending
	cluster  []int // of each in order
}

const (
	mapMost      = 20_000 // exemplars on the map; of more, a sample
	mapLandmarks = 2_000  // of them that the layout is made of
	mapNear      = 10     // landmarks that any other is placed among
	mapGrowth    = 1.5    // of the landmarks, from which the layout is relaxed
	mapCluster   = 5      // exemplars that make a cluster
	mapSeed      = 1
	// MapSide is the side of the square that places on the map are in. What came
	// after a layout may lie a little outside.
	MapSide = 10_000
)

// frame is how a layout is brought into the square of MapSide.
type frame struct{ left, top, scale float64 }

// framed is the frame of points: all of them, in the middle, with a margin.
func framed(at map[int]projection.Point) frame {
	lo, hi := projection.Point{X: math.Inf(1), Y: math.Inf(1)}, projection.Point{X: math.Inf(-1), Y: math.Inf(-1)}
	for _, p := range at {
		lo, hi = projection.Point{X: min(lo.X, p.X), Y: min(lo.Y, p.Y)}, projection.Point{X: max(hi.X, p.X), Y: max(hi.Y, p.Y)}
	}
	extent := max(hi.X-lo.X, hi.Y-lo.Y, 1e-9) * 1.08
	return frame{left: (lo.X+hi.X)/2 - extent/2, top: (lo.Y+hi.Y)/2 - extent/2, scale: MapSide / extent}
}

func (f frame) place(p projection.Point) (x, y int) {
	return int(math.Round((p.X - f.left) * f.scale)), int(math.Round((p.Y - f.top) * f.scale))
}

// project puts the exemplars of a memory on the map.
func project(ctx context.Context, g *Gallery, e *engine, m *memory, before plane) (plane, error) {
	all := m.standing()
	p := plane{at: make(map[int]projection.Point, min(len(all), mapMost)), laid: before.laid, frame: before.frame,
		all: len(all), order: sample(all, mapMost)}
	p.shown = len(p.order)
	for _, id := range p.order {
		if at, placed := before.at[id]; placed {
			p.at[id] = at
		}
	}
	rest := &breather{learner: e.learner}
	landmarks := sample(p.order, mapLandmarks)
	if len(landmarks) > int(mapGrowth*float64(p.laid)) || len(landmarks) < p.laid/2 {
		if err := p.lay(ctx, m, landmarks, rest); err != nil {
			return before, err
		}
	}
	if err := p.placeOthers(ctx, m, p.order, rest); err != nil {
		return before, err
	}
	p.group(m)
	return p, nil
}

// lay makes the layout of the landmarks, from where they are if they are on the map.
func (p *plane) lay(ctx context.Context, m *memory, landmarks []int, rest *breather) error {
	var start []projection.Point
	if len(p.at) > 0 {
		if err := p.placeOthers(ctx, m, landmarks, rest); err != nil {
			return err
		}
		for _, id := range landmarks {
			start = append(start, p.at[id])
		}
	}
	rows := make([][]float32, len(landmarks))
	for i, id := range landmarks {
		rows[i] = m.tree.Vectors().Row(id, nil)
	}
	at, err := projection.Layout(ctx, rows, start, projection.Params{Seed: mapSeed})
	if err != nil {
		return err
	}
	clear(p.at) // what was placed among the landmarks goes where they have gone
	for i, id := range landmarks {
		p.at[id] = at[i]
	}
	p.laid, p.frame = len(landmarks), framed(p.at)
	return nil
}

// placeOthers places those of the exemplars that have no place among those that had
// one before.
func (p *plane) placeOthers(ctx context.Context, m *memory, ids []int, rest *breather) error {
	fresh := map[int]projection.Point{}
	known := func(id int) bool { _, placed := p.at[id]; return placed }
	for _, id := range ids {
		if known(id) {
			continue
		}
		if err := rest.rest(ctx); err != nil {
			return err
		}
		found, err := m.nearest(m.tree.Vectors().Row(id, nil), mapNear, 1, known)
		if err != nil {
			return err
		}
		fresh[id] = projection.Place(p.among(found))
	}
	for id, at := range fresh {
		p.at[id] = at
	}
	return nil
}

func (p *plane) among(found []nearest.Neighbour) []projection.Neighbour {
	out := make([]projection.Neighbour, len(found))
	for i, n := range found {
		out[i] = projection.Neighbour{At: p.at[n.ID], Cos: n.Cos}
	}
	return out
}

// placedCluster is what lies together on the map.
type placedCluster struct {
	members []int // exemplar numbers
	x, y    int   // the middle, in MapSide
	radius  int   // from there, that has nine of ten members
}

// group finds what lies together.
func (p *plane) group(m *memory) {
	points := make([]projection.Point, len(p.order))
	for i, id := range p.order {
		points[i] = p.at[id]
	}
	p.cluster = projection.Clusters(points, mapCluster)
	for i, c := range p.cluster {
		if c == projection.None {
			continue
		}
		for len(p.clusters) <= c {
			p.clusters = append(p.clusters, placedCluster{})
		}
		p.clusters[c].members = append(p.clusters[c].members, p.order[i])
	}
	for i := range p.clusters {
		p.measure(&p.clusters[i])
	}
}

func (p *plane) measure(c *placedCluster) {
	xs, ys := make([]int, len(c.members)), make([]int, len(c.members))
	for i, id := range c.members {
		xs[i], ys[i] = p.frame.place(p.at[id])
		c.x, c.y = c.x+xs[i], c.y+ys[i]
	}
	n := len(c.members)
	c.x, c.y = c.x/n, c.y/n
	far := make([]float64, n)
	for i := range far {
		far[i] = math.Hypot(float64(xs[i]-c.x), float64(ys[i]-c.y))
	}
	slices.SortFunc(far, cmp.Compare)
	c.radius = int(far[(n-1)*9/10])
}
