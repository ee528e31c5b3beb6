package password

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"fieldmark/internal/identify"
)

func guesses(t *testing.T) *Guesses {
	t.Helper()
	g, err := LoadGuesses()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestWeakness(t *testing.T) {
	g := guesses(t)
	for password, want := range map[string]identify.Weakness{
		"four words go together":         identify.Sound,
		"correct horse battery staple":   identify.Sound,
		"ann likes seven grey herons":    identify.Sound, // a name in it, and enough besides
		"7#kP-qz!v9Lw":                   identify.Sound,
		"зелёный дятел у окна":           identify.Sound,
		"ein zilpzalp, ein zilpzalp!":    identify.Sound, // the piece that it repeats is a password
		"1qaz2wsx3edc":                   identify.Breached,
		"LeaveMeAlone":                   identify.Breached,
		"motherfucker":                   identify.Breached,
		"leavemealone2026!":              identify.Breached, // 17 characters, of which 12 are the list's
		"ｌｅａｖｅｍｅａｌｏｎｅ":                   identify.Breached, // the same letters, full width
		"aaaaaaaaaaaaaaa":                identify.Patterned,
		"abababababababab":               identify.Patterned,
		"wrenwrenwren":                   identify.Patterned,
		"Robin?Robin?Rob":                identify.Patterned, // the last time not whole
		"abcdefghijklm":                  identify.Patterned,
		"zyxwvutsrqpo":                   identify.Patterned,
		"123456789012":                   identify.Patterned,
		"qwertzuiopü+":                   identify.Patterned, // 2 runs of 12 characters
		"abcd4321qwer":                   identify.Patterned, // 3 runs of 12
		"azertyuiopqsdfghjklm":           identify.Patterned,
		"annother":                       identify.Telling,
		"Ann.Other.2026":                 identify.Telling, // besides, 4 digits
		"ann-other@example.org":          identify.Telling,
		"Fieldmark2026!":                 identify.Telling,
		"FieldmarkFieldguide":            identify.Sound, // 10 letters besides
		"other people's garden":          identify.Sound, // 13 besides: peoplesgarden
		strings.Repeat("long words ", 9): identify.Patterned,
	} {
		if got := g.Weakness(password, "Ann Other", "ann@example.org", "Fieldmark"); got != want {
			t.Errorf("%q is %q, want %q", password, got, want)
		}
	}
	if got := g.Weakness("al rides by", "Al"); got != identify.Sound {
		t.Errorf("a name of two letters counts: %q", got)
	}
}

// What ASVS 2.1.7 asks for: at least the thousand most common that twelve characters
// allow, and each of them is known, as it stands and in capitals.
func TestTheListOfBreaches(t *testing.T) {
	g := guesses(t)
	if len(g.breached) < 10_000 || !slices.IsSorted(g.breached) {
		t.Fatalf("%d passwords, in order: %v", len(g.breached), slices.IsSorted(g.breached))
	}
	for i, p := range g.breached {
		if fold(p) != p || utf8.RuneCountInString(p) < piece {
			t.Fatalf("%q is not as it is looked up", p)
		}
		if g.Weakness(p) == identify.Sound || i%16 == 0 && g.Weakness(strings.ToUpper(p)) == identify.Sound {
			t.Fatalf("%q is let through", p)
		}
	}
}
