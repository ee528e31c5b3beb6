package identify

import (
	"cmp"
	"context"
	"slices"
	"sync"
)

// Gallery shows what the memory holds: its exemplars by name, by leaf and by
// teacher, those in doubt, and a map. What takes longer than a look it works out in
// the background, on one goroutine at a time that rests as long as it works while
// the learner has something to do. Close it before its Service.
type Gallery struct {
	service *Service
	store   GalleryStore
	doubts  *survey[doubtful]
	plane   *survey[plane]
	working sync.Mutex // held by whichever of the two works
	stop    context.CancelFunc
}

// NewGallery is the gallery of a service's memory.
func NewGallery(ctx context.Context, s *Service, store GalleryStore) *Gallery {
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	g := &Gallery{service: s, store: store, stop: stop}
	g.doubts = newSurvey(background, g, judge)
	g.plane = newSurvey(background, g, project)
	return g
}

// Close ends what is worked out in the background, and waits for that.
func (g *Gallery) Close() {
	g.stop()
	g.doubts.done.Wait()
	g.plane.done.Wait()
}

// TaxonShelf is one branch of the tree of life with what is taught of it.
type TaxonShelf struct {
	Taxon     Taxon
	Exemplars int // of it and of all below
	Names     int // taxa among those that have exemplars
	Photos    []ObservationID
}

// GalleryShelf is what the memory holds of a taxon.
type GalleryShelf struct {
	Seq       Seq
	Path      []Taxon // from the top down to the taxon itself; none at the top
	Along     []int   // exemplars at the top and of each of Path, with all below: len(Path)+1
	Exemplars int     // of it and of all below
	Names     int
	Own       int          // exemplars of the very taxon
	Below     []TaxonShelf // branches that have exemplars, those with most first
}

// shelfPhotos is how many photos stand for a branch.
const shelfPhotos = 4

// Shelf describes what the memory holds of a taxon; 0 is the top.
func (g *Gallery) Shelf(ctx context.Context, id TaxonID) (GalleryShelf, error) {
	m := g.service.serving().learner.memory()
	s := GalleryShelf{Seq: m.seq}
	if id != 0 {
		t, err := g.service.Taxon(ctx, id)
		if err != nil {
			return s, err
		}
		s.Path = append(s.Path, t)
		for _, up := range g.service.taxonomy.ancestors(id) {
			s.Path = append([]Taxon{up}, s.Path...)
		}
	}
	s.Along = g.along(m, s.Path)
	branches, inside := g.branches(m, id, &s)
	var wanted []TaxonID
	for _, list := range inside {
		slices.SortFunc(list, byCount)
		for _, x := range list[:min(shelfPhotos, len(list))] {
			wanted = append(wanted, x.Taxon)
		}
	}
	photos, err := g.store.GalleryPhotos(ctx, wanted, shelfPhotos)
	if err != nil {
		return s, err
	}
	for child, shelf := range branches {
		shelf.Photos = inTurn(inside[child], photos)
		s.Below = append(s.Below, *shelf)
	}
	slices.SortFunc(s.Below, func(a, b TaxonShelf) int {
		return cmp.Or(cmp.Compare(b.Exemplars, a.Exemplars), cmp.Compare(a.Taxon.ID, b.Taxon.ID))
	})
	return s, nil
}

// along counts the exemplars at the top and of each taxon of a path.
func (g *Gallery) along(m *memory, path []Taxon) []int {
	place := map[TaxonID]int{}
	for i, t := range path {
		place[t.ID] = i + 1
	}
	counts := make([]int, len(path)+1)
	for _, l := range g.taught(m) {
		counts[0] += l.Count
		if i := place[l.Taxon]; i > 0 {
			counts[i] += l.Count
		}
		for _, up := range g.service.taxonomy.ancestors(l.Taxon) {
			if i := place[up.ID]; i > 0 {
				counts[i] += l.Count
			}
		}
	}
	return counts
}

// TaxonCount is a name and how many exemplars it has.
type TaxonCount struct {
	Taxon TaxonID
	Label string
	Count int
}

// taught counts the exemplars of a memory by their taxa.
func (g *Gallery) taught(m *memory) []TaxonCount {
	var list []TaxonCount
	for _, l := range m.tree.Labels() {
		list = append(list, TaxonCount{Taxon: m.taught[l.Label], Count: l.Count})
	}
	return g.together(list)
}

// together reads taxa as what they are synonyms of, each once: while names are merged,
// exemplars carry both.
func (g *Gallery) together(list []TaxonCount) []TaxonCount {
	at := make(map[TaxonID]int, len(list))
	out := list[:0]
	for _, c := range list {
		c.Taxon = g.service.taxonomy.accepted(c.Taxon)
		if i, there := at[c.Taxon]; there {
			out[i].Count += c.Count
			continue
		}
		at[c.Taxon], out = len(out), append(out, c)
	}
	return out
}

func byCount(a, b TaxonCount) int {
	return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Taxon, b.Taxon))
}

// branches counts what is below a taxon by its children, and lists the names in
// each. It costs O(labels · depth).
func (g *Gallery) branches(m *memory, id TaxonID, s *GalleryShelf) (map[TaxonID]*TaxonShelf, map[TaxonID][]TaxonCount) {
	shelves, inside := map[TaxonID]*TaxonShelf{}, map[TaxonID][]TaxonCount{}
	for _, l := range g.taught(m) {
		child, ok := g.childOf(id, l.Taxon)
		if !ok {
			continue
		}
		s.Exemplars, s.Names = s.Exemplars+l.Count, s.Names+1
		if child.ID == id {
			s.Own += l.Count
			continue
		}
		if shelves[child.ID] == nil {
			shelves[child.ID] = &TaxonShelf{Taxon: child}
		}
		shelves[child.ID].Exemplars += l.Count
		shelves[child.ID].Names++
		inside[child.ID] = append(inside[child.ID], l)
	}
	return shelves, inside
}

// childOf is the child of id that taxon belongs to, or taxon itself where they are
// the same; false if it is not below id.
func (g *Gallery) childOf(id, taxon TaxonID) (Taxon, bool) {
	at, known := g.service.taxonomy.taxon(taxon)
	if !known || taxon == id {
		return at, known
	}
	for _, up := range g.service.taxonomy.ancestors(taxon) {
		if up.ID == id {
			return at, true
		}
		at = up
	}
	return at, id == 0
}

// inTurn takes photos of the names in turn, so that a branch shows several.
func inTurn(names []TaxonCount, photos map[TaxonID][]ObservationID) (out []ObservationID) {
	for round := range shelfPhotos {
		for _, n := range names[:min(shelfPhotos, len(names))] {
			if list := photos[n.Taxon]; round < len(list) && len(out) < shelfPhotos {
				out = append(out, list[round])
			}
		}
	}
	return out
}

// Exemplars lists those that stand, the last taught first.
func (g *Gallery) Exemplars(ctx context.Context, f GalleryFilter) (list []GalleryExemplar, more bool, err error) {
	if f.Limit < 0 || f.Limit > maxPage {
		return nil, false, Errorf(Invalid, "limit", "Ask for 1 to %d exemplars at a time.", maxPage)
	}
	if f.Photo != "" && f.Photo != "with" && f.Photo != "without" {
		return nil, false, Errorf(Invalid, "photo", "Photo is \"with\" or \"without\", or left out for all.")
	}
	return g.store.GalleryPage(ctx, f)
}

// GalleryTeacher is someone whose lessons stand.
type GalleryTeacher struct {
	User      UserID
	Name      string
	Exemplars int
	Names     int          // taxa that they taught
	Most      []TaxonCount // the five that they taught most of
}

// Teachers lists who taught what is in the memory, who taught most first. It costs
// O(exemplars).
func (g *Gallery) Teachers(ctx context.Context) ([]GalleryTeacher, error) {
	m := g.service.serving().learner.memory()
	names, err := g.service.Store.UserNames(ctx, m.people)
	if err != nil {
		return nil, err
	}
	counts := make([]map[int32]int, len(m.people))
	for id := range m.tree.Len() {
		if !m.tree.Has(id) {
			continue
		}
		by := m.exemplars.at(id).taughtBy
		if counts[by] == nil {
			counts[by] = map[int32]int{}
		}
		counts[by][m.tree.Label(id)]++
	}
	var out []GalleryTeacher
	for by, labels := range counts {
		if len(labels) == 0 {
			continue
		}
		t := GalleryTeacher{User: m.people[by], Name: names[m.people[by]]}
		for label, n := range labels {
			t.Exemplars += n
			t.Most = append(t.Most, TaxonCount{Taxon: m.taught[label], Count: n})
		}
		t.Most = g.together(t.Most)
		t.Names = len(t.Most)
		slices.SortFunc(t.Most, byCount)
		t.Most = g.named(t.Most[:min(5, len(t.Most))])
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b GalleryTeacher) int {
		return cmp.Or(cmp.Compare(b.Exemplars, a.Exemplars), cmp.Compare(a.User, b.User))
	})
	return out, nil
}

// named fills in the labels.
func (g *Gallery) named(list []TaxonCount) []TaxonCount {
	for i := range list {
		t, _ := g.service.taxonomy.taxon(list[i].Taxon)
		list[i].Label = t.Label()
	}
	return list
}
