package auth

import (
	"errors"
	"net/http"
	"strings"

	"fieldmark/internal/identify"
)

// Gate stands before the handlers.
type Gate struct {
	Users    Users
	Loopback bool    // whoever asks is the owner of the machine
	Hosts    Hosts   // names that the server answers to
	Limits   *Limits // nil: one may try as often as one likes
	Refuse   Refusal // nil means plain text
}

// API lets in who is known, as auth.UserFrom tells the handler, and answers
// others with 401.
func (g *Gate) API(next http.Handler) http.Handler {
	return g.Pages(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if UserFrom(r.Context()).Role == "" {
			w.Header().Set("WWW-Authenticate", `Bearer realm="Fieldmark"`)
			g.refuse(w, r, http.StatusUnauthorized, g.signInFirst(r))
			return
		}
		next.ServeHTTP(w, r)
	}))
}

// signInFirst tells a program how to become known.
func (g *Gate) signInFirst(r *http.Request) *identify.Error {
	const how = "send a token as \"Authorization: Bearer …\". Make one on the page /account, or with \"webapp token create\""
	if g.Loopback && forwarded(r) {
		return &identify.Error{Kind: identify.Forbidden, Message: "This request came through a proxy, so it may be from anywhere, and this Fieldmark was started for its own machine only: " +
			how + ", and serve it with --sign-in behind a proxy, or with --addr without one."}
	}
	return &identify.Error{Kind: identify.Forbidden, Message: "Sign in first: " + how + "."}
}

// Pages tells the handler who asks, if that is known, and leaves it to the
// handler to ask others to sign in. It turns away a wrong token, requests under
// a name that this server does not have, those that another site's page made a
// browser send, and those that are too many.
func (g *Gate) Pages(next http.Handler) http.Handler {
	if g.Limits != nil {
		next = g.Limits.handler(next, g.refuse)
	}
	crossOrigin := http.NewCrossOriginProtection()
	crossOrigin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.refuse(w, r, http.StatusForbidden, identify.Errorf(identify.Forbidden, "", "This came from another site's page, so nothing was done. Open Fieldmark itself and try again."))
	}))
	return crossOrigin.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !g.Hosts.Allow(r.Host) {
			g.refuse(w, r, http.StatusMisdirectedRequest, g.wrongHost(r))
			return
		}
		u, err := g.user(w, r)
		switch {
		case errors.Is(err, errBadToken):
			w.Header().Set("WWW-Authenticate", `Bearer realm="Fieldmark", error="invalid_token"`)
			g.refuse(w, r, http.StatusUnauthorized, identify.Errorf(identify.Forbidden, "token", "This token is not valid. Check that it was copied whole, or ask who runs this Fieldmark for a new one."))
		case err != nil:
			g.refuse(w, r, http.StatusServiceUnavailable, identify.Errorf(identify.NotReady, "", "Fieldmark cannot look up who you are just now. Try again in a moment."))
		default:
			next.ServeHTTP(w, r.WithContext(WithUser(r.Context(), u)))
		}
	}))
}

func (g *Gate) wrongHost(r *http.Request) *identify.Error {
	if g.Hosts.Loopback {
		return identify.Errorf(identify.NotFound, "", "This Fieldmark answers on this machine only and was asked for as %.100q. Open it as http://127.0.0.1 with its port; to offer it to others, serve it with --addr, or behind a proxy with --sign-in and --host.", r.Host)
	}
	return identify.Errorf(identify.NotFound, "", "This Fieldmark was asked for as %.100q, a name that it does not know as its own. Open it by its address in numbers, or start it with --host and that name.", r.Host)
}

var errBadToken = errors.New("bad token")

// user returns who makes a request: by token, by session, or as the owner of
// the machine; the zero User if that is not known. The cookie of a session that
// was given its whole age again is sent again.
func (g *Gate) user(w http.ResponseWriter, r *http.Request) (identify.User, error) {
	// Other schemes are those of a proxy before us.
	if scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " "); strings.EqualFold(scheme, "Bearer") {
		u, err := g.Users.ByToken(r.Context(), strings.TrimSpace(token))
		if identify.KindOf(err) == identify.NotFound {
			return identify.User{}, errBadToken
		}
		return u, err
	}
	if secret := g.Secret(r); secret != "" {
		u, renewed, err := g.Users.BySession(r.Context(), secret)
		if renewed {
			http.SetCookie(w, cookie(r, secret))
		}
		if identify.KindOf(err) != identify.NotFound {
			return u, err
		}
	}
	if g.Loopback && !forwarded(r) {
		return g.Users.Owner(r.Context())
	}
	return identify.User{}, nil
}

// forwarded reports whether a proxy passed the request on: then it need not
// come from this machine, whatever address it reaches us at.
func forwarded(r *http.Request) bool {
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via"} {
		if r.Header.Get(name) != "" {
			return true
		}
	}
	return false
}

func (g *Gate) refuse(w http.ResponseWriter, r *http.Request, status int, reason *identify.Error) {
	if g.Refuse == nil {
		http.Error(w, reason.Message, status)
		return
	}
	g.Refuse(w, r, status, reason)
}
