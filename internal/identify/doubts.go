package identify

import (
	"context"
	"fmt"
	"slices"
	"time"

	"fieldmark/internal/doubt"
)

// DoubtKind is what speaks against a name.
type DoubtKind = doubt.Kind

// The kinds of doubts.
const (
	DoubtDisagreement = doubt.Disagreement // the memory without it says otherwise
	DoubtDuplicate    = doubt.Duplicate    // nearly the same photo has another name
	DoubtOutlier      = doubt.Outlier      // it is far from all others of its name
)

// DoubtReason is one thing that speaks against an exemplar's name (package doubt
// says how it is measured).
type DoubtReason struct {
	Kind         DoubtKind
	Other        Taxon            // what is said instead; none for an outlier
	Own, Against float64          // probability of its name and of Other, by the memory without it
	NearAlone    bool             // they are its neighbours' alone: its leaf holds with the name
	Twin         *GalleryExemplar // the near-duplicate that has the name Other
	Cos          float64          // how near that is
	Distance     float64          // 1 − cos to the nearest of its name
	Usual        float64          // the median of that over the name
}

// Evidence says what the reason is, without how strong it is. What was looked at and
// found right is in doubt again when there is evidence that was not there then.
func (r DoubtReason) Evidence() string {
	switch r.Kind {
	case doubt.Duplicate:
		if r.Twin != nil {
			return fmt.Sprintf("%s:%d:%d", r.Kind, r.Twin.Identification, r.Other.ID)
		}
	case doubt.Outlier:
		return string(r.Kind)
	}
	return fmt.Sprintf("%s:%d", r.Kind, r.Other.ID)
}

// Doubt is an exemplar that is likely to be named wrong, the strongest reason first.
type Doubt struct {
	Exemplar GalleryExemplar
	Score    float64 // 0 to 1
	Reasons  []DoubtReason
	Without  *WithoutReading // for the likeliest alone; nil if it has not been read
}

// WithoutReading is what the memory says of a photo once its exemplar is withdrawn
// and its leaf has learned that.
type WithoutReading struct {
	Taxon       Taxon
	Probability float64 // by the exemplars alone, over all that is taught
	Own         float64 // of the name that was taught
}

// DoubtFilter narrows the doubts. Zero values do not filter.
type DoubtFilter struct {
	Kind  DoubtKind
	Taxon TaxonID          // taught as this very taxon
	After IdentificationID // cursor: those behind it
	Limit int              // 1 to 200; 0 means 12
}

// Doubts are the likely mistakes of a memory, the likeliest first.
type Doubts struct {
	List      []Doubt
	More      bool
	Total     int               // that match, from the first on
	Of        map[DoubtKind]int // how many have a reason of the kind
	Kept      []KeptDoubt       // found right, the latest first
	Judged    int               // exemplars that were looked at
	Exemplars int               // that the memory held then
	Seq, Now  Seq               // the memory that was judged, and the newest
	At        time.Time         // when it was; zero if none was yet
	Working   bool              // a newer judgement is on its way
	Failed    bool              // the latest try came to nothing
}

const (
	doubtsPage = 12
	// doubtsExact is how many exemplars are judged; of more, a sample.
	doubtsExact = 20_000
	// readWithout is of how many of the likeliest the memory is asked without them.
	readWithout = 100
	// doubtsPatience is how long a page waits for doubts about the newest memory, and
	// doubtsSoon if it has some about an earlier one.
	doubtsPatience = time.Second
	doubtsSoon     = 100 * time.Millisecond
)

// Doubts lists likely mistakes to a curator.
func (g *Gallery) Doubts(ctx context.Context, u User, f DoubtFilter) (Doubts, error) {
	if err := allow(u, Curator, "look through what may be wrong"); err != nil {
		return Doubts{}, err
	}
	if f.Limit == 0 {
		f.Limit = doubtsPage
	}
	if f.Limit < 1 || f.Limit > maxPage {
		return Doubts{}, Errorf(Invalid, "limit", "Ask for 1 to %d doubts at a time.", maxPage)
	}
	r, working := g.doubts.ask(ctx, doubtsPatience, doubtsSoon)
	m := r.newest(g)
	d := Doubts{Seq: r.seq, Now: m.seq, At: r.at, Working: working, Failed: r.err != nil && r.seq != m.seq && !working,
		Judged: r.state.judged, Exemplars: r.state.exemplars, Of: map[DoubtKind]int{}}
	var err error
	if d.Kept, err = g.store.KeptDoubts(ctx); err != nil {
		return d, err
	}
	described, err := g.describe(ctx, m, r.state.found)
	if err != nil {
		return d, err
	}
	page(&d, open(described, d.Kept), f)
	return d, nil
}

// describe puts doubts into the domain's words, leaving out what is not taught any
// more and reasons whose twin is not.
func (g *Gallery) describe(ctx context.Context, m *memory, found []found) ([]Doubt, error) {
	var numbers []int
	for _, f := range found {
		numbers = append(numbers, f.ID)
		for _, r := range f.Reasons {
			if r.Twin >= 0 {
				numbers = append(numbers, r.Twin)
			}
		}
	}
	slices.Sort(numbers)
	list, err := g.exemplars(ctx, m, slices.Compact(numbers))
	if err != nil {
		return nil, err
	}
	shown := make(map[IdentificationID]*GalleryExemplar, len(list))
	for i := range list {
		shown[list[i].Identification] = &list[i]
	}
	var out []Doubt
	for _, f := range found {
		x := shown[m.exemplars.at(f.ID).identification]
		if x == nil {
			continue
		}
		d := Doubt{Exemplar: *x, Score: f.Score, Without: f.without}
		for _, r := range f.Reasons {
			if said, stands := g.reason(m, r, shown); stands {
				d.Reasons = append(d.Reasons, said)
			}
		}
		if len(d.Reasons) > 0 {
			out = append(out, d)
		}
	}
	return out, nil
}

func (g *Gallery) reason(m *memory, r doubt.Reason, shown map[IdentificationID]*GalleryExemplar) (said DoubtReason, stands bool) {
	said = DoubtReason{Kind: r.Kind, Own: r.Own, Against: r.Against, NearAlone: r.NearAlone, Cos: r.Cos, Distance: r.Distance, Usual: r.Usual}
	if r.Other >= 0 {
		said.Other, _ = g.service.taxonomy.taxon(g.service.taxonomy.accepted(m.taught[r.Other]))
	}
	if r.Twin >= 0 {
		said.Twin = shown[m.exemplars.at(r.Twin).identification]
		return said, said.Twin != nil
	}
	return said, true
}

// open leaves out what was found right in view of all that speaks against it.
func open(list []Doubt, kept []KeptDoubt) []Doubt {
	right := make(map[IdentificationID][]string, len(kept))
	for _, k := range kept {
		right[k.Identification] = k.Evidence
	}
	return slices.DeleteFunc(list, func(d Doubt) bool {
		seen, was := right[d.Exemplar.Identification]
		return was && !slices.ContainsFunc(d.Reasons, func(r DoubtReason) bool { return !slices.Contains(seen, r.Evidence()) })
	})
}

// page fills in the part of the list that the filter asks for.
func page(d *Doubts, list []Doubt, f DoubtFilter) {
	of := func(x Doubt, kind doubt.Kind) bool {
		return slices.ContainsFunc(x.Reasons, func(r DoubtReason) bool { return r.Kind == kind })
	}
	list = slices.DeleteFunc(list, func(x Doubt) bool { return f.Taxon != 0 && x.Exemplar.Taxon != f.Taxon })
	for _, x := range list {
		for _, kind := range []doubt.Kind{doubt.Disagreement, doubt.Duplicate, doubt.Outlier} {
			if of(x, kind) {
				d.Of[kind]++
			}
		}
	}
	list = slices.DeleteFunc(list, func(x Doubt) bool { return f.Kind != "" && !of(x, f.Kind) })
	d.Total = len(list)
	if f.After != 0 {
		if at := slices.IndexFunc(list, func(x Doubt) bool { return x.Exemplar.Identification == f.After }); at >= 0 {
			list = list[at+1:]
		}
	}
	d.More = len(list) > f.Limit
	d.List = list[:min(f.Limit, len(list))]
}
