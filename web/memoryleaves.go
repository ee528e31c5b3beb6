package web

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"fieldmark/internal/identify"
	"fieldmark/templates"
)

// leafNames is how many names of a leaf, or of a teacher, are listed at most.
const leafNames = 12

func leafOf(l identify.GalleryLeaf) templates.Leaf {
	x := templates.Leaf{Number: l.Leaf, Link: fmt.Sprintf("/memory/leaves/%d", l.Leaf), Title: leafTitle(l),
		Size: plural(l.Size, "exemplar", "exemplars") + " of " + plural(len(l.Labels), "name", "names"), Settled: l.State == identify.LeafFitted}
	switch l.State {
	case identify.LeafFitted:
		x.State, x.StateWord = "Fitted", "Its classifier is the optimum of what it holds."
	case identify.LeafLearning:
		x.State, x.StateWord = "Retraining to come", "It has learned what is new and is still to be retrained on everything."
	default:
		x.State, x.StateWord = "Not fitted yet", "It goes by how often each name occurs until it is."
	}
	if l.Unsplit {
		x.StateWord += " All of it is one and the same embedding, so it cannot be split."
	}
	if l.Retrained != nil {
		at := moment(*l.Retrained)
		x.Retrained = &at
	}
	x.Labels = labelShares(l.Labels[:min(leafNames, len(l.Labels))], l.Size, 0)
	if more := len(l.Labels) - leafNames; more > 0 {
		x.More = "and " + plural(more, "other name", "other names")
	}
	return x
}

// leafTitle calls a leaf by what it holds most of.
func leafTitle(l identify.GalleryLeaf) string {
	if len(l.Labels) == 0 {
		return fmt.Sprintf("Leaf %d, empty", l.Leaf)
	}
	var names []string
	for _, c := range l.Labels[:min(2, len(l.Labels))] {
		names = append(names, c.Label)
	}
	return fmt.Sprintf("Leaf %d: %s", l.Leaf, strings.Join(names, ", "))
}

// labelShares puts counts of names into words, with a link to the exemplars, of one
// teacher if by is not 0.
func labelShares(list []identify.TaxonCount, of int, by identify.UserID) []templates.LabelShare {
	var out []templates.LabelShare
	for _, c := range list {
		link := fmt.Sprintf("/memory?taxon=%d", c.Taxon)
		if by != 0 {
			link = fmt.Sprintf("/memory?taxon=%d&teacher=%d", c.Taxon, by)
		}
		out = append(out, templates.LabelShare{Name: c.Label, Link: link, Count: number(c.Count), Share: share(float64(c.Count) / float64(max(1, of)))})
	}
	return out
}

func teacherOf(t identify.GalleryTeacher) templates.Teacher {
	return templates.Teacher{Name: t.Name, Link: fmt.Sprintf("/memory?teacher=%d", t.User), Count: plural(t.Exemplars, "exemplar", "exemplars"),
		Names: plural(t.Names, "name", "names"), Labels: labelShares(t.Most, t.Exemplars, t.User)}
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
	x := leafOf(l)
	x.Typical = exemplarThumbs(l.Typical)
	x.Members = templates.ExemplarList{Title: "All of it", List: exemplarThumbs(l.Members)}
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
