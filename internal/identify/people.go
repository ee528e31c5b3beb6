package identify

import (
	"context"
	"log/slog"
	"time"
)

// PeopleConfig is what People works with. Store, Passwords and Guesses are required.
type PeopleConfig struct {
	Store     PeopleStore
	Passwords Passwords
	Guesses   Guesses
	Now       func() time.Time // the clock; nil means time.Now
	Log       *slog.Logger     // nil means slog.Default
}

// People knows who may come in, and how: by a password, a session, a token, an
// invitation. It is no part of Service, so that a command can ask it without an
// encoder or a memory. Its methods are safe for concurrent use.
//
// Whatever opens a door (a session, a token, a link) is random and stored as a
// hash only.
type People struct {
	PeopleConfig
}

// NewPeople returns the people of a store.
func NewPeople(c PeopleConfig) *People {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return &People{c}
}

// Person is a user as an admin sees them.
type Person struct {
	User
	Owner      bool       // sits at the machine itself; cannot be changed
	Password   bool       // signs in by name and password
	PasswordAt *time.Time // when it was last changed; nil: it is the first
	Tokens     int        // that still open
	SeenAt     *time.Time // last request of a session or token, to the minute; nil: never
	CreatedBy  string     // name of who invited or made them; "" if nobody did
	ChangedAt  *time.Time // when the role was last changed
	ChangedBy  string
	DisabledAt *time.Time // nil: may come in
	DisabledBy string
	Left       bool // by themselves, and with what was personal of them; for good
}

// Owner returns the user who sits at the machine itself.
func (p *People) Owner(ctx context.Context) (User, error) { return p.Store.Owner(ctx) }

// People lists everyone, the disabled last.
func (p *People) People(ctx context.Context, u User) ([]Person, error) {
	if err := allow(u, Admin, "see who may come in"); err != nil {
		return nil, err
	}
	return p.Store.People(ctx, p.Now())
}

// ChangeRole gives a person another role, and ends their sessions, but not a
// guest's, who would have no other way in; what a session may do is what the
// role allows at that moment anyway. That no admin would be left who can sign
// in is a Conflict.
func (p *People) ChangeRole(ctx context.Context, u User, id UserID, role Role) error {
	if err := allow(u, Admin, "change roles"); err != nil {
		return err
	}
	if err := checkRole(role); err != nil {
		return err
	}
	return p.Store.SetRole(ctx, id, role, u.ID, p.Now())
}

// Disable lets a person in no more: sessions end and tokens open nothing. What
// they taught stays. That no admin would be left who can sign in is a Conflict.
func (p *People) Disable(ctx context.Context, u User, id UserID) error {
	if err := allow(u, Admin, "disable people"); err != nil {
		return err
	}
	return p.Store.DisableUser(ctx, id, u.ID, p.Now())
}

// Enable lets a disabled person in again, with the password and the tokens that
// they had. That someone else has taken the name since is a Conflict.
func (p *People) Enable(ctx context.Context, u User, id UserID) error {
	if err := allow(u, Admin, "enable people"); err != nil {
		return err
	}
	return p.Store.EnableUser(ctx, id)
}

// checkRole returns an error about the field "role" unless there is such a role.
func checkRole(role Role) error {
	if role.Allows(Viewer) {
		return nil
	}
	return Errorf(Invalid, "role", "There is no role %.40q; the roles are %v.", string(role), Roles())
}
