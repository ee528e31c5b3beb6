package identify

import (
	"context"
	"time"
)

// Passwords makes and checks hashes of passwords, a bounded number at once; one
// that has to wait too long is of kind Overloaded.
type Passwords interface {
	// Hash returns what is stored of a password.
	Hash(ctx context.Context, password string) (hash string, err error)
	// Verify reports whether a password belongs to a hash, and whether the hash
	// should be made anew. A hash of "" belongs to none, and takes as long.
	Verify(ctx context.Context, password, hash string) (ok, outdated bool, err error)
	// Key returns what a code that people type is stored and looked up by.
	Key(ctx context.Context, code string) ([]byte, error)
}

// Guesses knows the passwords that are tried first.
type Guesses interface {
	// Weakness says why a password would be guessed; about are words that anybody
	// knows of its owner, and of the place that it opens.
	Weakness(password string, about ...string) Weakness
	// Bits is a lower bound of log2 of the guesses that it takes.
	Bits(password string, about ...string) float64
}

// Weakness is why a password would be guessed.
type Weakness string

// The kinds of weakness.
const (
	Sound     Weakness = ""
	Breached  Weakness = "breached"  // people chose it where a breach has shown it
	Patterned Weakness = "patterned" // it repeats itself, or follows keys or letters
	Telling   Weakness = "telling"   // little but its owner's name, or the place's
)

// Account is how a user signs in.
type Account struct {
	User
	Password string // hash; "" if there is none
}

// NewAccount is a person who joins. Name is clean; Password is a hash, "" for a
// guest.
type NewAccount struct {
	Name     string
	Password string
	At       time.Time
}

// PeopleStore keeps people and what opens doors to them, by hash. One method is
// one transaction, durable when it returns. What is not there, or is no longer
// good, is of kind NotFound; a name that is taken is a Conflict.
type PeopleStore interface {
	Owner(ctx context.Context) (User, error)
	People(ctx context.Context, now time.Time) ([]Person, error)
	SetRole(ctx context.Context, id UserID, role Role, by UserID, at time.Time) error
	DisableUser(ctx context.Context, id UserID, by UserID, at time.Time) error
	EnableUser(ctx context.Context, id UserID) error
	RenameUser(ctx context.Context, id UserID, name string) error

	// AccountByName finds a user who may come in by name, in any spelling.
	AccountByName(ctx context.Context, name string) (Account, error)
	Account(ctx context.Context, id UserID) (Account, error)
	// SetPassword replaces the hash, notes the change and ends all sessions; the user
	// is a guest no longer. It does nothing and is NotFound if the hash is not old any
	// more.
	SetPassword(ctx context.Context, id UserID, old, hash string, c PasswordChange) error
	// PasswordChanges lists a user's, newest first.
	PasswordChanges(ctx context.Context, id UserID) ([]PasswordChange, error)
	// ChangeThatEnded returns the change that ended the session of a hash.
	ChangeThatEnded(ctx context.Context, hash []byte) (PasswordChange, error)
	// RehashPassword replaces the hash of the same password, if it is still old.
	RehashPassword(ctx context.Context, id UserID, old, hash string) error

	LeavingStore
	SessionStore
	InvitationStore
	TokenStore
	SetUpStore
}

// SessionStore keeps sessions by the hash of their secret.
type SessionStore interface {
	AddSession(ctx context.Context, hash []byte, s Session) error
	// UserBySession returns the user of a session that has not expired. That of a
	// token has the weaker role, and ends when the token opens no more.
	UserBySession(ctx context.Context, hash []byte, now time.Time) (User, Session, error)
	// TouchSession notes that it was used, and when it expires now.
	TouchSession(ctx context.Context, hash []byte, seen, expires time.Time) error
	// Sessions lists a user's, last seen first.
	Sessions(ctx context.Context, user UserID, now time.Time) ([]Session, error)
	// EndSession ends one; one that is not there has ended.
	EndSession(ctx context.Context, hash []byte) error
	// EndOtherSessions ends a user's, but not the one of hash keep.
	EndOtherSessions(ctx context.Context, user UserID, keep []byte) error
}

// InvitationStore keeps invitations by the key of their code.
type InvitationStore interface {
	// AddInvitation stores one; of those by which the same guest comes back it is the
	// only one that is open.
	AddInvitation(ctx context.Context, key []byte, i Invitation) (Invitation, error)
	// Invitations lists all, newest first.
	Invitations(ctx context.Context) ([]Invitation, error)
	// InvitationByKey returns one that is open. One by which a guest comes back is open
	// while they may come in.
	InvitationByKey(ctx context.Context, key []byte, now time.Time) (Invitation, error)
	RevokeInvitation(ctx context.Context, id InvitationID, by UserID, at time.Time) error
	// Join counts one use of an open invitation and makes an account, or ends the
	// sessions of the guest who comes back by it.
	Join(ctx context.Context, key []byte, n NewAccount) (User, error)
}

// TokenStore keeps tokens by their hash.
type TokenStore interface {
	// AddProgram makes a user who is known by a token alone, which has its name
	// and role.
	AddProgram(ctx context.Context, hash []byte, t Token) (User, error)
	AddToken(ctx context.Context, hash []byte, t Token) (Token, error)
	// Tokens lists a user's, or everyone's if user is 0, newest first.
	Tokens(ctx context.Context, user UserID) ([]Token, error)
	Token(ctx context.Context, id TokenID) (Token, error)
	// UserByToken returns the user of a token that opens, with the weaker role.
	UserByToken(ctx context.Context, hash []byte, now time.Time) (User, Token, error)
	TouchToken(ctx context.Context, id TokenID, seen time.Time) error
	RevokeToken(ctx context.Context, id TokenID, by UserID, at time.Time) error
}

// SetUpStore keeps the one set-up link, by the hash of its secret.
type SetUpStore interface {
	// Reachable reports whether anyone can sign in: by password or by token.
	Reachable(ctx context.Context, now time.Time) (bool, error)
	// OfferSetUp replaces the link that was offered before.
	OfferSetUp(ctx context.Context, hash []byte, at, expires time.Time) error
	// SetUpOpen reports whether the link of hash can be used.
	SetUpOpen(ctx context.Context, hash []byte, now time.Time) (bool, error)
	// SetUp makes the first admin and uses the link up.
	SetUp(ctx context.Context, hash []byte, n NewAccount) (User, error)
}
