package password

import (
	"math"
	"strings"
	"testing"
)

func TestBits(t *testing.T) {
	g := guesses(t)
	const letter, digit = 4.7004, 3.3219 // log2 of 26 and of 10
	word := func(n int) float64 { return min(letter+perLetter*float64(n-1), perWord) }
	for password, want := range map[string]float64{
		"": 0,
		// 4 + 4 letters count by letter, 7 and 6 as words of a list; one blank counts.
		"four grey herons standing": word(4) + perSign + word(4) + 2*perWord,
		"Four Grey Herons Standing": word(4) + perSign + word(4) + 2*perWord,
		// What is there again is known by then.
		"heron heron heron": word(5) + perSign + known + known,
		// Words of about are known from the beginning; "Al" is too short to be one.
		"ann 1987 fieldmark": known + perSign + perYear + known,
		"al rides":           word(2) + perSign + word(5),
		// Neighbours of the alphabet, the digits and the keyboard are one guess.
		"abcdefgh":   letter + known,
		"qwertz5678": letter + known + digit + known,
		"8173":       4 * digit,
		"2026":       perYear,
		// Of different signs each counts, of the same one the first alone.
		"k7#q7#": word(1) + digit + perSign + word(1) + known,
		"дятел":  word(5),
	} {
		if got := g.Bits(password, "Ann Other", "Al", "Fieldmark"); math.Abs(got-want) > 0.001 {
			t.Errorf("%q has %.2f bits, want %.2f", password, got, want)
		}
	}
}

// More never makes a password easier to guess, and nothing that is typed takes long.
func TestBitsGrow(t *testing.T) {
	g := guesses(t)
	typed, before := "four grey herons 1987 at the pond; nobody saw #7 of them", 0.0
	for i := range typed {
		if typed[i] != ' ' {
			continue
		}
		now := g.Bits(typed[:i], "Ann")
		if now < before {
			t.Errorf("%q has %.1f bits, and %.1f without its end", typed[:i], now, before)
		}
		before = now
	}
	// What makes zxcvbn try every way to read it, a hundred times over.
	if got := g.Bits(strings.Repeat("4@8({[</369&#!1/|0$5+7%2/", 100)); got <= 0 || got > 1000 {
		t.Errorf("%.1f bits", got)
	}
}
