package password

import (
	"iter"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// perLetter is what a letter tells in bits where those before it in its word are
	// known (Shannon 1951, Prediction and Entropy of Printed English, F_word).
	perLetter = 2.62
	// perWord is the most that a word counts: one of the 7,776 of a Diceware list,
	// log2 of which is 12.9. A longer word is in larger lists, but not much further down.
	perWord = 12.9
	// perYear is one of the 128 years from which people choose.
	perYear = 7.0
	// perSign is one of the 16 signs that people put between words and after them.
	perSign = 4.0
	// known is for what a guesser has already: to say which of two it is.
	known = 1.0
)

// Bits is a lower bound of log2 of the guesses that a password takes of somebody who
// knows the words of about: its runs of letters count as words of a list, digits and
// signs for themselves, and what is there a second time hardly. Case makes no difference.
// It takes time in proportion to the password's length, unlike zxcvbn and its
// ports, whose time explodes where passwords are made for it (nbutton23/zxcvbn-go#43): it
// is asked by strangers at each pause in their typing.
func (g *Guesses) Bits(password string, about ...string) float64 {
	seen := map[string]bool{}
	for _, w := range wordsOf(about) {
		seen[w] = true
	}
	bits := 0.0
	for run := range runs(fold(password)) {
		if seen[run] {
			if kind(run) != sign {
				bits += known
			}
			continue
		}
		seen[run] = true
		bits += cost(run)
	}
	return bits
}

// cost is what a run counts that was not there before, in bits.
func cost(run string) float64 {
	chars := []rune(run)
	letter, digit := math.Log2(26), math.Log2(10)
	switch kind(run) {
	case letters:
		if len(chars) > leastWord && follows(chars) {
			return letter + known
		}
		return min(letter+perLetter*float64(len(chars)-1), perWord)
	case digits:
		switch {
		case len(chars) > leastWord && follows(chars):
			return digit + known
		case len(chars) == 4 && (strings.HasPrefix(run, "19") || strings.HasPrefix(run, "20")):
			return perYear
		}
		return digit * float64(len(chars))
	}
	return perSign
}

// The kinds of characters: a run is of one kind.
type class int

const (
	letters class = iota
	digits
	sign
)

// kind is the class of a run, by its first character.
func kind(run string) class {
	r, _ := utf8.DecodeRuneInString(run)
	switch {
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return letters
	case unicode.IsDigit(r):
		return digits
	}
	return sign
}

// runs are the longest pieces of one class, in their order; each sign is its own.
func runs(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		from := 0
		for i := range text {
			if i == 0 {
				continue
			}
			if now := kind(text[i:]); now == sign || now != kind(text[from:]) {
				if !yield(text[from:i]) {
					return
				}
				from = i
			}
		}
		if from < len(text) {
			yield(text[from:])
		}
	}
}
