package identify

import "unicode/utf8"

// Strength is how hard a password would be to guess.
type Strength int

// What a password withstands, weakest first. A thief of the database has to try guesses
// one hash after the other, of a tenth of a second each (internal/password): in a year a
// thousand cores try 10 · 1000 · 3.2e7 of them, 2^38. So a password of fewer bits is
// found within that year, half of those of 38 bits are; from 52 bits on it takes 16,000.
const (
	Refused Strength = iota // it cannot be set
	Fair
	Good
	Strong
)

const (
	goodBits   = 38
	strongBits = 52
)

// Judgement is what can be said of a password while it is typed.
type Judgement struct {
	Strength Strength
	Missing  int   // characters that it lacks
	Problem  error // why it is refused otherwise, about the field "password"
}

// JudgePassword says how a password would do for an account of a name. It keeps nothing
// and costs little.
func (p *People) JudgePassword(name, password string) Judgement {
	if missing := minPassword - utf8.RuneCountInString(password); missing > 0 {
		return Judgement{Missing: missing}
	}
	if err := p.checkPassword(name, password); err != nil {
		return Judgement{Problem: err}
	}
	switch bits := p.Guesses.Bits(password, name, siteName); {
	case bits >= strongBits:
		return Judgement{Strength: Strong}
	case bits >= goodBits:
		return Judgement{Strength: Good}
	}
	return Judgement{Strength: Fair}
}
