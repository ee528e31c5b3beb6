package identify

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"fieldmark/internal/bundle"
)

func asBundleError(err error) *bundle.Error {
	var refused *bundle.Error
	if errors.As(err, &refused) {
		return refused
	}
	return nil
}

// mergedTaxa says which taxon here each taxon of a bundle is. Across sites a taxon
// of a vocabulary is known by its scientific name and its rank; a local one by the
// site where it was named and its number there, or else likewise.
type mergedTaxa struct {
	store  Store
	own    *taxonomy
	all    []Taxon
	byName map[string]TaxonID // by rankedName
	theirs map[int64]bundle.Taxon
	known  map[int64]TaxonID // by their id
	doubts map[int64]*TaxonQuestion
	// create holds the taxa that are to be made, by their id.
	create map[int64]*Taxon
	used   map[int64]bool // of rows that are taken
}

// rankedName is what a taxon is known by across sites.
func rankedName(name string, rank Rank) string {
	return strings.ToLower(norm.NFC.String(strings.Join(strings.Fields(name), " "))) + "\x00" + string(rank)
}

func resolveMerged(ctx context.Context, st Store, site Site, b *bundle.Bundle, d MergeDecisions) (*mergedTaxa, error) {
	list, err := b.Taxa()
	if err != nil {
		return nil, err
	}
	m := &mergedTaxa{store: st, byName: map[string]TaxonID{}, theirs: make(map[int64]bundle.Taxon, len(list)),
		known: map[int64]TaxonID{}, doubts: map[int64]*TaxonQuestion{}, create: map[int64]*Taxon{}}
	if m.all, err = st.Taxa(ctx); err != nil {
		return nil, err
	}
	m.own = newTaxonomy(m.all)
	for _, t := range slices.Backward(m.all) { // the least id, of the vocabulary first, wins
		m.byName[rankedName(t.ScientificName, t.Rank)] = m.own.accepted(t.ID)
	}
	origins, err := st.TaxonOrigins(ctx)
	if err != nil {
		return nil, err
	}
	remembered := make(map[bundle.Origin]TaxonID, len(origins))
	for _, o := range origins {
		remembered[bundle.Origin{Instance: o.Instance, ID: o.ID}] = o.Taxon
	}
	for _, t := range list {
		m.theirs[t.ID] = t
		if id := m.find(t, site, remembered); id != 0 {
			m.known[t.ID] = id
			continue
		}
		if err := m.ask(ctx, t, d.about(t.ID)); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// find returns the taxon that one of a bundle is beyond doubt, 0 if there is none.
func (m *mergedTaxa) find(t bundle.Taxon, site Site, remembered map[bundle.Origin]TaxonID) TaxonID {
	for _, o := range t.Local {
		if own, is := m.own.taxon(TaxonID(o.ID)); is && o.Instance == site.ID && own.Local {
			return m.own.accepted(own.ID)
		}
		if id, is := remembered[o]; is {
			return m.own.accepted(id)
		}
	}
	return m.byName[rankedName(t.ScientificName, Rank(t.Rank))]
}

// above is the nearest taxon above one of a bundle that is known here.
func (m *mergedTaxa) above(t bundle.Taxon) (Taxon, bool) {
	for range maxDepth {
		if t.Parent == 0 {
			break
		}
		if id := m.known[t.Parent]; id != 0 {
			return m.own.taxon(id)
		}
		t = m.theirs[t.Parent]
	}
	return Taxon{}, false
}

// ranks are those that a taxon which came with a bundle may have.
var ranks = []Rank{"species", "genus", "family", "order", "class", "phylum", "kingdom", "subspecies", "breed", "hybrid", RankNone, RankUnranked}

// made is the local taxon that one of a bundle becomes.
func (m *mergedTaxa) made(t bundle.Taxon) (*Taxon, error) {
	x := &Taxon{Rank: Rank(t.Rank), Local: true}
	var err error
	if x.ScientificName, err = cleanName("taxa", t.ScientificName); err != nil {
		return nil, Errorf(Invalid, "taxa", "The name of taxon %d of the bundle cannot be taken: %v Choose one of ours for it, or leave it out.", t.ID, err)
	}
	// Other names are welcome where they are names.
	x.EnglishName, _ = cleanName("taxa", t.EnglishName)
	for _, s := range t.Synonyms {
		if s, err := cleanName("taxa", s); err == nil {
			x.Synonyms = append(x.Synonyms, s)
		}
	}
	if !slices.Contains(ranks, x.Rank) {
		x.Rank = RankUnranked
	}
	if above, is := m.above(t); is {
		x.Parent, x.Group = above.ID, above.Group
	}
	if t.Group != "" && slices.ContainsFunc(m.all, func(o Taxon) bool { return o.Group == t.Group }) {
		x.Group = t.Group
	}
	return x, nil
}

// of returns the taxon here of one of a bundle. One that is still to be made has
// the negative of its number there; left says that its rows are left out.
func (m *mergedTaxa) of(id int64) (taxon TaxonID, left bool) {
	if known := m.known[id]; known != 0 {
		return known, false
	}
	q := m.doubts[id]
	switch {
	case q.Decision.Leave:
		return 0, true
	case q.Decision.Taxon != 0:
		return m.own.accepted(q.Decision.Taxon), false
	}
	return TaxonID(-id), false
}

// label is what a taxon of a bundle is called there.
func (m *mergedTaxa) label(id int64) string {
	t := m.theirs[id]
	return cmp.Or(t.EnglishName, t.ScientificName)
}

// settled is what is stored of the decisions: for every taxon that rows have.
func (m *mergedTaxa) settled(site string) []MergedTaxon {
	var list []MergedTaxon
	for id := range m.used {
		taxon, left := m.of(id)
		if left {
			continue
		}
		x := MergedTaxon{ID: id, Taxon: taxon}
		if taxon < 0 {
			x.Taxon, x.Create = 0, m.create[id]
		}
		for _, o := range m.theirs[id].Local {
			if o.Instance != site {
				x.Origins = append(x.Origins, o)
			}
		}
		list = append(list, x)
	}
	slices.SortFunc(list, func(a, b MergedTaxon) int { return cmp.Compare(a.ID, b.ID) })
	return list
}
