package web

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
	"fieldmark/web/auth"
)

// PeopleService is what the pages about people need; *identify.People has it.
type PeopleService interface {
	JoinService
	AccountService
	PasswordService
	People(ctx context.Context, u identify.User) ([]identify.Person, error)
	ChangeRole(ctx context.Context, u identify.User, id identify.UserID, role identify.Role) error
	Disable(ctx context.Context, u identify.User, id identify.UserID) error
	Enable(ctx context.Context, u identify.User, id identify.UserID) error
	LetBackIn(ctx context.Context, u identify.User, id identify.UserID) (code string, made identify.Invitation, err error)
	Invite(ctx context.Context, u identify.User, i identify.Invitation) (code string, made identify.Invitation, err error)
	Invitations(ctx context.Context, u identify.User) ([]identify.Invitation, error)
	RevokeInvitation(ctx context.Context, u identify.User, id identify.InvitationID) error
	AllTokens(ctx context.Context, u identify.User) ([]identify.Token, error)
	AddProgram(ctx context.Context, u identify.User, t identify.Token) (secret string, err error)
}

// peopleRoutes are for whoever lets people in.
func (s *site) peopleRoutes(r chi.Router) {
	r.Get("/people", s.handle(s.people))
	r.Group(func(r chi.Router) {
		r.Use(limitBody(formLimit))
		r.Post("/people/{id}/role", s.handle(s.changeRole))
		r.Post("/people/{id}/disable", s.handle(s.disablePerson))
		r.Post("/people/{id}/enable", s.handle(s.enablePerson))
		r.Post("/people/invitations", s.handle(s.invite))
		r.Post("/people/invitations/{id}/revoke", s.handle(s.revokeInvitation))
		r.Post("/people/tokens", s.handle(s.addProgram))
		r.Post("/people/tokens/{id}/revoke", s.handle(s.revokeToken("/people")))
	})
	s.accountRoutes(r)
}

// peoplePage is a page with the style sheet of those about people.
func (s *site) peoplePage(r *http.Request, title, section string) templates.Page {
	p := s.page(r, title, section)
	p.Styles = []string{"people.css"}
	return p
}

func (s *site) people(w http.ResponseWriter, r *http.Request) error {
	return s.renderPeople(w, r, http.StatusOK, templates.PeoplePage{})
}

// renderPeople fills in who may come in, and how; page has what was just made or
// typed.
func (s *site) renderPeople(w http.ResponseWriter, r *http.Request, status int, page templates.PeoplePage) error {
	u := s.User(r)
	people, err := s.People.People(r.Context(), u)
	if err != nil {
		return err
	}
	invitations, err := s.People.Invitations(r.Context(), u)
	if err != nil {
		return err
	}
	tokens, err := s.People.AllTokens(r.Context(), u)
	if err != nil {
		return err
	}
	for _, p := range people {
		page.People = append(page.People, personView(r.Context(), p, u))
	}
	now := time.Now()
	for _, i := range invitations {
		if view := invitationView(r.Context(), i, now); i.Open(now) {
			page.Invitations = append(page.Invitations, view)
		} else if len(page.Closed) < closedShown {
			page.Closed = append(page.Closed, view)
		}
	}
	for _, t := range tokens {
		if t.Opens(now) {
			page.Tokens = append(page.Tokens, tokenView(r.Context(), t, "/people/tokens"))
		}
	}
	page.Local = s.Sessions == nil
	page.Invite.Roles = roleOptions(r.Context(), identify.Role(page.Invite.Role), identify.Expert)
	page.Token.Roles = roleOptions(r.Context(), identify.Role(page.Token.Role), identify.Expert)
	return s.render(w, r, status, templates.People(s.peoplePage(r, words.T(r.Context(), "People"), "people"), page))
}

// closedShown bounds the invitations that are over on the page.
const closedShown = 20

func (s *site) changeRole(w http.ResponseWriter, r *http.Request) error {
	return s.person(w, r, func(u identify.User, id identify.UserID) error {
		return s.People.ChangeRole(r.Context(), u, id, identify.Role(r.PostForm.Get("role")))
	})
}

func (s *site) disablePerson(w http.ResponseWriter, r *http.Request) error {
	return s.person(w, r, func(u identify.User, id identify.UserID) error { return s.People.Disable(r.Context(), u, id) })
}

func (s *site) enablePerson(w http.ResponseWriter, r *http.Request) error {
	return s.person(w, r, func(u identify.User, id identify.UserID) error { return s.People.Enable(r.Context(), u, id) })
}

// person changes one person and shows all of them again.
func (s *site) person(w http.ResponseWriter, r *http.Request, change func(u identify.User, id identify.UserID) error) error {
	id, err := idParam(r, "id")
	if err != nil {
		return err
	}
	if err := parseForm(r); err != nil {
		return err
	}
	err = change(s.User(r), identify.UserID(id))
	if kind := identify.KindOf(err); kind == identify.Conflict || kind == identify.Invalid {
		p := problem(r.Context(), err)
		return s.renderPeople(w, r, p.Status, templates.PeoplePage{Problem: p.Message})
	} else if err != nil {
		return err
	}
	return seeOther(w, r, "/people")
}

// invite makes an invitation, whose link is shown this once.
func (s *site) invite(w http.ResponseWriter, r *http.Request) error {
	if err := parseForm(r); err != nil {
		return err
	}
	f := r.PostForm
	form := templates.InviteForm{Role: f.Get("role"), Name: strings.TrimSpace(f.Get("name")), Uses: f.Get("uses"), Days: f.Get("days"), Guest: f.Get("guest") != ""}
	i := identify.Invitation{Role: identify.Role(form.Role), Name: form.Name, Guest: form.Guest, Uses: typedNumber(form.Uses, 1),
		ExpiresAt: time.Now().Add(time.Duration(typedNumber(form.Days, 7)) * 24 * time.Hour)}
	code, made, err := s.People.Invite(r.Context(), s.User(r), i)
	if kind := identify.KindOf(err); kind == identify.Invalid || kind == identify.Conflict {
		form.Field, form.Problem = fieldOf(err), problem(r.Context(), err).Message
		return s.renderPeople(w, r, problem(r.Context(), err).Status, templates.PeoplePage{Invite: form})
	} else if err != nil {
		return err
	}
	view := invitationView(r.Context(), made, time.Now())
	view.Code, view.Link = code, origin(r)+"/join/"+code
	return s.renderPeople(w, r, http.StatusCreated, templates.PeoplePage{Made: &view})
}

// typedNumber is a number that someone typed; def for nothing, and 0, which
// nothing takes, for what is none.
func typedNumber(text string, def int) int {
	if text == "" {
		return def
	}
	n, err := strconv.Atoi(text)
	if err != nil || n > 100_000 {
		return 0
	}
	return n
}

// origin is the address of this site as the browser knows it.
func origin(r *http.Request) string {
	scheme := "http"
	if auth.OverTLS(r) {
		scheme = "https"
	}
	return scheme + "://" + r.Host
}

func (s *site) revokeInvitation(w http.ResponseWriter, r *http.Request) error {
	id, err := idParam(r, "id")
	if err != nil {
		return err
	}
	if err := s.People.RevokeInvitation(r.Context(), s.User(r), identify.InvitationID(id)); err != nil {
		return err
	}
	return seeOther(w, r, "/people")
}

// addProgram makes a program's token, which is shown this once.
func (s *site) addProgram(w http.ResponseWriter, r *http.Request) error {
	form, t, err := tokenForm(r)
	if err != nil {
		return err
	}
	secret, err := s.People.AddProgram(r.Context(), s.User(r), t)
	if kind := identify.KindOf(err); kind == identify.Invalid || kind == identify.Conflict {
		form.Field, form.Problem = fieldOf(err), problem(r.Context(), err).Message
		return s.renderPeople(w, r, problem(r.Context(), err).Status, templates.PeoplePage{Token: form})
	} else if err != nil {
		return err
	}
	return s.renderPeople(w, r, http.StatusCreated, templates.PeoplePage{Secret: secret})
}

// tokenForm reads what someone typed about a new token.
func tokenForm(r *http.Request) (form templates.TokenForm, t identify.Token, err error) {
	if err := parseForm(r); err != nil {
		return form, t, err
	}
	form = templates.TokenForm{Name: strings.TrimSpace(r.PostForm.Get("name")), Role: r.PostForm.Get("role"), Days: r.PostForm.Get("days")}
	t = identify.Token{Name: form.Name, Role: identify.Role(form.Role)}
	if form.Days != "" {
		end := time.Now().Add(time.Duration(typedNumber(form.Days, 0)) * 24 * time.Hour)
		t.ExpiresAt = &end
	}
	return form, t, nil
}

// revokeToken makes a token open nothing more and goes back to a page.
func (s *site) revokeToken(back string) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		id, err := idParam(r, "id")
		if err != nil {
			return err
		}
		if err := s.People.RevokeToken(r.Context(), s.User(r), identify.TokenID(id)); err != nil {
			return err
		}
		return seeOther(w, r, back)
	}
}
