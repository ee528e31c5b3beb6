package adopt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
)

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
