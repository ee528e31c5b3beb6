package templates

// SignInPage is the form for a name and a password, or for a token.
type SignInPage struct {
	Needed                bool
	NobodyYet             bool           // nobody can sign in: the first account is still to be made
	Over                  bool           // whoever asks was signed in before
	Left                  bool           // whoever asks has just left for good
	Changed               PasswordChange // which ended that, the zero value if none did
	CanJoin               bool
	Name                  string
	Problem, TokenProblem string
	Next                  string
}

// JoinForm asks for the code of an invitation.
type JoinForm struct{ Code, Problem string }

// AccountForm is for someone who makes an account: by an invitation, or the
// first one.
type AccountForm struct {
	Title, Lead, Button          string
	Action                       string
	Name                         string
	NameFixed                    bool   // the invitation gives it
	Taken                        bool   // by a guest, who may be the same person
	Returning                    bool   // a guest comes back
	AskPassword                  bool   // a guest has none
	Present                      string // name of who is signed in here already
	NameProblem, PasswordProblem string
}
