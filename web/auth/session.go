package auth

import (
	"net/http"
	"strings"
	"time"

	"fieldmark/internal/identify"
)

const (
	cookieName = "fieldmark_session"
	// hostPrefix makes browsers take a cookie only over TLS, for this host alone and
	// all of it, so that no other host of the same domain can plant one.
	hostPrefix = "__Host-"
)

// nameOf is the name of the session's cookie: with the prefix, which needs TLS, where
// the request came over it.
func nameOf(r *http.Request) string {
	if OverTLS(r) {
		return hostPrefix + cookieName
	}
	return cookieName
}

// SignIn begins a session for whoever has a name's password. A wrong one is an
// *identify.Error of kind Forbidden about the field "password", one try too many
// of kind Overloaded.
func (g *Gate) SignIn(w http.ResponseWriter, r *http.Request, name, password string) error {
	if err := g.mayTry(w, r, name); err != nil {
		return err
	}
	u, err := g.Users.SignIn(r.Context(), name, password)
	if identify.KindOf(err) == identify.Forbidden {
		g.failed(r, name)
	}
	if err != nil {
		return err
	}
	return g.Begin(w, r, u)
}

// SignInByToken begins a session for whoever has a token. A wrong token is an
// *identify.Error of kind Forbidden about the field "token".
func (g *Gate) SignInByToken(w http.ResponseWriter, r *http.Request, token string) error {
	if err := g.mayTry(w, r, ""); err != nil {
		return err
	}
	u, err := g.Users.ByToken(r.Context(), strings.TrimSpace(token))
	if identify.KindOf(err) == identify.NotFound {
		g.failed(r, "")
		return identify.Errorf(identify.Forbidden, "token", "This token is not valid. Check that it was copied whole, or ask who runs this Fieldmark for a new one.")
	} else if err != nil {
		return err
	}
	return g.Begin(w, r, u)
}

func (g *Gate) mayTry(w http.ResponseWriter, r *http.Request, name string) error {
	if g.Limits == nil {
		return nil
	}
	return g.Limits.mayTry(w, r, name)
}

func (g *Gate) failed(r *http.Request, name string) {
	if g.Limits != nil {
		g.Limits.failed(r, name)
	}
}

// Begin begins a session for a user who has shown who they are: a cookie that a
// script cannot read and that other sites' forms do not send. The session that
// the browser had before ends.
func (g *Gate) Begin(w http.ResponseWriter, r *http.Request, u identify.User) error {
	secret, err := g.Users.BeginSession(r.Context(), u, r.UserAgent())
	if err != nil {
		return err
	}
	if old := g.Secret(r); old != "" {
		if err := g.Users.EndSession(r.Context(), old); err != nil {
			return err
		}
	}
	http.SetCookie(w, cookie(r, secret))
	return nil
}

// SignOut ends the session that the request belongs to, if any.
func (g *Gate) SignOut(w http.ResponseWriter, r *http.Request) error {
	secret := g.Secret(r)
	if secret == "" {
		return nil // there is none to end
	}
	gone := cookie(r, "")
	gone.MaxAge = -1
	http.SetCookie(w, gone)
	return g.Users.EndSession(r.Context(), secret)
}

// Secret returns the secret of the session that the request belongs to, "" if
// it belongs to none.
func (g *Gate) Secret(r *http.Request) string {
	c, err := r.Cookie(nameOf(r))
	if err != nil {
		return ""
	}
	return c.Value
}

// cookie is sent back over TLS only where it came over TLS.
func cookie(r *http.Request, secret string) *http.Cookie {
	return &http.Cookie{
		Name: nameOf(r), Value: secret, Path: "/", MaxAge: int(identify.SessionAge / time.Second),
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: OverTLS(r),
	}
}

// OverTLS reports whether a request came over TLS, to us or to the proxy before
// us. Whoever invents the header does themselves harm only.
func OverTLS(r *http.Request) bool {
	return r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https"
}
