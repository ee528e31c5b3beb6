package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
	"fieldmark/web/jobs"
)

// jobPath is the page of a job.
func jobPath(id int64) string { return "/jobs/" + strconv.FormatInt(id, 10) }

// job says how far something is that the user began to take in, or what came of it.
func (s *site) job(w http.ResponseWriter, r *http.Request) error {
	j, err := s.jobParam(r)
	if err != nil {
		return err
	}
	if j.Kind == jobs.Preview && j.State == jobs.Done {
		return seeOther(w, r, j.From)
	}
	section, v := "memory", templates.JobPage{Back: "/imports", Whole: j.Kind == jobs.Checklist, Looks: j.Kind == jobs.Preview, Jobs: jobList(r.Context(), []jobs.Job{j})}
	switch j.Kind {
	case jobs.Preview:
		v.Back, v.Title = "/bundles", words.T(r.Context(), "A bundle is looked through")
	case jobs.Merge:
		v.Back, v.Title = "/bundles", words.T(r.Context(), "A bundle is taken in")
	case jobs.Checklist:
		section, v.Back, v.Title = "names", "/taxa/import", words.T(r.Context(), "A checklist is taken in")
	default:
		v.Title = words.T(r.Context(), "A file is taken in")
	}
	v.Jobs.Renew = "/jobs/progress?" + url.Values{"id": {strconv.FormatInt(j.ID, 10)}}.Encode()
	p := s.page(r, v.Title, section)
	p.Styles, p.Renewed = []string{"imports.css"}, v.Jobs.Running()
	return s.render(w, r, http.StatusOK, templates.Job(p, v))
}

func (s *site) jobParam(r *http.Request) (jobs.Job, error) {
	id, err := idParam(r, "id")
	if err != nil {
		return jobs.Job{}, err
	}
	return s.Jobs.Job(id, s.User(r).ID)
}

// stopJob ends what is being taken in; what was stored stays.
func (s *site) stopJob(w http.ResponseWriter, r *http.Request) error {
	j, err := s.jobParam(r)
	if err != nil {
		return err
	}
	if err := s.Jobs.Stop(j.ID, j.User); err != nil {
		return err
	}
	s.Jobs.Wait(r.Context(), j.ID, patience)
	return seeOther(w, r, jobPath(j.ID))
}

// jobsProgress renews what is said of the jobs of some kinds, or of one; when the last
// has ended the whole page is read anew.
func (s *site) jobsProgress(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	id, err := strconv.ParseInt(q.Get("id"), 10, 64)
	var kinds []jobs.Kind
	for _, k := range q["of"] {
		kinds = append(kinds, jobs.Kind(k))
	}
	list := s.shownJobs(r, func(j jobs.Job) bool { return err == nil && j.ID == id || slices.Contains(kinds, j.Kind) })
	if list.Renew = r.URL.RequestURI(); !list.Running() {
		w.Header().Set("HX-Refresh", "true")
	}
	return s.render(w, r, http.StatusOK, templates.ImportJobs(list))
}

// jobsOf describes what the user began on a page since the server started.
func (s *site) jobsOf(r *http.Request, page string, kinds ...jobs.Kind) templates.ImportJobList {
	q := url.Values{}
	for _, k := range kinds {
		q.Add("of", string(k))
	}
	list := s.shownJobs(r, func(j jobs.Job) bool { return slices.Contains(kinds, j.Kind) })
	list.Renew, list.Again = "/jobs/progress?"+q.Encode(), page
	return list
}

// shownJobs describes some of a user's jobs. Of what is done without a row that was
// left out the list of imports tells.
func (s *site) shownJobs(r *http.Request, which func(jobs.Job) bool) templates.ImportJobList {
	list := slices.DeleteFunc(s.Jobs.Of(s.User(r).ID), func(j jobs.Job) bool {
		return !which(j) || j.State == jobs.Done && len(j.Progress.Bad) == 0 && j.Kind != jobs.Checklist
	})
	return jobList(r.Context(), list)
}

func jobList(ctx context.Context, list []jobs.Job) templates.ImportJobList {
	var v templates.ImportJobList
	for _, j := range list {
		v.Jobs = append(v.Jobs, jobView(ctx, j))
	}
	return v
}

func jobView(ctx context.Context, j jobs.Job) templates.ImportJob {
	v := templates.ImportJob{ID: j.ID, Name: j.Name, Running: j.State == jobs.Running, Failed: j.State == jobs.Failed, Bad: badRows(ctx, j.Progress.Bad)}
	if j.Outcome.Import.Done > 0 {
		v.Links = append(v.Links, templates.Link{Text: words.T(ctx, "See what came"), Path: importObservations(j.Outcome.Import.ID)},
			templates.Link{Text: words.T(ctx, "Take it back under Import"), Path: "/imports"})
	}
	if set := j.Outcome.Checklist.Set; set != 0 {
		v.Links = append(v.Links, templates.Link{Text: words.T(ctx, "Look at the label set"), Path: labelSetPath(set)})
	}
	switch j.State {
	case jobs.Running:
		v.Sentence = underWay(ctx, j.Kind, j.Progress)
		if p := j.Progress; p.Total > 0 {
			v.Share = share(ctx, float64(p.Done)/float64(p.Total))
		}
	case jobs.Done:
		if v.Sentence = taughtWords(ctx, j.Outcome.Import) + "."; j.Kind == jobs.Checklist {
			v.Sentence = words.T(ctx, "%[1]s new, %[2]d changed.", words.T(ctx, "%d taxa", j.Outcome.Checklist.New), j.Outcome.Checklist.Changed)
		}
	default:
		refused := j.Kind == jobs.Preview && identify.KindOf(j.Err) == identify.Invalid
		if v.Sentence = stopped(ctx, j); j.From != "" && !refused && !j.Outcome.Checklist.Pending {
			v.Links = append(v.Links, templates.Link{Text: words.T(ctx, "Look at it again, to go on"), Path: j.From})
		}
	}
	return v
}

// underWay says how far something is.
func underWay(ctx context.Context, kind jobs.Kind, p identify.ImportProgress) string {
	if p.Total == 0 {
		return words.T(ctx, "it is being checked.")
	}
	var sentence string
	switch kind {
	case jobs.Preview:
		sentence = words.T(ctx, "%s of it looked through", words.Percent(ctx, float64(p.Done)/float64(p.Total)))
	case jobs.Checklist:
		sentence = words.T(ctx, "%[1]d of %[2]s taken in", p.Done, words.T(ctx, "%d taxa", p.Total))
	default:
		sentence = words.T(ctx, "%[1]d of %[2]s taken in", p.Done, words.T(ctx, "%d rows", p.Total))
	}
	if left := remaining(ctx, p.Left); left != "" && p.Done < p.Total {
		sentence += ", " + left
	}
	return sentence + "."
}

// stopped says where something stopped, and why.
func stopped(ctx context.Context, j jobs.Job) string {
	sentence := words.T(ctx, "it stopped.")
	switch m := j.Outcome.Import; {
	case j.Kind == jobs.Preview:
		sentence += " " + words.T(ctx, "Nothing of it has been taught.")
	case j.Outcome.Checklist.Pending:
		sentence = words.T(ctx, "it is written down, and goes on by itself until all of it is taken in.")
	case j.Kind == jobs.Checklist || m.Done == 0:
		sentence += " " + words.T(ctx, "Nothing of it was kept.")
	default:
		sentence += " " + words.T(ctx, "What came before stays: %[1]d of %[2]s.", m.Done, words.T(ctx, "%d rows", m.Total))
	}
	if j.Err != nil {
		sentence += " " + problem(ctx, j.Err).Message
	}
	return sentence
}
