package identify

import (
	"context"
	"slices"
	"time"
)

// MapPoint is an exemplar on the map.
type MapPoint struct {
	X, Y        int // in MapSide, Y downwards
	Taxon       int // index in MemoryMap.Taxa
	Observation ObservationID
	HasPhoto    bool
}

// MapTaxon is a name on the map, with those above it that it may be coloured by;
// zero where there is none of that rank.
type MapTaxon struct {
	Taxon                Taxon
	Class, Order, Family TaxonName
	Count                int
}

// MapCluster is what lies together on the map.
type MapCluster struct {
	X, Y, Radius int
	Size         int
	Taxa         []TaxonCount // most frequent first
	Members      []int        // indices in MemoryMap.Points
}

// MemoryMap is the memory's exemplars on a plane, near ones near each other. What is
// near on the map mostly looks alike to the encoder; how far apart clusters lie says
// little.
type MemoryMap struct {
	Points   []MapPoint
	Taxa     []MapTaxon // the most frequent first
	Clusters []MapCluster
	All      int       // exemplars that the memory held; more than Points if these are a sample
	Seq, Now Seq       // the memory that is drawn, and the newest
	At       time.Time // when it was; zero if none was yet
	Working  bool      // a newer map is on its way
	Failed   bool      // the latest try came to nothing
}

// mapPatience is how long a page waits for a map of the newest memory, mapSoon if it
// has one of an earlier memory.
const (
	mapPatience = 1500 * time.Millisecond
	mapSoon     = 200 * time.Millisecond
)

// Map draws the memory. It may be a version behind: then a newer one is on its way.
func (g *Gallery) Map(ctx context.Context) (MemoryMap, error) {
	r, working := g.plane.ask(ctx, mapPatience, mapSoon)
	m := r.newest(g)
	x := MemoryMap{All: r.state.all, Seq: r.seq, Now: m.seq, At: r.at, Working: working, Failed: r.err != nil && r.seq != m.seq && !working}
	photoless, err := g.store.Photoless(ctx)
	if err != nil {
		return x, err
	}
	bare := make(map[ObservationID]bool, len(photoless))
	for _, id := range photoless {
		bare[id] = true
	}
	p := r.state
	at := g.mapTaxa(m, p.order, &x)
	index := make(map[int]int, len(p.order))
	for _, id := range p.order {
		if !m.tree.Has(id) {
			continue // withdrawn since
		}
		index[id] = len(x.Points)
		o := m.exemplars.at(id).observation
		px, py := p.frame.place(p.at[id])
		x.Points = append(x.Points, MapPoint{X: px, Y: py, Taxon: at[m.tree.Label(id)], Observation: o, HasPhoto: !bare[o]})
	}
	for _, c := range p.clusters {
		x.Clusters = append(x.Clusters, g.mapCluster(c, index, &x))
	}
	return x, nil
}

// mapTaxa lists the names of exemplars, and where each label is in the list.
func (g *Gallery) mapTaxa(m *memory, order []int, x *MemoryMap) map[int32]int {
	counts := map[int32]int{}
	for _, id := range order {
		if m.tree.Has(id) {
			counts[m.tree.Label(id)]++
		}
	}
	var list []TaxonCount
	for label, n := range counts {
		list = append(list, TaxonCount{Taxon: m.taught[label], Count: n})
	}
	list = g.together(list)
	slices.SortFunc(list, byCount)
	place := make(map[TaxonID]int, len(list))
	for i, c := range list {
		t, _ := g.service.taxonomy.taxon(c.Taxon)
		entry := MapTaxon{Taxon: t, Count: c.Count}
		for _, up := range append([]Taxon{t}, g.service.taxonomy.ancestors(c.Taxon)...) {
			switch up.Rank {
			case "class":
				entry.Class = up.Name()
			case "order":
				entry.Order = up.Name()
			case "family":
				entry.Family = up.Name()
			}
		}
		x.Taxa = append(x.Taxa, entry)
		place[c.Taxon] = i
	}
	at := make(map[int32]int, len(counts))
	for label := range counts {
		at[label] = place[g.service.taxonomy.accepted(m.taught[label])]
	}
	return at
}

func (g *Gallery) mapCluster(c placedCluster, index map[int]int, x *MemoryMap) MapCluster {
	out := MapCluster{X: c.x, Y: c.y, Radius: c.radius}
	counts := map[TaxonID]int{}
	for _, id := range c.members {
		if i, on := index[id]; on {
			out.Members = append(out.Members, i)
			counts[x.Taxa[x.Points[i].Taxon].Taxon.ID]++
		}
	}
	out.Size = len(out.Members)
	for id, n := range counts {
		out.Taxa = append(out.Taxa, TaxonCount{Taxon: id, Count: n})
	}
	slices.SortFunc(out.Taxa, byCount)
	out.Taxa = g.named(out.Taxa)
	return out
}
