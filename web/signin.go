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

// Sessions lets people in and out; *auth.Gate does.
type Sessions interface {
	// SignIn and SignInByToken set what Config.User recognises later (a cookie).
	// What is wrong is an *identify.Error of kind Forbidden.
	SignIn(w http.ResponseWriter, r *http.Request, name, password string) error
	SignInByToken(w http.ResponseWriter, r *http.Request, token string) error
	// Begin signs a user in who has shown who they are.
	Begin(w http.ResponseWriter, r *http.Request, u identify.User) error
	SignOut(w http.ResponseWriter, r *http.Request) error
	// Secret is that of the session of a request, "" if it has none.
	Secret(r *http.Request) string
}

// JoinService is what the pages for people who come for the first time need;
// *identify.People has it.
type JoinService interface {
	Invited(ctx context.Context, code string) (identify.Invitation, error)
	Join(ctx context.Context, code, name, password string) (identify.User, error)
	Reachable(ctx context.Context) (bool, error)
	SetUpOpen(ctx context.Context, secret string) error
	SetUp(ctx context.Context, secret, name, password string) (identify.User, error)
}

// errElsewhere refuses whoever has no role where nobody can sign in.
var errElsewhere = identify.Errorf(identify.Forbidden, "",
	"This request came through a proxy or under another name, and this Fieldmark serves only the machine that it runs on. "+
		"To open it to others, start it with --sign-in (behind a proxy) or --addr; it then prints a link to make the first account with. Programs get tokens with `webapp token create`.")

// signInRoutes are for those who have no role yet.
func (s *site) signInRoutes(r chi.Router) {
	r.Get("/sign-in", s.handle(s.signInPage))
	r.With(limitBody(formLimit)).Post("/sign-in", s.handle(s.signIn))
	r.With(limitBody(formLimit)).Post("/sign-out", s.handle(s.signOut))
	r.With(limitBody(formLimit)).Post("/language", s.handle(s.chooseLanguage))
	if s.People == nil {
		return
	}
	r.Get("/join", s.handle(s.joinByCode))
	r.Get("/join/{code}", s.handle(s.joinPage))
	r.With(limitBody(formLimit)).Post("/join/{code}", s.handle(s.join))
	r.Get("/setup/{code}", s.handle(s.setUpPage))
	r.With(limitBody(formLimit)).Post("/setup/{code}", s.handle(s.setUp))
	r.With(limitBody(formLimit)).Post("/password", s.handle(s.judgePassword))
}

// signInPage is the form for a name and a password, or for a token.
func (s *site) signInPage(w http.ResponseWriter, r *http.Request) error {
	if s.Sessions == nil && s.User(r).Role == "" {
		return errElsewhere
	}
	query := r.URL.Query()
	return s.renderSignIn(w, r, http.StatusOK, templates.SignInPage{Next: localPath(query.Get("next"), "/"), Left: query.Get("left") != ""})
}

func (s *site) renderSignIn(w http.ResponseWriter, r *http.Request, status int, form templates.SignInPage) error {
	form.Needed, form.CanJoin = s.Sessions != nil, s.People != nil
	form.Over = form.Needed && s.Sessions.Secret(r) != "" && s.User(r).Role == ""
	if form.Needed && form.CanJoin {
		reachable, err := s.People.Reachable(r.Context())
		if err != nil {
			return err
		}
		form.NobodyYet = !reachable
	}
	if form.Over && form.CanJoin {
		change, err := s.People.ChangeThatEnded(r.Context(), s.Sessions.Secret(r))
		if err != nil && identify.KindOf(err) != identify.NotFound {
			return err
		} else if err == nil {
			form.Changed = passwordChange(r.Context(), change)
		}
	}
	return s.render(w, r, status, templates.SignIn(s.passwordPage(r, words.T(r.Context(), "Sign in"), ""), form))
}

func (s *site) signIn(w http.ResponseWriter, r *http.Request) error {
	if s.Sessions == nil {
		return seeOther(w, r, "/")
	}
	if err := parseForm(r); err != nil {
		return err
	}
	form := templates.SignInPage{Name: strings.TrimSpace(r.PostForm.Get("name")), Next: localPath(r.PostForm.Get("next"), "/")}
	token, byToken := strings.TrimSpace(r.PostForm.Get("token")), r.PostForm.Has("token")
	var err error
	if byToken {
		err = s.Sessions.SignInByToken(w, r, token)
	} else {
		err = s.Sessions.SignIn(w, r, form.Name, r.PostForm.Get("password"))
	}
	if kind := identify.KindOf(err); kind == identify.Invalid || kind == identify.Forbidden {
		if byToken {
			form.TokenProblem = problem(r.Context(), err).Message
		} else {
			form.Problem = problem(r.Context(), err).Message
		}
		return s.renderSignIn(w, r, http.StatusUnprocessableEntity, form)
	}
	if err != nil {
		return err
	}
	if !byToken && s.refused(form.Name, r.PostForm.Get("password")) {
		return seeOther(w, r, "/account?saved=weak")
	}
	return seeOther(w, r, form.Next)
}

func (s *site) signOut(w http.ResponseWriter, r *http.Request) error {
	if s.Sessions != nil {
		if err := s.Sessions.SignOut(w, r); err != nil {
			return err
		}
	}
	clearsCache(w.Header())
	return seeOther(w, r, "/sign-in")
}

// joinByCode is the form for a code that someone read out.
func (s *site) joinByCode(w http.ResponseWriter, r *http.Request) error {
	if s.Sessions == nil {
		return seeOther(w, r, "/sign-in")
	}
	if code := strings.Join(strings.Fields(r.URL.Query().Get("code")), ""); code != "" && !strings.ContainsAny(code, "/?#%") {
		return seeOther(w, r, "/join/"+code)
	}
	return s.renderJoinByCode(w, r, http.StatusOK, templates.JoinForm{})
}

func (s *site) renderJoinByCode(w http.ResponseWriter, r *http.Request, status int, form templates.JoinForm) error {
	return s.render(w, r, status, templates.JoinByCode(s.peoplePage(r, words.T(r.Context(), "Join"), ""), form))
}

// wrongCode asks anew for a code that opens nothing; any other error is returned.
func (s *site) wrongCode(w http.ResponseWriter, r *http.Request, err error) error {
	if identify.KindOf(err) != identify.NotFound {
		return err
	}
	p := problem(r.Context(), err)
	return s.renderJoinByCode(w, r, p.Status, templates.JoinForm{Code: chi.URLParam(r, "code"), Problem: p.Message})
}

// joinPage is the form for a name and a password of whoever has an invitation.
func (s *site) joinPage(w http.ResponseWriter, r *http.Request) error {
	return s.renderJoin(w, r, http.StatusOK, templates.AccountForm{})
}

func (s *site) renderJoin(w http.ResponseWriter, r *http.Request, status int, form templates.AccountForm) error {
	if s.Sessions == nil {
		return seeOther(w, r, "/sign-in")
	}
	code := chi.URLParam(r, "code")
	invitation, err := s.People.Invited(r.Context(), code)
	if err != nil {
		return s.wrongCode(w, r, err)
	}
	ctx := r.Context()
	form.Title, form.Button = words.T(ctx, "Join in"), words.T(ctx, "Join")
	form.Lead = words.T(ctx, invitedAs(invitation.Role))
	form.Action, form.AskPassword, form.Present = "/join/"+code, !invitation.Guest, s.User(r).Name
	form.Taken = form.Taken && invitation.Guest
	if invitation.Name != "" {
		form.Name, form.NameFixed = invitation.Name, true
	}
	if invitation.Returning != 0 {
		form.Title, form.Button, form.Returning = words.T(ctx, "Welcome back"), words.T(ctx, "Come back in"), true
		form.Lead = words.T(ctx, "What you sent and taught is still yours. The browser in which you were signed in before is signed out.")
	}
	return s.render(w, r, status, templates.NewAccount(s.passwordPage(r, form.Title, ""), form))
}

func (s *site) join(w http.ResponseWriter, r *http.Request) error {
	if s.Sessions == nil {
		return seeOther(w, r, "/sign-in")
	}
	if err := parseForm(r); err != nil {
		return err
	}
	u, err := s.People.Join(r.Context(), chi.URLParam(r, "code"), r.PostForm.Get("name"), r.PostForm.Get("password"))
	if form, wrong := accountProblem(r, err); wrong {
		return s.renderJoin(w, r, problem(r.Context(), err).Status, form)
	} else if err != nil {
		return s.wrongCode(w, r, err)
	}
	if err := s.Sessions.Begin(w, r, u); err != nil {
		return err
	}
	if s.Workshops != nil {
		if _, joined := s.Workshops.Joined(r.Context(), u); joined {
			return seeOther(w, r, "/workshop/mine")
		}
	}
	return seeOther(w, r, "/")
}

// accountProblem is a form for an account as it was typed, and whether err is
// about one of its fields.
func accountProblem(r *http.Request, err error) (form templates.AccountForm, wrong bool) {
	form.Name = r.PostForm.Get("name")
	switch field := fieldOf(err); field {
	case "name":
		form.NameProblem, form.Taken = problem(r.Context(), err).Message, identify.KindOf(err) == identify.Conflict
	case "password":
		form.PasswordProblem = problem(r.Context(), err).Message
	default:
		return form, false
	}
	return form, true
}

// setUpPage is the form for the first admin.
func (s *site) setUpPage(w http.ResponseWriter, r *http.Request) error {
	return s.renderSetUp(w, r, http.StatusOK, templates.AccountForm{})
}

func (s *site) renderSetUp(w http.ResponseWriter, r *http.Request, status int, form templates.AccountForm) error {
	if s.Sessions == nil {
		return seeOther(w, r, "/sign-in")
	}
	code := chi.URLParam(r, "code")
	if err := s.People.SetUpOpen(r.Context(), code); err != nil {
		return err
	}
	ctx := r.Context()
	form.Title, form.Button = words.T(ctx, "Set up Fieldmark"), words.T(ctx, "Make the account")
	form.Lead = words.T(ctx, "Nobody can sign in yet. You make the first account: an admin’s, who invites the others.")
	form.Action, form.AskPassword = "/setup/"+code, true
	return s.render(w, r, status, templates.NewAccount(s.passwordPage(r, words.T(ctx, "Set up"), ""), form))
}

func (s *site) setUp(w http.ResponseWriter, r *http.Request) error {
	if s.Sessions == nil {
		return seeOther(w, r, "/sign-in")
	}
	if err := parseForm(r); err != nil {
		return err
	}
	u, err := s.People.SetUp(r.Context(), chi.URLParam(r, "code"), r.PostForm.Get("name"), r.PostForm.Get("password"))
	if form, wrong := accountProblem(r, err); wrong {
		return s.renderSetUp(w, r, problem(r.Context(), err).Status, form)
	} else if err != nil {
		return err
	}
	if err := s.Sessions.Begin(w, r, u); err != nil {
		return err
	}
	return seeOther(w, r, "/people")
}
