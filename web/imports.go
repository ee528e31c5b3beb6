package web

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"fieldmark/internal/exchange"
	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
	"fieldmark/web/jobs"
)

// imports lists what was imported.
func (s *site) imports(w http.ResponseWriter, r *http.Request) error {
	return s.renderImports(w, r, http.StatusOK, templates.ImportsPage{})
}

func (s *site) renderImports(w http.ResponseWriter, r *http.Request, status int, page templates.ImportsPage) error {
	list, err := s.Service.Imports(r.Context(), s.User(r))
	if err != nil {
		return err
	}
	stats, err := s.Service.Stats(r.Context())
	if err != nil {
		return err
	}
	page.Encoder, page.Jobs = stats.Encoder.Name, s.jobsOf(r, "/imports", jobs.Import, jobs.Preview, jobs.Merge)
	if s.Bundles != nil {
		if page.Waiting, err = s.waitingBundles(r.Context()); err != nil {
			return err
		}
	}
	page.Backup = s.Backup != nil && s.User(r).Role.Allows(identify.Admin)
	for _, m := range list {
		v := importView(r.Context(), m)
		if m.Unfinished() && s.Jobs.Runs(m.Digest) {
			v.State = words.T(r.Context(), "under way")
		}
		page.List = append(page.List, v)
	}
	p := s.page(r, words.T(r.Context(), "Import"), "memory")
	p.Styles = append(p.Styles, "imports.css")
	return s.render(w, r, status, templates.Imports(p, page))
}

func importView(ctx context.Context, m identify.Import) templates.Import {
	v := templates.Import{ID: int64(m.ID), Name: m.Name, By: who(ctx, m.UserName), When: moment(ctx, m.BeganAt),
		Drop: words.T(ctx, "Take it back"), Status: taughtWords(ctx, m)}
	if m.Name == "" {
		v.Name = words.T(ctx, "Import %s", strconv.FormatInt(int64(m.ID), 10))
	}
	switch {
	case m.HalfWithdrawn():
		v.State, v.Drop = words.T(ctx, "half taken back"), words.T(ctx, "Go on taking it back")
	case m.WithdrawnAt != nil:
		v.State, v.Drop = words.T(ctx, "taken back"), ""
	case m.Unfinished() && m.Kind == identify.BundleKind:
		v.State = words.T(ctx, "broken off after %[1]d of %[2]s; look at the bundle again to go on", m.Done, words.T(ctx, "%d rows", m.Total))
	case m.Unfinished():
		v.State = words.T(ctx, "broken off after %[1]d of %[2]s; import the file again to go on", m.Done, words.T(ctx, "%d rows", m.Total))
	}
	return v
}

// importObservations is the list of what came with an import.
func importObservations(id identify.ImportID) string {
	return "/observations?import=" + strconv.FormatInt(int64(id), 10)
}

// taughtWords says what came of an import: "48 lessons taught, 1 known before".
func taughtWords(ctx context.Context, m identify.Import) string {
	clauses := []string{words.T(ctx, "%d lessons taught", m.Taught())}
	if m.Known > 0 {
		clauses = append(clauses, words.T(ctx, "%d known before", m.Known))
	}
	if m.Skipped > 0 {
		clauses = append(clauses, words.T(ctx, "%d left out", m.Skipped))
	}
	return strings.Join(clauses, ", ")
}

// importFile takes a file in, or says what that would do. A file that is taken in
// goes on being so when the answer is there; one that somebody has to decide about
// is kept for a while.
func (s *site) importFile(w http.ResponseWriter, r *http.Request) error {
	if _, err := s.Service.Imports(r.Context(), s.User(r)); err != nil {
		return err // who may not import need not upload a file first
	}
	up, err := readImport(r)
	if err != nil {
		if up.file != nil {
			_ = up.file.Close() // it was only read
		}
		return s.importRefused(w, r, up, err)
	}
	work, opened, source, err := s.importWork(r, up)
	if err != nil {
		_ = up.file.Close()
		return s.importRefused(w, r, up, err)
	}
	plan, err := s.Service.PlanImport(r.Context(), s.User(r), source, opened, identify.ImportOptions{Current: up.current})
	var bad *identify.BadRows
	switch {
	case errors.As(err, &bad) && bad.Good > 0:
		return s.importUndecided(w, r, up, s.Jobs.Hold(work), err)
	case err != nil:
		_ = up.file.Close()
		return s.importRefused(w, r, up, err)
	case up.check:
		page := templates.ImportsPage{Current: up.current, Plan: planView(r.Context(), up.name, plan)}
		page.Held = s.Jobs.Hold(work)
		return s.renderImports(w, r, http.StatusOK, page)
	}
	id, err := s.Jobs.Start(work)
	if err != nil {
		_ = up.file.Close()
		return s.importRefused(w, r, up, err)
	}
	s.Jobs.Wait(r.Context(), id, patience)
	return seeOther(w, r, "/imports")
}

// patience is how long a page waits for an import to end before it shows how far
// it is.
const patience = time.Second

// importWork opens what was uploaded. The work goes on when the request is over.
func (s *site) importWork(r *http.Request, up importUpload) (jobs.Work, identify.ImportFile, identify.ImportSource, error) {
	opened, source, err := exchange.OpenImport(up.file)
	if err != nil {
		return jobs.Work{}, nil, source, err
	}
	source.Name = up.name
	u := s.User(r)
	return jobs.Work{User: u.ID, Kind: jobs.Import, Name: up.name, Of: source.Digest, File: up.file,
		Do: func(ctx context.Context, skipBad bool, told func(identify.ImportProgress)) (jobs.Outcome, error) {
			plan, err := s.Service.PlanImport(ctx, u, source, opened, identify.ImportOptions{Current: up.current, SkipBad: skipBad})
			if err != nil {
				return jobs.Outcome{}, err
			}
			m, err := s.Service.RunImport(ctx, u, plan, opened, told)
			return jobs.Outcome{Import: m}, err
		}}, opened, source, nil
}

// importRefused shows the form with what is wrong with the file.
func (s *site) importRefused(w http.ResponseWriter, r *http.Request, up importUpload, err error) error {
	return s.importUndecided(w, r, up, 0, err)
}

// importUndecided offers to take the good rows, if the file is held.
func (s *site) importUndecided(w http.ResponseWriter, r *http.Request, up importUpload, held int64, err error) error {
	switch identify.KindOf(err) {
	case identify.Invalid, identify.Conflict, identify.TooLarge:
	default:
		return err
	}
	p := problem(r.Context(), err)
	page := templates.ImportsPage{Current: up.current, Problem: p.Message, Held: held}
	var bad *identify.BadRows
	if errors.As(err, &bad) {
		ctx := r.Context()
		page.Bad, page.Good = badRows(ctx, bad.Rows), words.T(ctx, "Take the %d good rows", bad.Good)
		if held != 0 {
			page.Problem = words.T(ctx, "%d rows of this file cannot be taken, so nothing has been taught yet.", bad.Count)
		}
		if more := bad.Count - len(bad.Rows); more > 0 {
			page.MoreBad = words.T(ctx, "and %d more", more)
		}
	}
	return s.renderImports(w, r, p.Status, page)
}

func badRows(ctx context.Context, rows []identify.BadRow) (list []templates.BadRow) {
	for _, x := range rows {
		v := templates.BadRow{Row: say(ctx, x.Name), File: x.Name.Format != "", Message: sentence(ctx, x.Why)}
		if !v.File {
			v.Row = words.T(ctx, "Row %d", x.Row)
		}
		list = append(list, v)
	}
	return list
}

// decideImport says what becomes of a file that is held.
func (s *site) decideImport(w http.ResponseWriter, r *http.Request) error {
	if _, err := s.Service.Imports(r.Context(), s.User(r)); err != nil {
		return err
	}
	id, err := idParam(r, "id")
	if err != nil {
		return err
	}
	if r.FormValue("do") == "drop" {
		s.Jobs.Drop(id, s.User(r).ID)
		return seeOther(w, r, "/imports")
	}
	if err := s.Jobs.Decide(id, s.User(r).ID, r.FormValue("bad") == "skip"); err != nil {
		return err
	}
	s.Jobs.Wait(r.Context(), id, patience)
	return seeOther(w, r, "/imports")
}

// shownNames is how many new names a plan lists.
const shownNames = 20

func planView(ctx context.Context, name string, p identify.ImportPlan) *templates.ImportPlan {
	v := &templates.ImportPlan{File: name,
		Sum: words.T(ctx, "%[1]s of %[2]s", words.T(ctx, "%d rows", p.Source.Total), words.T(ctx, "%d taxa", len(p.Labels)))}
	for _, n := range p.Notes {
		v.Notes = append(v.Notes, say(ctx, n))
	}
	if p.Resumes != nil {
		v.Notes = append(v.Notes, words.T(ctx, "An import of this file was broken off after %d of its rows, and goes on there.", p.Resumes.Done))
	}
	for _, l := range p.Labels {
		if l.Taxon.ID != 0 {
			continue
		}
		name := templates.NewName{Name: l.Label}
		for _, t := range l.Near {
			name.Near = append(name.Near, nameOf(ctx, t))
		}
		v.New = append(v.New, name)
	}
	if more := len(v.New) - shownNames; more > 0 {
		v.New, v.More = v.New[:shownNames], words.T(ctx, "and %d more", more)
	}
	return v
}

// withdrawImport takes an import back as a whole.
func (s *site) withdrawImport(w http.ResponseWriter, r *http.Request) error {
	id, err := idParam(r, "id")
	if err != nil {
		return err
	}
	if _, err := s.Service.WithdrawImport(r.Context(), s.User(r), identify.ImportID(id), func(identify.ImportProgress) {}); err != nil {
		return err
	}
	return seeOther(w, r, "/imports")
}
