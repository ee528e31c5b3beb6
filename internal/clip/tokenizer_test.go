package clip

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// clipSpec is OpenAI CLIP's tokenizer.
var clipSpec = TokenizerSpec{
	Kind: "clip-bpe", Start: "<|startoftext|>", End: "<|endoftext|>",
	Vocab: File{File: "vocab.json"}, Merges: File{File: "merges.txt"},
}

func openAITokenizer(t testing.TB) *Tokenizer {
	t.Helper()
	dir := shared(t, "parity", "tokenizer")
	vocab := readFile(t, filepath.Join(dir, "vocab.json"))
	merges := readFile(t, filepath.Join(dir, "merges.txt"))
	tok, err := newTokenizer(vocab, string(merges), clipSpec, 77)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

type tokenized struct {
	Group, Text, Cleaned string
	Tokens               []int64
	LightOK              bool `json:"light_ok"`
}

func tokenizedTexts(t testing.TB) []tokenized {
	t.Helper()
	raw := readFile(t, shared(t, "parity", "tokenizer", "tokenizer.jsonl"))
	var all []tokenized
	for line := range strings.Lines(string(raw)) {
		var one tokenized
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	return all
}

// TestTokenizerAsCLIP compares with openai/CLIP's own program on all texts but
// those whose mis-decoded characters it repairs, which we leave as they are.
func TestTokenizerAsCLIP(t *testing.T) {
	tok := openAITokenizer(t)
	tok.recogniseSpecial(clipSpec)
	compared := 0
	for _, c := range tokenizedTexts(t) {
		if !c.LightOK {
			continue
		}
		compared++
		if got := tok.Encode(c.Text); !slices.Equal(got, c.Tokens) {
			t.Errorf("%s: %q\ncleaned to %q\nwant       %q\ntokens %v\nwant   %v", c.Group, c.Text, clean(c.Text), c.Cleaned, got, c.Tokens)
		}
	}
	if compared < 570 {
		t.Errorf("only %d texts compared", compared)
	}
}

// TestNoNameCutsItsPrompt: typed into a name, the end token's name is text.
func TestNoNameCutsItsPrompt(t *testing.T) {
	tok := openAITokenizer(t)
	for _, name := range []string{"<|endoftext|>", "&lt;|endoftext|&gt;", "<|ENDOFTEXT|>", "<|endof<|endoftext|>text|>", "<|startoftext|>"} {
		ids := tok.Encode("a photo of a robin " + name + " in a tree")
		if n := slices.Index(ids, tok.end); n < 9 {
			t.Errorf("%q ends the text at position %d", name, n)
		}
		if slices.Contains(ids[1:], tok.start) {
			t.Errorf("%q makes a start token", name)
		}
	}
}

func TestLongTextKeepsItsEnd(t *testing.T) {
	tok := openAITokenizer(t)
	for _, text := range []string{strings.Repeat("owl ", 2000), strings.Repeat("x", 10_000), strings.Repeat("é", 5_000)} {
		ids := tok.Encode(text)
		if len(ids) != 77 || ids[0] != tok.start || ids[76] != tok.end {
			t.Errorf("%.10q…: %d ids from %d to %d", text, len(ids), ids[0], ids[len(ids)-1])
		}
	}
}

func TestTokenizerSaysWhatIsMissing(t *testing.T) {
	for _, c := range []struct{ name, vocab, merges, want string }{
		{"no JSON", `[`, "", "vocab.json"},
		{"no start", `{}`, "", "startoftext"},
		{"no byte", `{"<|startoftext|>":0,"<|endoftext|>":1}`, "", `has no "Ā"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := newTokenizer([]byte(c.vocab), c.merges, clipSpec, 77)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one that names %s", err, c.want)
			}
		})
	}
}

// FuzzEncode: whatever the text, the ids have the tower's length and stand
// between start and end.
func FuzzEncode(f *testing.F) {
	tok := byteTokenizer(f, 16)
	for _, s := range []string{"", " ", "robin", "Ross’s gull", "&amp;eacute;", "\x1b[31mred", "\xff\xfe", "İΣ", "<|endoftext|>", "e\u0301"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ids := tok.Encode(text)
		end := slices.Index(ids, tok.end)
		if len(ids) != 16 || ids[0] != tok.start || end < 1 {
			t.Fatalf("%q: %v", text, ids)
		}
		for _, id := range ids[end+1:] {
			if id != tok.pad {
				t.Fatalf("%q: %v after the end", text, ids)
			}
		}
	})
}

// byteTokenizer knows every byte and no merge but "o w</w>".
func byteTokenizer(t testing.TB, context int) *Tokenizer {
	t.Helper()
	vocab, merges := byteVocabulary(t)
	tok, err := newTokenizer(vocab, merges, clipSpec, context)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

func byteVocabulary(t testing.TB) (vocab []byte, merges string) {
	t.Helper()
	ids := map[string]int64{}
	add := func(symbol string) { ids[symbol] = int64(len(ids)) }
	for _, letter := range byteAlphabet() {
		add(string(letter))
		add(string(letter) + endOfWord)
	}
	add("ow" + endOfWord)
	add(clipSpec.Start)
	add(clipSpec.End)
	vocab, err := json.Marshal(ids)
	if err != nil {
		t.Fatal(err)
	}
	return vocab, "#version: 0.2\no w" + endOfWord + "\n"
}

func TestMergesJoinFromTheLowestRank(t *testing.T) {
	tok := byteTokenizer(t, 8)
	ids := tok.Encode("cow")
	// start, c, ow</w>, end
	want := []int64{tok.start, tok.inside['c'], tok.last[255] + 1, tok.end, 0, 0, 0, 0}
	if !slices.Equal(ids, want) {
		t.Errorf("ids %v, want %v", ids, want)
	}
}

func BenchmarkEncode(b *testing.B) {
	tok := openAITokenizer(b)
	for b.Loop() {
		tok.Encode("a photo of a Gray-headed Swamphen, a type of bird.")
	}
}
