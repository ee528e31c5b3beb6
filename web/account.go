package web

import (
	"context"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// AccountService is what the page about one's own account needs;
// *identify.People has it.
type AccountService interface {
	Rename(ctx context.Context, u identify.User, name string) error
	ChangePassword(ctx context.Context, u identify.User, old, password, agent string) error
	Sessions(ctx context.Context, u identify.User) ([]identify.Session, error)
	EndOtherSessions(ctx context.Context, u identify.User, secret string) error
	Leave(ctx context.Context, u identify.User, password string, takeBack bool) error
	Tokens(ctx context.Context, u identify.User) ([]identify.Token, error)
	AddToken(ctx context.Context, u identify.User, t identify.Token) (secret string, made identify.Token, err error)
	RevokeToken(ctx context.Context, u identify.User, id identify.TokenID) error
}

func (s *site) accountRoutes(r chi.Router) {
	r.Get("/account", s.handle(s.account))
	if s.OwnData != nil {
		r.Get("/account/data", s.handle(s.saveOwnData))
	}
	r.Group(func(r chi.Router) {
		r.Use(limitBody(formLimit))
		r.Post("/account/name", s.handle(s.rename))
		r.Post("/account/password", s.handle(s.changePassword))
		r.Post("/account/sessions/end", s.handle(s.endSessions))
		r.Post("/account/tokens", s.handle(s.addToken))
		r.Post("/account/tokens/{id}/revoke", s.handle(s.revokeToken("/account")))
		if s.OwnData != nil {
			r.Post("/account/leave", s.handle(s.leave))
		}
	})
}

func (s *site) account(w http.ResponseWriter, r *http.Request) error {
	return s.renderAccount(w, r, http.StatusOK, templates.AccountPage{Saved: savedWords(r.Context(), r.URL.Query().Get("saved"))})
}

// savedWords says what was just changed, or should be.
func savedWords(ctx context.Context, what string) string {
	switch what {
	case "name":
		return words.T(ctx, "Your name was changed.")
	case "password":
		return words.T(ctx, "Your password was changed, and you were signed out everywhere else.")
	case "sessions":
		return words.T(ctx, "You are signed out everywhere else.")
	case "weak":
		return words.T(ctx, "You are signed in, with a password that would be among the first that are tried. Choose another one.")
	}
	return ""
}

// renderAccount fills in how the account stands; page has what was just made or
// typed.
func (s *site) renderAccount(w http.ResponseWriter, r *http.Request, status int, page templates.AccountPage) error {
	u := s.User(r)
	sessions, err := s.People.Sessions(r.Context(), u)
	if err != nil {
		return err
	}
	tokens, err := s.People.Tokens(r.Context(), u)
	if err != nil {
		return err
	}
	changes, err := s.People.PasswordChanges(r.Context(), u)
	if err != nil {
		return err
	}
	if len(changes) > 0 {
		page.PasswordChange = passwordChange(r.Context(), changes[0])
	}
	secret := ""
	if s.Sessions != nil {
		secret = s.Sessions.Secret(r)
	}
	for _, one := range sessions {
		page.Sessions = append(page.Sessions, templates.Session{Browser: browserName(r.Context(), one.Agent), Here: one.Of(secret),
			Seen: moment(r.Context(), one.SeenAt), Since: moment(r.Context(), one.CreatedAt)})
	}
	for _, t := range tokens {
		if t.RevokedAt == nil {
			page.Tokens = append(page.Tokens, tokenView(r.Context(), t, "/account/tokens"))
		}
	}
	page.Role, page.Guest, page.Local = words.T(r.Context(), roleIs(u.Role))+" "+words.T(r.Context(), roleMeans(u.Role)), u.Guest, s.Sessions == nil
	if page.NameProblem == "" {
		page.Name = u.Name
	}
	page.OwnData = s.OwnData != nil
	page.Token.Roles = nil
	for _, o := range roleOptions(r.Context(), identify.Role(page.Token.Role), u.Role) {
		if u.Role.Allows(identify.Role(o.Value)) {
			page.Token.Roles = append(page.Token.Roles, o)
		}
	}
	return s.render(w, r, status, templates.Account(s.passwordPage(r, words.T(r.Context(), "Your account"), "account"), page))
}

func (s *site) rename(w http.ResponseWriter, r *http.Request) error {
	if err := parseForm(r); err != nil {
		return err
	}
	name := r.PostForm.Get("name")
	err := s.People.Rename(r.Context(), s.User(r), name)
	if fieldOf(err) == "name" {
		p := problem(r.Context(), err)
		return s.renderAccount(w, r, p.Status, templates.AccountPage{Name: name, NameProblem: p.Message})
	} else if err != nil {
		return err
	}
	return seeOther(w, r, "/account?saved=name")
}

// changePassword ends all sessions, and begins a new one for this browser.
func (s *site) changePassword(w http.ResponseWriter, r *http.Request) error {
	if err := parseForm(r); err != nil {
		return err
	}
	u := s.User(r)
	err := s.People.ChangePassword(r.Context(), u, r.PostForm.Get("old"), r.PostForm.Get("password"), r.UserAgent())
	if err != nil {
		page := templates.AccountPage{}
		p := problem(r.Context(), err)
		switch fieldOf(err) {
		case "old":
			page.OldProblem = p.Message
		case "password":
			page.PasswordProblem = p.Message
		default:
			return err
		}
		return s.renderAccount(w, r, p.Status, page)
	}
	if s.Sessions != nil && s.Sessions.Secret(r) != "" {
		if err := s.Sessions.Begin(w, r, u); err != nil {
			return err
		}
	}
	return seeOther(w, r, "/account?saved=password")
}

func (s *site) endSessions(w http.ResponseWriter, r *http.Request) error {
	secret := ""
	if s.Sessions != nil {
		secret = s.Sessions.Secret(r)
	}
	if err := s.People.EndOtherSessions(r.Context(), s.User(r), secret); err != nil {
		return err
	}
	return seeOther(w, r, "/account?saved=sessions")
}

// addToken makes a token of the user's own, which is shown this once.
func (s *site) addToken(w http.ResponseWriter, r *http.Request) error {
	form, t, err := tokenForm(r)
	if err != nil {
		return err
	}
	secret, _, err := s.People.AddToken(r.Context(), s.User(r), t)
	if identify.KindOf(err) == identify.Invalid {
		form.Field, form.Problem = fieldOf(err), problem(r.Context(), err).Message
		return s.renderAccount(w, r, problem(r.Context(), err).Status, templates.AccountPage{Token: form})
	} else if err != nil {
		return err
	}
	return s.renderAccount(w, r, http.StatusCreated, templates.AccountPage{Secret: secret})
}

// browserName is what people call a browser, by what it calls itself: each
// names those before it as well.
func browserName(ctx context.Context, agent string) string {
	find := func(names ...[2]string) string {
		for _, w := range names {
			if strings.Contains(agent, w[0]) {
				return w[1]
			}
		}
		return ""
	}
	browser := find([2]string{"Edg", "Edge"}, [2]string{"OPR/", "Opera"}, [2]string{"SamsungBrowser", "Samsung Internet"}, [2]string{"Firefox", "Firefox"},
		[2]string{"FxiOS", "Firefox"}, [2]string{"CriOS", "Chrome"}, [2]string{"Chrome", "Chrome"}, [2]string{"Safari", "Safari"})
	system := find([2]string{"iPhone", "iPhone"}, [2]string{"iPad", "iPad"}, [2]string{"Android", "Android"}, [2]string{"Windows", "Windows"},
		[2]string{"Mac OS X", "Mac"}, [2]string{"Linux", "Linux"})
	switch {
	case browser != "" && system != "":
		return words.T(ctx, "%[1]s on %[2]s", browser, system)
	case browser+system != "":
		return browser + system
	}
	return words.T(ctx, "A browser that does not say its name")
}
