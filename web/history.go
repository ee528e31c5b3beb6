package web

import (
	"context"
	"encoding/csv"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/go-chi/chi/v5"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// HistoryService is what the page of the audit trail needs.
type HistoryService interface {
	History(ctx context.Context, u identify.User, f identify.HistoryFilter) (list []identify.HistoryEntry, more bool, err error)
	Doers(ctx context.Context, u identify.User) ([]identify.User, error)
}

func (s *site) historyRoutes(r chi.Router) {
	r.Get("/memory/history", s.handle(s.history))
	r.Get("/memory/history.csv", s.handle(s.historyCSV))
}

func (s *site) history(w http.ResponseWriter, r *http.Request) error {
	f, err := historyFilter(r.URL.Query())
	status, page := http.StatusOK, templates.HistoryPage{}
	var list []identify.HistoryEntry
	var more bool
	if err == nil {
		list, more, err = s.History.History(r.Context(), s.User(r), f)
	}
	if identify.KindOf(err) == identify.Invalid {
		p := problem(r.Context(), err)
		status, page.Problem = p.Status, p.Message
	} else if err != nil {
		return err
	}
	people, err := s.History.Doers(r.Context(), s.User(r))
	if err != nil {
		return err
	}
	q := r.URL.Query()
	page.From, page.To, page.Filtered = q.Get("from"), q.Get("to"), f != (identify.HistoryFilter{})
	page.People = []templates.Option{{Label: words.T(r.Context(), "Everyone")}}
	for _, u := range people {
		page.People = append(page.People, templates.Option{Value: strconv.FormatInt(int64(u.ID), 10), Label: u.Name, Selected: u.ID == f.User})
	}
	page.Kinds = []templates.Option{{Label: words.T(r.Context(), "Everything")}}
	for _, k := range identify.HistoryKinds() {
		page.Kinds = append(page.Kinds, templates.Option{Value: string(k), Label: words.T(r.Context(), kindOfDeed(k)), Selected: k == f.Kind})
	}
	for _, e := range list {
		page.List = append(page.List, entryView(r.Context(), e))
	}
	q.Del("before")
	page.Download = "/memory/history.csv?" + q.Encode()
	if more {
		q.Set("before", list[len(list)-1].Cursor)
		page.Next = "/memory/history?" + q.Encode()
	}
	p := s.page(r, words.T(r.Context(), "History"), "memory")
	p.Styles = []string{"history.css"}
	return s.render(w, r, status, templates.History(p, page))
}

func entryView(ctx context.Context, e identify.HistoryEntry) templates.HistoryLine {
	v := templates.HistoryLine{When: moment(ctx, e.At), Who: who(ctx, e.UserName), Did: deed(e.Kind), Subject: called(ctx, e.Taxon, who(ctx, e.Subject)), Detail: say(ctx, e.Detail)}
	if v.Who == "" {
		v.Who = words.T(ctx, "Somebody")
	}
	if e.Kind == identify.DidEdit {
		v.Subject = editedField(ctx, e.Subject)
	}
	if e.Observation != 0 {
		v.Href = observationPath(e.Observation)
	}
	return v
}

// historyFilter reads the form of the page. Days are those of the server's clock.
func historyFilter(q url.Values) (identify.HistoryFilter, error) {
	f := identify.HistoryFilter{Kind: identify.HistoryKind(q.Get("kind")), Before: q.Get("before")}
	if who := q.Get("who"); who != "" {
		id, err := strconv.ParseInt(who, 10, 64)
		if err != nil {
			return f, identify.Errorf(identify.Invalid, "who", "Choose a person from the list.")
		}
		f.User = identify.UserID(id)
	}
	for _, x := range []struct {
		name string
		to   **time.Time
		days int
	}{{"from", &f.From, 0}, {"to", &f.To, 1}} {
		if text := q.Get(x.name); text != "" {
			day, err := time.ParseInLocation(time.DateOnly, text, time.Local)
			if err != nil {
				return f, identify.Errorf(identify.Invalid, x.name, "Write days as 2026-05-31.")
			}
			day = day.AddDate(0, 0, x.days) // the last day is included
			*x.to = &day
		}
	}
	return f, nil
}

// historyCSV writes all that the filter lets pass. What fails before the first page
// is a page with the reason; later the connection breaks, so that nobody takes a
// part for the whole.
func (s *site) historyCSV(w http.ResponseWriter, r *http.Request) error {
	f, err := historyFilter(r.URL.Query())
	if err != nil {
		return err
	}
	f.Limit = 200
	list, more, err := s.History.History(r.Context(), s.User(r), f)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8; header=present")
	w.Header().Set("Content-Disposition", `attachment; filename="fieldmark-history.csv"`)
	w.Header().Set("Cache-Control", "no-store")
	out := csv.NewWriter(w)
	out.Write([]string{"at", "user_id", "user", "kind", "subject", "detail", "observation_id"})
	for {
		for _, e := range list {
			out.Write([]string{e.At.UTC().Format(time.RFC3339Nano), idText(int64(e.User)), plainCell(e.UserName), string(e.Kind), plainCell(e.Subject), plainCell(e.Detail.String()), idText(int64(e.Observation))})
		}
		out.Flush()
		if out.Error() != nil || !more {
			return nil // whoever asked has gone, or has it all
		}
		f.Before = list[len(list)-1].Cursor
		if list, more, err = s.History.History(r.Context(), s.User(r), f); err != nil {
			s.Log.Error("a download of the history broke off", "error", err)
			panic(http.ErrAbortHandler)
		}
	}
}

// idText is an id, "" for none.
func idText(id int64) string {
	if id == 0 {
		return ""
	}
	return strconv.FormatInt(id, 10)
}

// plainCell keeps a spreadsheet from taking text that people typed for a formula.
func plainCell(s string) string {
	if s != "" && (s[0] == '=' || s[0] == '+' || s[0] == '-' || s[0] == '@' || s[0] == '\t' || s[0] == '\r') {
		return "'" + s
	}
	return s
}
