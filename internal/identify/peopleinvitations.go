package identify

import (
	"context"
	"time"
)

// InvitationID identifies an invitation.
type InvitationID int64

// Invitation lets people make accounts for themselves. Whoever makes one sets
// Role, Name, Guest, Uses and ExpiresAt.
type Invitation struct {
	ID    InvitationID
	Role  Role
	Name  string // of who is invited; "" if they choose it
	Guest bool   // they need no password: the session they get is their key
	Uses  int    // how many may join

	// Returning is the guest who comes back by it, to the account that they had; 0:
	// whoever joins is new. LetBackIn sets it.
	Returning UserID

	Used          int
	CreatedAt     time.Time
	CreatedBy     UserID
	CreatedByName string
	ExpiresAt     time.Time
	RevokedAt     *time.Time
	RevokedBy     UserID
	RevokedByName string
}

// Left returns how many may still join, if it is open.
func (i Invitation) Left() int { return i.Uses - i.Used }

// Open reports whether someone can join.
func (i Invitation) Open(now time.Time) bool {
	return i.RevokedAt == nil && i.Left() > 0 && now.Before(i.ExpiresAt)
}

const (
	maxInvited       = 1000
	maxInvitationAge = 366 * 24 * time.Hour
)

// Invite makes an invitation. Its code can be typed, or be the end of a link; it
// is told this once and only its key is stored.
func (p *People) Invite(ctx context.Context, u User, i Invitation) (code string, made Invitation, err error) {
	if err := allow(u, Admin, "invite people"); err != nil {
		return "", Invitation{}, err
	}
	i.CreatedAt, i.CreatedBy, i.CreatedByName, i.Returning = p.Now(), u.ID, u.Name, 0
	if i, err = cleanInvitation(i); err != nil {
		return "", Invitation{}, err
	}
	return p.addInvitation(ctx, i)
}

// returnAge is how long a code is good that a guest comes back by: it is read out to
// someone who stands there.
const returnAge = 15 * time.Minute

// LetBackIn makes a code by which a guest who has lost their session comes back, once,
// as who they are: their role, or that their access or their workshop has ended, is
// looked up when they do. The code replaces one made before. That id is no guest who may
// come in is a Conflict.
func (p *People) LetBackIn(ctx context.Context, u User, id UserID) (code string, made Invitation, err error) {
	if err := allow(u, Admin, "let guests back in"); err != nil {
		return "", Invitation{}, err
	}
	a, err := p.Store.Account(ctx, id)
	if KindOf(err) == NotFound || err == nil && !a.Guest {
		err = Errorf(Conflict, "", "Nobody comes back by a code but a guest who may come in. Whoever has a password signs in with it.")
	}
	if err != nil {
		return "", Invitation{}, err
	}
	now := p.Now()
	return p.addInvitation(ctx, Invitation{Role: a.Role, Name: a.Name, Guest: true, Uses: 1, Returning: a.ID,
		CreatedAt: now, CreatedBy: u.ID, CreatedByName: u.Name, ExpiresAt: now.Add(returnAge)})
}

func (p *People) addInvitation(ctx context.Context, i Invitation) (code string, made Invitation, err error) {
	if code, err = newCode(); err != nil {
		return "", Invitation{}, err
	}
	key, err := p.Passwords.Key(ctx, cleanCode(code))
	if err != nil {
		return "", Invitation{}, err
	}
	made, err = p.Store.AddInvitation(ctx, key, i)
	return code, made, err
}

func cleanInvitation(i Invitation) (Invitation, error) {
	if err := checkRole(i.Role); err != nil {
		return i, err
	}
	if i.Guest && i.Role.Allows(Curator) {
		return i, Errorf(Invalid, "role", "A guest is a viewer or an expert: who may do more needs a password.")
	}
	if i.Uses < 1 || i.Uses > maxInvited {
		return i, Errorf(Invalid, "uses", "An invitation is for 1 to %d people.", maxInvited)
	}
	if i.Name != "" {
		name, err := cleanUserName(i.Name)
		if err != nil {
			return i, err
		}
		if i.Name = name; i.Uses > 1 {
			return i, Errorf(Invalid, "name", "An invitation with a name is for one person. Leave the name out, and each chooses their own.")
		}
	}
	if age := i.ExpiresAt.Sub(i.CreatedAt); age <= 0 || age > maxInvitationAge {
		return i, Errorf(Invalid, "expires", "An invitation ends later than now, and within a year.")
	}
	return i, nil
}

// Invitations lists all, newest first.
func (p *People) Invitations(ctx context.Context, u User) ([]Invitation, error) {
	if err := allow(u, Admin, "see the invitations"); err != nil {
		return nil, err
	}
	return p.Store.Invitations(ctx)
}

// RevokeInvitation closes an invitation; who has joined stays.
func (p *People) RevokeInvitation(ctx context.Context, u User, id InvitationID) error {
	if err := allow(u, Admin, "revoke invitations"); err != nil {
		return err
	}
	return p.Store.RevokeInvitation(ctx, id, u.ID, p.Now())
}

// errCode is the same whether there was never such a code, or it is used up,
// over or revoked.
var errCode = Errorf(NotFound, "code", "This invitation is not good, or no longer. Check the code, or ask who gave it to you for a new one.")

// Invited returns the open invitation of a code as someone typed it; KindOf
// NotFound if there is none.
func (p *People) Invited(ctx context.Context, code string) (Invitation, error) {
	i, _, err := p.invited(ctx, code)
	return i, err
}

func (p *People) invited(ctx context.Context, code string) (i Invitation, key []byte, err error) {
	clean := cleanCode(code)
	if clean == "" {
		return i, nil, errCode
	}
	if key, err = p.Passwords.Key(ctx, clean); err != nil {
		return i, nil, err
	}
	i, err = p.Store.InvitationByKey(ctx, key, p.Now())
	if KindOf(err) == NotFound {
		err = errCode
	}
	return i, key, err
}

// Join makes an account for whoever has the code of an open invitation, or finds the one
// that they come back to. A name that the invitation gives counts, whatever name says; a
// guest's password is not looked at. Begin a session for the user that it returns.
func (p *People) Join(ctx context.Context, code, name, password string) (User, error) {
	i, key, err := p.invited(ctx, code)
	if err != nil {
		return User{}, err
	}
	if i.Name != "" {
		name = i.Name
	}
	if i.Guest {
		password = ""
	}
	n, err := p.newAccount(ctx, name, password, i.Guest)
	if err != nil {
		return User{}, err
	}
	u, err := p.Store.Join(ctx, key, n)
	if KindOf(err) == NotFound {
		err = errCode // someone else was faster
	}
	return u, err
}

// newAccount checks what someone chose.
func (p *People) newAccount(ctx context.Context, name, password string, guest bool) (n NewAccount, err error) {
	n.At = p.Now()
	if n.Name, err = cleanUserName(name); err != nil || guest {
		return n, err
	}
	if err := p.checkPassword(n.Name, password); err != nil {
		return n, err
	}
	n.Password, err = p.Passwords.Hash(ctx, password)
	return n, err
}
