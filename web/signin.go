package web

import (
	"net/http"
	"strings"

	"fieldmark/internal/identify"
	"fieldmark/templates"
)

// signInPage is the form for a token.
func (s *site) signInPage(w http.ResponseWriter, r *http.Request) error {
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
