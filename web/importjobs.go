package web

import (
	"context"
	"net/http"

	"fieldmark/internal/words"
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

// importJobs describes what the user began since the server started. What is done
// without a row that was left out is told in the list of imports alone.
func (s *site) importJobs(r *http.Request) templates.ImportJobList {
	var list templates.ImportJobList
	for _, j := range s.Jobs.Of(s.User(r).ID) {
		if j.State != jobs.Done || len(j.Progress.Bad) > 0 {
			list = append(list, jobView(r.Context(), j))
		}
	}
	return list
}

func jobView(ctx context.Context, j jobs.Job) templates.ImportJob {
	v := templates.ImportJob{Name: j.Name, Running: j.State == jobs.Running, Failed: j.State == jobs.Failed}
	switch p := j.Progress; j.State {
	case jobs.Running:
		v.Sentence = words.T(ctx, "it is being checked.")
		if p.Total > 0 {
			v.Share = share(ctx, float64(p.Done)/float64(p.Total))
			v.Sentence = words.T(ctx, "%[1]d of %[2]s taken in", p.Done, words.T(ctx, "%d rows", p.Total))
			if left := remaining(ctx, p.Left); left != "" && p.Done < p.Total {
				v.Sentence += ", " + left
			}
			v.Sentence += "."
		}
	case jobs.Done:
		v.Sentence = taughtWords(ctx, j.Import) + "."
	case jobs.Failed:
		v.Sentence = words.T(ctx, "it stopped.") + " " + problem(ctx, j.Err).Message
	}
	v.Bad = badRows(ctx, j.Progress.Bad)
	return v
}
