package web

import (
	"context"
	"fmt"
	"net/http"

	"fieldmark/templates"
	"fieldmark/web/jobs"
)

// importProgress renews what is said of the imports under way; when the last has
// ended the whole page is read anew.
func (s *site) importProgress(w http.ResponseWriter, r *http.Request) error {
	list := s.importJobs(r)
	if !list.Running() {
		w.Header().Set("HX-Refresh", "true")
	}
	return s.render(w, r, http.StatusOK, templates.ImportJobs(list))
}

// importJobs describes what the user began since the server started.
func (s *site) importJobs(r *http.Request) templates.ImportJobList {
	var list templates.ImportJobList
	for _, j := range s.Jobs.Of(s.User(r).ID) {
		list = append(list, jobView(r.Context(), j))
	}
	return list
}

func jobView(ctx context.Context, j jobs.Job) templates.ImportJob {
	v := templates.ImportJob{Name: j.Name, Running: j.State == jobs.Running, Failed: j.State == jobs.Failed}
	switch p := j.Progress; j.State {
	case jobs.Running:
		v.Sentence = "it is being checked."
		if p.Total > 0 {
			v.Share = share(float64(p.Done) / float64(p.Total))
			v.Sentence = fmt.Sprintf("%s of %s taken in", number(p.Done), plural(p.Total, "row", "rows"))
			if left := remaining(p.Left); left != "" && p.Done < p.Total {
				v.Sentence += ", " + left
			}
			v.Sentence += "."
		}
	case jobs.Done:
		v.Sentence = plural(j.Import.Taught(), "lesson", "lessons") + " taught"
		if j.Import.Known > 0 {
			v.Sentence += ", " + number(j.Import.Known) + " known before"
		}
		if j.Import.Skipped > 0 {
			v.Sentence += ", " + number(j.Import.Skipped) + " left out"
		}
		v.Sentence += "."
	case jobs.Failed:
		v.Sentence = "it stopped. " + problem(ctx, j.Err).Message
	}
	v.Bad = badRows(j.Progress.Bad)
	return v
}
