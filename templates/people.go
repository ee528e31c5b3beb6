package templates

import "fmt"

// PeoplePage says who may come in, and how.
type PeoplePage struct {
	People              []Person
	Invitations, Closed []Invitation
	Tokens              []Token     // of everyone, that open
	Local               bool        // nobody signs in: an invitation is good only when the server is for others
	Problem             string      // why a person was not changed
	Made                *Invitation // that was just made, with its link
	Secret              string      // token that was just made
	Invite              InviteForm
	Token               TokenForm
}

// Person is someone who may come in, or might.
type Person struct {
	ID       int64
	Name     string
	Role     string
	Kind     string // "guest", "by token only", ""
	Facts    []string
	You      bool // who looks at the page
	Fixed    bool // the owner: cannot be changed
	Disabled bool
	Roles    []Option
}

func (p Person) link(action string) string { return fmt.Sprintf("/people/%d/%s", p.ID, action) }

func (p Person) field(name string) string { return fmt.Sprintf("%s-%d", name, p.ID) }

// Invitation lets people make accounts.
type Invitation struct {
	ID         int64
	For        string // a name, or "Up to 30 people"
	Named      bool   // it is a name
	Role       string
	Guest      bool
	Left       string // "3 of 30 used"
	Ends       Moment
	By         string
	Over       string // why nobody can join any more, "" if they can
	Code, Link string // only just after it was made
}

func (i Invitation) revokeLink() string { return fmt.Sprintf("/people/invitations/%d/revoke", i.ID) }

// InviteForm is what was typed for an invitation.
type InviteForm struct {
	Role, Name, Uses, Days string
	Guest                  bool
	Roles                  []Option
	Field, Problem         string // what is wrong, with which field
}

// Token opens the API to a program.
type Token struct {
	Name, User, Role string
	Used, Ends       string
	RevokeLink       string
}

// TokenForm is what was typed for a token.
type TokenForm struct {
	Name, Role, Days string
	Roles            []Option
	Field, Problem   string
}

// AccountPage is about the account of who looks at it.
type AccountPage struct {
	Name                                     string
	Role                                     string // "You are an expert. You can …"
	Guest                                    bool   // has no password yet
	Local                                    bool   // nobody signs in here
	Saved                                    string
	PasswordChange                           PasswordChange // the last one
	NameProblem, OldProblem, PasswordProblem string
	Sessions                                 []Session
	Tokens                                   []Token
	Secret                                   string // token that was just made
	Token                                    TokenForm
	OwnData                                  bool // they can save it, and leave
	Leave                                    LeaveForm
}

// LeaveForm is what somebody typed who wants to leave.
type LeaveForm struct {
	Open           bool // it is not folded
	Withdraw       bool // their lessons, too
	Field, Problem string
}

// Session is one browser in which they are signed in.
type Session struct {
	Browser     string
	Here        bool
	Seen, Since Moment
}

// orElse is a text, or another where that is empty.
func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
