package clip

import (
	"html"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"
)

// clean prepares text as CLIP's tokenizer does: what ftfy mends in sound text
// (its repair of mis-decoded text is left out), HTML entities, white space,
// lower case.
func clean(text string) string {
	text = mend(text)
	text = html.UnescapeString(html.UnescapeString(text))
	text = strings.Join(strings.FieldsFunc(text, isSpace), " ")
	// A Caser keeps state, so each call has its own. It knows the rules that
	// strings.ToLower doesn't: final sigma, and İ as two characters.
	return cases.Lower(language.Und).String(text)
}

// isSpace is Python's \s.
func isSpace(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f }

// mend repeats ftfy's fixes until nothing changes.
func mend(text string) string {
	entities := !strings.Contains(text, "<") // where there may be markup, ftfy leaves entities alone
	for {
		before := text
		if entities {
			text = unescapeEntities(text)
		}
		text = strings.Map(straighten, spell(text))
		text = terminalEscape.ReplaceAllString(text, "")
		text = compose(strings.Map(dropControl, text))
		if text == before {
			return text
		}
	}
}

// compose is normal form C. The library follows UAX #15's stream-safe format
// too, which parts long rows of combining marks with U+034F; that is undone.
func compose(text string) string {
	const joiner = "\u034f"
	composed := norm.NFC.String(text)
	if !strings.Contains(text, joiner) {
		composed = strings.ReplaceAll(composed, joiner, "")
	}
	return composed
}

var (
	entity         = regexp.MustCompile(`&#?[0-9A-Za-z]{1,24};`)
	terminalEscape = regexp.MustCompile("\x1b\\[[0-9;]*[a-zA-Z]")
)

// unescapeEntities reads entities that end in a semicolon, also in capitals
// where that is no name of its own ("&EACUTE;" is "É").
func unescapeEntities(text string) string {
	return entity.ReplaceAllStringFunc(text, func(e string) string {
		if plain := html.UnescapeString(e); plain != e || e != strings.ToUpper(e) {
			return plain
		}
		if plain := html.UnescapeString(strings.ToLower(e)); plain != strings.ToLower(e) {
			return strings.ToUpper(plain)
		}
		return e
	})
}

// spell writes Latin ligatures and digraphs out.
func spell(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return r > 127 }) < 0 {
		return text
	}
	return ligatures.Replace(text)
}

var ligatures = strings.NewReplacer(
	"Ĳ", "IJ", "ĳ", "ij", "ŉ", "ʼn", "Ǳ", "DZ", "ǲ", "Dz", "ǳ", "dz", "Ǆ", "DŽ", "ǅ", "Dž", "ǆ", "dž",
	"Ǉ", "LJ", "ǈ", "Lj", "ǉ", "lj", "Ǌ", "NJ", "ǋ", "Nj", "ǌ", "nj",
	"ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl", "ﬅ", "ſt", "ﬆ", "st",
)

// straighten folds full-width and half-width characters, curly quotes and line
// separators.
func straighten(r rune) rune {
	switch {
	case r == 0x3000:
		return ' '
	case 0xff01 <= r && r <= 0xffef:
		if folded := []rune(norm.NFKC.String(string(r))); len(folded) == 1 {
			return folded[0]
		}
		return r
	case r == 0x02bc || 0x2018 <= r && r <= 0x201b:
		return '\''
	case 0x201c <= r && r <= 0x201f:
		return '"'
	case r == '\r' || r == 0x2028 || r == 0x2029 || r == 0x85:
		return '\n'
	}
	return r
}

// dropControl removes control characters that have no effect in text.
func dropControl(r rune) rune {
	switch {
	case r < 0x09, r == 0x0b, 0x0e <= r && r < 0x20, r == 0x7f,
		0x206a <= r && r <= 0x206f, r == 0xfeff, 0xfff9 <= r && r <= 0xfffc:
		return -1
	}
	return r
}
