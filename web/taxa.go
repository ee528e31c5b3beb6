package web

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// optionsShown is how many names a search lists.
const optionsShown = 12

// taxa answers a search for names: options for the combobox, or a page.
func (s *site) taxa(w http.ResponseWriter, r *http.Request) error {
	query := strings.TrimSpace(r.URL.Query().Get("q"))
	if isFragment(r) {
		m, _, err := s.search(r.Context(), query)
		if identify.KindOf(err) == identify.Invalid {
			m = templates.Matches{} // half-typed: nothing to offer yet
		} else if err != nil {
			return err
		}
		if r.URL.Query().Get("known") != "" {
			m.New = false // whoever asks has no use for a new name
		}
		answered := strings.Split(r.URL.Query().Get("answered"), ",")
		answeredFirst(m.Taxa, func(id int64) bool { return slices.Contains(answered, strconv.FormatInt(id, 10)) })
		return s.render(w, r, http.StatusOK, templates.Options(m))
	}
	m, _, err := s.search(r.Context(), query)
	if err != nil {
		return err
	}
	page := templates.TaxaPage{Query: query, Matches: m.Taxa}
	if query == "" && s.Taxa != nil {
		if page.Top, page.More, err = s.below(r, 0); err != nil {
			return err
		}
	}
	return s.render(w, r, http.StatusOK, templates.Taxa(s.namesPage(r, words.T(r.Context(), "Taxa")), page))
}

// search finds taxa by name. If exactly one has the very name, exact is its id;
// if none has, the name is offered as a new one.
func (s *site) search(ctx context.Context, query string) (m templates.Matches, exact identify.TaxonID, err error) {
	m.Query = query
	if query == "" {
		return m, 0, nil
	}
	found, err := s.Service.SearchTaxa(ctx, query, optionsShown)
	if err != nil {
		return m, 0, err
	}
	m.New = true
	same := 0
	for _, t := range found {
		line := match(ctx, t)
		if t.Same {
			exact, m.New, line.Exact = t.ID, false, true
			same++
		}
		m.Taxa = append(m.Taxa, line)
	}
	if same != 1 {
		exact = 0
	}
	return m, exact, nil
}

func match(ctx context.Context, t identify.TaxonMatch) templates.Match {
	name := nameOf(ctx, t.Taxon)
	m := templates.Match{Taxon: int64(t.ID), Name: name, Scientific: unlike(t.ScientificName, name),
		Detail: detail(ctx, t.Rank, t.Group, t.Local)}
	if t.MatchedName != "" && t.MatchedName != t.ScientificName && t.MatchedName != name {
		m.Detail = strings.Trim(m.Detail+" · "+words.T(ctx, "also “%s”", t.MatchedName), " ·")
	}
	m.Name = cmp.Or(m.Name, t.MatchedName)
	return m
}
