package identify

import (
	"context"
	"time"
)

// SetUpAge is how long a set-up link can be used.
const SetUpAge = 24 * time.Hour

// OfferSetUp returns the secret of a link with which the first admin makes their
// account, if nobody can sign in yet; "" if someone can. The link that it
// returned before is good no longer.
func (p *People) OfferSetUp(ctx context.Context) (secret string, err error) {
	reachable, err := p.Reachable(ctx)
	if err != nil || reachable {
		return "", err
	}
	secret, hash, err := newSecret("")
	if err != nil {
		return "", err
	}
	now := p.Now()
	return secret, p.Store.OfferSetUp(ctx, hash, now, now.Add(SetUpAge))
}

// Reachable reports whether anyone can sign in: until someone can, only the set-up link
// leads in.
func (p *People) Reachable(ctx context.Context) (bool, error) {
	return p.Store.Reachable(ctx, p.Now())
}

// errSetUp is the same whether the link was never good or is no longer.
var errSetUp = Errorf(NotFound, "", "This set-up link is not good, or no longer. It works once and for a day; a new one is printed when Fieldmark is started again, as long as nobody can sign in.")

// SetUpOpen returns an error unless a set-up link can be used.
func (p *People) SetUpOpen(ctx context.Context, secret string) error {
	open, err := p.Store.SetUpOpen(ctx, hashSecret(secret), p.Now())
	if err == nil && !open {
		err = errSetUp
	}
	return err
}

// SetUp makes the first admin and uses the link up.
func (p *People) SetUp(ctx context.Context, secret, name, password string) (User, error) {
	if err := p.SetUpOpen(ctx, secret); err != nil {
		return User{}, err
	}
	n, err := p.newAccount(ctx, name, password, false)
	if err != nil {
		return User{}, err
	}
	u, err := p.Store.SetUp(ctx, hashSecret(secret), n)
	if KindOf(err) == NotFound {
		err = errSetUp
	}
	return u, err
}
