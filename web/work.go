package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// work is what every page says of the work in the background, nil if there is
// none.
func (s *site) work(ctx context.Context, u identify.User) *templates.Work {
	w := s.Service.EncoderWork()
	if w == nil || u.Role == "" {
		return nil
	}
	v := &templates.Work{Key: workKey(w), Sentence: workSentence(ctx, *w), Stopped: w.Problem.Format != ""}
	if readable := w.Total - w.Failed; readable > 0 {
		v.Shares, v.Share = true, share(ctx, float64(w.Done)/float64(readable))
	}
	if u.Role.Allows(identify.Curator) {
		v.Link = "/encoders"
	}
	return v
}

// workKey changes when the work turns to something else, or rests.
func workKey(w *identify.EncoderWork) string {
	return url.QueryEscape(fmt.Sprintf("%s.%t.%t.%t", w.Model, w.Switch, w.Paused, w.Problem.Format != ""))
}

func workSentence(ctx context.Context, w identify.EncoderWork) string {
	about := words.T(ctx, "The stored photos are being read again with %s, and what was taught comes back with them", w.Model)
	if w.Switch {
		about = words.T(ctx, "%s is being prepared; the present encoder answers meanwhile", w.Model)
	}
	read := words.T(ctx, "%[1]d of %[2]s", w.Done, words.T(ctx, "%d photos", w.Total-w.Failed))
	switch {
	case w.Problem.Format != "":
		return words.T(ctx, "The work for %s has stopped.", w.Model) + " " + say(ctx, w.Problem)
	case w.Paused && w.Total == 0:
		return words.T(ctx, "The work for %s is paused.", w.Model)
	case w.Paused:
		return words.T(ctx, "The work for %[1]s is paused at %[2]s.", w.Model, read)
	case w.Phase == identify.Opening:
		return words.T(ctx, "%s is being opened.", w.Model)
	case w.Phase == identify.Folding:
		return about + ": " + words.T(ctx, "all photos are read, now it learns the log.")
	}
	if w.Failed > 0 {
		read += ", " + words.T(ctx, "%d more cannot be read", w.Failed)
	}
	if left := remaining(ctx, w.Left); left != "" {
		read += ", " + left
	}
	return about + ": " + read + "."
}

// encoderProgress renews the figures. When the work has turned to something
// else, the page about encoders is read anew, and others say only that.
func (s *site) encoderProgress(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	work := s.work(r.Context(), s.User(r))
	if work != nil && work.Key == url.QueryEscape(q.Get("of")) {
		return s.render(w, r, http.StatusOK, templates.WorkProgress(work, q.Get("refresh") != ""))
	}
	if q.Get("refresh") != "" {
		w.Header().Set("HX-Refresh", "true")
	}
	if work != nil {
		return s.render(w, r, http.StatusOK, templates.WorkProgress(work, false))
	}
	stats, err := s.Service.Stats(r.Context())
	if err != nil {
		return err
	}
	return s.render(w, r, http.StatusOK, templates.WorkDone(words.T(r.Context(), "%[2]s answers, with %[1]d exemplars.", stats.Exemplars, stats.Encoder.Name)))
}
