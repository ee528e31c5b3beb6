package web

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/go-chi/chi/v5"

	"fieldmark/internal/identify"
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
		page.List = append(page.List, sourceView(x))
		if lessons += x.Taught; x.User != 0 {
			people++
		}
	}
	page.Sum = plural(lessons, "lesson", "lessons") + " from " + plural(people, "person", "people")
	if imports := len(list) - people; imports > 0 {
		page.Sum += " and " + plural(imports, "import", "imports")
	}
	return s.render(w, r, http.StatusOK, templates.Sources(s.sourcesPage(r, "Sources"), page))
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
	return s.renderSource(w, r, http.StatusOK, of, templates.SourcePage{Preview: previewView(preview)})
}

func (s *site) renderSource(w http.ResponseWriter, r *http.Request, status int, of identify.Source, page templates.SourcePage) error {
	report, err := s.Sources.Source(r.Context(), s.User(r), of)
	if err != nil {
		return err
	}
	if page.Learning, err = s.stillLearning(r); err != nil {
		return err
	}
	page.Source = sourceView(report)
	if of.Import != 0 {
		page.Lessons = "/observations?import=" + strconv.FormatInt(int64(of.Import), 10)
	}
	return s.render(w, r, status, templates.SourceDetails(s.sourcesPage(r, report.Name), page))
}

func (s *site) quarantine(w http.ResponseWriter, r *http.Request) error {
	of, err := sourceParam(r)
	if err != nil {
		return err
	}
	reason := r.PostFormValue("reason")
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

func sourceView(x identify.SourceReport) templates.Source {
	v := templates.Source{Path: sourcePath(x.Source), Name: x.Name, Kind: "Person", Last: moment(x.LastAt)}
	if x.Import != 0 {
		v.Kind = "Import by " + x.By
		if x.Name == "" {
			v.Name = fmt.Sprintf("Import %d", x.Import)
		}
	}
	at := 0
	for _, part := range []struct {
		name, class string
		n           int
	}{{"standing", "bar-standing", x.Standing}, {"in quarantine", "bar-waiting", x.Waiting},
		{"overruled", "bar-overruled", x.Overruled}, {"taken back", "bar-back", x.TakenBack}} {
		if part.n > 0 {
			v.Bar = append(v.Bar, templates.Segment{Class: part.class, From: 1000 * at / x.Taught, To: 1000 * (at + part.n) / x.Taught})
			v.BarLabel += fmt.Sprintf("%s %s, ", number(part.n), part.name)
		}
		at += part.n
	}
	v.BarLabel += fmt.Sprintf("of %s", plural(x.Taught, "lesson", "lessons"))
	v.Facts = []templates.SourceFact{{Name: "taught", Value: number(x.Taught)}, {Name: "standing", Value: number(x.Standing), Key: "bar-standing"}}
	if x.Waiting > 0 || x.Quarantine != nil {
		v.Facts = append(v.Facts, templates.SourceFact{Name: "in quarantine", Value: number(x.Waiting), Key: "bar-waiting"})
	}
	v.Facts = append(v.Facts, templates.SourceFact{Name: "overruled", Value: number(x.Overruled), Key: "bar-overruled"},
		templates.SourceFact{Name: "taken back", Value: number(x.TakenBack), Key: "bar-back"},
		templates.SourceFact{Name: "contradicted since", Value: number(x.Disputed)})
	if q := x.Quarantine; q != nil {
		v.Held = &templates.Quarantine{Reason: q.Reason, Text: fmt.Sprintf("%s outside the memory since %s (%s).",
			plural(x.Waiting, "lesson waits", "lessons wait"), moment(q.BeganAt).Text, q.ByName)}
	}
	return v
}

func previewView(p identify.QuarantinePreview) *templates.Preview {
	v := &templates.Preview{
		With: percentOf(p.With, p.Named), Without: percentOf(p.Without, p.Named),
		WithOf: fmt.Sprintf("%s of %s", number(p.With), number(p.Named)), NoneOf: fmt.Sprintf("%s of %s", number(p.Without), number(p.Named)),
		Changed: fmt.Sprintf("%s of %s", number(p.Changed), number(p.Named+p.Unnamed)),
		How: fmt.Sprintf("%s that others named, and %s that nobody else did, were read twice: by the memory as it is (%s) and without these %s. "+
			"Each was read as if it were new: what was taught about the photo itself was set aside both times. Right is what others say, and stands. Nothing was changed by looking.",
			capital(plural(p.Named, "photo", "photos")), number(p.Unnamed), plural(p.Exemplars, "lesson", "lessons"), number(p.Lessons)),
	}
	switch gain := p.Without - p.With; {
	case p.Named == 0:
		v.Verdict, v.Better = "Nobody else has named a photo, so there is nothing to judge it by.", "same"
	case gain > 0:
		v.Verdict, v.Better = fmt.Sprintf("The memory would be right more often without it: %s gained.", plural(gain, "photo", "photos")), "better"
	case gain < 0:
		v.Verdict, v.Better = fmt.Sprintf("The memory would be right less often without it: %s lost.", plural(-gain, "photo", "photos")), "worse"
	default:
		v.Verdict, v.Better = "The memory would be right as often without it.", "same"
	}
	for _, c := range p.List {
		name := templates.ChangedName{Observation: int64(c.Observation), Photo: c.File, Truth: c.Truth,
			Before: c.Before.Label, BeforeChance: share(c.Before.Probability).Percent, After: c.After.Label, AfterChance: share(c.After.Probability).Percent}
		switch {
		case c.After.Right && !c.Before.Right:
			name.Effect = "better"
		case c.Before.Right && !c.After.Right:
			name.Effect = "worse"
		}
		v.List = append(v.List, name)
	}
	if p.Changed > len(p.List) {
		v.More = fmt.Sprintf("The first %s of %s are shown.", number(len(p.List)), number(p.Changed))
	}
	return v
}

// percentOf is a share in percent, "–" of none.
func percentOf(n, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f%%", 100*float64(n)/float64(of))
}
