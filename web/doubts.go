package web

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// doubts lists likely mistakes.
func (s *site) doubts(w http.ResponseWriter, r *http.Request) error {
	return s.doubtsPage(w, r, r.URL.Query(), nil)
}

// doubtProblem is why a doubt was not renamed, with what was typed.
type doubtProblem struct {
	id      identify.IdentificationID
	query   string
	matches *templates.Matches
	err     error // nil: it is asked which of the matches is meant
}

func (s *site) doubtsPage(w http.ResponseWriter, r *http.Request, query url.Values, p *doubtProblem) error {
	f, err := doubtFilter(query)
	if err != nil {
		return err
	}
	d, err := s.Gallery.Doubts(r.Context(), s.User(r), f)
	if err != nil {
		return err
	}
	x := templates.DoubtsPage{Here: doubtsQuery(query).Encode(), Working: d.Working, Fresh: freshness(r.Context(), d), None: noDoubts(r.Context(), d, f)}
	x.Tabs = doubtTabs(r.Context(), d, query)
	if f.Taxon != 0 {
		t, err := s.Service.Taxon(r.Context(), f.Taxon)
		if err != nil {
			return err
		}
		x.Chips = append(x.Chips, templates.Chip{Name: words.T(r.Context(), "Taught as %s", nameOf(r.Context(), t)), Link: doubtsPath(query, "taxon", "")})
	}
	for i, one := range d.List {
		shown := doubtOf(r.Context(), one)
		shown.Here = x.Here
		if i+1 < len(d.List) {
			shown.Next = int64(d.List[i+1].Exemplar.Identification)
		}
		if p != nil && p.id == one.Exemplar.Identification {
			shown.Query, shown.Matches = p.query, p.matches
			if p.err != nil {
				shown.Problem = problem(r.Context(), p.err).Message
			}
		}
		x.List = append(x.List, shown)
	}
	if d.More {
		x.Older = doubtsPath(query, "after", strconv.FormatInt(int64(d.List[len(d.List)-1].Exemplar.Identification), 10))
	}
	if f.After != 0 {
		x.Newest = doubtsPath(query, "after", "")
	}
	s.fillKept(r, &x, d.Kept)
	x.Done = s.settled(r, query)
	page := s.page(r, words.T(r.Context(), "Doubts"), "memory")
	page.Styles, page.Scripts = []string{"memory.css", "doubts.css"}, []string{"doubts.js"}
	status := http.StatusOK
	if p != nil {
		status = http.StatusUnprocessableEntity
	}
	return s.render(w, r, status, templates.Doubts(page, x))
}

// doubtFilter reads the filters of an address.
func doubtFilter(query url.Values) (identify.DoubtFilter, error) {
	f := identify.DoubtFilter{Kind: identify.DoubtKind(query.Get("kind"))}
	if f.Kind != "" && !slices.Contains(doubtKinds(), f.Kind) {
		return f, identify.Errorf(identify.Invalid, "kind", "There is no such kind of doubt. Start again from all of them.")
	}
	for name, set := range map[string]func(int64){
		"taxon": func(v int64) { f.Taxon = identify.TaxonID(v) },
		"after": func(v int64) { f.After = identify.IdentificationID(v) },
	} {
		if query.Get(name) == "" {
			continue
		}
		v, err := strconv.ParseInt(query.Get(name), 10, 64)
		if err != nil || v < 1 {
			return f, identify.Errorf(identify.Invalid, name, "This address is not whole. Start again from all doubts.")
		}
		set(v)
	}
	return f, nil
}

func doubtKinds() []identify.DoubtKind {
	return []identify.DoubtKind{identify.DoubtDisagreement, identify.DoubtDuplicate, identify.DoubtOutlier}
}

// kindWords are what a kind of doubt is called.
func kindWords(k identify.DoubtKind) words.Key {
	switch k {
	case identify.DoubtDisagreement:
		return words.Key("Disagrees")
	case identify.DoubtDuplicate:
		return words.Key("Same photo, other name")
	}
	return words.Key("Unlike the others")
}

// doubtsQuery keeps of an address what leads back to the same list.
func doubtsQuery(query url.Values) url.Values {
	v := url.Values{}
	for _, key := range []string{"kind", "taxon", "after"} {
		if x := query.Get(key); x != "" {
			v.Set(key, x)
		}
	}
	return v
}

func doubtsPath(query url.Values, name, value string) string {
	v := doubtsQuery(query)
	if name != "after" {
		v.Del("after")
	}
	if v.Del(name); value != "" {
		v.Set(name, value)
	}
	if len(v) == 0 {
		return "/memory/doubts"
	}
	return "/memory/doubts?" + v.Encode()
}

func doubtTabs(ctx context.Context, d identify.Doubts, query url.Values) []templates.Tab {
	tabs := []templates.Tab{{Label: words.T(ctx, "All"), Link: doubtsPath(query, "kind", ""), Current: query.Get("kind") == ""}}
	for _, k := range doubtKinds() {
		tabs = append(tabs, templates.Tab{Label: words.T(ctx, kindWords(k)) + " " + words.Number(ctx, d.Of[k]), Link: doubtsPath(query, "kind", string(k)),
			Current: query.Get("kind") == string(k)})
	}
	return tabs
}

// freshness says what was judged, and when.
func freshness(ctx context.Context, d identify.Doubts) string {
	var said string
	switch {
	case d.At.IsZero(), d.Exemplars == 0:
		return ""
	case d.Judged < d.Exemplars:
		said = words.T(ctx, "%d of %d exemplars were judged, evenly spread: more would take too long.", d.Judged, d.Exemplars)
	default:
		said = words.T(ctx, "%d exemplars judged, %s.", d.Judged, words.DateTime(ctx, d.At.Local()))
	}
	switch behind := int(d.Now - d.Seq); {
	case behind <= 0:
		return said
	case d.Working:
		return said + " " + words.T(ctx, "%d events since then; a newer judgement is on its way.", behind)
	default:
		return said + " " + words.T(ctx, "%d events since then: not judged yet.", behind)
	}
}

// noDoubts is what an empty list says.
func noDoubts(ctx context.Context, d identify.Doubts, f identify.DoubtFilter) string {
	switch {
	case d.Failed:
		return words.T(ctx, "The memory could not be judged. The server's log says why.")
	case d.At.IsZero():
		return words.T(ctx, "The memory is being judged. Look again in a moment.")
	case d.Exemplars == 0:
		return words.T(ctx, "The memory holds nothing, so nothing can be wrong.")
	case f.Kind != "" || f.Taxon != 0 || f.After != 0:
		return words.T(ctx, "No doubt of this kind is left.")
	}
	return words.T(ctx, "Nothing looks wrong.")
}

// doubtOf puts a doubt into words.
func doubtOf(ctx context.Context, d identify.Doubt) templates.Doubt {
	x := d.Exemplar
	name := called(ctx, x.Taxon, x.Label)
	out := templates.Doubt{ID: int64(x.Identification), Link: observationPath(x.Observation), Name: name, Scientific: unlike(x.Scientific, name),
		Photo: templates.Photo{Observation: int64(x.Observation), Width: x.Width, Height: x.Height, Missing: !x.HasPhoto},
		By:    who(ctx, x.TeacherName), When: moment(ctx, x.TaughtAt), Kicker: words.T(ctx, kindWords(d.Reasons[0].Kind))}
	for _, r := range d.Reasons {
		out.Reasons = append(out.Reasons, doubtReason(ctx, r, x))
		if out.Instead == nil && r.Kind != identify.DoubtOutlier {
			out.Instead = &templates.Match{Taxon: int64(r.Other.ID), Name: nameOf(ctx, r.Other)}
		}
	}
	if w := d.Without; w != nil {
		out.Without = words.T(ctx, "Withdrawn on trial, the memory reads this photo as %s, %s.", nameOf(ctx, w.Taxon), words.Percent(ctx, w.Probability))
		if w.Taxon.ID == x.Taxon {
			out.Without = words.T(ctx, "Withdrawn on trial, the memory reads this photo as %s all the same, %s.", nameOf(ctx, w.Taxon), words.Percent(ctx, w.Probability))
		}
	}
	return out
}

func doubtReason(ctx context.Context, r identify.DoubtReason, x identify.GalleryExemplar) templates.DoubtReason {
	switch r.Kind {
	case identify.DoubtDisagreement:
		if r.NearAlone {
			return templates.DoubtReason{Sentence: words.T(ctx, "Its nearest look-alikes say %s, %s; only its leaf, which has learned this very photo, holds with %s.",
				nameOf(ctx, r.Other), words.Percent(ctx, r.Against), called(ctx, x.Taxon, x.Label))}
		}
		return templates.DoubtReason{Sentence: words.T(ctx, "Its nearest look-alikes and its leaf say %s, %s; %s gets %s.",
			nameOf(ctx, r.Other), words.Percent(ctx, r.Against), called(ctx, x.Taxon, x.Label), words.Percent(ctx, r.Own))}
	case identify.DoubtDuplicate:
		twin := exemplarThumb(ctx, *r.Twin)
		out := templates.DoubtReason{Sentence: words.T(ctx, "Nearly the same photo (cosine %.3f) is taught as %s.", r.Cos, nameOf(ctx, r.Other)), Twin: &twin}
		if r.Twin.Observation == x.Observation || r.Cos == 1 {
			out.Sentence = words.T(ctx, "The very same photo is also taught as %s.", nameOf(ctx, r.Other))
		}
		return out
	}
	return templates.DoubtReason{Sentence: words.T(ctx, "It is %.1f times as far from the nearest other %s as is usual among them.", r.Distance/r.Usual, called(ctx, x.Taxon, x.Label))}
}

// keptShown is how many settled doubts are listed.
const keptShown = 12

func (s *site) fillKept(r *http.Request, x *templates.DoubtsPage, kept []identify.KeptDoubt) {
	for _, k := range kept[:min(keptShown, len(kept))] {
		x.Kept = append(x.Kept, templates.KeptDoubt{ID: int64(k.Identification), Name: cmp.Or(called(r.Context(), k.Taxon, k.Label), words.T(r.Context(), "Its name")), Link: observationPath(k.Observation),
			By: who(r.Context(), k.UserName), When: moment(r.Context(), k.At)})
	}
	if more := len(kept) - keptShown; more > 0 {
		x.KeptMore = words.T(r.Context(), "and %d earlier ones", more)
	}
}
