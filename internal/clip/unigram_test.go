package clip

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// smallUnigram is made by hand. With it
//
//	"▁red" 3 -2, "▁" 4 -1, "r" 5 -3, "e" 6 -3, "d" 7 -3, "ed" 8 -3.5, "▁bl" 9 -4, "ue" 10 -2.5, "re" 11 -3.5
//
// an unknown character costs -4-10 = -14 (ten below the least probable piece;
// the scores of control tokens, 0, do not count as least).
const smallUnigram = `{
 "added_tokens": [{"id": 1, "content": "</s>"}],
 "normalizer": {"type": "Sequence", "normalizers": [
  {"type": "Lowercase"},
  {"type": "Replace", "pattern": {"Regex": "[!.,]"}, "content": ""},
  {"type": "Replace", "pattern": {"Regex": "\\s+"}, "content": " "},
  {"type": "Strip", "strip_left": true, "strip_right": true}]},
 "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "add_prefix_space": true},
 "model": {"type": "Unigram", "unk_id": 2, "vocab": [
  ["<pad>", 0], ["</s>", 0], ["<unk>", 0], ["▁red", -2], ["▁", -1], ["r", -3], ["e", -3], ["d", -3], ["ed", -3.5],
  ["▁bl", -4], ["ue", -2.5], ["re", -3.5]]}}`

var unigramSpec = TokenizerSpec{Kind: "unigram", End: "</s>", PadID: 1}

func small(t testing.TB, spec TokenizerSpec) *unigram {
	t.Helper()
	u, err := newUnigram([]byte(smallUnigram), spec, 8)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestUnigramTakesTheBestPieces(t *testing.T) {
	u := small(t, unigramSpec)
	for _, c := range []struct {
		text string
		want []int64 // before the end
	}{
		// "▁red" -2 beats "▁"+"r"+"ed" -7.5 and every other way.
		{"red", []int64{3}},
		{"Red!", []int64{3}},
		{" red  blue. ", []int64{3, 9, 10}},
		// "▁red"+"e"+"d" -8 or +"ed" -5.5: two pieces.
		{"reded", []int64{3, 8}},
		// "▁"+"e"+"r"+"ed" -10.5, "▁"+"e"+"re"+"d" -10.5: a tie, which goes to
		// the way whose last piece is longer.
		{"ered", []int64{4, 6, 5, 8}},
		// Neither x nor y is known; a row of such is one token.
		{"xy red", []int64{4, 2, 3}},
		{"xred", []int64{4, 2, 5, 8}},
		// The end token's name is text: its characters are unknown but for e and
		// d and r, so it can't end anything. "</s>" has none.
		{"</s>", []int64{4, 2}},
		{"", nil},
	} {
		want := append(slices.Clone(c.want), 1)
		for len(want) < 8 {
			want = append(want, 1)
		}
		if got := u.Encode(c.text); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", c.text, got, want)
		}
	}
	if got := u.attended(u.Encode("red")); got != 8 {
		t.Errorf("%d of 8 positions are attended to", got)
	}
}

func TestUnigramKeepsItsEnd(t *testing.T) {
	u := small(t, unigramSpec)
	got := u.Encode(strings.Repeat("red ", 3000))
	if want := []int64{3, 3, 3, 3, 3, 3, 3, 1}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	withStart := unigramSpec
	withStart.Start, withStart.End = "</s>", ""
	if got := small(t, withStart).Encode("red"); !slices.Equal(got[:3], []int64{1, 3, 1}) {
		t.Errorf("with a start and no end: %v", got)
	}
}

func TestUnigramSaysWhatItCannotRead(t *testing.T) {
	for _, c := range []struct{ name, old, with, want string }{
		{"another model", `"Unigram"`, `"WordPiece"`, "WordPiece"},
		{"no unknown", `"unk_id": 2`, `"unk_id": null`, "unk_id"},
		{"unknown beyond", `"unk_id": 2`, `"unk_id": 99`, "unk_id"},
		{"normalizer", `"Lowercase"`, `"Bert"`, "Bert"},
		{"pre-tokenizer", `"Metaspace"`, `"Digits"`, "Digits"},
		{"pattern", `"[!.,]"`, `"(?<=a)b"`, "normalizer"},
		{"end", `"content": "</s>"`, `"content": "<eos>"`, ""},
		{"vocabulary", `["<pad>", 0]`, `["<pad>"`, ""},
	} {
		raw := strings.Replace(smallUnigram, c.old, c.with, 1)
		spec := unigramSpec
		if c.name == "end" {
			spec.End, c.want = "<stop>", "<stop>"
		}
		if _, err := newUnigram([]byte(raw), spec, 8); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error that says %q", c.name, err, c.want)
		}
	}
}

func TestMetaspace(t *testing.T) {
	no := false
	for _, c := range []struct {
		step step
		text string
		want []string
	}{
		{step{}, "a bc", []string{"▁a", "▁bc"}},
		{step{}, " a  b", []string{"▁a", "▁", "▁b"}},
		{step{AddPrefix: &no}, "a b", []string{"a", "▁b"}},
		{step{PrependScheme: "never"}, "a b", []string{"a", "▁b"}},
		{step{Split: &no}, "a b", []string{"▁a▁b"}},
		{step{}, "", nil},
	} {
		if got := c.step.metaspace(c.text); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// smallMap replaces "a" by "x", "ab" by "yz" and "b" by nothing. A unit is
// label | hasLeaf<<8 | offset<<10, the children of node n lie at n xor offset
// xor label, and its value at n xor offset.
func smallMap() []byte {
	const a, b, leaf = 'a', 'b', 1 << 8
	units := make([]uint32, 512)
	units[0] = 256 << 10 // root: children from 256 on
	at := func(n, off, label uint32) uint32 { return n ^ off ^ label }
	na := at(0, 256, a)
	nb := at(0, 256, b)
	units[na] = a | leaf | 8<<10
	units[nb] = b | leaf | 16<<10
	units[na^8] = 1 << 31    // "x"
	units[nb^16] = 1<<31 | 5 // ""
	nab := at(na, 8, b)
	units[nab] = b | leaf | 32<<10
	units[nab^32] = 1<<31 | 2 // "yz"
	raw := binary.LittleEndian.AppendUint32(nil, uint32(4*len(units)))
	for _, u := range units {
		raw = binary.LittleEndian.AppendUint32(raw, u)
	}
	return append(raw, "x\x00yz\x00\x00"...)
}

func TestCharsMapReplacesTheLongest(t *testing.T) {
	normalize, err := readCharsMap(smallMap())
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"": "", "a": "x", "ab": "yz", "aab": "xyz", "abb": "yz", "cab é": "cyz é", "\x00a": "\x00x"} {
		if got := normalize(text); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
	for _, raw := range [][]byte{{1}, {8, 0, 0, 0, 1}, {3, 0, 0, 0, 1, 2, 3}} {
		if _, err := readCharsMap(raw); err == nil {
			t.Errorf("%v is accepted", raw)
		}
	}
}

// FuzzUnigram: whatever the tokenizer.json and the text, what can be read gives
// ids of the tower's length.
func FuzzUnigram(f *testing.F) {
	precompiled, err := json.Marshal(base64.StdEncoding.EncodeToString(smallMap()))
	if err != nil {
		f.Fatal(err)
	}
	withMap := strings.Replace(smallUnigram, `{"type": "Lowercase"}`,
		fmt.Sprintf(`{"type": "Precompiled", "precompiled_charsmap": %s}`, precompiled), 1)
	f.Add(smallUnigram, "A red, blue </s>")
	f.Add(withMap, "ab é\xff")
	f.Add(strings.Replace(smallUnigram, `"Metaspace"`, `"WhitespaceSplit"`, 1), " x ")
	f.Fuzz(func(t *testing.T, raw, text string) {
		u, err := newUnigram([]byte(raw), unigramSpec, 8)
		if err != nil {
			return
		}
		if got := u.Encode(text); len(got) != 8 || !slices.Contains(got, u.end) {
			t.Fatalf("%q: %v", text, got)
		}
	})
}
