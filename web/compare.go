package web

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// compare reads the photo of an observation with two encoders; without one it
// asks for a photo.
func (s *site) compare(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	page, err := s.comparePage(r, query["encoder"])
	if err != nil {
		return err
	}
	number := query.Get("observation")
	if number == "" {
		return s.renderCompare(w, r, http.StatusOK, page)
	}
	id, err := strconv.ParseInt(number, 10, 64)
	if err != nil || id < 1 {
		return identify.Errorf(identify.Invalid, "observation", "The number of an observation is a whole number from 1.")
	}
	o, err := s.Service.Observation(r.Context(), s.User(r), identify.ObservationID(id))
	if err != nil {
		return err
	}
	photo := photoOf(r.Context(), o)
	page.Observation, page.Photo = number, &photo
	if len(page.First) < 2 {
		return s.renderCompare(w, r, http.StatusOK, page)
	}
	list, err := s.Service.CompareObservation(r.Context(), s.User(r), o.ID, chosenOf(page), identify.Question{})
	return s.renderSides(w, r, page, list, o, err)
}

// comparePhoto reads a photo that is not kept with two encoders.
func (s *site) comparePhoto(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseMultipartForm(s.MaxUpload + formLimit); err != nil {
		return brokenOff(err)
	}
	page, err := s.comparePage(r, r.PostForm["encoder"])
	if err != nil {
		return err
	}
	file, header, err := r.FormFile("photo")
	var photo []byte
	if err == nil {
		photo, err = io.ReadAll(file)
	}
	switch {
	case errors.Is(err, http.ErrMissingFile):
		err = identify.Errorf(identify.Invalid, "photo", "Choose a photo first, then send it.")
		return s.renderSides(w, r, page, nil, identify.Observation{}, err)
	case err != nil:
		return brokenOff(err)
	case header.Size > s.MaxUpload:
		err = identify.Errorf(identify.TooLarge, "photo", "This photo is larger than %s. Make it smaller, or export it with a lower quality.", megabytes(s.MaxUpload))
		return s.renderSides(w, r, page, nil, identify.Observation{}, err)
	}
	list, err := s.Service.ComparePhoto(r.Context(), s.User(r), photo, chosenOf(page), identify.Question{})
	return s.renderSides(w, r, page, list, identify.Observation{}, err)
}

// comparePage offers the encoders, with those that were asked for, or the one
// that serves and another, chosen.
func (s *site) comparePage(r *http.Request, asked []string) (templates.ComparePage, error) {
	all, err := s.Service.EncoderStates(r.Context(), s.User(r))
	if err != nil {
		return templates.ComparePage{}, err
	}
	states := usable(all)
	if len(asked) != 2 {
		asked = proposed(states)
	}
	page := templates.ComparePage{Accept: acceptedFiles()}
	for _, x := range states {
		o := templates.Option{Value: x.Model, Label: x.Model}
		o.Selected = x.Model == asked[0]
		page.First = append(page.First, o)
		o.Selected = x.Model == asked[1]
		page.Second = append(page.Second, o)
	}
	for _, options := range [][]templates.Option{page.First, page.Second} {
		if !slices.ContainsFunc(options, isSelected) {
			return page, identify.Errorf(identify.NotFound, "encoder", "There is no such encoder here.")
		}
	}
	if len(states) < 2 {
		page.Problem = words.T(r.Context(), "There is only one encoder here. Add another one first: webapp models add DIR.")
	}
	return page, nil
}

// proposed is the encoder that serves, and the one beside it that answers
// soonest; the first one where the one that serves cannot be opened any more.
func proposed(states []identify.EncoderState) []string {
	two := []string{"", ""}
	for _, x := range states {
		switch {
		case x.Serving:
			two[0] = x.Model
		case two[1] == "" || x.Ready || x.Wanted:
			two[1] = x.Model
		}
	}
	if two[0] == "" && len(states) > 0 {
		two[0] = states[0].Model // the built-in one
	}
	two[1] = cmp.Or(two[1], two[0])
	return two
}

func isSelected(o templates.Option) bool { return o.Selected }

// chosenOf are the two encoders that are chosen on a page.
func chosenOf(p templates.ComparePage) []string {
	first, second := slices.IndexFunc(p.First, isSelected), slices.IndexFunc(p.Second, isSelected)
	return []string{p.First[first].Value, p.Second[second].Value}
}

// renderSides shows what the encoders said, or the form again with what is
// wrong.
func (s *site) renderSides(w http.ResponseWriter, r *http.Request, page templates.ComparePage, list []identify.Compared, o identify.Observation, err error) error {
	switch kind := identify.KindOf(err); kind {
	case identify.Invalid, identify.NotAPhoto, identify.TooLarge:
		p := problem(r.Context(), err)
		page.Problem = p.Message
		return s.renderCompare(w, r, p.Status, page)
	}
	if err != nil {
		return err
	}
	for _, x := range list {
		memory := words.T(r.Context(), "answers with %d exemplars", x.Exemplars)
		if n := x.Encoder.Counts; n.Embedded+n.Failed < n.Photos {
			memory += "; " + words.T(r.Context(), "it has read %[1]d of %[2]s", n.Embedded, words.T(r.Context(), "%d photos", n.Photos-n.Failed))
		}
		side := templates.Side{Encoder: x.Encoder.Model, Memory: memory, Answer: answer(r.Context(), o, x.Prediction)}
		for i := range side.Answer.Candidates {
			side.Answer.Candidates[i].Key = "" // nothing is taught here
		}
		page.Sides = append(page.Sides, side)
	}
	return s.renderCompare(w, r, http.StatusOK, page)
}

func (s *site) renderCompare(w http.ResponseWriter, r *http.Request, status int, page templates.ComparePage) error {
	return s.render(w, r, status, templates.Compare(s.page(r, words.T(r.Context(), "Compare encoders"), "about"), page))
}
