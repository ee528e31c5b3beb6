// Package auth finds out who makes a request, and turns away who may not: the
// HTTP side of identify.People. It knows cookies, bearer tokens, the names that
// a server answers to, and how often one may try.
//
// On a loopback address nobody signs in: whoever sits at the machine is its
// owner. Beyond it, programs carry a bearer token, and people sign in and are
// then known by a cookie.
package auth

import (
	"context"
	"net/http"

	"fieldmark/internal/identify"
)

// Users is what the Gate needs of *identify.People. Its errors of kind NotFound
// mean that there is no such user, token or session.
type Users interface {
	Owner(ctx context.Context) (identify.User, error)
	ByToken(ctx context.Context, token string) (identify.User, error)
	BySession(ctx context.Context, secret string) (u identify.User, renewed bool, err error)
	SignIn(ctx context.Context, name, password string) (identify.User, error)
	BeginSession(ctx context.Context, u identify.User, agent string) (secret string, err error)
	EndSession(ctx context.Context, secret string) error
}

// Refusal answers a request that is turned away with a status; reason says why and
// what to do.
type Refusal func(w http.ResponseWriter, r *http.Request, status int, reason *identify.Error)

type userKey struct{}

// WithUser returns a context of a request that u makes.
func WithUser(ctx context.Context, u identify.User) context.Context {
	return context.WithValue(ctx, userKey{}, u)
}

// UserFrom returns who makes the request of a context; the zero User, which has
// no role, if nobody is known.
func UserFrom(ctx context.Context) identify.User {
	u, _ := ctx.Value(userKey{}).(identify.User)
	return u
}
