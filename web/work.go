package web

import (
	"fmt"
	"net/http"
	"net/url"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/templates"
)

// work is what every page says of the work in the background, nil if there is
// none.
func (s *site) work(u identify.User) *templates.Work {
	w := s.Service.EncoderWork()
	if w == nil || u.Role == "" {
		return nil
	}
	v := &templates.Work{Key: workKey(w), Sentence: workSentence(*w), Stopped: w.Problem != ""}
	if readable := w.Total - w.Failed; readable > 0 {
		v.Shares, v.Share = true, share(float64(w.Done)/float64(readable))
	}
	if u.Role.Allows(identify.Curator) {
		v.Link = "/encoders"
	}
	return v
}

// workKey changes when the work turns to something else, or rests.
func workKey(w *identify.EncoderWork) string {
	return url.QueryEscape(fmt.Sprintf("%s.%t.%t.%t", w.Model, w.Switch, w.Paused, w.Problem != ""))
}

func workSentence(w identify.EncoderWork) string {
	about := "The stored photos are being read again with " + w.Model + ", and what was taught comes back with them"
	if w.Switch {
		about = w.Model + " is being prepared; the present encoder answers meanwhile"
	}
	read := fmt.Sprintf("%s of %s", number(w.Done), plural(w.Total-w.Failed, "photo", "photos"))
	switch {
	case w.Problem != "":
		return fmt.Sprintf("The work for %s has stopped. %s", w.Model, w.Problem)
	case w.Paused && w.Total == 0:
		return "The work for " + w.Model + " is paused."
	case w.Paused:
		return fmt.Sprintf("The work for %s is paused at %s.", w.Model, read)
	case w.Phase == identify.Opening:
		return w.Model + " is being opened."
	case w.Phase == identify.Folding:
		return about + ": all photos are read, now it learns the log."
	}
	if w.Failed > 0 {
		read += fmt.Sprintf(", %s more cannot be read", number(w.Failed))
	}
	if left := remaining(w.Left); left != "" {
		read += ", " + left
	}
	return about + ": " + read + "."
}

// remaining is "about 3 minutes left", "" where nothing can be said.
func remaining(d time.Duration) string {
	switch {
	case d <= 0:
		return ""
	case d < time.Minute:
		return "less than a minute left"
	case d < 90*time.Minute:
		return "about " + plural(int(d.Round(time.Minute)/time.Minute), "minute", "minutes") + " left"
	}
	return "about " + plural(int(d.Round(time.Hour)/time.Hour), "hour", "hours") + " left"
}

// encoderProgress renews the figures. When the work has turned to something
// else, the page about encoders is read anew, and others say only that.
func (s *site) encoderProgress(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	work := s.work(s.User(r))
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
	return s.render(w, r, http.StatusOK, templates.WorkDone(stats.Encoder.Name+" answers, with "+plural(stats.Exemplars, "exemplar", "exemplars")+"."))
}
