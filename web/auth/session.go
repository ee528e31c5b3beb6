package auth

import (
	"net/http"
	"time"

	"fieldmark/internal/identify"
)

const (
	cookieName = "fieldmark_session"
	// sessionAge is how long someone stays signed in.
	sessionAge = 30 * 24 * time.Hour
)

// SignIn begins a session for whoever has the token: a cookie that a script
// cannot read and that other sites' forms do not send. A wrong token is an
// *identify.Error of kind Forbidden about the field "token".
func (g *Gate) SignIn(w http.ResponseWriter, r *http.Request, token string) error {
	u, err := g.Users.UserByToken(r.Context(), hashOf(token))
	if identify.KindOf(err) == identify.NotFound {
		return identify.Errorf(identify.Forbidden, "token", "This token is not valid. Check that it was copied whole, or ask who runs this Fieldmark for a new one.")
	} else if err != nil {
		return err
	}
	secret, err := newSecret()
	if err != nil {
		return err
	}
	now := g.now()
	if err := g.Users.AddSession(r.Context(), hashOf(secret), u.ID, now, now.Add(sessionAge)); err != nil {
		return err
	}
	http.SetCookie(w, cookie(r, secret, int(sessionAge/time.Second)))
	return nil
}

// SignOut ends the session that the request belongs to, if any.
func (g *Gate) SignOut(w http.ResponseWriter, r *http.Request) error {
	c, err := r.Cookie(cookieName)
	if err != nil {
		return nil // there is none to end
	}
	http.SetCookie(w, cookie(r, "", -1))
	return g.Users.EndSession(r.Context(), hashOf(c.Value))
}

// cookie is sent back over TLS only where it came over TLS, to us or to the
// proxy before us.
func cookie(r *http.Request, value string, maxAge int) *http.Cookie {
	return &http.Cookie{
		Name: cookieName, Value: value, Path: "/", MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteLaxMode,
		Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https",
	}
}
