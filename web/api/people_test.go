package api

import (
	"context"
	"net/http"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

// fakePeople keeps what it was asked, and lets admins run people and workshops.
type fakePeople struct {
	did        []string
	role       identify.Role
	invitation identify.Invitation
	token      identify.Token
	plan       identify.WorkshopPlan
	own        bool
}

var admin = identify.User{ID: 1, Name: "Root", Role: identify.Admin}

func (f *fakePeople) note(u identify.User, did string) error {
	if !u.Role.Allows(identify.Admin) {
		return identify.Errorf(identify.Forbidden, "", "Not with this role.")
	}
	f.did = append(f.did, did)
	return nil
}

func (f *fakePeople) People(_ context.Context, u identify.User) ([]identify.Person, error) {
	return []identify.Person{{User: expert, Tokens: 2}}, f.note(u, "people")
}

func (f *fakePeople) ChangeRole(_ context.Context, u identify.User, _ identify.UserID, role identify.Role) error {
	f.role = role
	return f.note(u, "role")
}

func (f *fakePeople) Disable(_ context.Context, u identify.User, _ identify.UserID) error {
	return f.note(u, "disable")
}

func (f *fakePeople) Enable(_ context.Context, u identify.User, _ identify.UserID) error {
	return f.note(u, "enable")
}

func (f *fakePeople) Invite(_ context.Context, u identify.User, i identify.Invitation) (string, identify.Invitation, error) {
	f.invitation = i
	if i.Uses > 1000 {
		return "", i, identify.Errorf(identify.Invalid, "uses", "An invitation is for 1 to 1000 people.")
	}
	return "ABCD-EFGH", i, f.note(u, "invite")
}

func (f *fakePeople) Invitations(_ context.Context, u identify.User) ([]identify.Invitation, error) {
	return []identify.Invitation{{ID: 4, Role: identify.Viewer}}, f.note(u, "invitations")
}

func (f *fakePeople) RevokeInvitation(_ context.Context, u identify.User, _ identify.InvitationID) error {
	return f.note(u, "revoke invitation")
}

func (f *fakePeople) AddToken(_ context.Context, _ identify.User, t identify.Token) (string, identify.Token, error) {
	f.token = t
	return "fieldmark_own", t, nil
}

func (f *fakePeople) AddProgram(_ context.Context, u identify.User, t identify.Token) (string, error) {
	f.token = t
	return "fieldmark_program", f.note(u, "program")
}

func (f *fakePeople) Tokens(context.Context, identify.User) ([]identify.Token, error) {
	return []identify.Token{{ID: 3, Name: "mine"}}, nil
}

func (f *fakePeople) AllTokens(_ context.Context, u identify.User) ([]identify.Token, error) {
	return []identify.Token{{ID: 3}, {ID: 4}}, f.note(u, "tokens")
}

func (f *fakePeople) RevokeToken(context.Context, identify.User, identify.TokenID) error {
	f.did = append(f.did, "revoke token")
	return nil
}

func (f *fakePeople) Start(_ context.Context, u identify.User, p identify.WorkshopPlan) (identify.Workshop, error) {
	f.plan = p
	return identify.Workshop{ID: 5, Title: p.Title, Code: "ABCD-EFGH", Role: p.Role}, f.note(u, "start")
}

func (f *fakePeople) Workshops(_ context.Context, u identify.User) ([]identify.Workshop, error) {
	return []identify.Workshop{{ID: 5}, {ID: 4}}, f.note(u, "workshops")
}

func (f *fakePeople) Workshop(_ context.Context, u identify.User, id identify.WorkshopID) (identify.Workshop, []identify.WorkshopGuest, error) {
	if id == 404 {
		return identify.Workshop{}, nil, identify.Errorf(identify.NotFound, "id", "There is no such workshop.")
	}
	return identify.Workshop{ID: id}, []identify.WorkshopGuest{{User: expert, Lessons: 3}}, f.note(u, "workshop")
}

func (f *fakePeople) Extend(_ context.Context, u identify.User, id identify.WorkshopID, lasts time.Duration) error {
	if id == 404 {
		return identify.Errorf(identify.NotFound, "id", "There is no such workshop.")
	}
	f.plan = identify.WorkshopPlan{Lasts: lasts}
	return f.note(u, "extend")
}

func (f *fakePeople) End(_ context.Context, u identify.User, _ identify.WorkshopID) error {
	return f.note(u, "end")
}

func (f *fakePeople) Reset(_ context.Context, u identify.User, _ identify.WorkshopID, own bool) (int, error) {
	f.own = own
	return 7, f.note(u, "reset")
}

func (f *fakePeople) Restore(_ context.Context, u identify.User, _ identify.WorkshopID) (int, error) {
	return 6, f.note(u, "restore")
}

func TestPeople(t *testing.T) {
	f := &fakePeople{}
	h := handlerOf(t, &fake{}, &fakeReview{}, &fakeMemory{}, f)
	type people struct{ People []member }
	if p := decode[people](t, ask(h, admin, http.MethodGet, "/api/v1/people", "", ""), 200); p.People[0].Name != "Ben" || p.People[0].Role != "expert" || p.People[0].Tokens != 2 {
		t.Errorf("%+v", p)
	}
	wantProblem(t, "a curator", ask(h, curator, http.MethodGet, "/api/v1/people", "", ""), 403, "")
	for body, did := range map[string]string{`{"role":"curator"}`: "role", `{"disabled":true}`: "disable", `{"disabled":false}`: "enable"} {
		if w := ask(h, admin, http.MethodPatch, "/api/v1/people/3", "application/json", body); w.Code != 204 || f.did[len(f.did)-1] != did {
			t.Errorf("%s: status %d, %v", body, w.Code, f.did)
		}
	}
	wantProblem(t, "nothing to change", ask(h, admin, http.MethodPatch, "/api/v1/people/3", "application/json", `{}`), 422, "role")

	type invited struct {
		invitation
		Code string
	}
	const until = "2026-05-03T12:00:00Z"
	x := decode[invited](t, ask(h, admin, http.MethodPost, "/api/v1/invitations", "application/json", `{"role":"expert","guest":true,"uses":30,"expires_at":"`+until+`"}`), 201)
	if i := f.invitation; x.Code != "ABCD-EFGH" || x.Uses != 30 || i.Role != identify.Expert || !i.Guest || i.ExpiresAt.Format(time.RFC3339) != until {
		t.Errorf("%+v, %+v", x, f.invitation)
	}
	wantProblem(t, "too many", ask(h, admin, http.MethodPost, "/api/v1/invitations", "application/json", `{"role":"expert","uses":2000,"expires_at":"`+until+`"}`), 422, "uses")
	type invitations struct{ Invitations []invitation }
	if l := decode[invitations](t, ask(h, admin, http.MethodGet, "/api/v1/invitations", "", ""), 200); l.Invitations[0].ID != 4 {
		t.Errorf("%+v", l)
	}
	if w := ask(h, admin, http.MethodDelete, "/api/v1/invitations/4", "", ""); w.Code != 204 || f.did[len(f.did)-1] != "revoke invitation" {
		t.Errorf("status %d, %v", w.Code, f.did)
	}
}

func TestTokens(t *testing.T) {
	f := &fakePeople{}
	h := handlerOf(t, &fake{}, &fakeReview{}, &fakeMemory{}, f)
	type tokens struct{ Tokens []token }
	if l := decode[tokens](t, ask(h, expert, http.MethodGet, "/api/v1/tokens", "", ""), 200); len(l.Tokens) != 1 || l.Tokens[0].Name != "mine" {
		t.Errorf("%+v", l)
	}
	if l := decode[tokens](t, ask(h, admin, http.MethodGet, "/api/v1/tokens?all=true", "", ""), 200); len(l.Tokens) != 2 {
		t.Errorf("%+v", l)
	}
	wantProblem(t, "everyone's", ask(h, expert, http.MethodGet, "/api/v1/tokens?all=true", "", ""), 403, "")
	type made struct{ Token string }
	for body, want := range map[string]string{`{"name":"camera","role":"expert"}`: "fieldmark_own", `{"name":"camera","role":"expert","program":true}`: "fieldmark_program"} {
		if m := decode[made](t, ask(h, admin, http.MethodPost, "/api/v1/tokens", "application/json", body), 201); m.Token != want || f.token.Name != "camera" || f.token.Role != identify.Expert {
			t.Errorf("%s: %+v, %+v", body, m, f.token)
		}
	}
	if w := ask(h, expert, http.MethodDelete, "/api/v1/tokens/3", "", ""); w.Code != 204 || f.did[len(f.did)-1] != "revoke token" {
		t.Errorf("status %d, %v", w.Code, f.did)
	}
}

func TestWorkshops(t *testing.T) {
	f := &fakePeople{}
	h := handlerOf(t, &fake{}, &fakeReview{}, &fakeMemory{}, f)
	const path = "/api/v1/workshops"
	w := ask(h, admin, http.MethodPost, path, "application/json", `{"title":"Moths","role":"expert","hours":1.5,"label_set":2}`)
	if x := decode[workshop](t, w, 201); x.ID != 5 || x.Code != "ABCD-EFGH" || w.Header().Get("Location") != path+"/5" {
		t.Errorf("%+v", x)
	}
	if f.plan != (identify.WorkshopPlan{Title: "Moths", Role: identify.Expert, LabelSet: 2, Lasts: 90 * time.Minute}) {
		t.Errorf("%+v", f.plan)
	}
	wantProblem(t, "a curator", ask(h, curator, http.MethodPost, path, "application/json", `{"title":"Moths","role":"expert","hours":1}`), 403, "")
	type all struct{ Workshops []workshop }
	if l := decode[all](t, ask(h, admin, http.MethodGet, path, "", ""), 200); len(l.Workshops) != 2 {
		t.Errorf("%+v", l)
	}
	type whole struct {
		workshop
		People []workshopGuest
	}
	if x := decode[whole](t, ask(h, admin, http.MethodGet, path+"/5", "", ""), 200); x.ID != 5 || x.People[0].Name != "Ben" || x.People[0].Lessons != 3 {
		t.Errorf("%+v", x)
	}
	wantProblem(t, "no workshop", ask(h, admin, http.MethodGet, path+"/404", "", ""), 404, "id")
	if x := decode[whole](t, ask(h, admin, http.MethodPost, path+"/5/extend", "application/json", `{"hours":2.5}`), 200); x.ID != 5 || f.plan.Lasts != 150*time.Minute {
		t.Errorf("%+v, %v", x, f.plan.Lasts)
	}
	wantProblem(t, "no workshop to extend", ask(h, admin, http.MethodPost, path+"/404/extend", "application/json", `{"hours":2}`), 404, "id")
	wantProblem(t, "a curator who extends", ask(h, curator, http.MethodPost, path+"/5/extend", "application/json", `{"hours":2}`), 403, "")
	type lessons struct{ Lessons int }
	if x := decode[lessons](t, ask(h, admin, http.MethodPost, path+"/5/reset?own=true", "", ""), 200); x.Lessons != 7 || !f.own {
		t.Errorf("%+v", x)
	}
	if x := decode[lessons](t, ask(h, admin, http.MethodPost, path+"/5/restore", "", ""), 200); x.Lessons != 6 {
		t.Errorf("%+v", x)
	}
	if w := ask(h, admin, http.MethodPost, path+"/5/end", "", ""); w.Code != 204 || f.did[len(f.did)-1] != "end" {
		t.Errorf("status %d, %v", w.Code, f.did)
	}
}
