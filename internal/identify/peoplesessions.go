package identify

import (
	"bytes"
	"context"
	"time"
)

const (
	// SessionAge is how long a session lasts after it was last used.
	SessionAge = 30 * 24 * time.Hour
	// sessionMost bounds a session that is used all the time; after it people
	// sign in again. A guest cannot, so theirs is not bounded.
	sessionMost = 180 * 24 * time.Hour
	// noteEvery is how often at most it is written that a session or a token was
	// used.
	noteEvery = time.Minute
	// noteWithin bounds how long a request waits for that: it is not what was
	// asked for.
	noteWithin = 200 * time.Millisecond
	maxAgent   = 300
)

// Session is one browser in which someone is signed in.
type Session struct {
	User      UserID
	Token     TokenID // that opened it: it may do no more, and ends with it; 0: none did
	Agent     string  // what the browser calls itself
	CreatedAt time.Time
	SeenAt    time.Time // to the minute
	ExpiresAt time.Time
	Hash      []byte // of the secret
}

// Of reports whether s is the session of a secret.
func (s Session) Of(secret string) bool { return bytes.Equal(s.Hash, hashSecret(secret)) }

// BeginSession lets a user in until the session expires or is ended. The secret
// is what the browser keeps. Whoever came by a token has a session of that token.
func (p *People) BeginSession(ctx context.Context, u User, agent string) (secret string, err error) {
	if err := allow(u, Viewer, "sign in"); err != nil {
		return "", err
	}
	secret, hash, err := newSecret("")
	if err != nil {
		return "", err
	}
	now := p.Now()
	err = p.Store.AddSession(ctx, hash, Session{User: u.ID, Token: u.Token, Agent: brief(agent, maxAgent), CreatedAt: now, SeenAt: now, ExpiresAt: now.Add(SessionAge)})
	return secret, err
}

// BySession returns the user of a session, KindOf NotFound if it has ended.
// Renewed says that it was just given its whole age again.
func (p *People) BySession(ctx context.Context, secret string) (u User, renewed bool, err error) {
	now, hash := p.Now(), hashSecret(secret)
	u, s, err := p.Store.UserBySession(ctx, hash, now)
	if err != nil || !toNote(s.SeenAt, now) {
		return u, false, err
	}
	expires := now.Add(SessionAge)
	if most := s.CreatedAt.Add(sessionMost); !u.Guest && expires.After(most) {
		expires = most
	}
	if s.ExpiresAt.After(expires) {
		expires = s.ExpiresAt // the clock was set back; when it is set right again nobody is to be shut out
	}
	renewed = p.note(ctx, func(ctx context.Context) error { return p.Store.TouchSession(ctx, hash, now, expires) })
	return u, renewed, nil
}

// toNote reports whether it is time to write again that something was used: also where
// the clock was set back meanwhile, since the last use would be one of the future until
// it came there again.
func toNote(last, now time.Time) bool {
	since := now.Sub(last)
	return since < 0 || since >= noteEvery
}

// note writes that something was used. A request is answered whether that
// works or not.
func (p *People) note(ctx context.Context, touch func(context.Context) error) bool {
	ctx, cancel := context.WithTimeout(ctx, noteWithin)
	defer cancel()
	if err := touch(ctx); err != nil {
		p.Log.DebugContext(ctx, "a last use was not noted", "error", err)
		return false
	}
	return true
}

// EndSession ends the session of a secret.
func (p *People) EndSession(ctx context.Context, secret string) error {
	return p.Store.EndSession(ctx, hashSecret(secret))
}

// Sessions lists a user's own, last seen first.
func (p *People) Sessions(ctx context.Context, u User) ([]Session, error) {
	if err := allow(u, Viewer, "see your sessions"); err != nil {
		return nil, err
	}
	return p.Store.Sessions(ctx, u.ID, p.Now())
}

// EndOtherSessions signs a user out everywhere but in the session of a secret.
func (p *People) EndOtherSessions(ctx context.Context, u User, secret string) error {
	if err := allow(u, Viewer, "end your sessions"); err != nil {
		return err
	}
	return p.Store.EndOtherSessions(ctx, u.ID, hashSecret(secret))
}

// brief is the beginning of a text, of at most n bytes.
func brief(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:n]
}
