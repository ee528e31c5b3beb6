package web

import (
	"fmt"
	"net/http"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

func (s *site) endWorkshop(w http.ResponseWriter, r *http.Request) error {
	id, err := workshopParam(r)
	if err != nil {
		return err
	}
	return s.decidedWorkshop(w, r, "end", 0, s.Workshops.End(r.Context(), s.User(r), id))
}

// resetPage asks once more, and says how much it is about.
func (s *site) resetPage(w http.ResponseWriter, r *http.Request) error {
	id, err := workshopParam(r)
	if err != nil {
		return err
	}
	x, guests, err := s.Workshops.Workshop(r.Context(), s.User(r), id)
	if err != nil {
		return err
	}
	page := templates.ResetPage{Workshop: workshopView(r.Context(), x, time.Now()), Own: x.Own}
	for _, g := range guests {
		if g.Standing > 0 {
			page.Guests++
			page.Lessons += g.Standing
		}
	}
	return s.render(w, r, http.StatusOK, templates.WorkshopReset(s.workshopPage(r, words.T(r.Context(), "Reset %s", x.Title)), page))
}

func (s *site) resetWorkshop(w http.ResponseWriter, r *http.Request) error {
	id, err := workshopParam(r)
	if err != nil {
		return err
	}
	if err := parseForm(r); err != nil {
		return err
	}
	n, err := s.Workshops.Reset(r.Context(), s.User(r), id, r.PostForm.Get("own") != "")
	return s.decidedWorkshop(w, r, "reset", n, err)
}

func (s *site) restoreWorkshop(w http.ResponseWriter, r *http.Request) error {
	id, err := workshopParam(r)
	if err != nil {
		return err
	}
	n, err := s.Workshops.Restore(r.Context(), s.User(r), id)
	return s.decidedWorkshop(w, r, "restore", n, err)
}

// workshopBundle is the lesson of a workshop as a download.
func (s *site) workshopBundle(w http.ResponseWriter, r *http.Request) error {
	id, err := workshopParam(r)
	if err != nil {
		return err
	}
	o, err := s.Workshops.Bundle(r.Context(), s.User(r), id)
	if identify.KindOf(err) == identify.Conflict {
		p := problem(r.Context(), err)
		return s.renderWorkshop(w, r, p.Status, templates.WorkshopPage{Problem: p.Message})
	} else if err != nil {
		return err
	}
	return s.writeBundle(w, r, o, fmt.Sprintf("workshop-%d", id))
}
