package web

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// WorkshopService is what the pages about workshops need; *identify.Workshops has it.
type WorkshopService interface {
	Start(ctx context.Context, u identify.User, p identify.WorkshopPlan) (identify.Workshop, error)
	Workshops(ctx context.Context, u identify.User) ([]identify.Workshop, error)
	Workshop(ctx context.Context, u identify.User, id identify.WorkshopID) (identify.Workshop, []identify.WorkshopGuest, error)
	Mine(ctx context.Context, u identify.User) (identify.Workshop, error)
	Joined(ctx context.Context, u identify.User) (x identify.Workshop, joined bool)
	Extend(ctx context.Context, u identify.User, id identify.WorkshopID, lasts time.Duration) error
	End(ctx context.Context, u identify.User, id identify.WorkshopID) error
	Reset(ctx context.Context, u identify.User, id identify.WorkshopID, own bool) (lessons int, err error)
	Restore(ctx context.Context, u identify.User, id identify.WorkshopID) (lessons int, err error)
	Bundle(ctx context.Context, u identify.User, id identify.WorkshopID) (*identify.OutgoingBundle, error)
	ProjectorService
}

func (s *site) workshopRoutes(r chi.Router) {
	r.Get("/workshop", s.handle(s.workshops))
	r.Get("/workshop/mine", s.handle(s.myWorkshop))
	r.Get("/workshop/{id}", s.handle(s.workshop))
	r.Get("/workshop/{id}/reset", s.handle(s.resetPage))
	r.Get("/workshop/{id}/bundle", s.handle(s.workshopBundle))
	s.projectorRoutes(r)
	r.Group(func(r chi.Router) {
		r.Use(limitBody(formLimit))
		r.Post("/workshop", s.handle(s.startWorkshop))
		r.Post("/workshop/{id}/extend", s.handle(s.extendWorkshop))
		r.Post("/workshop/{id}/end", s.handle(s.endWorkshop))
		r.Post("/workshop/{id}/reset", s.handle(s.resetWorkshop))
		r.Post("/workshop/{id}/restore", s.handle(s.restoreWorkshop))
		r.Post("/workshop/{id}/guests/{guest}/return", s.handle(s.letGuestBackIn))
		r.Post("/workshop/{id}/guests/{guest}/{what}", s.handle(s.changeGuest))
	})
}

func (s *site) workshopPage(r *http.Request, title string) templates.Page {
	p := s.page(r, title, "workshop")
	p.Styles = []string{"people.css", "workshop.css"}
	return p
}

// workshops is the page on which one is started.
func (s *site) workshops(w http.ResponseWriter, r *http.Request) error {
	return s.renderWorkshops(w, r, http.StatusOK, templates.WorkshopForm{})
}

func (s *site) renderWorkshops(w http.ResponseWriter, r *http.Request, status int, form templates.WorkshopForm) error {
	list, err := s.Workshops.Workshops(r.Context(), s.User(r))
	if err != nil {
		return err
	}
	sets, err := s.Service.LabelSets(r.Context())
	if err != nil {
		return err
	}
	page := templates.WorkshopsPage{Form: form, Reach: s.reachView(r)}
	for _, role := range []identify.Role{identify.Expert, identify.Viewer} {
		label := words.T(r.Context(), "expert: send photos and teach names")
		if role == identify.Viewer {
			label = words.T(r.Context(), "viewer: look only")
		}
		page.Form.Roles = append(page.Form.Roles, templates.Option{Value: string(role), Label: label, Selected: form.Role == string(role)})
	}
	chosen, _ := strconv.ParseInt(form.Set, 10, 64)
	page.Form.Sets = s.setOptions(r.Context(), sets, identify.LabelSetID(chosen))
	page.Form.Hours = cmp.Or(form.Hours, "3")
	now := time.Now()
	for _, x := range list {
		page.List = append(page.List, workshopView(r.Context(), x, now))
	}
	return s.render(w, r, status, templates.Workshops(s.workshopPage(r, words.T(r.Context(), "Workshops")), page))
}

func (s *site) startWorkshop(w http.ResponseWriter, r *http.Request) error {
	if err := parseForm(r); err != nil {
		return err
	}
	f := r.PostForm
	form := templates.WorkshopForm{Title: strings.TrimSpace(f.Get("title")), Role: f.Get("role"), Set: f.Get("label_set"), Hours: f.Get("hours")}
	set, err := labelSetParam(form.Set)
	if err != nil {
		return err
	}
	x, err := s.Workshops.Start(r.Context(), s.User(r), identify.WorkshopPlan{Title: form.Title, Role: identify.Role(cmp.Or(form.Role, string(identify.Expert))),
		LabelSet: set, Lasts: typedHours(form.Hours, "3")})
	if kind := identify.KindOf(err); kind == identify.Invalid || kind == identify.NotFound && fieldOf(err) == "label_set" {
		form.Field, form.Problem = fieldOf(err), problem(r.Context(), err).Message
		return s.renderWorkshops(w, r, problem(r.Context(), err).Status, form)
	} else if err != nil {
		return err
	}
	return seeOther(w, r, workshopPath(x.ID))
}

// typedHours is a time that someone typed, in hours; 0, which nothing takes, for what
// is none.
func typedHours(text, def string) time.Duration {
	h, err := strconv.ParseFloat(strings.Replace(cmp.Or(text, def), ",", ".", 1), 64)
	if err != nil || !(h > 0 && h < 10_000) {
		return 0
	}
	return time.Duration(h * float64(time.Hour))
}

func workshopPath(id identify.WorkshopID) string { return fmt.Sprintf("/workshop/%d", id) }

// workshopParam is the workshop of an address.
func workshopParam(r *http.Request) (identify.WorkshopID, error) {
	id, err := idParam(r, "id")
	return identify.WorkshopID(id), err
}

// workshop is its host's page.
func (s *site) workshop(w http.ResponseWriter, r *http.Request) error {
	return s.renderWorkshop(w, r, http.StatusOK, templates.WorkshopPage{})
}

// renderWorkshop fills in how a workshop stands; page has what was just done. A fragment
// is what of it changes while the workshop goes on.
func (s *site) renderWorkshop(w http.ResponseWriter, r *http.Request, status int, page templates.WorkshopPage) error {
	id, err := workshopParam(r)
	if err != nil {
		return err
	}
	x, guests, err := s.Workshops.Workshop(r.Context(), s.User(r), id)
	if err != nil {
		return err
	}
	now := time.Now()
	page.Workshop = workshopView(r.Context(), x, now)
	for _, g := range guests {
		page.Guests = append(page.Guests, guestView(r.Context(), x, g, now))
	}
	if isFragment(r) {
		return s.render(w, r, status, templates.WorkshopNow(page))
	}
	page.Reach = s.reachView(r)
	if sets, err := s.Service.LabelSets(r.Context()); err == nil {
		for _, set := range sets {
			if set.ID == x.LabelSet {
				page.Set = labelSetName(r.Context(), set)
			}
		}
	}
	page.Said = cmp.Or(page.Said, saidOfWorkshop(r.Context(), r.URL.Query().Get("did"), typedNumber(r.URL.Query().Get("n"), 0)))
	p := s.workshopPage(r, x.Title)
	p.Scripts = []string{"host.js"}
	return s.render(w, r, status, templates.WorkshopHost(p, page))
}

// saidOfWorkshop tells what was just done.
func saidOfWorkshop(ctx context.Context, did string, n int) string {
	switch did {
	case "reset":
		return words.T(ctx, "%d lessons have left the memory. Nothing is erased.", n)
	case "restore":
		return words.T(ctx, "%d lessons are back in the memory.", n)
	case "end":
		return words.T(ctx, "The workshop is over. The code opens nothing more, and the guests are signed out.")
	case "extend":
		return words.T(ctx, "The workshop goes on.")
	}
	return ""
}

// decided goes back to the host's page, and says there what could not be done.
func (s *site) decidedWorkshop(w http.ResponseWriter, r *http.Request, did string, n int, err error) error {
	if kind := identify.KindOf(err); kind == identify.Conflict || kind == identify.Invalid {
		p := problem(r.Context(), err)
		return s.renderWorkshop(w, r, p.Status, templates.WorkshopPage{Problem: p.Message})
	} else if err != nil {
		return err
	}
	path := "/workshop/" + chi.URLParam(r, "id")
	if did != "" {
		path += fmt.Sprintf("?did=%s&n=%d", did, n)
	}
	return seeOther(w, r, path)
}

func (s *site) extendWorkshop(w http.ResponseWriter, r *http.Request) error {
	id, err := workshopParam(r)
	if err != nil {
		return err
	}
	if err := parseForm(r); err != nil {
		return err
	}
	return s.decidedWorkshop(w, r, "extend", 0, s.Workshops.Extend(r.Context(), s.User(r), id, typedHours(r.PostForm.Get("hours"), "1")))
}

// myPhotos is how many of their photos guests see.
const myPhotos = 60

func workshopView(ctx context.Context, x identify.Workshop, now time.Time) templates.Workshop {
	v := templates.Workshop{ID: int64(x.ID), Title: x.Title, Code: x.Code, GuestsAre: words.T(ctx, "Guests are experts."), Host: x.HostName, Open: x.Open(now), Reset: x.ResetAt != nil,
		Started: moment(ctx, x.StartedAt), Ends: moment(ctx, x.EndsAt), Guests: x.Guests, Photos: x.Photos, Lessons: x.Lessons, HasLessons: x.Lessons > 0, CanExtend: x.EndedAt == nil}
	if x.Role == identify.Viewer {
		v.GuestsAre = words.T(ctx, "Guests are viewers.")
	}
	if x.EndedAt != nil {
		v.Ends = moment(ctx, *x.EndedAt)
	}
	return v
}

func (s *site) reachView(r *http.Request) templates.Reach {
	if s.Reach == nil {
		return templates.Reach{}
	}
	reach := s.Reach()
	v := templates.Reach{Local: reach.Local, SelfSigned: reach.SelfSigned, Listen: reach.Listen}
	list := s.origins(r, reach)
	chosen := chosenOrigin(list, r.URL.Query().Get("at"))
	for _, o := range list {
		v.Origins = append(v.Origins, templates.Option{Value: o, Label: o, Selected: o == chosen})
	}
	return v
}
