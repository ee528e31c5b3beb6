package web

import (
	"context"
	"net/http"
	"time"

	"fieldmark/internal/exchange"
	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// OwnDataService is what people need to take their data along.
type OwnDataService interface {
	OwnData(ctx context.Context, u identify.User) (observed, said *identify.Export, err error)
	// GoOnWithLeavers withdraws, in the background, the lessons of those who left with them.
	GoOnWithLeavers()
}

// ownAccount is what is kept of somebody beside what they did, as they save it.
type ownAccount struct {
	Name             string     `json:"name"`
	Role             string     `json:"role"`
	Guest            bool       `json:"guest"`
	JoinedAt         time.Time  `json:"joined_at"`
	Sessions         []ownUse   `json:"sessions"`
	Tokens           []ownToken `json:"tokens"`
	PasswordsChanged []ownUse   `json:"password_changes"`
}

// ownUse is when and in which browser somebody did something.
type ownUse struct {
	Browser string     `json:"browser"`
	At      time.Time  `json:"at"`
	SeenAt  *time.Time `json:"last_used_at,omitempty"`
}

type ownToken struct {
	Name      string     `json:"name"`
	Role      string     `json:"role"`
	At        time.Time  `json:"at"`
	UsedAt    *time.Time `json:"last_used_at,omitempty"`
	RevokedAt *time.Time `json:"revoked_at,omitempty"`
}

// saveOwnData answers with everything that is kept of who asks, as a zip.
func (s *site) saveOwnData(w http.ResponseWriter, r *http.Request) error {
	u := s.User(r)
	observed, said, err := s.OwnData.OwnData(r.Context(), u)
	if err != nil {
		return err
	}
	account, err := s.ownAccount(r.Context(), u)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/zip")
	w.Header().Set("Content-Disposition", `attachment; filename="fieldmark-my-data.zip"`)
	if err := exchange.WriteOwnData(r.Context(), w, account, observed, said); err != nil {
		// A part of an archive must not look like a whole one.
		s.Log.ErrorContext(r.Context(), "what somebody saved of themselves broke off", "error", err)
		panic(http.ErrAbortHandler)
	}
	return nil
}

func (s *site) ownAccount(ctx context.Context, u identify.User) (ownAccount, error) {
	a := ownAccount{Name: u.Name, Role: string(u.Role), Guest: u.Guest, JoinedAt: u.CreatedAt,
		Sessions: []ownUse{}, Tokens: []ownToken{}, PasswordsChanged: []ownUse{}}
	sessions, err := s.People.Sessions(ctx, u)
	if err != nil {
		return a, err
	}
	tokens, err := s.People.Tokens(ctx, u)
	if err != nil {
		return a, err
	}
	changes, err := s.People.PasswordChanges(ctx, u)
	if err != nil {
		return a, err
	}
	for _, x := range sessions {
		a.Sessions = append(a.Sessions, ownUse{x.Agent, x.CreatedAt, &x.SeenAt})
	}
	for _, t := range tokens {
		a.Tokens = append(a.Tokens, ownToken{t.Name, string(t.Role), t.CreatedAt, t.UsedAt, t.RevokedAt})
	}
	for _, c := range changes {
		a.PasswordsChanged = append(a.PasswordsChanged, ownUse{c.Agent, c.At, nil})
	}
	return a, nil
}

// leave takes away what is personal of who asks, and signs them out for good.
func (s *site) leave(w http.ResponseWriter, r *http.Request) error {
	if err := parseForm(r); err != nil {
		return err
	}
	takeBack := r.PostForm.Get("lessons") == "withdraw"
	refused := func(status int, field, message string) error {
		form := templates.LeaveForm{Withdraw: takeBack, Open: true, Field: field, Problem: message}
		return s.renderAccount(w, r, status, templates.AccountPage{Leave: form})
	}
	if r.PostForm.Get("sure") == "" {
		return refused(http.StatusUnprocessableEntity, "sure", words.T(r.Context(), "Say that you are sure: nobody can undo it."))
	}
	err := s.People.Leave(r.Context(), s.User(r), r.PostForm.Get("password"), takeBack)
	if kind := identify.KindOf(err); kind == identify.Invalid || kind == identify.Conflict {
		p := problem(r.Context(), err)
		return refused(p.Status, fieldOf(err), p.Message)
	} else if err != nil {
		return err
	}
	if takeBack {
		s.OwnData.GoOnWithLeavers()
	}
	if s.Sessions != nil {
		if err := s.Sessions.SignOut(w, r); err != nil {
			return err
		}
	}
	clearsCache(w.Header())
	return seeOther(w, r, "/sign-in?left=1")
}

// who is a person's name, or what is said of those who left.
func who(ctx context.Context, name string) string {
	if name == identify.SomeoneWhoLeft {
		return words.T(ctx, "someone who left")
	}
	return name
}
