package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fieldmark/internal/identify"
	"fieldmark/web/auth"
)

// TokenService is what the operations about tokens need of the domain.
type TokenService interface {
	AddToken(ctx context.Context, u identify.User, t identify.Token) (secret string, made identify.Token, err error)
	AddProgram(ctx context.Context, u identify.User, t identify.Token) (secret string, err error)
	Tokens(ctx context.Context, u identify.User) ([]identify.Token, error)
	AllTokens(ctx context.Context, u identify.User) ([]identify.Token, error)
	RevokeToken(ctx context.Context, u identify.User, id identify.TokenID) error
}

type tokensInput struct {
	All bool `query:"all" doc:"Everyone's; needs the role admin"`
}

type tokensOutput struct {
	Body struct {
		Tokens []token `json:"tokens" nullable:"false" doc:"Newest first"`
	}
}

// token opens the API, and the pages, to a program.
type token struct {
	ID        int64      `json:"id"`
	User      person     `json:"user"`
	Name      string     `json:"name" doc:"What it is for"`
	Role      string     `json:"role" enum:"viewer,expert,curator,admin" doc:"It may do no more"`
	CreatedAt time.Time  `json:"created_at"`
	ExpiresAt *time.Time `json:"expires_at,omitempty"`
	UsedAt    *time.Time `json:"used_at,omitempty" doc:"To the minute"`
	RevokedAt *time.Time `json:"revoked_at,omitempty"`
}

type addTokenInput struct {
	Body struct {
		Name      string     `json:"name" doc:"What it is for"`
		Role      string     `json:"role" enum:"viewer,expert,curator,admin"`
		ExpiresAt *time.Time `json:"expires_at,omitempty"`
		Program   bool       `json:"program,omitempty" doc:"Make a user of its own that is known by this token alone; needs the role admin"`
	}
}

type addTokenOutput struct {
	Body struct {
		Token string `json:"token" doc:"Send it as Authorization: Bearer. It is told this once"`
	}
}

func (s *server) registerTokens(h huma.API) {
	add(s, h, peopleOperation("list-tokens", http.MethodGet, "tokens", "Tokens", "One's own, or everyone's with the role admin."), s.tokens)
	add(s, h, peopleOperation("add-token", http.MethodPost, "tokens", "Make a token", "At most with one's own role. Who came by a token makes no token of their own, since it would go on opening when theirs opens no more; an admin's may make a program's."), s.addToken)
	add(s, h, peopleOperation("revoke-token", http.MethodDelete, "tokens/{id}", "Let a token open nothing more", "One's own, or anyone's with the role admin."),
		func(ctx context.Context, in *numberInput) (*struct{}, error) {
			return nil, s.people.RevokeToken(ctx, auth.UserFrom(ctx), identify.TokenID(in.ID))
		})
}

func (s *server) tokens(ctx context.Context, in *tokensInput) (*tokensOutput, error) {
	ask := s.people.Tokens
	if in.All {
		ask = s.people.AllTokens
	}
	list, err := ask(ctx, auth.UserFrom(ctx))
	out := &tokensOutput{}
	out.Body.Tokens = make([]token, len(list))
	for i, t := range list {
		out.Body.Tokens[i] = token{int64(t.ID), person{int64(t.User), t.UserName}, t.Name, string(t.Role), t.CreatedAt, t.ExpiresAt, t.UsedAt, t.RevokedAt}
	}
	return out, err
}

func (s *server) addToken(ctx context.Context, in *addTokenInput) (*addTokenOutput, error) {
	b, u, out := in.Body, auth.UserFrom(ctx), &addTokenOutput{}
	t := identify.Token{Name: b.Name, Role: identify.Role(b.Role), ExpiresAt: b.ExpiresAt}
	var err error
	if b.Program {
		out.Body.Token, err = s.people.AddProgram(ctx, u, t)
	} else {
		out.Body.Token, _, err = s.people.AddToken(ctx, u, t)
	}
	return out, renamed(err, "expires", "expires_at")
}
