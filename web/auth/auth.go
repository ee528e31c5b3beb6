// Package auth finds out who makes a request, and turns away who may not.
//
// On a loopback address nobody signs in: whoever sits at the machine is its
// owner. Beyond it, programs carry a bearer token, and people sign in once with
// theirs and are then known by a cookie. Tokens and sessions are random, 256
// bits, so that their plain SHA-256 is all that needs to be stored.
package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"time"

	"fieldmark/internal/identify"
)

// Users is what the Gate needs of the store. Its errors of kind NotFound mean
// that there is no such user, token or session.
type Users interface {
	Owner(ctx context.Context) (identify.User, error)
	UserByToken(ctx context.Context, tokenHash []byte) (identify.User, error)
	UserBySession(ctx context.Context, hash []byte, now time.Time) (identify.User, error)
	AddSession(ctx context.Context, hash []byte, user identify.UserID, now, expires time.Time) error
	EndSession(ctx context.Context, hash []byte) error
}

// Refusal answers a request that is turned away, with a sentence that says why
// and what to do.
type Refusal func(w http.ResponseWriter, r *http.Request, status int, sentence string)

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

// tokenPrefix lets people and scanners recognise a token that leaked.
const tokenPrefix = "fieldmark_"

// NewToken returns a fresh token and the hash of it that is stored.
func NewToken() (token string, hash []byte, err error) {
	secret, err := newSecret()
	if err != nil {
		return "", nil, err
	}
	token = tokenPrefix + secret
	return token, hashOf(token), nil
}

func newSecret() (string, error) {
	random := make([]byte, 32)
	if _, err := rand.Read(random); err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(random), nil
}

func hashOf(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}
