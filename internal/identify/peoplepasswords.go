package identify

import (
	"context"
	"strings"
	"unicode/utf8"
)

const (
	minPassword = 12 // characters; what OWASP ASVS 4 (2.1.1) asks for
	maxPassword = 200
	maxUserName = 200
)

// errSignIn is the same whether there is nobody of that name, the password is
// another one or the account is disabled.
var errSignIn = Errorf(Forbidden, "password",
	"This name and this password do not belong together. Check both; if you forgot the password, an admin can invite you again.")

// SignIn returns the user of a name and a password. It takes as long, and says
// the same, if there is no such name.
func (p *People) SignIn(ctx context.Context, name, password string) (User, error) {
	a, err := p.Store.AccountByName(ctx, name)
	if err != nil && KindOf(err) != NotFound {
		return User{}, err
	}
	if len(password) > 4*maxPassword {
		password = "" // nobody's: what is longer than a password can be is not hashed
	}
	ok, outdated, err := p.Passwords.Verify(ctx, password, a.Password)
	if err != nil {
		return User{}, err
	}
	if !ok {
		return User{}, errSignIn
	}
	if outdated {
		p.rehash(ctx, a, password)
	}
	return a.User, nil
}

// rehash stores a password's hash with the present parameters. Who signed in is
// let in even if that fails; it is tried again the next time.
func (p *People) rehash(ctx context.Context, a Account, password string) {
	hash, err := p.Passwords.Hash(ctx, password)
	if err == nil {
		err = p.Store.RehashPassword(ctx, a.ID, a.Password, hash)
	}
	if err != nil {
		p.Log.WarnContext(ctx, "a password could not be hashed anew", "user", a.ID, "error", err)
	}
}

// ChangePassword replaces a user's own password, which ends all their sessions; agent is
// what the browser calls itself. A guest, who has none, gives "" as old and is a guest no
// longer.
func (p *People) ChangePassword(ctx context.Context, u User, old, password, agent string) error {
	if err := allow(u, Viewer, "change a password"); err != nil {
		return err
	}
	a, err := p.Store.Account(ctx, u.ID)
	if err != nil {
		return err
	}
	if a.Password != "" {
		ok, _, err := p.Passwords.Verify(ctx, old, a.Password)
		if err != nil {
			return err
		}
		if !ok {
			return Errorf(Invalid, "old", "This is not your present password.")
		}
	} else if !a.Guest {
		return Errorf(Conflict, "", "This account is a program's or the owner's: it has no password. People come in by an invitation.")
	}
	if err := p.checkPassword(a.Name, password); err != nil {
		return err
	}
	hash, err := p.Passwords.Hash(ctx, password)
	if err != nil {
		return err
	}
	err = p.Store.SetPassword(ctx, u.ID, a.Password, hash, PasswordChange{At: p.Now(), Agent: brief(agent, maxAgent), First: a.Password == ""})
	if err == nil {
		p.Log.InfoContext(ctx, "a password was changed") // whose, the database knows
	}
	return err
}

// Rename changes a user's own name, by which others see who taught what.
func (p *People) Rename(ctx context.Context, u User, name string) error {
	if err := allow(u, Viewer, "change a name"); err != nil {
		return err
	}
	name, err := cleanUserName(name)
	if err != nil {
		return err
	}
	return stored(p.Store.RenameUser(ctx, u.ID, name), "name")
}

// cleanUserName returns a name without space around it, or an error about the
// field "name".
func cleanUserName(name string) (string, error) {
	name = strings.TrimSpace(name)
	switch {
	case name == "":
		return "", Errorf(Invalid, "name", "Type a name: others see by it who taught what.")
	case utf8.RuneCountInString(name) > maxUserName:
		return "", Errorf(Invalid, "name", "A name has at most %d characters.", maxUserName)
	}
	return name, nil
}

// siteName is a word that everybody knows of whatever a password opens here.
const siteName = "Fieldmark"

// checkPassword returns an error about the field "password" unless it is hard
// to guess. Length is what counts: no kinds of characters are asked for.
func (p *People) checkPassword(name, password string) error {
	length := utf8.RuneCountInString(password)
	switch {
	case !utf8.ValidString(password):
		return Errorf(Invalid, "password", "This password has characters in it that are none. Type it again.")
	case length < minPassword:
		return Errorf(Invalid, "password", "A password has at least %d characters; four words that do not belong together are easy to keep.", minPassword)
	case length > maxPassword:
		return Errorf(Invalid, "password", "A password has at most %d characters.", maxPassword)
	}
	switch p.Guesses.Weakness(password, name, siteName) {
	case Breached:
		return Errorf(Invalid, "password", "This password is known from sites that were broken into, and would be tried first. Choose another one.")
	case Patterned:
		return Errorf(Invalid, "password", "This password repeats itself, or follows the alphabet or the keyboard, and would be tried first. Choose another one.")
	case Telling:
		return Errorf(Invalid, "password", "This password is little more than a name that everybody here knows, and would be tried first. Choose another one.")
	}
	return nil
}
