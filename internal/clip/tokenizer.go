package clip

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
)

// A tokenizer turns text into the token ids of one encoder. It may be used from
// many goroutines.
type tokenizer interface {
	// Encode returns as many ids as the text tower has positions.
	Encode(text string) []int64
	// attended is how many of the ids, from the first, belong to the text.
	attended(ids []int64) int
}

// A Tokenizer turns text into the token ids of one encoder, by CLIP's
// algorithm: clean, split into words, then byte-pair encoding (Sennrich et al.,
// 2016) over bytes. It may be used from many goroutines.
type Tokenizer struct {
	context         int
	start, end, pad int64
	merges          map[pair]merge
	inside, last    [256]int64 // ids of single bytes, within a word and at its end
	words           *regexp.Regexp
	special         map[string]int64 // words that are tokens as they stand; see recogniseSpecial
}

type pair struct{ left, right int64 }

// A merge joins a pair into one symbol; lower ranks go first.
type merge struct {
	rank int32
	id   int64
}

// endOfWord marks, in the vocabulary, a symbol that ends a word.
const endOfWord = "</w>"

func readTokenizer(folder fs.FS, t TextTower) (tokenizer, error) {
	if t.Tokenizer.Kind == "unigram" {
		return readUnigram(folder, t)
	}
	return readBPE(folder, t)
}

func readBPE(folder fs.FS, t TextTower) (*Tokenizer, error) {
	spec := t.Tokenizer
	vocab, err := spec.Vocab.read(folder)
	if err != nil {
		return nil, err
	}
	merges, err := spec.Merges.read(folder)
	if err != nil {
		return nil, err
	}
	tok, err := newTokenizer(vocab, string(merges), spec, t.Context)
	if err != nil {
		return nil, fmt.Errorf("encoder: tokenizer: %w", err)
	}
	return tok, nil
}

// newTokenizer reads vocab, a JSON object of ids by symbol, and merges, one
// pair a line in order of rank, after a line that begins with #version.
func newTokenizer(vocab []byte, merges string, spec TokenizerSpec, context int) (*Tokenizer, error) {
	var ids map[string]int64
	if err := json.Unmarshal(vocab, &ids); err != nil {
		return nil, fmt.Errorf("%s: %w", spec.Vocab.File, err)
	}
	t := &Tokenizer{context: context, pad: spec.PadID, words: words}
	lookup := func(symbol string) (int64, error) {
		id, ok := ids[symbol]
		if !ok {
			return 0, fmt.Errorf("%s has no %q", spec.Vocab.File, symbol)
		}
		return id, nil
	}
	var err error
	if t.start, err = lookup(spec.Start); err != nil {
		return nil, err
	}
	if t.end, err = lookup(spec.End); err != nil {
		return nil, err
	}
	for b, letter := range byteAlphabet() {
		if t.inside[b], err = lookup(string(letter)); err != nil {
			return nil, err
		}
		if t.last[b], err = lookup(string(letter) + endOfWord); err != nil {
			return nil, err
		}
	}
	t.merges, err = readMerges(merges, spec.Merges.File, lookup)
	return t, err
}

func readMerges(text, file string, lookup func(string) (int64, error)) (map[pair]merge, error) {
	merges := make(map[pair]merge, strings.Count(text, "\n"))
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || strings.HasPrefix(line, "#version") {
			continue
		}
		left, right, ok := strings.Cut(line, " ")
		if !ok {
			return nil, fmt.Errorf("%s: %q is not a pair", file, line)
		}
		var ids [3]int64
		for i, symbol := range []string{left, right, left + right} {
			var err error
			if ids[i], err = lookup(symbol); err != nil {
				return nil, fmt.Errorf("%s: %q: %w", file, line, err)
			}
		}
		p := pair{ids[0], ids[1]}
		if _, twice := merges[p]; !twice {
			merges[p] = merge{rank: int32(len(merges)), id: ids[2]}
		}
	}
	return merges, nil
}

// ByteLetters gives the letters of byteAlphabet in the order in which OpenAI's
// program numbers them: those that stand for themselves, then the others.
func ByteLetters() []string {
	all := make([]string, 0, 256)
	alphabet := byteAlphabet()
	for _, themselves := range []bool{true, false} {
		for b, letter := range alphabet {
			if (letter == rune(b)) == themselves {
				all = append(all, string(letter))
			}
		}
	}
	return all
}

// byteAlphabet gives the letter that stands for each byte in the vocabulary:
// printable Latin-1 for itself, the rest from U+0100 on (GPT-2's table).
func byteAlphabet() [256]rune {
	var letters [256]rune
	next := rune(256)
	for b := range rune(256) {
		if '!' <= b && b <= '~' || '¡' <= b && b <= '¬' || '®' <= b && b <= 'ÿ' {
			letters[b] = b
			continue
		}
		letters[b] = next
		next++
	}
	return letters
}

// words splits clean text: endings of English, runs of letters, single digits,
// runs of anything else. It ignores case, as the original does (ſ is an s).
var words = regexp.MustCompile(`(?i)'s|'t|'re|'ve|'m|'ll|'d|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+`)

// recogniseSpecial makes the names of the start and end token, within a text,
// the tokens themselves, as CLIP's own program does. Comparisons with it need
// that; names that people type must not have it.
func (t *Tokenizer) recogniseSpecial(spec TokenizerSpec) {
	t.special = map[string]int64{spec.Start: t.start, spec.End: t.end}
	t.words = regexp.MustCompile("(?:" + regexp.QuoteMeta(spec.Start) + "|" + regexp.QuoteMeta(spec.End) + ")|" + words.String())
}

// Encode returns exactly as many ids as the text tower takes: start, the
// text's tokens, end, then padding. Text that is too long is cut, and still
// ends in the end token. The names of the start and end token have no special
// meaning within text, so that no name can cut its own prompt short.
func (t *Tokenizer) Encode(text string) []int64 {
	ids := make([]int64, 0, t.context)
	ids = append(ids, t.start)
	// Words beyond the context are not looked at.
	for rest := clean(head(text)); len(ids) < t.context; {
		at := t.words.FindStringIndex(rest)
		if at == nil {
			break
		}
		word := rest[at[0]:at[1]]
		rest = rest[at[1]:]
		if id, ok := t.special[word]; ok {
			ids = append(ids, id)
			continue
		}
		ids = t.appendWord(ids, word)
	}
	ids = append(ids, t.end)
	if len(ids) > t.context {
		ids = ids[:t.context]
		ids[t.context-1] = t.end
	}
	for len(ids) < t.context {
		ids = append(ids, t.pad)
	}
	return ids
}

// attended ends with the first end token.
func (t *Tokenizer) attended(ids []int64) int { return slices.Index(ids, t.end) + 1 }

// maxText is how many bytes of a text are looked at: more than any tower has
// positions for, and few enough that cleaning and joining, which are quadratic
// in the worst case, stay quick.
const maxText = 8192

func head(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "")
}

// appendWord appends the tokens of one word: beginning from its bytes, the
// adjacent pair of lowest rank is joined until no pair is left that the
// vocabulary knows. The time is quadratic in the word's length.
func (t *Tokenizer) appendWord(ids []int64, word string) []int64 {
	symbols := make([]int64, len(word))
	for i := range len(word) {
		symbols[i] = t.inside[word[i]]
	}
	symbols[len(word)-1] = t.last[word[len(word)-1]]

	const none = int32(1<<31 - 1)
	rank := func(i int) int32 { // of the pair at i, i+1
		if i+1 < len(symbols) {
			if m, ok := t.merges[pair{symbols[i], symbols[i+1]}]; ok {
				return m.rank
			}
		}
		return none
	}
	ranks := make([]int32, len(symbols))
	for i := range ranks {
		ranks[i] = rank(i)
	}
	for {
		best := 0
		for i, r := range ranks {
			if r < ranks[best] {
				best = i
			}
		}
		if ranks[best] == none {
			return append(ids, symbols...)
		}
		symbols[best] = t.merges[pair{symbols[best], symbols[best+1]}].id
		symbols = append(symbols[:best+1], symbols[best+2:]...)
		ranks = append(ranks[:best+1], ranks[best+2:]...)
		ranks[best] = rank(best)
		if best > 0 {
			ranks[best-1] = rank(best - 1)
		}
	}
}
