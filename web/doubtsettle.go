package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// keepDoubt notes that a name was looked at and is right.
func (s *site) keepDoubt(w http.ResponseWriter, r *http.Request) error {
	id, err := idParam(r, "id")
	if err != nil {
		return err
	}
	done, err := s.Gallery.KeepDoubtful(r.Context(), s.User(r), identify.IdentificationID(id))
	if err != nil {
		return err
	}
	return s.nextDoubt(w, r, "kept", done)
}

// withdrawDoubt takes an exemplar out of the memory.
func (s *site) withdrawDoubt(w http.ResponseWriter, r *http.Request) error {
	id, err := idParam(r, "id")
	if err != nil {
		return err
	}
	done, err := s.Gallery.WithdrawDoubtful(r.Context(), s.User(r), identify.IdentificationID(id))
	if err != nil {
		return err
	}
	return s.nextDoubt(w, r, "withdrawn", done)
}

// renameDoubt gives an exemplar another name: the taxon that was pressed or chosen,
// the only one that has the name typed, or a new one. Else it is asked again.
func (s *site) renameDoubt(w http.ResponseWriter, r *http.Request) error {
	id, err := idParam(r, "id")
	if err != nil {
		return err
	}
	a, p, err := s.newName(r, identify.IdentificationID(id))
	if err != nil {
		return err
	}
	if p == nil {
		var done identify.Settled
		done, err = s.Gallery.RenameDoubtful(r.Context(), s.User(r), identify.IdentificationID(id), a)
		if err == nil {
			return s.nextDoubt(w, r, "renamed", done)
		}
		if field := fieldOf(err); field != "label" && field != "taxon_id" {
			return err
		}
		p = &doubtProblem{id: identify.IdentificationID(id), query: r.PostFormValue("q"), err: err}
	}
	return s.doubtsPage(w, r, here(r), p)
}

// newName is what was typed or chosen, or what is to be asked about it.
func (s *site) newName(r *http.Request, id identify.IdentificationID) (identify.Answer, *doubtProblem, error) {
	query := strings.TrimSpace(r.PostFormValue("q"))
	if t := r.PostFormValue("taxon"); t != "" {
		v, err := strconv.ParseInt(t, 10, 64)
		if err != nil || v < 1 {
			return identify.Answer{}, nil, identify.Errorf(identify.Invalid, "taxon", "This choice is not one of the names. Search for the name again.")
		}
		return identify.Answer{Taxon: identify.TaxonID(v), FromSuggestion: r.PostFormValue("suggested") != ""}, nil, nil
	}
	if query == "" {
		return identify.Answer{}, &doubtProblem{id: id, err: identify.Errorf(identify.Invalid, "label", "Type its right name first.")}, nil
	}
	if r.PostFormValue("new") != "" {
		return identify.Answer{Label: query}, nil, nil
	}
	m, exact, err := s.search(r.Context(), query)
	if err != nil && identify.KindOf(err) != identify.Invalid {
		return identify.Answer{}, nil, err
	}
	if err != nil || exact == 0 {
		return identify.Answer{}, &doubtProblem{id: id, query: query, matches: &m, err: err}, nil
	}
	return identify.Answer{Taxon: exact}, nil, nil
}

// doubtAgain takes back that a name is right.
func (s *site) doubtAgain(w http.ResponseWriter, r *http.Request) error {
	id, err := idParam(r, "id")
	if err != nil {
		return err
	}
	if err := s.Gallery.DoubtAgain(r.Context(), s.User(r), identify.IdentificationID(id)); err != nil {
		return err
	}
	return seeOther(w, r, doubtsPath(here(r), "after", "")+fmt.Sprintf("#doubt-%d-card", id))
}

// teachAgain undoes a withdrawal or a new name: what was withdrawn is taught again,
// by whoever undoes it, and the identification that took its place, if one did, is
// withdrawn. The log is not turned back: it says who did what.
func (s *site) teachAgain(w http.ResponseWriter, r *http.Request) error {
	wrong, err := idParam(r, "id")
	if err != nil {
		return err
	}
	o, err := strconv.ParseInt(r.PostFormValue("observation"), 10, 64)
	if err != nil {
		return identify.Errorf(identify.Invalid, "observation", "This cannot be undone from here. Open the observation and teach the name there.")
	}
	old, err := s.identificationOf(r, identify.ObservationID(o), identify.IdentificationID(wrong))
	if err != nil {
		return err
	}
	u := s.User(r)
	if now, err := strconv.ParseInt(r.PostFormValue("now"), 10, 64); err == nil && now > 0 {
		_, err = s.Gallery.RenameDoubtful(r.Context(), u, identify.IdentificationID(now), identify.Answer{Taxon: old.Taxon})
		if err != nil {
			return err
		}
	} else if _, err := s.Service.Identify(r.Context(), u, old.Observation, identify.Answer{Taxon: old.Taxon}, identify.Question{Top: 1}); err != nil {
		return err
	}
	v := doubtsQuery(here(r))
	v.Set("done", "again")
	v.Set("observation", strconv.FormatInt(o, 10))
	v.Set("id", strconv.FormatInt(wrong, 10))
	return seeOther(w, r, "/memory/doubts?"+v.Encode())
}

// here is the list that a form leads back to.
func here(r *http.Request) url.Values {
	v, err := url.ParseQuery(r.PostFormValue("here"))
	if err != nil {
		return url.Values{}
	}
	return doubtsQuery(v)
}

// nextDoubt leads back to the list, to the doubt that came next.
func (s *site) nextDoubt(w http.ResponseWriter, r *http.Request, what string, done identify.Settled) error {
	v := here(r)
	v.Set("done", what)
	v.Set("id", strconv.FormatInt(int64(done.Identification), 10))
	v.Set("observation", strconv.FormatInt(int64(done.Observation), 10))
	if done.Now.ID != 0 {
		v.Set("now", strconv.FormatInt(int64(done.Now.ID), 10))
	}
	path := "/memory/doubts?" + v.Encode()
	if next, err := strconv.ParseInt(r.PostFormValue("next"), 10, 64); err == nil && next > 0 {
		path += fmt.Sprintf("#doubt-%d-card", next)
	}
	return seeOther(w, r, path)
}

// settled says what was just done, by the address; nil if it says nothing, or
// something that is not so any more.
func (s *site) settled(r *http.Request, query url.Values) *templates.SettledDoubt {
	id, _ := strconv.ParseInt(query.Get("id"), 10, 64)
	o, _ := strconv.ParseInt(query.Get("observation"), 10, 64)
	what := query.Get("done")
	if what == "" || id < 1 || o < 1 {
		return nil
	}
	old, err := s.identificationOf(r, identify.ObservationID(o), identify.IdentificationID(id))
	if err != nil {
		return nil
	}
	ctx := r.Context()
	x := &templates.SettledDoubt{Link: observationPath(old.Observation), Observed: o, UndoWord: words.T(ctx, "Undo")}
	switch {
	case what == "kept" && !old.Withdrawn():
		x.Sentence, x.Undo = words.T(ctx, "Kept as %s: looked at, right.", lessonName(ctx, old)), fmt.Sprintf("/memory/doubts/%d/again", id)
	case what == "withdrawn" && old.Withdrawn():
		x.Sentence, x.Undo = words.T(ctx, "%s was withdrawn from the memory.", lessonName(ctx, old)), fmt.Sprintf("/memory/doubts/%d/teach-again", id)
		x.UndoWord = words.T(ctx, "Teach it again")
	case what == "renamed" && old.Withdrawn():
		x.Sentence, x.Undo = words.T(ctx, "%s was withdrawn, and another name taught.", lessonName(ctx, old)), fmt.Sprintf("/memory/doubts/%d/teach-again", id)
		now, _ := strconv.ParseInt(query.Get("now"), 10, 64)
		if named, err := s.identificationOf(r, old.Observation, identify.IdentificationID(now)); err == nil && !named.Withdrawn() {
			x.Sentence, x.Now = words.T(ctx, "%s is now %s.", lessonName(ctx, old), lessonName(ctx, named)), now
		}
	case what == "again":
		x.Sentence = words.T(ctx, "%s is taught again, in your name.", lessonName(ctx, old))
	default:
		return nil
	}
	return x
}

// identificationOf is one identification of an observation.
func (s *site) identificationOf(r *http.Request, o identify.ObservationID, id identify.IdentificationID) (identify.Identification, error) {
	obs, err := s.Service.Observation(r.Context(), s.User(r), o)
	if err != nil {
		return identify.Identification{}, err
	}
	for _, i := range obs.Identifications {
		if i.ID == id {
			return i, nil
		}
	}
	return identify.Identification{}, identify.Errorf(identify.NotFound, "identification", "Observation %d has no identification %d.", o, id)
}
