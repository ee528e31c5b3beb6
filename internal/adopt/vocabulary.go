package adopt

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"fieldmark/internal/clip"
)

// clipBPE has vocabulary and merges written.
func (t tokenizerFiles) clipBPE(d *draft, vocab map[string]int64, merges []string) error {
	spec := &d.manifest.Text.Tokenizer
	spec.Kind = "clip-bpe"
	if spec.Start == "" {
		spec.Start = clipStart
	}
	if spec.End == "" {
		spec.End = clipEnd
	}
	d.write(&spec.Vocab, "vocab.json", func() ([]byte, error) { return json.Marshal(vocab) })
	d.write(&spec.Merges, "merges.txt", func() ([]byte, error) {
		return []byte("#version: 0.2\n" + strings.Join(merges, "\n") + "\n"), nil
	})
	return t.specialIDs(d, func(token string) (int64, bool) { id, ok := vocab[token]; return id, ok })
}

const clipStart, clipEnd = "<|startoftext|>", "<|endoftext|>"

// vocabAndMerges reads vocab.json and merges.txt.
func (t tokenizerFiles) vocabAndMerges(d *draft) (bool, error) {
	raw, err := t.read("vocab.json")
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	var vocab map[string]int64
	if err := json.Unmarshal(raw, &vocab); err != nil {
		return false, fmt.Errorf("vocab.json: %w", err)
	}
	merges, err := t.read("merges.txt")
	if err != nil {
		return false, fmt.Errorf("vocab.json needs its merges.txt: %w", err)
	}
	if _, ok := vocab["a</w>"]; !ok {
		return false, errors.New(`vocab.json is not CLIP's: it has no "a</w>"`)
	}
	lines := slices.DeleteFunc(strings.Split(strings.ReplaceAll(string(merges), "\r\n", "\n"), "\n"),
		func(line string) bool { return line == "" || strings.HasPrefix(line, "#version") })
	return true, t.clipBPE(d, vocab, lines)
}

// openAI reads bpe_simple_vocab_16e6.txt.gz, of which OpenAI's and OpenCLIP's
// programs make their vocabulary: every byte, every byte at a word's end, what
// the first 48,894 merges make, start and end.
func (t tokenizerFiles) openAI(d *draft) (bool, error) {
	packed, err := t.read("bpe_simple_vocab_16e6.txt.gz")
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return false, err
	}
	const most = 64 << 20
	raw, err := io.ReadAll(io.LimitReader(z, most))
	if err != nil {
		return false, err
	}
	const symbols, merges = 256, 49152 - 256 - 2
	lines := strings.Split(string(raw), "\n")
	if len(lines) < merges+1 {
		return false, fmt.Errorf("bpe_simple_vocab_16e6.txt.gz has %d lines, %d are expected", len(lines), merges+1)
	}
	lines = lines[1 : merges+1]
	vocab := make(map[string]int64, merges+2*symbols+2)
	add := func(symbol string) { vocab[symbol] = int64(len(vocab)) }
	letters := clip.ByteLetters()
	for _, l := range letters {
		add(l)
	}
	for _, l := range letters {
		add(l + "</w>")
	}
	for _, m := range lines {
		add(strings.Replace(m, " ", "", 1))
	}
	add(clipStart)
	add(clipEnd)
	return true, t.clipBPE(d, vocab, lines)
}
