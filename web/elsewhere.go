package web

import (
	"fmt"
	"net/http"
	"strconv"

	"fieldmark/internal/identify"
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
	page := templates.ChangedPage{Sentence: changedSentence(c)}
	if identify.KindOf(err) == identify.NotFound {
		page.Sentence = problem(r.Context(), err).Message
	} else if err != nil {
		return err
	}
	for i, x := range c.List {
		if i == changedShown {
			page.More = number(len(c.List)-changedShown) + " more"
			break
		}
		page.List = append(page.List, templates.ChangedPhoto{
			Link:   queueQuery{whose: "all", at: x.Observation}.path(),
			Photo:  templates.Photo{Observation: int64(x.Observation), Alt: fmt.Sprintf("Photo no. %d", x.Observation)},
			Before: readLine(x.Before), After: readLine(x.After), Sure: x.After.Sure(),
			Renamed: x.Before.Taxon != x.After.Taxon || x.Before.Label != x.After.Label,
		})
	}
	if isFragment(r) {
		return s.render(w, r, http.StatusOK, templates.ChangedFragment(page))
	}
	p := s.page(r, "What changed", "review")
	p.Styles = []string{"review.css"}
	return s.render(w, r, http.StatusOK, templates.Changed(p, page))
}

func changedSentence(c identify.Changed) string {
	looked := fmt.Sprintf("%s looked at", plural(c.Looked, "photo", "photos"))
	if c.Looked < c.Waiting {
		looked = fmt.Sprintf("the %s nearest of %s looked at", number(c.Looked), plural(c.Waiting, "photo", "photos"))
	}
	switch {
	case c.Waiting == 0:
		return "No other photo waits to be named."
	case len(c.List) == 0:
		return "Nothing else reads differently because of this, of " + looked + "."
	}
	return fmt.Sprintf("Because of this, %s differently, of %s.", plural(len(c.List), "other photo reads", "other photos read"), looked)
}

func readLine(r identify.Reading) templates.Line {
	return templates.Line{Name: r.Label, Share: share(r.Chance)}
}

// asides lists what was set aside.
func (s *site) asides(w http.ResponseWriter, r *http.Request) error {
	u := s.User(r)
	list, err := s.Review.Asides(r.Context(), u)
	if err != nil {
		return err
	}
	page := templates.AsidePage{Whose: "What you looked at and nobody can tell from the photo."}
	if u.Role.Allows(identify.Curator) {
		page.Whose = "What people looked at and nobody can tell from the photo."
	}
	for _, a := range list {
		by := a.UserName
		if a.User == u.ID {
			by = "you"
		}
		page.List = append(page.List, templates.AsidePhoto{Thumb: thumb(a.Observation), Decision: fmt.Sprint(a.Decision),
			Observation: fmt.Sprint(a.Observation.ID), By: "by " + by, When: moment(a.At)})
	}
	p := s.page(r, "Set aside", "review")
	p.Styles = []string{"review.css"}
	return s.render(w, r, http.StatusOK, templates.Asides(p, page))
}

// putBack returns one of them to the queue.
func (s *site) putBack(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
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
