package web

import (
	"net/http"
	"strings"

	"fieldmark/internal/identify"
	"fieldmark/templates"
)

// errElsewhere refuses whoever has no role where nobody can sign in.
var errElsewhere = identify.Errorf(identify.Forbidden, "",
	"This request came through a proxy or under another name, and this Fieldmark serves only the machine that it runs on. "+
		"To open it to others, start it with --sign-in (behind a proxy) or --addr, and make their tokens with `webapp token create`.")

// signInPage is the form for a token.
func (s *site) signInPage(w http.ResponseWriter, r *http.Request) error {
	if s.SignIn == nil && s.User(r).Role == "" {
		return errElsewhere
	}
	form := templates.SignInPage{Needed: s.SignIn != nil, Next: localPath(r.URL.Query().Get("next"), "/")}
	return s.render(w, r, http.StatusOK, templates.SignIn(s.page(r, "Sign in", ""), form))
}

func (s *site) signIn(w http.ResponseWriter, r *http.Request) error {
	if s.SignIn == nil {
		return seeOther(w, r, "/")
	}
	if err := r.ParseForm(); err != nil {
		return err
	}
	next := localPath(r.PostForm.Get("next"), "/")
	err := s.SignIn(w, r, strings.TrimSpace(r.PostForm.Get("token")))
	if identify.KindOf(err) == identify.Invalid || identify.KindOf(err) == identify.Forbidden {
		form := templates.SignInPage{Needed: true, Problem: problem(err).Message, Next: next}
		return s.render(w, r, http.StatusUnprocessableEntity, templates.SignIn(s.page(r, "Sign in", ""), form))
	}
	if err != nil {
		return err
	}
	return seeOther(w, r, next)
}

func (s *site) signOut(w http.ResponseWriter, r *http.Request) error {
	if s.SignOut != nil {
		if err := s.SignOut(w, r); err != nil {
			return err
		}
	}
	return seeOther(w, r, "/sign-in")
}
