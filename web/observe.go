package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"slices"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// intake is what came of an upload so far.
type intake struct {
	question question
	upload   identify.Upload // what was said of the photos that follow
	row      bool            // a row of a list is wanted, not a card
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

// maxField bounds a field of an upload that is no photo: a thousand names fit.
const maxField = 256 << 10

// take reads one field of an upload. What is said of photos comes before them.
func (s *site) take(r *http.Request, part *multipart.Part, in *intake) error {
	if part.FormName() != "photo" {
		value, err := io.ReadAll(io.LimitReader(part, maxField))
		if err != nil {
			return brokenOff(err)
		}
		return s.takeField(r, part.FormName(), string(value), in)
	}
	data, err := io.ReadAll(io.LimitReader(part, s.MaxUpload+1))
	if err != nil {
		return brokenOff(err)
	}
	if part.FileName() == "" && len(data) == 0 {
		return nil // a file field that was left empty
	}
	return s.take1(r, part.FileName(), data, in)
}

func (s *site) takeField(r *http.Request, name, value string, in *intake) (err error) {
	switch name {
	case "label_set":
		in.question.set, err = labelSetParam(value)
	case "label":
		in.question.labels = labelsParam(append(in.question.labels, value))
	case "license":
		in.upload.License = value
	case "rights_holder":
		in.upload.RightsHolder = value
	case "again":
		in.upload.Again = value
	case "row":
		in.row = value == "1"
	case "observer":
		// A queue that outlived a session belongs to who filled it.
		if value != "" && value != fmt.Sprint(s.User(r).ID) {
			err = identify.Errorf(identify.Conflict, "observer", "Someone else put this photo into the queue of this browser. It will be sent when they sign in again.")
		}
	}
	return err
}

// take1 observes one photo. Only an error that concerns more than this photo is
// returned.
func (s *site) take1(r *http.Request, name string, data []byte, in *intake) error {
	o, p, err := identify.Observation{}, identify.Prediction{}, error(nil)
	if int64(len(data)) > s.MaxUpload {
		err = identify.Errorf(identify.TooLarge, "photo", "This photo is larger than %s. Make it smaller, or export it with a lower quality.", megabytes(s.MaxUpload))
	} else {
		up := in.upload
		up.Photo = data
		o, p, err = s.Service.Observe(r.Context(), s.User(r), up, in.question.domain())
	}
	switch identify.KindOf(err) {
	case identify.NotAPhoto, identify.TooLarge, identify.Invalid:
		in.refused = append(in.refused, templates.Refused{File: name, Message: problem(r.Context(), err).Message})
		in.problems = append(in.problems, err)
		return nil
	}
	if err != nil {
		return err
	}
	if slices.Contains(in.question.shown, o.ID) {
		// The same photo twice in one form is one observation.
	} else if len(in.question.shown) < maxShown {
		in.question.shown = append(in.question.shown, o.ID)
		if o.Repeat {
			in.question.known = append(in.question.known, o.ID)
		}
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
		err := identify.Errorf(identify.Invalid, "photo", "Choose a photo first, then send it.")
		in.refused = []templates.Refused{{Message: problem(r.Context(), err).Message}}
		in.problems = []error{err}
	case isFragment(r) && len(in.problems) == 0:
		return s.observedOne(w, r, in)
	case len(in.problems) == 0:
		path := in.question.shownPath()
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
		status = problem(r.Context(), in.problems[0]).Status
	}
	return s.renderHome(w, r, status, in.question, in.refused)
}

// observedOne answers an upload of one photo with its card, or with a row of a long
// list; 200 says that it was here before.
func (s *site) observedOne(w http.ResponseWriter, r *http.Request, in intake) error {
	x := in.last
	x.question = question{set: in.question.set, labels: in.question.labels}
	w.Header().Set("Location", observationPath(x.observation.ID))
	status := http.StatusCreated
	if x.observation.Repeat {
		status = http.StatusOK
	}
	if in.row {
		return s.render(w, r, status, templates.SentRow(sentRow(r.Context(), x)))
	}
	return s.render(w, r, status, templates.ObservationCard(x.card(r.Context())))
}

// sentRow is an observation in the list of what was just sent.
func sentRow(ctx context.Context, x sighting) templates.Thumb {
	t := thumb(ctx, x.observation)
	t.Link = observationPath(x.observation.ID) + x.question.query("?")
	if !t.Taught {
		a := answer(ctx, x.observation, x.prediction)
		t.Name, t.Scientific, t.Status = a.Name, a.Scientific, a.Percent
		switch {
		case a.Perhaps != "":
			t.Status = words.T(ctx, "perhaps %s", a.Perhaps)
		case !a.Certain:
			t.Name = words.T(ctx, "Perhaps %s", a.Name)
		}
	}
	return t
}

// brokenOff is the error of a body that could not be read to its end.
func brokenOff(err error) error {
	var tooLong *http.MaxBytesError
	if errors.As(err, &tooLong) {
		return err
	}
	broken := identify.Errorf(identify.Invalid, "photo", "The upload broke off before its end. What came in whole is kept; send the rest again.")
	broken.Err = fmt.Errorf("reading the upload: %w", err)
	return broken
}
