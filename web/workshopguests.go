package web

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// changeGuest does something about one guest of a workshop.
func (s *site) changeGuest(w http.ResponseWriter, r *http.Request) error {
	x, g, err := s.guestParam(r)
	if err != nil {
		return err
	}
	if err := parseForm(r); err != nil {
		return err
	}
	return s.decidedWorkshop(w, r, "", 0, s.doToGuest(r, x, g.ID))
}

// guestParam is the workshop of an address, and the guest.
func (s *site) guestParam(r *http.Request) (x identify.Workshop, g identify.WorkshopGuest, err error) {
	id, err := workshopParam(r)
	if err != nil {
		return x, g, err
	}
	guest, err := idParam(r, "guest")
	if err != nil {
		return x, g, err
	}
	x, guests, err := s.Workshops.Workshop(r.Context(), s.User(r), id)
	if err != nil {
		return x, g, err
	}
	for _, g := range guests {
		if int64(g.ID) == guest {
			return x, g, nil
		}
	}
	return x, g, identify.Errorf(identify.NotFound, "guest", "No such guest joined this workshop.")
}

// letGuestBackIn makes a code by which a guest whose phone forgot them comes back; it is
// shown this once.
func (s *site) letGuestBackIn(w http.ResponseWriter, r *http.Request) error {
	_, g, err := s.guestParam(r)
	if err != nil {
		return err
	}
	code, made, err := s.People.LetBackIn(r.Context(), s.User(r), g.ID)
	if err != nil {
		return s.decidedWorkshop(w, r, "", 0, err)
	}
	back := templates.GuestReturn{Name: made.Name, Code: code, Ends: moment(r.Context(), made.ExpiresAt)}
	if origin := s.reachView(r).Chosen(); origin != "" {
		back.Link = origin + "/join/" + code
		if back.QR, err = qrSVG(back.Link); err != nil {
			return err
		}
	}
	return s.renderWorkshop(w, r, http.StatusCreated, templates.WorkshopPage{Back: &back})
}

func (s *site) doToGuest(r *http.Request, x identify.Workshop, guest identify.UserID) error {
	ctx, u, of := r.Context(), s.User(r), identify.Source{User: guest}
	switch chi.URLParam(r, "what") {
	case "role":
		role := identify.Role(r.PostForm.Get("role"))
		if role.Allows(identify.Curator) {
			return identify.Errorf(identify.Invalid, "role", "A guest is a viewer or an expert: who may do more needs a password.")
		}
		return s.People.ChangeRole(ctx, u, guest, role)
	case "disable":
		return s.People.Disable(ctx, u, guest)
	case "enable":
		return s.People.Enable(ctx, u, guest)
	case "quarantine":
		_, err := s.Sources.BeginQuarantine(ctx, u, of, "by the host of the workshop "+x.Title)
		return err
	case "release":
		_, err := s.Sources.EndQuarantine(ctx, u, of, identify.Restored)
		return err
	}
	return identify.Errorf(identify.NotFound, "", "There is no page at this address.")
}

// myWorkshop shows guests what they sent and taught.
func (s *site) myWorkshop(w http.ResponseWriter, r *http.Request) error {
	u := s.User(r)
	x, err := s.Workshops.Mine(r.Context(), u)
	if identify.KindOf(err) == identify.NotFound {
		return seeOther(w, r, "/account")
	} else if err != nil {
		return err
	}
	list, more, err := s.Service.Observations(r.Context(), u, identify.ObservationFilter{Observer: u.ID, Limit: myPhotos})
	if err != nil {
		return err
	}
	page := templates.MyWorkshopPage{Title: x.Title, Name: u.Name, RoleMeans: words.T(r.Context(), roleMeans(u.Role)), CanSend: u.Role.Allows(identify.Expert),
		Send: "/", Ends: moment(r.Context(), x.EndsAt), More: more}
	if x.LabelSet != 0 {
		page.Send = fmt.Sprintf("/?label_set=%d", x.LabelSet)
	}
	for _, o := range list {
		page.Photos = append(page.Photos, thumb(r.Context(), o))
		if _, named := o.Current(); named {
			page.Named++
		}
	}
	return s.render(w, r, http.StatusOK, templates.MyWorkshop(s.workshopPage(r, x.Title), page))
}

func guestView(ctx context.Context, x identify.Workshop, g identify.WorkshopGuest, now time.Time) templates.WorkshopGuest {
	v := templates.WorkshopGuest{Path: fmt.Sprintf("%s/guests/%d", workshopPath(x.ID), g.ID), ID: int64(g.ID), Name: g.Name, Role: roleWord(ctx, g.Role), Photos: g.Photos,
		Lessons: g.Lessons, Standing: g.Standing, Disabled: g.Disabled, Quarantined: g.Quarantined, Taught: g.Lessons > 0, CanReturn: x.Open(now) && g.Guest && !g.Disabled,
		Roles: []templates.Option{{Value: string(identify.Expert), Label: roleWord(ctx, identify.Expert), Selected: g.Role == identify.Expert},
			{Value: string(identify.Viewer), Label: roleWord(ctx, identify.Viewer), Selected: g.Role == identify.Viewer}}}
	if g.SeenAt != nil {
		v.Seen = words.T(ctx, "here %s", words.DateTime(ctx, g.SeenAt.Local()))
	}
	return v
}
