package identify

import (
	"context"
	"time"
)

// PasswordChange is one time that somebody set their password: it is kept for good, and
// told to whoever it may concern. There is no mail, so the news goes to the browsers in
// which they were signed in, which the change signed out.
type PasswordChange struct {
	At    time.Time
	Agent string // what the browser calls itself in which it was set
	First bool   // they were a guest until then
}

// PasswordChanges lists when a user's own password was set, newest first; what they
// chose when they joined is none.
func (p *People) PasswordChanges(ctx context.Context, u User) ([]PasswordChange, error) {
	if err := allow(u, Viewer, "see your account"); err != nil {
		return nil, err
	}
	return p.Store.PasswordChanges(ctx, u.ID)
}

// ChangeThatEnded returns the change of a password that ended the session of a secret,
// KindOf NotFound if none did. Whoever holds the secret was signed in by it: nobody else
// can ask.
func (p *People) ChangeThatEnded(ctx context.Context, secret string) (PasswordChange, error) {
	return p.Store.ChangeThatEnded(ctx, hashSecret(secret))
}
