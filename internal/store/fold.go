package store

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// fold brings a name into the form in which names are compared: lower case,
// without the accents of Latin, Greek and Cyrillic letters, without
// apostrophes, with dashes and runs of white space as one space. "Köck’s
// Red-Tail" and "kocks red tail" are the same.
//
// Other marks stay: vowel signs of Indic scripts make another word, and so do
// the signs in "Mallard ♂".
func fold(name string) string {
	decomposed := norm.NFKD.String(strings.Map(withoutApostrophe, strings.ToLower(strings.ToValidUTF8(name, " "))))
	var b strings.Builder
	b.Grow(len(decomposed))
	for _, r := range decomposed {
		switch {
		case r >= 0x300 && r <= 0x36f: // combining diacritical marks
		case withoutApostrophe(r) < 0: // of "ŉ", which is two characters
		case unicode.Is(unicode.Pd, r) || unicode.IsSpace(r) || unicode.IsControl(r):
			b.WriteByte(' ')
		default:
			b.WriteString(plainLetter(unicode.ToLower(r))) // of "ℌ", whose letter is a capital
		}
	}
	return norm.NFC.String(strings.Join(strings.Fields(b.String()), " "))
}

// withoutApostrophe drops what people type for an apostrophe.
func withoutApostrophe(r rune) rune {
	if strings.ContainsRune("'’‘ʼʻ`´", r) {
		return -1
	}
	return r
}

// plainLetter spells the letters that have no decomposition as people without
// them on the keyboard do.
func plainLetter(r rune) string {
	switch r {
	case 'ß':
		return "ss"
	case 'æ':
		return "ae"
	case 'œ':
		return "oe"
	case 'ø':
		return "o"
	case 'ł':
		return "l"
	case 'đ', 'ð':
		return "d"
	case 'þ':
		return "th"
	case 'ı':
		return "i"
	}
	return string(r)
}

// after is the least string that is greater than every string that begins with
// prefix, in SQLite's order of bytes, for any valid prefix.
func after(prefix string) string { return prefix + "\U0010FFFF" }
