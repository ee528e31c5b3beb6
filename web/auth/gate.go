package auth

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"fieldmark/internal/identify"
)

// Gate stands before the handlers. The zero values of Now and Refuse have
// useful meanings.
type Gate struct {
	Users    Users
	Loopback bool             // the server listens on a loopback address only
	Now      func() time.Time // nil means time.Now
	Refuse   Refusal          // nil means plain text
}

// IsLoopback reports whether an address to listen on, "host:port", is reached
// from this machine only.
func IsLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	return err == nil && loopbackName(host)
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

// signInFirst says how to become known.
func (g *Gate) signInFirst(r *http.Request) string {
	const how = "send a token as \"Authorization: Bearer …\". Who runs this Fieldmark makes one with \"webapp token create\""
	if g.Loopback && forwarded(r) {
		return "This request came through a proxy, so it may be from anywhere, and this Fieldmark was started for its own machine only: " +
			how + ", and serves it with --sign-in behind a proxy, or with --addr without one."
	}
	return "Sign in first: " + how + "."
}

// Pages tells the handler who asks, if that is known, and leaves it to the
// handler to ask others to sign in. It turns away a wrong token, requests under
// a name that this server does not have, and those that another site's page
// made a browser send.
func (g *Gate) Pages(next http.Handler) http.Handler {
	crossOrigin := http.NewCrossOriginProtection()
	crossOrigin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.refuse(w, r, http.StatusForbidden, "This came from another site's page, so nothing was done. Open Fieldmark itself and try again.")
	}))
	return crossOrigin.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if g.Loopback && !loopbackName(hostname(r.Host)) {
			g.refuse(w, r, http.StatusMisdirectedRequest, fmt.Sprintf("This Fieldmark answers on this machine only and was asked for as %.100q. Open it as http://127.0.0.1 with its port; to offer it to others, make tokens with \"webapp token create\" and serve it with --addr, or behind a proxy with --sign-in.", r.Host))
			return
		}
		u, err := g.user(r)
		switch {
		case errors.Is(err, errBadToken):
			w.Header().Set("WWW-Authenticate", `Bearer realm="Fieldmark", error="invalid_token"`)
			g.refuse(w, r, http.StatusUnauthorized, "This token is not valid. Check that it was copied whole, or ask who runs this Fieldmark for a new one.")
		case err != nil:
			g.refuse(w, r, http.StatusServiceUnavailable, "Fieldmark cannot look up who you are just now. Try again in a moment.")
		default:
			next.ServeHTTP(w, r.WithContext(WithUser(r.Context(), u)))
		}
	}))
}

var errBadToken = errors.New("bad token")

// user returns who makes a request: by token, by session, or as the owner of
// the machine; the zero User if that is not known.
func (g *Gate) user(r *http.Request) (identify.User, error) {
	// Other schemes are those of a proxy before us.
	if scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " "); strings.EqualFold(scheme, "Bearer") {
		u, err := g.Users.UserByToken(r.Context(), hashOf(strings.TrimSpace(token)))
		if identify.KindOf(err) == identify.NotFound {
			return identify.User{}, errBadToken
		}
		return u, err
	}
	if c, err := r.Cookie(cookieName); err == nil {
		u, err := g.Users.UserBySession(r.Context(), hashOf(c.Value), g.now())
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

func (g *Gate) now() time.Time {
	if g.Now == nil {
		return time.Now()
	}
	return g.Now()
}

func (g *Gate) refuse(w http.ResponseWriter, r *http.Request, status int, sentence string) {
	if g.Refuse == nil {
		http.Error(w, sentence, status)
		return
	}
	g.Refuse(w, r, status, sentence)
}

// hostname is a Host header without its port.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
}

// loopbackName reports whether a host is this machine by a name that no other
// site can have: a page of another site that resolves its own name to
// 127.0.0.1 must not get in.
func loopbackName(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
