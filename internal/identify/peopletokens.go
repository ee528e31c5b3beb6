package identify

import (
	"context"
	"time"
)

// TokenID identifies a token.
type TokenID int64

// tokenPrefix lets people and scanners recognise a token that leaked.
const tokenPrefix = "fieldmark_"

// Token opens the API, and the pages, to a program. Whoever makes one sets Name,
// Role and ExpiresAt.
type Token struct {
	ID        TokenID
	User      UserID
	UserName  string
	Name      string     // what it is for
	Role      Role       // it may do no more, whatever its user may
	ExpiresAt *time.Time // nil: never

	CreatedAt     time.Time
	CreatedBy     UserID
	UsedAt        *time.Time // to the minute; nil: never
	RevokedAt     *time.Time
	RevokedBy     UserID
	RevokedByName string
}

// Opens reports whether it still opens.
func (t Token) Opens(now time.Time) bool {
	return t.RevokedAt == nil && (t.ExpiresAt == nil || now.Before(*t.ExpiresAt))
}

// AddToken makes a token of the user's own, with at most their role. It is told
// this once. A guest has none: it would outlast their visit. Nor does whoever came by
// a token make another, which would go on opening when theirs opens no more.
func (p *People) AddToken(ctx context.Context, u User, t Token) (secret string, made Token, err error) {
	if err := allow(u, Viewer, "make a token"); err != nil {
		return "", Token{}, err
	}
	if u.Guest {
		return "", Token{}, Errorf(Forbidden, "", "A guest has no tokens. Give yourself a password first.")
	}
	if !u.Role.Allows(t.Role) {
		return "", Token{}, Errorf(Invalid, "role", "A token may do at most what you may: your role is %q.", u.Role)
	}
	t.User, t.UserName = u.ID, u.Name
	hash, err := p.prepare(u, &t, &secret)
	if err != nil {
		return "", Token{}, err
	}
	if u.Token != 0 {
		return "", Token{}, Errorf(Forbidden, "", "You came by a token, and a token makes no other. Sign in by name and password, or ask an admin for one.")
	}
	made, err = p.Store.AddToken(ctx, hash, t)
	return secret, made, err
}

// AddProgram makes a user who is known by a token alone, with the token's name
// and role.
func (p *People) AddProgram(ctx context.Context, u User, t Token) (secret string, err error) {
	if err := allow(u, Admin, "make a program's token"); err != nil {
		return "", err
	}
	hash, err := p.prepare(u, &t, &secret)
	if err != nil {
		return "", err
	}
	_, err = p.Store.AddProgram(ctx, hash, t)
	return secret, err
}

// prepare checks a token that u makes and draws its secret.
func (p *People) prepare(u User, t *Token, secret *string) (hash []byte, err error) {
	t.CreatedAt, t.CreatedBy = p.Now(), u.ID
	if err := checkRole(t.Role); err != nil {
		return nil, err
	}
	if t.Name, err = cleanUserName(t.Name); err != nil {
		return nil, Errorf(Invalid, "name", "Say in at most %d characters what the token is for.", maxUserName)
	}
	if t.ExpiresAt != nil && !t.ExpiresAt.After(t.CreatedAt) {
		return nil, Errorf(Invalid, "expires", "A token ends later than now, or never.")
	}
	*secret, hash, err = newSecret(tokenPrefix)
	return hash, err
}

// ByToken returns the user of a token, with no more than the token's role;
// KindOf NotFound if it opens nothing.
func (p *People) ByToken(ctx context.Context, secret string) (User, error) {
	now := p.Now()
	u, t, err := p.Store.UserByToken(ctx, hashSecret(secret), now)
	if err == nil && (t.UsedAt == nil || toNote(*t.UsedAt, now)) {
		p.note(ctx, func(ctx context.Context) error { return p.Store.TouchToken(ctx, t.ID, now) })
	}
	return u, err
}

// Tokens lists a user's own, newest first.
func (p *People) Tokens(ctx context.Context, u User) ([]Token, error) {
	if err := allow(u, Viewer, "see your tokens"); err != nil {
		return nil, err
	}
	return p.Store.Tokens(ctx, u.ID)
}

// AllTokens lists everyone's, newest first.
func (p *People) AllTokens(ctx context.Context, u User) ([]Token, error) {
	if err := allow(u, Admin, "see everyone's tokens"); err != nil {
		return nil, err
	}
	return p.Store.Tokens(ctx, 0)
}

// RevokeToken makes a token open nothing more: a user's own, or anyone's if the
// user is an admin.
func (p *People) RevokeToken(ctx context.Context, u User, id TokenID) error {
	if err := allow(u, Viewer, "revoke a token"); err != nil {
		return err
	}
	t, err := p.Store.Token(ctx, id)
	if err != nil {
		return err
	}
	if t.User != u.ID {
		if err := allow(u, Admin, "revoke someone else's token"); err != nil {
			return err
		}
	}
	return p.Store.RevokeToken(ctx, id, u.ID, p.Now())
}
