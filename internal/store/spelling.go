package store

import (
	"encoding/json"
	"strings"
	"unicode"
)

// spelled brings folded text into the spelling in which it is looked for, whether its
// umlauts were typed as such, without their dots or as two letters: "Mäusebussard",
// "mausebussard" and "Maeusebussard" are the same then, and so are "Ærø" and "aro". It
// is what Lucene's GermanNormalizationFilter does: of ae, oe and ue the e goes, of ue
// not after a vowel or q ("blaue", "queen"). What is to its right changes no letter, so
// the beginning of a word is spelled as it is within the word.
//
// Names that are spelled alike need not be the same name (Boa, a snake, and Boea, a
// plant): whether they are is for fold to say.
func spelled(folded string) string {
	var b strings.Builder
	b.Grow(len(folded))
	umlaut, vowel := false, false // an e makes an umlaut of the last letter; a u after it is none
	for i := range len(folded) {
		c := folded[i]
		switch c {
		case 'e':
			if umlaut {
				umlaut = false
				continue
			}
			vowel = true
		case 'a', 'o':
			umlaut, vowel = true, true
		case 'u':
			umlaut, vowel = !vowel, true
		case 'i', 'q', 'y':
			umlaut, vowel = false, true
		default:
			umlaut, vowel = false, false
		}
		b.WriteByte(c)
	}
	return b.String()
}

// searched is text as it is looked for.
func searched(text string) string { return spelled(fold(text)) }

// wordList splits spelled text into its words.
func wordList(spelled string) []string {
	var list []string
	for _, w := range strings.Fields(spelled) {
		if w = strings.TrimFunc(w, unicode.IsPunct); w != "" {
			list = append(list, w)
		}
	}
	return list
}

// words are the words of spelled text, each once.
func words(spelled string) []string {
	var list []string
	seen := map[string]bool{}
	for _, w := range wordList(spelled) {
		if !seen[w] {
			seen[w], list = true, append(list, w)
		}
	}
	return list
}

// spaced has each word after a space: what it holds of another such text is whole words
// or their beginnings.
func spaced(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return " " + strings.Join(words, " ")
}

// maxRun is how many words of a name are found run together.
const maxRun = 4

// indexed is what a name is found by: a word, or several run together.
type indexed struct {
	Word  string `json:"word"`
	First int    `json:"first"` // bytes of the first of several; 0: it is a word
}

// index lists what a name is found by when it is looked for by its beginning: its words,
// and from each of them on up to maxRun run together, so that "roteiche" finds the
// "Amerikanische Rot-Eiche" and "kohl meise", run together, the "Kohlmeise".
func index(spelled string) []indexed {
	list := wordList(spelled)
	var out []indexed
	seen := map[string]bool{}
	add := func(x indexed) {
		if !seen[x.Word] {
			seen[x.Word], out = true, append(out, x)
		}
	}
	for _, w := range list {
		add(indexed{Word: w})
	}
	for i := range len(list) - 1 {
		add(indexed{strings.Join(list[i:min(i+maxRun, len(list))], ""), len(list[i])})
	}
	return out
}

// The functions below are given to SQL, for migrations and for Check.

// spacedWords is what taxon_names has as the words of a folded name.
func spacedWords(folded string) string { return spaced(words(spelled(folded))) }

// indexText is index of a folded name as JSON.
func indexText(folded string) (string, error) {
	text, err := json.Marshal(index(spelled(folded)))
	return string(text), err
}
