package password

import (
	"cmp"
	"embed"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"fieldmark/internal/identify"
)

// embedded holds the list of passwords from breaches that make setup fetches.
//
//go:embed breached
var embedded embed.FS

const (
	// piece is from how many characters on something that is repeated is a password
	// by itself.
	piece = 12
	// leastOwn is how many letters and digits a password has besides the words that
	// anybody knows of its owner.
	leastOwn = 8
	// leastWord is the shortest such word that counts.
	leastWord = 3
)

// keys are the rows of keyboards as fingers run along them: QWERTY, QWERTZ, AZERTY.
var keys = [...]string{"1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiopü", "asdfghjklöä", "yxcvbnm", "azertyuiop", "qsdfghjklm", "wxcvbn"}

// Guesses knows the passwords that are tried first. Its methods are safe for
// concurrent use.
type Guesses struct {
	breached []string // in lower case, ascending
}

// LoadGuesses reads the list of passwords from breaches in the binary; it is an error
// if the binary was built without.
func LoadGuesses() (*Guesses, error) {
	list, err := embedded.ReadFile("breached/passwords.txt")
	if err != nil {
		return nil, errors.New("this binary was built without the list of passwords from breaches: run make setup, which fetches it, then build again")
	}
	return &Guesses{breached: strings.Fields(string(list))}, nil
}

// Weakness says why a password would be guessed, if it would: known from breaches,
// with or without what stands around its letters; one piece over and over, or
// neighbours of the alphabet, the digits or the keyboard; little but words of about,
// which everybody knows of its owner and of this place. Case makes no difference.
func (g *Guesses) Weakness(password string, about ...string) identify.Weakness {
	folded := fold(password)
	core := strings.TrimFunc(folded, func(r rune) bool { return !unicode.IsLetter(r) })
	switch chars := []rune(folded); {
	case repeats(chars) || follows(chars):
		return identify.Patterned
	case g.known(folded) || g.known(core):
		return identify.Breached
	case tells(folded, about):
		return identify.Telling
	}
	return identify.Sound
}

func fold(s string) string { return strings.ToLower(norm.NFKC.String(s)) }

func (g *Guesses) known(folded string) bool {
	_, found := slices.BinarySearch(g.breached, folded)
	return found
}

// repeats reports whether a password is a short piece over and over, the last time
// perhaps not whole, or has fewer than five different characters.
func repeats(chars []rune) bool {
	distinct := map[rune]bool{}
	for _, c := range chars {
		distinct[c] = true
	}
	if len(distinct) < 5 {
		return true
	}
	for n := 1; n < piece && 2*n <= len(chars); n++ {
		if slices.Equal(chars[n:], chars[:len(chars)-n]) {
			return true
		}
	}
	return false
}

// follows reports whether a password is runs of neighbours, of four characters and
// more on average: abcd4321qwer.
func follows(chars []rune) bool {
	runs := 1
	for i := 1; i < len(chars); i++ {
		if !neighbours(chars[i-1], chars[i]) {
			runs++
		}
	}
	return 4*runs <= len(chars)
}

func neighbours(a, b rune) bool {
	if step := b - a; -1 <= step && step <= 1 {
		return true
	}
	return slices.ContainsFunc(keys[:], func(row string) bool {
		return strings.Contains(row, string([]rune{a, b})) || strings.Contains(row, string([]rune{b, a}))
	})
}

// wordsOf are the words of some texts that count, folded, the longest first.
func wordsOf(about []string) []string {
	var words []string
	for _, a := range about {
		words = append(words, strings.FieldsFunc(fold(a), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })...)
	}
	words = slices.DeleteFunc(words, func(w string) bool { return utf8.RuneCountInString(w) < leastWord })
	slices.SortFunc(words, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return words
}

// tells reports whether too little is left of a password without the words of about.
func tells(folded string, about []string) bool {
	rest := folded
	for _, w := range wordsOf(about) {
		rest = strings.ReplaceAll(rest, w, " ")
	}
	own := 0
	for _, r := range rest {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			own++
		}
	}
	return rest != folded && own < leastOwn
}
