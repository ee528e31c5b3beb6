package web

import (
	"cmp"
	"context"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"strconv"

	"github.com/go-chi/chi/v5"

	"fieldmark/internal/exchange"
	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
	"fieldmark/web/jobs"
)

// checklists is where a checklist is chosen.
func (s *site) checklists(w http.ResponseWriter, r *http.Request) error {
	return s.renderChecklists(w, r, http.StatusOK, templates.ChecklistPage{})
}

func (s *site) renderChecklists(w http.ResponseWriter, r *http.Request, status int, page templates.ChecklistPage) error {
	if err := s.mayTakeChecklists(r); err != nil {
		return err
	}
	page.Jobs = s.jobsOf(r, "/taxa/import", jobs.Checklist)
	p := s.namesPage(r, words.T(r.Context(), "Checklists"))
	p.Styles = append(p.Styles, "imports.css")
	return s.render(w, r, status, templates.Checklists(p, page))
}

// mayTakeChecklists is asked before a file is read.
func (s *site) mayTakeChecklists(r *http.Request) error {
	if !s.User(r).Role.Allows(identify.Curator) {
		return identify.Errorf(identify.Forbidden, "", "Taking in checklists takes the role “curator” or more.")
	}
	return nil
}

func (s *site) refuseChecklist(w http.ResponseWriter, r *http.Request, err error) error {
	switch identify.KindOf(err) {
	case identify.Invalid, identify.Conflict, identify.TooLarge:
		p := problem(r.Context(), err)
		return s.renderChecklists(w, r, p.Status, templates.ChecklistPage{Problem: p.Message})
	}
	return err
}

// uploadChecklist keeps the file and shows what would come of it.
func (s *site) uploadChecklist(w http.ResponseWriter, r *http.Request) error {
	if err := s.mayTakeChecklists(r); err != nil {
		return err
	}
	part, err := filePart(r)
	if err != nil {
		return s.refuseChecklist(w, r, err)
	}
	id, err := s.Checklists.Put(part)
	if err != nil {
		return s.refuseChecklist(w, r, err)
	}
	if _, err := s.checklistFile(id, part.FileName()); err != nil {
		return s.refuseChecklist(w, r, err)
	}
	return seeOther(w, r, checklistPath(id, part.FileName()))
}

// checklistPath is the page of a checklist that is kept.
func checklistPath(id, name string) string {
	return "/taxa/import/" + id + "?" + url.Values{"name": {name}}.Encode()
}

// filePart is the file of a form.
func filePart(r *http.Request) (*multipart.Part, error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, identify.Errorf(identify.Invalid, "file", "Choose a file first.")
	}
	for {
		part, err := parts.NextPart()
		if err != nil {
			return nil, identify.Errorf(identify.Invalid, "file", "Choose a file first.")
		}
		if part.FormName() == "file" && part.FileName() != "" {
			return part, nil
		}
	}
}

func (s *site) checklistFile(id, name string) (identify.Checklist, error) {
	f, err := s.Checklists.Open(id)
	if err != nil {
		return identify.Checklist{}, err
	}
	defer f.Close()
	return readChecklist(f, name)
}

func readChecklist(f *os.File, name string) (identify.Checklist, error) {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return identify.Checklist{}, err
	}
	return exchange.ReadChecklist(f, size, name)
}

// checklist shows what would come of a file that is kept.
func (s *site) checklist(w http.ResponseWriter, r *http.Request) error {
	return s.renderChecklist(w, r, http.StatusOK, templates.ChecklistPlan{})
}

func (s *site) renderChecklist(w http.ResponseWriter, r *http.Request, status int, view templates.ChecklistPlan) error {
	if err := s.mayTakeChecklists(r); err != nil {
		return err
	}
	id, name := chi.URLParam(r, "file"), r.URL.Query().Get("name")
	list, err := s.checklistFile(id, name)
	if err != nil {
		return s.refuseChecklist(w, r, err)
	}
	plan, err := s.Taxa.PlanChecklist(r.Context(), s.User(r), list)
	if err != nil {
		return s.refuseChecklist(w, r, err)
	}
	fillChecklist(r.Context(), &view, plan)
	view.Action = checklistPath(id, name)
	return s.renderChecklists(w, r, status, templates.ChecklistPage{Plan: &view})
}

// takeChecklist takes in what was shown, which goes on when the answer is there. What
// is wrong with the form is said at once.
func (s *site) takeChecklist(w http.ResponseWriter, r *http.Request) error {
	if err := s.mayTakeChecklists(r); err != nil {
		return err
	}
	if err := parseForm(r); err != nil {
		return err
	}
	choice := identify.ChecklistChoice{Changes: r.PostForm.Get("changes") != "", Set: r.PostForm.Get("set")}
	refused := func(err error) error {
		p := problem(r.Context(), err)
		return s.renderChecklist(w, r, p.Status, templates.ChecklistPlan{Set: choice.Set, Changes: choice.Changes, SetProblem: p.Message})
	}
	work, err := s.checklistWork(r, choice)
	if err != nil {
		return s.refuseChecklist(w, r, err)
	}
	id, err := s.Jobs.Start(work)
	if err != nil {
		_ = work.File.Close() // it was only read
		return refused(err)
	}
	s.Jobs.Wait(r.Context(), id, patience)
	j, err := s.Jobs.Job(id, work.User)
	if err != nil {
		return err
	}
	if kind := identify.KindOf(j.Err); j.State == jobs.Failed && (kind == identify.Invalid || kind == identify.Conflict) {
		s.Jobs.Forget(id, work.User)
		return refused(j.Err)
	}
	return seeOther(w, r, jobPath(id))
}

// checklistWork opens a checklist that is kept, to be read anew and taken in as a
// whole. Then it leaves the shelf.
func (s *site) checklistWork(r *http.Request, choice identify.ChecklistChoice) (jobs.Work, error) {
	id, name, u := chi.URLParam(r, "file"), r.URL.Query().Get("name"), s.User(r)
	f, err := s.Checklists.Open(id)
	if err != nil {
		return jobs.Work{}, err
	}
	return jobs.Work{User: u.ID, Kind: jobs.Checklist, Name: name, Of: id, From: checklistPath(id, name), File: f,
		Do: func(ctx context.Context, _ bool, told func(identify.ImportProgress)) (out jobs.Outcome, err error) {
			list, err := readChecklist(f, name)
			if err != nil {
				return out, err
			}
			if out.Checklist, err = s.Taxa.TakeChecklist(ctx, u, list, choice, told); err != nil && !out.Checklist.Pending {
				return out, err
			}
			if wrong := s.Checklists.Remove(id); wrong != nil {
				s.Log.WarnContext(ctx, "a checklist that was taken in is still on its shelf", "error", wrong)
			}
			return out, err
		}}, nil
}

// linesShown is how many rows of a checklist are listed of each kind.
const linesShown = 200

func fillChecklist(ctx context.Context, v *templates.ChecklistPlan, p identify.ChecklistPlan) {
	v.Name, v.CanTake = p.Name, len(p.Taxa) > 0
	v.Sum = words.T(ctx, "%d rows, %s among them.", p.Rows, words.T(ctx, "%d synonyms", p.Synonyms))
	v.Figures = []templates.Figure{counted(ctx, p.New, words.Key("new taxa")), counted(ctx, p.Known, words.Key("known")), counted(ctx, p.Changed, words.Key("told otherwise")),
		counted(ctx, len(p.Problems), words.Key("rows left out"))}
	for _, t := range p.Taxa {
		name := nameOf(ctx, t.Taxon)
		line := templates.ChecklistLine{Line: lineName(ctx, t.Line), Name: name, Scientific: unlike(t.Taxon.ScientificName, name)}
		switch {
		case t.State == identify.ChecklistNew && len(v.New) < linesShown:
			line.Detail = detail(ctx, t.Taxon.Rank, t.Taxon.Group, false)
			v.New = append(v.New, line)
		case t.State == identify.ChecklistChanged:
			for _, change := range t.Changes {
				if len(v.Changed) < linesShown {
					line.Detail = difference(ctx, change)
					v.Changed = append(v.Changed, line)
				}
			}
		}
	}
	for _, x := range p.Problems[:min(linesShown, len(p.Problems))] {
		v.Problems = append(v.Problems, templates.ChecklistLine{Line: lineName(ctx, x.Line), Name: x.Name, Detail: problem(ctx, x.Why).Message})
	}
	v.MoreNew, v.MoreProblems = others(ctx, p.New-len(v.New)), others(ctx, len(p.Problems)-len(v.Problems))
	if len(v.Changed) == linesShown {
		v.MoreChanged = words.T(ctx, "and more.")
	}
}

// difference says what a checklist has otherwise than it is here.
func difference(ctx context.Context, d identify.TaxonDifference) string {
	orNone := func(name string) string { return cmp.Or(name, words.T(ctx, "none")) }
	switch d.In {
	case identify.PartScientificName:
		return words.T(ctx, "scientific name: %s → %s", orNone(d.Before), d.After)
	case identify.PartEnglishName:
		return words.T(ctx, "English name: %s → %s", orNone(d.Before), d.After)
	case identify.PartRank:
		return words.T(ctx, "rank: %s → %s", rankWord(ctx, identify.Rank(d.Before)), rankWord(ctx, identify.Rank(d.After)))
	case identify.PartPlace:
		return words.T(ctx, "above it: %s → %s", orNone(d.Before), orNone(d.After))
	case identify.PartSynonyms:
		return words.T(ctx, "more synonyms: %s", d.After)
	}
	return words.T(ctx, "in other languages: %s", d.After)
}

// lineName is a row's line; what only stands above others has none.
func lineName(ctx context.Context, line int) string {
	if line == 0 {
		return words.T(ctx, "above")
	}
	return words.T(ctx, "line %s", strconv.Itoa(line))
}

func others(ctx context.Context, n int) string {
	if n <= 0 {
		return ""
	}
	return words.T(ctx, "and %d more.", n)
}
