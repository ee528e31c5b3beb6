package web

import (
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path"

	"fieldmark/internal/exchange"
	"fieldmark/internal/identify"
	"fieldmark/templates"
	"fieldmark/web/spool"
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
	page.Encoder = stats.Encoder.Name
	for _, m := range list {
		page.List = append(page.List, importView(m))
	}
	return s.render(w, r, status, templates.Imports(s.page(r, "Import", "memory"), page))
}

func importView(m identify.Import) templates.Import {
	v := templates.Import{ID: int64(m.ID), Name: m.Name, By: m.UserName, When: moment(m.BeganAt), Drop: "Take it back",
		Status: plural(m.Taught(), "lesson", "lessons") + " taught"}
	if m.Name == "" {
		v.Name = fmt.Sprintf("Import %d", m.ID)
	}
	if m.Known > 0 {
		v.Status += fmt.Sprintf(", %s known before", number(m.Known))
	}
	switch {
	case m.HalfWithdrawn():
		v.State, v.Drop = "half taken back", "Go on taking it back"
	case m.WithdrawnAt != nil:
		v.State, v.Drop = "taken back", ""
	case m.Unfinished():
		v.State = fmt.Sprintf("broken off after %s of %s rows; import the file again to go on", number(m.Done), number(m.Total))
	}
	return v
}

// importUpload is the form of an import.
type importUpload struct {
	file    *os.File
	name    string
	current bool
	check   bool // only check it
}

// importFile takes a file in, or says what that would do.
func (s *site) importFile(w http.ResponseWriter, r *http.Request) error {
	if _, err := s.Service.Imports(r.Context(), s.User(r)); err != nil {
		return err // who may not import need not upload a file first
	}
	up, err := readImport(r)
	if up.file != nil {
		defer up.file.Close()
	}
	var plan identify.ImportPlan
	if err == nil {
		plan, err = s.takeIn(r, up)
	}
	page := templates.ImportsPage{Current: up.current}
	switch identify.KindOf(err) {
	case identify.Invalid, identify.Conflict, identify.TooLarge:
		p := problem(err)
		page.Problem = p.Message
		var bad *identify.BadRows
		if errors.As(err, &bad) {
			for _, x := range bad.Rows {
				page.Bad = append(page.Bad, templates.BadRow{Row: "Row " + number(x.Row), Message: x.Message})
			}
		}
		return s.renderImports(w, r, p.Status, page)
	}
	if err != nil {
		return err
	}
	if up.check {
		page.Plan = planView(up.name, plan)
		return s.renderImports(w, r, http.StatusOK, page)
	}
	return seeOther(w, r, "/imports")
}

// takeIn plans an import, and does it unless it was only to be checked.
func (s *site) takeIn(r *http.Request, up importUpload) (identify.ImportPlan, error) {
	npz, source, err := exchange.OpenNPZFile(up.file)
	if err != nil {
		return identify.ImportPlan{}, err
	}
	source.Name = up.name
	plan, err := s.Service.PlanImport(r.Context(), s.User(r), source, npz, up.current)
	if err != nil || up.check {
		return plan, err
	}
	_, err = s.Service.RunImport(r.Context(), s.User(r), plan, npz, func(identify.ImportProgress) {})
	return plan, err
}

// readImport reads the form; its file may be open with an error, too.
func readImport(r *http.Request) (up importUpload, err error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return up, identify.Errorf(identify.Invalid, "file", "Send the file as a form.")
	}
	for {
		part, err := parts.NextPart()
		switch {
		case errors.Is(err, io.EOF) && up.file == nil:
			return up, identify.Errorf(identify.Invalid, "file", "Choose a file first, then send it.")
		case errors.Is(err, io.EOF):
			return up, nil
		case err != nil:
			return up, spool.Broken(err)
		}
		if err := up.read(part); err != nil {
			return up, err
		}
	}
}

func (up *importUpload) read(part *multipart.Part) (err error) {
	if part.FormName() == "file" && up.file == nil {
		up.name = path.Base("/" + part.FileName())
		up.file, err = spool.Take(part)
		return err
	}
	value, err := io.ReadAll(io.LimitReader(part, 32))
	switch part.FormName() {
	case "encoder":
		up.current = string(value) == "current"
	case "do":
		up.check = string(value) == "check"
	}
	if err != nil {
		return spool.Broken(err)
	}
	return nil
}

// shownNames is how many new names a plan lists.
const shownNames = 20

func planView(name string, p identify.ImportPlan) *templates.ImportPlan {
	v := &templates.ImportPlan{File: name, New: p.New(),
		Sum: plural(p.Source.Total, "row", "rows") + " of " + plural(len(p.Labels), "taxon", "taxa")}
	if more := len(v.New) - shownNames; more > 0 {
		v.New, v.More = v.New[:shownNames], "and "+number(more)+" more"
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
