package web

import (
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"

	"fieldmark/internal/identify"
	"fieldmark/templates"
)

// intake is what came of an upload so far.
type intake struct {
	question question
	refused  []templates.Refused
	problems []error // one for each of refused
	last     sighting
}

// observe takes one photo or more. The body is read as it comes, one photo in
// memory at a time. Each photo stands for itself: one that is refused does not
// keep the others out.
func (s *site) observe(w http.ResponseWriter, r *http.Request) error {
	parts, err := r.MultipartReader()
	if err != nil {
		return identify.Errorf(identify.Invalid, "photo", "Send photos as a form with files.")
	}
	var in intake
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return brokenOff(err)
		}
		if err := s.take(r, part, &in); err != nil {
			return err
		}
	}
	return s.observed(w, r, in)
}

// take reads one field of an upload.
func (s *site) take(r *http.Request, part *multipart.Part, in *intake) error {
	switch part.FormName() {
	case "label_set":
		value, err := io.ReadAll(io.LimitReader(part, 32))
		if err != nil {
			return brokenOff(err)
		}
		in.question.set, err = labelSetParam(string(value))
		return err
	case "photo":
		data, err := io.ReadAll(io.LimitReader(part, s.MaxUpload+1))
		if err != nil {
			return brokenOff(err)
		}
		if part.FileName() == "" && len(data) == 0 {
			return nil // a file field that was left empty
		}
		return s.take1(r, part.FileName(), data, in)
	}
	return nil
}

// take1 observes one photo. Only an error that concerns more than this photo is
// returned.
func (s *site) take1(r *http.Request, name string, data []byte, in *intake) error {
	o, p, err := identify.Observation{}, identify.Prediction{}, error(nil)
	if int64(len(data)) > s.MaxUpload {
		err = identify.Errorf(identify.TooLarge, "photo", "This photo is larger than %s. Make it smaller, or export it with a lower quality.", megabytes(s.MaxUpload))
	} else {
		o, p, err = s.Service.Observe(r.Context(), s.User(r), identify.Upload{Photo: data}, in.question.domain())
	}
	switch identify.KindOf(err) {
	case identify.NotAPhoto, identify.TooLarge, identify.Invalid:
		in.refused = append(in.refused, templates.Refused{File: name, Message: problem(err).Message})
		in.problems = append(in.problems, err)
		return nil
	}
	if err != nil {
		return err
	}
	if len(in.question.shown) < maxShown {
		in.question.shown = append(in.question.shown, o.ID)
	} else {
		in.question.more++
	}
	in.last = sighting{observation: o, prediction: p, user: s.User(r)}
	return nil
}

// observed answers an upload: a card for whoever asked for a fragment, which
// sends one photo at a time, and the first page with all cards for a form.
func (s *site) observed(w http.ResponseWriter, r *http.Request, in intake) error {
	stored := len(in.question.shown)
	switch {
	case stored == 0 && len(in.problems) == 0:
		in.refused = []templates.Refused{{Message: "Choose a photo first, then send it."}}
		in.problems = []error{identify.Errorf(identify.Invalid, "photo", "Choose a photo first, then send it.")}
	case isFragment(r) && len(in.problems) == 0:
		in.last.question = question{set: in.question.set}
		w.Header().Set("Location", observationPath(in.last.observation.ID))
		return s.render(w, r, http.StatusCreated, templates.ObservationCard(in.last.card()))
	case len(in.problems) == 0:
		path := shownPath(in.question.set, in.question.shown)
		if in.question.more > 0 {
			path += fmt.Sprintf("&more=%d", in.question.more)
		}
		return seeOther(w, r, path+"#results")
	}
	if isFragment(r) {
		return in.problems[0]
	}
	status := http.StatusUnprocessableEntity
	if stored == 0 && len(in.problems) == 1 {
		status = problem(in.problems[0]).Status
	}
	return s.renderHome(w, r, status, in.question, in.refused)
}

// brokenOff is the error of a body that could not be read to its end.
func brokenOff(err error) error {
	var tooLong *http.MaxBytesError
	if errors.As(err, &tooLong) {
		return err
	}
	return &identify.Error{Kind: identify.Invalid, Field: "photo", Err: fmt.Errorf("reading the upload: %w", err),
		Message: "The upload broke off before its end. What came in whole is kept; send the rest again."}
}
