package web

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// changedShown is how many photos are listed that a lesson changed.
const changedShown = 12

func changedPath(seq identify.Seq) string { return fmt.Sprintf("/review/changed?seq=%d", seq) }

// changedElsewhere says which other photos read differently because of a lesson.
func (s *site) changedElsewhere(w http.ResponseWriter, r *http.Request) error {
	seq, err := strconv.ParseInt(r.URL.Query().Get("seq"), 10, 64)
	if err != nil || seq < 1 {
		return identify.Errorf(identify.Invalid, "seq", "This is no event’s number.")
	}
	c, err := s.Review.Changed(r.Context(), s.User(r), identify.Seq(seq))
	page := templates.ChangedPage{Sentence: changedSentence(r.Context(), c)}
	if identify.KindOf(err) == identify.NotFound {
		page.Sentence = problem(r.Context(), err).Message
	} else if err != nil {
		return err
	}
	for i, x := range c.List {
		if i == changedShown {
			page.More = words.T(r.Context(), "%d more", len(c.List)-changedShown)
			break
		}
		page.List = append(page.List, templates.ChangedPhoto{
			Link:   queueQuery{whose: "all", at: x.Observation}.path(),
			Photo:  templates.Photo{Observation: int64(x.Observation), Alt: words.T(r.Context(), "Photo no. %s", fmt.Sprint(x.Observation))},
			Before: readLine(r.Context(), x.Before), After: readLine(r.Context(), x.After), Sure: x.After.Sure(),
			Renamed: x.Before.Taxon != x.After.Taxon || x.Before.Label != x.After.Label,
		})
	}
	if isFragment(r) {
		return s.render(w, r, http.StatusOK, templates.ChangedFragment(page))
	}
	p := s.page(r, words.T(r.Context(), "What changed"), "review")
	p.Styles = []string{"review.css"}
	return s.render(w, r, http.StatusOK, templates.Changed(p, page))
}

func changedSentence(ctx context.Context, c identify.Changed) string {
	looked := words.T(ctx, "%d photos looked at", c.Looked)
	if c.Looked < c.Waiting {
		looked = words.T(ctx, "the %[1]d nearest of %[2]s looked at", c.Looked, words.T(ctx, "%d photos", c.Waiting))
	}
	switch {
	case c.Waiting == 0:
		return words.T(ctx, "No other photo waits to be named.")
	case len(c.List) == 0:
		return words.T(ctx, "Nothing else reads differently because of this, of %s.", looked)
	}
	return words.T(ctx, "Because of this, %[1]d other photos read differently, of %[2]s.", len(c.List), looked)
}

func readLine(ctx context.Context, r identify.Reading) templates.Line {
	return templates.Line{Name: called(ctx, r.Taxon, r.Label), Share: share(ctx, r.Chance)}
}

// asides lists what was set aside.
func (s *site) asides(w http.ResponseWriter, r *http.Request) error {
	u := s.User(r)
	list, err := s.Review.Asides(r.Context(), u)
	if err != nil {
		return err
	}
	page := templates.AsidePage{Whose: words.T(r.Context(), "What you looked at and nobody can tell from the photo.")}
	if u.Role.Allows(identify.Curator) {
		page.Whose = words.T(r.Context(), "What people looked at and nobody can tell from the photo.")
	}
	for _, a := range list {
		by := words.T(r.Context(), "by %s", who(r.Context(), a.UserName))
		if a.User == u.ID {
			by = words.T(r.Context(), "by you")
		}
		page.List = append(page.List, templates.AsidePhoto{Thumb: thumb(r.Context(), a.Observation), Decision: fmt.Sprint(a.Decision),
			Observation: fmt.Sprint(a.Observation.ID), By: by, When: moment(r.Context(), a.At)})
	}
	p := s.page(r, words.T(r.Context(), "Set aside"), "review")
	p.Styles = []string{"review.css"}
	return s.render(w, r, http.StatusOK, templates.Asides(p, page))
}

// putBack returns one of them to the queue.
func (s *site) putBack(w http.ResponseWriter, r *http.Request) error {
	if err := parseForm(r); err != nil {
		return err
	}
	var n [2]int64
	for i, name := range []string{"decision", "observation"} {
		var err error
		if n[i], err = strconv.ParseInt(r.PostForm.Get(name), 10, 64); err != nil || n[i] < 1 {
			return identify.Errorf(identify.Invalid, name, "This form is not whole. Load the page again.")
		}
	}
	if _, err := s.Review.PutBack(r.Context(), s.User(r), identify.DecisionID(n[0]), identify.ObservationID(n[1])); err != nil {
		return err
	}
	return seeOther(w, r, "/review/aside")
}
