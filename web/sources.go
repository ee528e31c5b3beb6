package web

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/go-chi/chi/v5"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// SourcesService is what the pages about sources of lessons need.
type SourcesService interface {
	Sources(ctx context.Context, u identify.User) ([]identify.SourceReport, error)
	Source(ctx context.Context, u identify.User, of identify.Source) (identify.SourceReport, error)
	PreviewQuarantine(ctx context.Context, u identify.User, of identify.Source) (identify.QuarantinePreview, error)
	BeginQuarantine(ctx context.Context, u identify.User, of identify.Source, reason string) (identify.Quarantine, error)
	EndQuarantine(ctx context.Context, u identify.User, of identify.Source, outcome identify.QuarantineOutcome) (identify.Quarantine, error)
}

func (s *site) sourcesRoutes(r chi.Router) {
	r.Get("/memory/sources", s.handle(s.sources))
	r.Get("/memory/sources/{kind}/{id}", s.handle(s.source))
	r.Group(func(r chi.Router) {
		r.Use(limitBody(formLimit))
		r.Post("/memory/sources/{kind}/{id}/quarantine", s.handle(s.quarantine))
		r.Post("/memory/sources/{kind}/{id}/release", s.handle(s.endQuarantine(identify.Restored)))
		r.Post("/memory/sources/{kind}/{id}/remove", s.handle(s.endQuarantine(identify.Removed)))
	})
}

func (s *site) sourcesPage(r *http.Request, title string) templates.Page {
	p := s.page(r, title, "memory")
	p.Styles = []string{"sources.css"}
	return p
}

func (s *site) sources(w http.ResponseWriter, r *http.Request) error {
	list, err := s.Sources.Sources(r.Context(), s.User(r))
	if err != nil {
		return err
	}
	var page templates.SourcesPage
	lessons, people := 0, 0
	for _, x := range list {
		page.List = append(page.List, sourceView(r.Context(), x))
		if lessons += x.Taught; x.User != 0 {
			people++
		}
	}
	page.Sum = sumOfSources(r.Context(), lessons, people, len(list)-people)
	return s.render(w, r, http.StatusOK, templates.Sources(s.sourcesPage(r, words.T(r.Context(), "Sources")), page))
}

func (s *site) source(w http.ResponseWriter, r *http.Request) error {
	of, err := sourceParam(r)
	if err != nil {
		return err
	}
	if r.URL.Query().Get("preview") == "" {
		return s.renderSource(w, r, http.StatusOK, of, templates.SourcePage{})
	}
	preview, err := s.Sources.PreviewQuarantine(r.Context(), s.User(r), of)
	if err != nil {
		return err
	}
	return s.renderSource(w, r, http.StatusOK, of, templates.SourcePage{Preview: previewView(r.Context(), preview)})
}

func (s *site) renderSource(w http.ResponseWriter, r *http.Request, status int, of identify.Source, page templates.SourcePage) error {
	report, err := s.Sources.Source(r.Context(), s.User(r), of)
	if err != nil {
		return err
	}
	if page.Learning, err = s.stillLearning(r); err != nil {
		return err
	}
	page.Source = sourceView(r.Context(), report)
	if of.Import != 0 {
		page.Lessons = importObservations(of.Import)
	}
	return s.render(w, r, status, templates.SourceDetails(s.sourcesPage(r, page.Name), page))
}

func (s *site) quarantine(w http.ResponseWriter, r *http.Request) error {
	of, err := sourceParam(r)
	if err != nil {
		return err
	}
	if err := parseForm(r); err != nil {
		return err
	}
	reason := r.PostForm.Get("reason")
	q, err := s.Sources.BeginQuarantine(r.Context(), s.User(r), of, reason)
	if identify.KindOf(err) == identify.Invalid {
		p := problem(r.Context(), err)
		return s.renderSource(w, r, p.Status, of, templates.SourcePage{Problem: p.Message, Reason: reason})
	}
	if err != nil {
		return err
	}
	return seeOther(w, r, decidedPath(of, q))
}

func (s *site) endQuarantine(outcome identify.QuarantineOutcome) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		of, err := sourceParam(r)
		if err != nil {
			return err
		}
		q, err := s.Sources.EndQuarantine(r.Context(), s.User(r), of, outcome)
		if err != nil {
			return err
		}
		return seeOther(w, r, decidedPath(of, q))
	}
}

// decidedPath leads to a source about which something was decided. Until the memory
// has taken that in, its page says so.
func decidedPath(of identify.Source, q identify.Quarantine) string {
	if q.Pending == 0 {
		return sourcePath(of)
	}
	return fmt.Sprintf("%s?learning=%d", sourcePath(of), q.Pending)
}

// stillLearning reports whether the memory has yet to come to the event that the
// address names.
func (s *site) stillLearning(r *http.Request) (bool, error) {
	seq, err := strconv.ParseInt(r.URL.Query().Get("learning"), 10, 64)
	if err != nil {
		return false, nil // it names none
	}
	stats, err := s.Service.Stats(r.Context())
	return int64(stats.Seq) < seq, err
}

// sourceParam reads which source an address is about.
func sourceParam(r *http.Request) (identify.Source, error) {
	id, err := idParam(r, "id")
	if err != nil {
		return identify.Source{}, err
	}
	switch chi.URLParam(r, "kind") {
	case "people":
		return identify.Source{User: identify.UserID(id)}, nil
	case "imports":
		return identify.Source{Import: identify.ImportID(id)}, nil
	}
	return identify.Source{}, identify.Errorf(identify.NotFound, "", "There is no page at this address.")
}

func sourcePath(of identify.Source) string {
	if of.Import != 0 {
		return "/memory/sources/imports/" + strconv.FormatInt(int64(of.Import), 10)
	}
	return "/memory/sources/people/" + strconv.FormatInt(int64(of.User), 10)
}
