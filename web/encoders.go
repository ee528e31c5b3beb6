package web

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// EncoderService is what the pages about encoders need of the domain.
type EncoderService interface {
	EncoderWork() *identify.EncoderWork
	EncoderStates(ctx context.Context, u identify.User) ([]identify.EncoderState, error)
	LostLessons(ctx context.Context, u identify.User, model string, limit int) (list []identify.LostLesson, total int, err error)
	UseEncoder(ctx context.Context, u identify.User, model string) error
	CancelEncoder(ctx context.Context, u identify.User) error
	PauseEncoder(ctx context.Context, u identify.User, paused bool) error
	RetryPhotos(ctx context.Context, u identify.User, model string) error
	CompareObservation(ctx context.Context, u identify.User, id identify.ObservationID, models []string, q identify.Question) ([]identify.Compared, error)
	ComparePhoto(ctx context.Context, u identify.User, photo []byte, models []string, q identify.Question) ([]identify.Compared, error)
}

// lostShown is how many lessons without a photo the page lists for each encoder;
// the API lists all.
const lostShown = 20

// encoders lists the encoders, and how far the memory of each is.
func (s *site) encoders(w http.ResponseWriter, r *http.Request) error {
	u := s.User(r)
	states, err := s.Service.EncoderStates(r.Context(), u)
	if err != nil {
		return err
	}
	page := s.page(r, words.T(r.Context(), "Encoders"), "about")
	e := templates.EncodersPage{Work: page.Work, CanChoose: u.Role.Allows(identify.Admin), CanCmp: len(usable(states)) > 1}
	page.Work = nil
	if work := s.Service.EncoderWork(); work != nil {
		rests := work.Paused || work.Problem.Format != ""
		e.CanPause, e.CanResume, e.CanCancel = !rests, rests, work.Switch
	}
	for _, x := range states {
		e.Encoders = append(e.Encoders, encoderView(r.Context(), x, e.CanChoose))
		if x.Counts.Failed == 0 {
			continue
		}
		lost, err := s.lost(r, x.Model, e.CanChoose)
		if err != nil {
			return err
		}
		if len(lost.Lessons) > 0 {
			e.Lost = append(e.Lost, lost)
		}
	}
	return s.render(w, r, http.StatusOK, templates.Encoders(page, e))
}

func encoderView(ctx context.Context, x identify.EncoderState, mayChoose bool) templates.Encoder {
	v := templates.Encoder{Model: x.Model, Title: unlike(x.Title, x.Model), Serving: x.Serving, CanUse: mayChoose && !x.Serving && !x.Wanted}
	if x.Fault.Format != "" {
		v.State, v.Fault, v.CanUse = words.T(ctx, "Cannot be used: %s", say(ctx, x.Fault)), true, false
		return v
	}
	n := x.Counts
	readable := n.Photos - n.Failed
	if readable > 0 {
		v.Share = share(ctx, float64(n.Embedded)/float64(readable))
	}
	switch {
	case n.Photos == 0:
		v.State = words.T(ctx, "There are no photos yet.")
	case n.Embedded == 0 && readable > 0:
		v.State = words.T(ctx, "It has not read the photos yet.")
	case n.Embedded == readable:
		v.State = words.T(ctx, "It has read all %s.", words.T(ctx, "%d photos", readable))
	default:
		v.State = words.T(ctx, "It has read %[1]d of %[2]s.", n.Embedded, words.T(ctx, "%d photos", readable))
	}
	if n.Failed > 0 {
		v.State += " " + words.T(ctx, "%d more cannot be read.", n.Failed)
	}
	if x.Ready && !x.Serving {
		v.State += " " + words.T(ctx, "Its memory is at hand.")
	}
	if x.Wanted {
		v.State += " " + words.T(ctx, "It is being prepared.")
	}
	facts := []string{words.T(ctx, "%d numbers a photo", x.Dim)}
	if x.Bytes > 0 {
		facts = append(facts, words.Size(ctx, x.Bytes))
	}
	if x.License != "" {
		facts = append(facts, x.License)
	}
	v.Facts = strings.Join(facts, " · ")
	return v
}

func (s *site) lost(r *http.Request, model string, mayRetry bool) (templates.LostLessons, error) {
	list, total, err := s.Service.LostLessons(r.Context(), s.User(r), model, lostShown)
	v := templates.LostLessons{Model: model, CanRetry: mayRetry}
	for _, l := range list {
		v.Lessons = append(v.Lessons, templates.LostLesson{Photo: words.T(r.Context(), "No. %s", fmt.Sprint(l.Observation)), Link: observationPath(l.Observation),
			Name: called(r.Context(), l.Taxon, l.Label), TaughtBy: who(r.Context(), l.TaughtBy), Reason: say(r.Context(), l.Reason)})
	}
	if more := total - len(list); more > 0 {
		v.More = words.T(r.Context(), "and %d more", more)
	}
	return v, err
}

func (s *site) useEncoder(w http.ResponseWriter, r *http.Request) error {
	return s.chosen(w, r, func() error { return s.Service.UseEncoder(r.Context(), s.User(r), r.PostFormValue("encoder")) })
}

func (s *site) pauseEncoder(w http.ResponseWriter, r *http.Request) error {
	return s.chosen(w, r, func() error { return s.Service.PauseEncoder(r.Context(), s.User(r), true) })
}

func (s *site) resumeEncoder(w http.ResponseWriter, r *http.Request) error {
	return s.chosen(w, r, func() error { return s.Service.PauseEncoder(r.Context(), s.User(r), false) })
}

func (s *site) cancelEncoder(w http.ResponseWriter, r *http.Request) error {
	return s.chosen(w, r, func() error { return s.Service.CancelEncoder(r.Context(), s.User(r)) })
}

func (s *site) retryPhotos(w http.ResponseWriter, r *http.Request) error {
	return s.chosen(w, r, func() error { return s.Service.RetryPhotos(r.Context(), s.User(r), r.PostFormValue("encoder")) })
}

// chosen does what a form of the page asked for and shows the page again.
func (s *site) chosen(w http.ResponseWriter, r *http.Request, do func() error) error {
	if err := parseForm(r); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	return seeOther(w, r, "/encoders")
}

// usable are the encoders that can be opened.
func usable(states []identify.EncoderState) []identify.EncoderState {
	var list []identify.EncoderState
	for _, x := range states {
		if x.Fault.Format == "" {
			list = append(list, x)
		}
	}
	return list
}
