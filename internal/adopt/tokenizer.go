package adopt

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"fieldmark/internal/clip"
)

// tokenizer finds the files that turn text into ids, and what they are.
func (d *draft) tokenizer(c *configs) error {
	folder, dirs := d.folder, c.tokenizers
	if d.said.Tokenizer != nil {
		folder, dirs = d.said.Tokenizer, []string{"."}
	}
	d.manifest.Text.Tokenizer.PadID = -1
	for _, dir := range dirs {
		t := tokenizerFiles{folder, dir}
		for _, try := range []func(*draft) (bool, error){t.json, t.vocabAndMerges, t.openAI} {
			found, err := try(d)
			if err != nil {
				return fmt.Errorf("its tokenizer in %s: %w", dir, err)
			}
			if found {
				return d.padding(t)
			}
		}
	}
	d.ask("the tokenizer: tokenizer.json, or vocab.json and merges.txt, or bpe_simple_vocab_16e6.txt.gz, beside the graph or in a folder named with " +
		"--tokenizer; OpenAI's CLIP, OpenCLIP, BioCLIP and MobileCLIP all use the files of openai/clip-vit-base-patch32")
	return nil
}

// tokenizerFiles is a folder that may hold a tokenizer.
type tokenizerFiles struct {
	folder fs.FS
	dir    string
}

func (t tokenizerFiles) read(name string) ([]byte, error) {
	return fs.ReadFile(t.folder, path.Join(t.dir, name))
}

// padding takes the padding id: said, or that of the configuration's pad_token,
// or 0 with CLIP's tokenizer, whose causal towers don't look at it.
func (d *draft) padding(t tokenizerFiles) error {
	spec := &d.manifest.Text.Tokenizer
	switch {
	case d.said.Pad != nil:
		spec.PadID = *d.said.Pad
	case spec.PadID >= 0:
	case spec.Kind == "clip-bpe":
		spec.PadID = 0
	default:
		d.ask("the id that fills up short texts: --pad 1 for SigLIP")
	}
	if spec.PadID < -1 || spec.PadID > 1<<30 {
		return fmt.Errorf("%d is no padding id", spec.PadID)
	}
	d.note("tokenizer: %s from %s, start %q, end %q, padding %d", spec.Kind, t.dir, spec.Start, spec.End, spec.PadID)
	return nil
}

// tokenizerJSON is what is read of a tokenizer.json here.
type tokenizerJSON struct {
	AddedTokens []struct {
		ID      int64  `json:"id"`
		Content string `json:"content"`
	} `json:"added_tokens"`
	Padding *struct {
		ID int64 `json:"pad_id"`
	} `json:"padding"`
	Normalizer    json.RawMessage `json:"normalizer"`
	PreTokenizer  json.RawMessage `json:"pre_tokenizer"`
	PostProcessor *postProcessor  `json:"post_processor"`
	Model         struct {
		Type   string          `json:"type"`
		Prefix string          `json:"continuing_subword_prefix"`
		Suffix string          `json:"end_of_word_suffix"`
		Vocab  json.RawMessage `json:"vocab"`
		Merges json.RawMessage `json:"merges"`
	} `json:"model"`
}

// postProcessor says which tokens go around a text.
type postProcessor struct {
	Type   string `json:"type"`
	Sep    []any  `json:"sep"` // RobertaProcessing and BertProcessing: ["</s>", 2]
	Cls    []any  `json:"cls"`
	Single []struct {
		Special  *struct{ ID string } `json:"SpecialToken"`
		Sequence *struct{ ID string } `json:"Sequence"`
	} `json:"single"` // TemplateProcessing
}

// around gives the tokens before and after a text, "" for none.
func (p *postProcessor) around() (start, end string, err error) {
	if p == nil {
		return "", "", nil
	}
	switch p.Type {
	case "RobertaProcessing", "BertProcessing":
		if len(p.Cls) > 0 && len(p.Sep) > 0 {
			start, _ = p.Cls[0].(string)
			end, _ = p.Sep[0].(string)
		}
		return start, end, nil
	case "TemplateProcessing":
		into := &start
		for _, s := range p.Single {
			switch {
			case s.Sequence != nil:
				into = &end
			case s.Special != nil && *into != "":
				return "", "", errors.New("more than one token before or after a text is not supported")
			case s.Special != nil:
				*into = s.Special.ID
			}
		}
		return start, end, nil
	case "ByteLevel": // moves offsets only
		return "", "", nil
	}
	return "", "", fmt.Errorf("the post_processor %q is not supported", p.Type)
}

// json reads a tokenizer.json.
func (t tokenizerFiles) json(d *draft) (bool, error) {
	raw, err := t.read("tokenizer.json")
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	var j tokenizerJSON
	if err := json.Unmarshal(raw, &j); err != nil {
		return false, fmt.Errorf("tokenizer.json: %w", err)
	}
	spec := &d.manifest.Text.Tokenizer
	if spec.Start, spec.End, err = j.PostProcessor.around(); err != nil {
		return false, fmt.Errorf("tokenizer.json: %w", err)
	}
	if j.Padding != nil {
		spec.PadID = j.Padding.ID
	}
	switch {
	case j.Model.Type == "Unigram":
		spec.Kind = "unigram"
		d.copy(&spec.Model, "tokenizer.json", t.folder, path.Join(t.dir, "tokenizer.json"))
		return true, t.specialIDs(d, func(token string) (int64, bool) { return j.added(token) })
	case j.Model.Type == "BPE" && j.Model.Suffix == "</w>" && j.Model.Prefix == "" && j.lowers() && j.bytes():
		return true, t.bpe(d, &j)
	case j.Model.Type == "BPE":
		return false, errors.New("tokenizer.json is a BPE, but not CLIP's (lower case, bytes, \"</w>\" at a word's end): it is not supported (SigLIP 2's isn't either)")
	}
	return false, fmt.Errorf("tokenizer.json has a %q model: only CLIP's BPE and Unigram are supported", j.Model.Type)
}

func (j *tokenizerJSON) added(token string) (int64, bool) {
	for _, a := range j.AddedTokens {
		if a.Content == token {
			return a.ID, true
		}
	}
	return 0, false
}

func (j *tokenizerJSON) lowers() bool { return bytes.Contains(j.Normalizer, []byte(`"Lowercase"`)) }
func (j *tokenizerJSON) bytes() bool  { return bytes.Contains(j.PreTokenizer, []byte(`"ByteLevel"`)) }

// bpe writes the vocabulary and merges of a tokenizer.json as files of their
// own.
func (t tokenizerFiles) bpe(d *draft, j *tokenizerJSON) error {
	var vocab map[string]int64
	if err := json.Unmarshal(j.Model.Vocab, &vocab); err != nil {
		return fmt.Errorf("tokenizer.json: vocab: %w", err)
	}
	for _, a := range j.AddedTokens {
		vocab[a.Content] = a.ID
	}
	merges, err := readMerges(j.Model.Merges)
	if err != nil {
		return fmt.Errorf("tokenizer.json: merges: %w", err)
	}
	return t.clipBPE(d, vocab, merges)
}

// readMerges reads merges as "a b" or, as newer files have them, ["a", "b"].
func readMerges(raw json.RawMessage) (lines []string, err error) {
	if json.Unmarshal(raw, &lines) == nil {
		return lines, nil
	}
	var pairs [][2]string
	if err := json.Unmarshal(raw, &pairs); err != nil {
		return nil, err
	}
	lines = make([]string, len(pairs))
	for i, p := range pairs {
		lines[i] = p[0] + " " + p[1]
	}
	return lines, nil
}

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

// specialIDs looks the padding token up that special_tokens_map.json or
// tokenizer_config.json names.
func (t tokenizerFiles) specialIDs(d *draft, id func(string) (int64, bool)) error {
	for _, file := range []string{"special_tokens_map.json", "tokenizer_config.json"} {
		raw, err := t.read(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return err
		}
		var j struct {
			Pad json.RawMessage `json:"pad_token"`
		}
		if err := json.Unmarshal(raw, &j); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if pad, ok := id(tokenName(j.Pad)); ok {
			d.manifest.Text.Tokenizer.PadID = pad
			return nil
		}
	}
	return nil
}

// tokenName reads a token as configurations write it: its name, or an object
// with its content.
func tokenName(raw json.RawMessage) string {
	var name string
	if json.Unmarshal(raw, &name) == nil {
		return name
	}
	var object struct {
		Content string `json:"content"`
	}
	_ = json.Unmarshal(raw, &object) // what is neither is no name
	return object.Content
}
