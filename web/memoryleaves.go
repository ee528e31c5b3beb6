package web

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// leafNames is how many names of a leaf, or of a teacher, are listed at most.
const leafNames = 12

func leafOf(ctx context.Context, l identify.GalleryLeaf) templates.Leaf {
	x := templates.Leaf{Number: l.Leaf, Link: fmt.Sprintf("/memory/leaves/%d", l.Leaf), Title: leafTitle(ctx, l),
		Size: exemplarsOf(ctx, l.Size, len(l.Labels)), Settled: l.State == identify.LeafFitted}
	switch l.State {
	case identify.LeafFitted:
		x.State, x.StateWord = words.T(ctx, "Fitted"), words.T(ctx, "Its classifier is the optimum of what it holds.")
	case identify.LeafLearning:
		x.State, x.StateWord = words.T(ctx, "Retraining to come"), words.T(ctx, "It has learned what is new and is still to be retrained on everything.")
	default:
		x.State, x.StateWord = words.T(ctx, "Not fitted yet"), words.T(ctx, "It goes by how often each name occurs until it is.")
	}
	if l.Unsplit {
		x.StateWord += " " + words.T(ctx, "All of it is one and the same embedding, so it cannot be split.")
	}
	if l.Retrained != nil {
		at := moment(ctx, *l.Retrained)
		x.Retrained = &at
	}
	x.Labels = labelShares(ctx, l.Labels[:min(leafNames, len(l.Labels))], l.Size, 0)
	if more := len(l.Labels) - leafNames; more > 0 {
		x.More = words.T(ctx, "and %d other names", more)
	}
	return x
}

// leafTitle calls a leaf by what it holds most of.
func leafTitle(ctx context.Context, l identify.GalleryLeaf) string {
	if len(l.Labels) == 0 {
		return words.T(ctx, "Leaf %s, empty", strconv.Itoa(l.Leaf))
	}
	var names []string
	for _, c := range l.Labels[:min(2, len(l.Labels))] {
		names = append(names, called(ctx, c.Taxon, c.Label))
	}
	return words.T(ctx, "Leaf %s: %s", strconv.Itoa(l.Leaf), strings.Join(names, ", "))
}

// labelShares puts counts of names into words, with a link to the exemplars, of one
// teacher if by is not 0.
func labelShares(ctx context.Context, list []identify.TaxonCount, of int, by identify.UserID) []templates.LabelShare {
	var out []templates.LabelShare
	for _, c := range list {
		link := fmt.Sprintf("/memory?taxon=%d", c.Taxon)
		if by != 0 {
			link = fmt.Sprintf("/memory?taxon=%d&teacher=%d", c.Taxon, by)
		}
		out = append(out, templates.LabelShare{Name: called(ctx, c.Taxon, c.Label), Link: link, Count: words.Number(ctx, c.Count), Share: share(ctx, float64(c.Count)/float64(max(1, of)))})
	}
	return out
}

func teacherOf(ctx context.Context, t identify.GalleryTeacher) templates.Teacher {
	return templates.Teacher{Name: t.Name, Link: fmt.Sprintf("/memory?teacher=%d", t.User), Count: exemplarsOf(ctx, t.Exemplars, t.Names),
		Labels: labelShares(ctx, t.Most, t.Exemplars, t.User)}
}

// galleryLeaf is one leaf.
func (s *site) galleryLeaf(w http.ResponseWriter, r *http.Request) error {
	number, err := strconv.Atoi(chi.URLParam(r, "leaf"))
	if err != nil || number < 0 {
		return identify.Errorf(identify.NotFound, "leaf", "There is no such leaf. Start again from all leaves.")
	}
	from, err := strconv.Atoi(r.URL.Query().Get("from"))
	if err != nil {
		from = 0
	}
	l, err := s.Gallery.Leaf(r.Context(), number, from)
	if err != nil {
		return err
	}
	x := leafOf(r.Context(), l)
	x.Typical = exemplarThumbs(r.Context(), l.Typical)
	x.Members = templates.ExemplarList{Title: words.T(r.Context(), "All of it"), List: exemplarThumbs(r.Context(), l.Members)}
	if l.Next > 0 {
		x.Members.Older = fmt.Sprintf("%s?from=%d", x.Link, l.Next)
	}
	if from > 0 {
		x.Members.Newest = x.Link
	}
	page := s.page(r, x.Title, "memory")
	page.Styles = []string{"memory.css"}
	return s.render(w, r, http.StatusOK, templates.LeafPage(page, x))
}
