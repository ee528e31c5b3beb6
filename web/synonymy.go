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

// SynonymyService is what merging names needs.
type SynonymyService interface {
	PreviewSynonymy(ctx context.Context, u identify.User, synonym, accepted identify.TaxonID) (identify.SynonymyPreview, error)
	MergeTaxa(ctx context.Context, u identify.User, synonym, accepted identify.TaxonID) (identify.Synonymy, error)
	UndoSynonymy(ctx context.Context, u identify.User, id identify.SynonymyID) (identify.Synonymy, error)
	Synonymies(ctx context.Context, about identify.TaxonID) ([]identify.Synonymy, error)
}

func (s *site) synonymyRoutes(r chi.Router) {
	r.Get("/taxa/{id}/merge", s.handle(s.previewMerge))
	r.Group(func(r chi.Router) {
		r.Use(limitBody(formLimit))
		r.Post("/taxa/{id}/merge", s.handle(s.mergeTaxa))
		r.Post("/taxa/merged/{id}/undo", s.handle(s.undoMerge))
	})
}

func mergePath(id identify.TaxonID) string { return taxonPagePath(id) + "/merge" }

// mergeWith is where what would come of merging a taxon into another is told.
func mergeWith(synonym, accepted identify.TaxonID) string {
	return fmt.Sprintf("%s?taxon=%d", mergePath(synonym), accepted)
}

// previewMerge looks for the name that stays, and tells what would come of it.
func (s *site) previewMerge(w http.ResponseWriter, r *http.Request) error {
	if err := s.mayMerge(r); err != nil {
		return err
	}
	into, err := strconv.ParseInt(r.URL.Query().Get("taxon"), 10, 64)
	if err == nil && into > 0 {
		return s.renderPlan(w, r, identify.TaxonID(into), nil)
	}
	page, err := s.synonymyPage(r)
	if err != nil {
		return err
	}
	page.Query = strings.TrimSpace(r.URL.Query().Get("q"))
	found, exact, err := s.search(r.Context(), page.Query)
	if kind := identify.KindOf(err); kind == identify.Invalid {
		p := problem(r.Context(), err)
		page.Problem = p.Message
		return s.renderSynonymy(w, r, p.Status, page)
	} else if err != nil {
		return err
	}
	if exact != 0 {
		return s.renderPlan(w, r, exact, nil)
	}
	if page.Query != "" {
		page.Matches = &found
	}
	return s.renderSynonymy(w, r, http.StatusOK, page)
}

// mayMerge is asked before anything is looked up.
func (s *site) mayMerge(r *http.Request) error {
	if s.User(r).Role.Allows(identify.Curator) {
		return nil
	}
	return identify.Errorf(identify.Forbidden, "", "Merging names takes the role “curator” or more.")
}

func (s *site) synonymyPage(r *http.Request) (page templates.SynonymyPage, err error) {
	id, err := idParam(r, "id")
	if err != nil {
		return page, err
	}
	t, err := s.Service.Taxon(r.Context(), identify.TaxonID(id))
	return templates.SynonymyPage{Taxon: taxonLink(r.Context(), t), Action: mergePath(t.ID)}, err
}

func (s *site) renderSynonymy(w http.ResponseWriter, r *http.Request, status int, page templates.SynonymyPage) error {
	return s.render(w, r, status, templates.Synonymy(s.namesPage(r, words.T(r.Context(), "Merge names")), page))
}

// renderPlan tells what would come of merging a taxon into another; refused is why that
// was just not done.
func (s *site) renderPlan(w http.ResponseWriter, r *http.Request, into identify.TaxonID, refused error) error {
	page, err := s.synonymyPage(r)
	if err != nil {
		return err
	}
	id, err := idParam(r, "id")
	if err != nil {
		return err
	}
	status := http.StatusOK
	preview, err := s.Synonymies.PreviewSynonymy(r.Context(), s.User(r), identify.TaxonID(id), into)
	if refused == nil {
		refused = err
	}
	switch identify.KindOf(refused) {
	case identify.Invalid, identify.Conflict:
		p := problem(r.Context(), refused)
		status, page.Problem = p.Status, p.Message
		_, wrong := s.Synonymies.PreviewSynonymy(r.Context(), s.User(r), into, identify.TaxonID(id))
		if wrong == nil {
			page.Turned = mergeWith(into, identify.TaxonID(id))
		}
	default:
		if refused != nil {
			return refused
		}
		page.Plan = synonymyPlan(r.Context(), preview)
	}
	return s.renderSynonymy(w, r, status, page)
}

func synonymyPlan(ctx context.Context, p identify.SynonymyPreview) *templates.SynonymyPlan {
	from, into := nameOf(ctx, p.Synonym), nameOf(ctx, p.Accepted)
	plan := &templates.SynonymyPlan{Into: taxonLink(ctx, p.Accepted), ID: strconv.FormatInt(int64(p.Accepted.ID), 10),
		Turned: mergeWith(p.Accepted.ID, p.Synonym.ID)}
	tell := func(line string) { plan.Lines = append(plan.Lines, line) }
	if p.Lessons > 0 {
		tell(words.T(ctx, "%d lessons read as %s from then on, which has %s of its own.", p.Lessons, into, words.Number(ctx, p.Known)))
	} else {
		tell(words.T(ctx, "No lesson of %s stands in the memory.", from))
	}
	if p.Waiting > 0 {
		tell(words.T(ctx, "%d lessons in quarantine would come back as %s.", p.Waiting, into))
	}
	if p.Read > 0 {
		tell(words.T(ctx, "%d photos that wait for a name, and read as %s now, are read anew.", p.Read, from))
	}
	if p.Children > 0 {
		tell(words.T(ctx, "%d taxa below it come below %s.", p.Children, into))
	}
	var names []string
	names = append(names, p.Names...)
	for _, v := range p.Vernacular {
		names = append(names, v.Name)
	}
	if len(names) > 0 {
		tell(words.T(ctx, "Searching for %[2]s finds %[1]s.", into, strings.Join(names, ", ")))
	}
	var sets []string
	for _, set := range p.Sets {
		sets = append(sets, labelSetName(ctx, set))
	}
	if len(sets) > 0 {
		tell(words.T(ctx, "It takes the place of %[1]s in these label sets: %[2]s.", from, strings.Join(sets, ", ")))
	}
	tell(words.T(ctx, "Who said what stays on record."))
	return plan
}

// mergeTaxa does it, and goes to the name that stays.
func (s *site) mergeTaxa(w http.ResponseWriter, r *http.Request) error {
	id, err := idParam(r, "id")
	if err != nil {
		return err
	}
	into, err := strconv.ParseInt(r.PostFormValue("taxon"), 10, 64)
	if err != nil || into < 1 {
		return identify.Errorf(identify.Invalid, "taxon", "Choose the name that stays.")
	}
	y, err := s.Synonymies.MergeTaxa(r.Context(), s.User(r), identify.TaxonID(id), identify.TaxonID(into))
	if kind := identify.KindOf(err); kind == identify.Invalid || kind == identify.Conflict {
		return s.renderPlan(w, r, identify.TaxonID(into), err)
	} else if err != nil {
		return err
	}
	return seeOther(w, r, told(taxonPagePath(y.Accepted), "merged", y))
}

// undoMerge takes a merge back, and goes to the name that is itself again.
func (s *site) undoMerge(w http.ResponseWriter, r *http.Request) error {
	id, err := idParam(r, "id")
	if err != nil {
		return err
	}
	y, err := s.Synonymies.UndoSynonymy(r.Context(), s.User(r), identify.SynonymyID(id))
	if err != nil {
		return err
	}
	return seeOther(w, r, told(taxonPagePath(y.Synonym), "apart", y))
}

// told is the address of a page that tells what has just been done.
func told(path, what string, y identify.Synonymy) string {
	path = fmt.Sprintf("%s?%s=%d", path, what, y.ID)
	if y.Pending != 0 {
		path += "&pending=1"
	}
	return path
}

// synonymyPart is what a taxon's page says of names that mean the same; nil where there
// is nothing to say or do.
func (s *site) synonymyPart(r *http.Request, t identify.Taxon) (*templates.SynonymyPart, error) {
	if s.Synonymies == nil {
		return nil, nil
	}
	list, err := s.Synonymies.Synonymies(r.Context(), t.ID)
	if err != nil {
		return nil, err
	}
	curates := s.User(r).Role.Allows(identify.Curator)
	part := &templates.SynonymyPart{Said: saidOfMerge(r, list)}
	for _, y := range list {
		switch {
		case y.UndoneAt != nil:
		case y.Synonym == t.ID:
			m := mergedName(r.Context(), y, identify.Taxon{ID: y.Accepted, EnglishName: y.AcceptedLabel, ScientificName: y.AcceptedName}, curates)
			part.SynonymOf = &m
		default:
			part.Synonyms = append(part.Synonyms,
				mergedName(r.Context(), y, identify.Taxon{ID: y.Synonym, EnglishName: y.SynonymLabel, ScientificName: y.SynonymName}, curates))
		}
	}
	if curates && t.Accepted == 0 {
		part.Action = mergePath(t.ID)
	}
	return part, nil
}

func mergedName(ctx context.Context, y identify.Synonymy, other identify.Taxon, curates bool) templates.MergedName {
	m := templates.MergedName{Taxon: taxonLink(ctx, other), Lessons: words.T(ctx, "%d lessons", y.Lessons), When: moment(ctx, y.At)}
	switch y.UnderWay {
	case identify.Merging:
		m.UnderWay = words.T(ctx, "Its lessons are being given the new name. It goes on by itself.")
	case identify.Undoing:
		m.UnderWay = words.T(ctx, "Its lessons are being given their name back. It goes on by itself.")
	}
	if curates {
		m.Who, m.Undo = who(ctx, y.ByName), fmt.Sprintf("/taxa/merged/%d/undo", y.ID)
	}
	if m.UnderWay != "" {
		m.Undo = ""
	}
	return m
}

// saidOfMerge says what the address tells has just been done, "" if nothing.
func saidOfMerge(r *http.Request, list []identify.Synonymy) string {
	q, ctx := r.URL.Query(), r.Context()
	for _, y := range list {
		id, said := strconv.FormatInt(int64(y.ID), 10), ""
		switch {
		case q.Get("merged") == id && y.UndoneAt == nil:
			said = words.T(ctx, "%[2]s is a synonym now: %[1]d lessons have its new name.", y.Lessons, called(ctx, y.Synonym, y.SynonymLabel))
		case q.Get("apart") == id && y.UndoneAt != nil:
			said = words.T(ctx, "Undone: %d lessons have their name back.", y.Returned)
		default:
			continue
		}
		if q.Get("pending") != "" {
			said += " " + words.T(ctx, "The memory is still learning it.")
		}
		return said
	}
	return ""
}
