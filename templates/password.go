package templates

import "strconv"

// PasswordJudgement says how a password would do that is being typed.
type PasswordJudgement struct {
	Strength int    // 0: refused, to 3
	Said     string // "" while nothing is typed
}

func (j PasswordJudgement) value() string { return strconv.Itoa(j.Strength) }

// PasswordChange is when and in which browser a password was set; the zero value: never.
type PasswordChange struct {
	At      Moment
	Browser string
	First   bool // there was none before
}
