package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fieldmark/internal/identify"
	"fieldmark/web/auth"
)

// PeopleService is what the operations about people, invitations and tokens need of
// the domain; *identify.People has it.
type PeopleService interface {
	People(ctx context.Context, u identify.User) ([]identify.Person, error)
	ChangeRole(ctx context.Context, u identify.User, id identify.UserID, role identify.Role) error
	Disable(ctx context.Context, u identify.User, id identify.UserID) error
	Enable(ctx context.Context, u identify.User, id identify.UserID) error
	Invite(ctx context.Context, u identify.User, i identify.Invitation) (code string, made identify.Invitation, err error)
	Invitations(ctx context.Context, u identify.User) ([]identify.Invitation, error)
	RevokeInvitation(ctx context.Context, u identify.User, id identify.InvitationID) error
	TokenService
}

type peopleOutput struct {
	Body struct {
		People []member `json:"people" nullable:"false"`
	}
}

// member is someone who has or had access.
type member struct {
	person
	Role       string     `json:"role" enum:"viewer,expert,curator,admin"`
	Guest      bool       `json:"guest,omitempty" doc:"Has no password: the session is the key"`
	Owner      bool       `json:"owner,omitempty" doc:"Sits at the machine itself; cannot be changed"`
	Tokens     int        `json:"tokens" doc:"That still open"`
	SeenAt     *time.Time `json:"seen_at,omitempty" doc:"To the minute"`
	PasswordAt *time.Time `json:"password_at,omitempty" doc:"When the password was last changed; left out if it is the first"`
	DisabledAt *time.Time `json:"disabled_at,omitempty" doc:"May not come in since then"`
}

type memberInput struct {
	ID   int64 `path:"id" minimum:"1"`
	Body struct {
		Role     string `json:"role,omitempty" enum:"viewer,expert,curator,admin"`
		Disabled *bool  `json:"disabled,omitempty" doc:"true ends all sessions and tokens; false lets them in again"`
	}
}

type inviteInput struct {
	Body struct {
		Role      string    `json:"role" enum:"viewer,expert,curator,admin"`
		Name      string    `json:"name,omitempty" doc:"Of who is invited; left out, they choose it"`
		Guest     bool      `json:"guest,omitempty" doc:"They need no password: the session they get is their key"`
		Uses      int       `json:"uses,omitempty" default:"1" doc:"How many may join"`
		ExpiresAt time.Time `json:"expires_at" doc:"Within a year"`
	}
}

type invitationOutput struct {
	Body struct {
		invitation
		Code string `json:"code" doc:"People join by it, at /join. It is told this once"`
	}
}

type invitationsOutput struct {
	Body struct {
		Invitations []invitation `json:"invitations" nullable:"false" doc:"Newest first"`
	}
}

// invitation lets people make accounts for themselves.
type invitation struct {
	ID        int64      `json:"id"`
	Role      string     `json:"role" enum:"viewer,expert,curator,admin"`
	Name      string     `json:"name,omitempty"`
	Guest     bool       `json:"guest,omitempty"`
	Uses      int        `json:"uses"`
	Used      int        `json:"used"`
	CreatedBy person     `json:"created_by"`
	CreatedAt time.Time  `json:"created_at"`
	ExpiresAt time.Time  `json:"expires_at"`
	RevokedAt *time.Time `json:"revoked_at,omitempty"`
}

type numberInput struct {
	ID int64 `path:"id" minimum:"1"`
}

func peopleOperation(id, method, path, summary, needs string) huma.Operation {
	op := huma.Operation{OperationID: id, Method: method, Path: "/api/v1/" + path, Tags: []string{"people"}, DefaultStatus: http.StatusOK, Summary: summary, Description: needs,
		Errors: []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusConflict}}
	switch method {
	case http.MethodPost:
		op.DefaultStatus = http.StatusCreated
	case http.MethodDelete, http.MethodPatch:
		op.DefaultStatus = http.StatusNoContent
	}
	return op
}

func (s *server) registerPeople(h huma.API) {
	const admin = "Needs the role admin."
	add(s, h, peopleOperation("list-people", http.MethodGet, "people", "Who has or had access", admin), s.listPeople)
	add(s, h, peopleOperation("change-person", http.MethodPatch, "people/{id}", "Change somebody's role, shut them out or let them in again", admin), s.changePerson)
	add(s, h, peopleOperation("invite", http.MethodPost, "invitations", "Invite people", admin), s.invite)
	add(s, h, peopleOperation("list-invitations", http.MethodGet, "invitations", "The invitations", admin), s.invitations)
	add(s, h, peopleOperation("revoke-invitation", http.MethodDelete, "invitations/{id}", "Close an invitation; who has joined stays", admin),
		func(ctx context.Context, in *numberInput) (*struct{}, error) {
			return nil, s.people.RevokeInvitation(ctx, auth.UserFrom(ctx), identify.InvitationID(in.ID))
		})
	s.registerTokens(h)
}

func (s *server) listPeople(ctx context.Context, _ *struct{}) (*peopleOutput, error) {
	list, err := s.people.People(ctx, auth.UserFrom(ctx))
	out := &peopleOutput{}
	out.Body.People = make([]member, len(list))
	for i, p := range list {
		out.Body.People[i] = member{person{int64(p.ID), p.Name}, string(p.Role), p.Guest, p.Owner, p.Tokens, p.SeenAt, p.PasswordAt, p.DisabledAt}
	}
	return out, err
}

func (s *server) changePerson(ctx context.Context, in *memberInput) (*struct{}, error) {
	u, id := auth.UserFrom(ctx), identify.UserID(in.ID)
	if in.Body.Role == "" && in.Body.Disabled == nil {
		return nil, identify.Errorf(identify.Invalid, "role", "Give a role, or say whether they are disabled.")
	}
	if in.Body.Role != "" {
		if err := s.people.ChangeRole(ctx, u, id, identify.Role(in.Body.Role)); err != nil {
			return nil, err
		}
	}
	switch {
	case in.Body.Disabled == nil:
		return nil, nil
	case *in.Body.Disabled:
		return nil, s.people.Disable(ctx, u, id)
	}
	return nil, s.people.Enable(ctx, u, id)
}

func (s *server) invite(ctx context.Context, in *inviteInput) (*invitationOutput, error) {
	b := in.Body
	code, made, err := s.people.Invite(ctx, auth.UserFrom(ctx), identify.Invitation{Role: identify.Role(b.Role), Name: b.Name, Guest: b.Guest, Uses: b.Uses, ExpiresAt: b.ExpiresAt})
	out := &invitationOutput{}
	out.Body.invitation, out.Body.Code = newInvitation(made), code
	return out, renamed(err, "expires", "expires_at")
}

func (s *server) invitations(ctx context.Context, _ *struct{}) (*invitationsOutput, error) {
	list, err := s.people.Invitations(ctx, auth.UserFrom(ctx))
	out := &invitationsOutput{}
	out.Body.Invitations = make([]invitation, len(list))
	for i, x := range list {
		out.Body.Invitations[i] = newInvitation(x)
	}
	return out, err
}

func newInvitation(i identify.Invitation) invitation {
	return invitation{int64(i.ID), string(i.Role), i.Name, i.Guest, i.Uses, i.Used, person{int64(i.CreatedBy), i.CreatedByName}, i.CreatedAt, i.ExpiresAt, i.RevokedAt}
}
