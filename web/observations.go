package web

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// pageSize is how many observations one page of the list has.
const pageSize = 24

// observations lists observations, filtered.
func (s *site) observations(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	f, invalid := listFilter(query)
	page := templates.ObservationsPage{Filter: templates.Filter{
		Query: query.Get("q"), From: query.Get("from"), To: query.Get("to"), Status: query.Get("status"),
	}, Tabs: tabs(r.Context(), query)}
	status := http.StatusOK
	if invalid != nil {
		page.Filter.Problem, status = problem(r.Context(), invalid).Message, http.StatusUnprocessableEntity
		page.Clear = "/observations"
		return s.render(w, r, status, templates.Observations(s.page(r, words.T(r.Context(), "Observations"), "observations"), page))
	}
	if err := s.filterTaxon(r, f.Taxon, &page.Filter); err != nil {
		return err
	}
	list, more, err := s.Service.Observations(r.Context(), s.User(r), f)
	if err != nil {
		return err
	}
	for _, o := range list {
		page.List = append(page.List, thumb(r.Context(), o))
	}
	if more {
		page.Older = listPath(query, "before", strconv.FormatInt(int64(list[len(list)-1].ID), 10))
	}
	if f.Before != 0 {
		page.Newest = listPath(query, "before", "")
	}
	if filtered(query) {
		page.Clear = "/observations"
	}
	return s.render(w, r, status, templates.Observations(s.page(r, words.T(r.Context(), "Observations"), "observations"), page))
}

// filterTaxon shows the taxon that the list is narrowed to.
func (s *site) filterTaxon(r *http.Request, id identify.TaxonID, f *templates.Filter) error {
	if id == 0 {
		return nil
	}
	t, err := s.Service.Taxon(r.Context(), id)
	if err != nil {
		return err
	}
	f.Taxon, f.TaxonName = strconv.FormatInt(int64(id), 10), nameOf(r.Context(), t)
	f.WithoutTaxon = listPath(r.URL.Query(), "taxon", "")
	return nil
}

// listFilter reads the filters of an address.
func listFilter(query url.Values) (identify.ObservationFilter, error) {
	f := identify.ObservationFilter{Limit: pageSize, Query: strings.TrimSpace(query.Get("q")), Status: query.Get("status")}
	if f.Status == "disputed" {
		f.Status, f.Disputed = "", true
	}
	if f.Status != "" && f.Status != "identified" && f.Status != "unidentified" {
		return f, identify.Errorf(identify.Invalid, "status", "Choose all, taught, not yet taught or disputed.")
	}
	for _, n := range []struct {
		name string
		set  func(int64)
	}{
		{"taxon", func(v int64) { f.Taxon = identify.TaxonID(v) }},
		{"import", func(v int64) { f.Import = identify.ImportID(v) }},
		{"before", func(v int64) { f.Before = identify.ObservationID(v) }},
	} {
		if query.Get(n.name) == "" {
			continue
		}
		v, err := strconv.ParseInt(query.Get(n.name), 10, 64)
		if err != nil || v < 1 {
			return f, identify.Errorf(identify.Invalid, n.name, "This address is not whole. Start again from all observations.")
		}
		n.set(v)
	}
	return f, dates(query, &f)
}

// dates reads the first and the last day, both included. Photos mostly say when
// they were taken without a time zone, which is kept as if it were UTC: so days
// are UTC's too.
func dates(query url.Values, f *identify.ObservationFilter) error {
	for _, d := range []struct {
		name  string
		plus  int
		bound **time.Time
	}{{"from", 0, &f.From}, {"to", 1, &f.To}} {
		if query.Get(d.name) == "" {
			continue
		}
		t, err := time.Parse(time.DateOnly, query.Get(d.name))
		if err != nil {
			return identify.Errorf(identify.Invalid, d.name, "Write dates as year, month and day: 2026-05-03.")
		}
		t = t.AddDate(0, 0, d.plus)
		*d.bound = &t
	}
	if f.From != nil && f.To != nil && !f.From.Before(*f.To) {
		return identify.Errorf(identify.Invalid, "to", "The last day is before the first. Swap them.")
	}
	return nil
}

// listPath is the list's address with one parameter changed; another page
// begins again at its newest.
func listPath(query url.Values, name, value string) string {
	v := url.Values{}
	for _, key := range []string{"q", "from", "to", "status", "taxon", "import"} {
		if x := query.Get(key); x != "" {
			v.Set(key, x)
		}
	}
	if value == "" {
		v.Del(name)
	} else {
		v.Set(name, value)
	}
	if len(v) == 0 {
		return "/observations"
	}
	return "/observations?" + v.Encode()
}

func filtered(query url.Values) bool {
	for _, key := range []string{"q", "from", "to", "status", "taxon", "import", "before"} {
		if query.Get(key) != "" {
			return true
		}
	}
	return false
}

func tabs(ctx context.Context, query url.Values) []templates.Tab {
	var list []templates.Tab
	for _, t := range []struct {
		label  words.Key
		status string
	}{
		{words.Key("All"), ""}, {words.Key("Taught"), "identified"},
		{words.Key("Not yet taught"), "unidentified"}, {words.Key("Disputed"), "disputed"},
	} {
		list = append(list, templates.Tab{Label: words.T(ctx, t.label), Link: listPath(query, "status", t.status), Current: query.Get("status") == t.status})
	}
	return list
}

// suggested says what was answered when a photo came in. What was not certain
// is not put forward as its name.
func suggested(ctx context.Context, s identify.Suggestion) (name, status string) {
	name, percent := called(ctx, s.Taxon, s.Label), words.Percent(ctx, s.Probability)
	if !s.Certain() {
		return words.T(ctx, "Not sure"), words.T(ctx, "perhaps %s", name) + ", " + percent
	}
	return name, words.T(ctx, "answered, %s", percent)
}

// thumb is an observation in a list.
func thumb(ctx context.Context, o identify.Observation) templates.Thumb {
	t := templates.Thumb{Link: observationPath(o.ID), Photo: photoOf(ctx, o), Status: words.T(ctx, "Not yet taught"), Name: words.T(ctx, "No answer")}
	var caption []string
	if d := day(ctx, o.ObservedAt); d != "" {
		caption = append(caption, d)
	}
	if current, named := o.Current(); named {
		t.Name = lessonName(ctx, current)
		t.Scientific = unlike(current.ScientificName, t.Name)
		t.Status, t.Taught = words.T(ctx, "Taught"), true
		caption = append(caption, who(ctx, current.UserName))
	} else if len(o.Suggested) > 0 {
		t.Name, t.Status = suggested(ctx, o.Suggested[0])
	}
	t.Caption = strings.Join(caption, " · ")
	return t
}
