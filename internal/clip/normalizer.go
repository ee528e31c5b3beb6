package clip

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"
)

// A normalizer cleans a text, as a tokenizer.json says.
type normalizer func(string) string

// step is one entry of a tokenizer.json's normalizer or pre-tokenizer.
type step struct {
	Type          string            `json:"type"`
	Normalizers   []json.RawMessage `json:"normalizers"`
	Pretokenizers []json.RawMessage `json:"pretokenizers"`
	Pattern       struct {
		String *string
		Regex  *string
	} `json:"pattern"`
	Content       string `json:"content"`
	StripLeft     bool   `json:"strip_left"`
	StripRight    bool   `json:"strip_right"`
	Prepend       string `json:"prepend"`
	Precompiled   []byte `json:"precompiled_charsmap"`
	Replacement   string `json:"replacement"`
	AddPrefix     *bool  `json:"add_prefix_space"`
	PrependScheme string `json:"prepend_scheme"`
	Split         *bool  `json:"split"`
}

func absent(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// readNormalizer reads the "normalizer" of a tokenizer.json. What it does not
// know is an error: left out, it would give other tokens in silence.
func readNormalizer(raw json.RawMessage) (normalizer, error) {
	if absent(raw) {
		return func(s string) string { return s }, nil
	}
	var s step
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, fmt.Errorf("normalizer: %w", err)
	}
	switch s.Type {
	case "Sequence":
		return readNormalizers(s.Normalizers)
	case "Lowercase":
		return func(text string) string { return cases.Lower(language.Und).String(text) }, nil
	case "NFC":
		return compose, nil
	case "NFD":
		return norm.NFD.String, nil
	case "NFKC":
		return norm.NFKC.String, nil
	case "NFKD":
		return norm.NFKD.String, nil
	case "Prepend":
		return func(text string) string { return s.Prepend + text }, nil
	case "Strip":
		return s.strip, nil
	case "Replace":
		return s.replace()
	case "Precompiled":
		return readCharsMap(s.Precompiled)
	}
	return nil, fmt.Errorf("its normalizer %q is none that this program knows", s.Type)
}

func readNormalizers(all []json.RawMessage) (normalizer, error) {
	var each []normalizer
	for _, raw := range all {
		n, err := readNormalizer(raw)
		if err != nil {
			return nil, err
		}
		each = append(each, n)
	}
	return func(text string) string {
		for _, n := range each {
			text = n(text)
		}
		return text
	}, nil
}

func (s *step) strip(text string) string {
	if s.StripLeft {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
	}
	if s.StripRight {
		text = strings.TrimRightFunc(text, unicode.IsSpace)
	}
	return text
}

func (s *step) replace() (normalizer, error) {
	switch {
	case s.Pattern.String != nil && *s.Pattern.String != "":
		return func(text string) string { return strings.ReplaceAll(text, *s.Pattern.String, s.Content) }, nil
	case s.Pattern.Regex != nil:
		pattern, err := regexp.Compile(*s.Pattern.Regex)
		if err != nil {
			return nil, fmt.Errorf("normalizer: %w", err)
		}
		return func(text string) string { return pattern.ReplaceAllLiteralString(text, s.Content) }, nil
	}
	return nil, fmt.Errorf("normalizer: Replace without a pattern")
}

// A pretokenizer parts a clean text into words; no token spans two of them.
type pretokenizer func(string) []string

// readPretokenizer reads the "pre_tokenizer" of a tokenizer.json.
func readPretokenizer(raw json.RawMessage) (pretokenizer, error) {
	if absent(raw) {
		return func(s string) []string { return []string{s} }, nil
	}
	var s step
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, fmt.Errorf("pre_tokenizer: %w", err)
	}
	switch s.Type {
	case "Sequence":
		return readPretokenizers(s.Pretokenizers)
	case "WhitespaceSplit":
		return strings.Fields, nil
	case "Metaspace":
		return s.metaspace, nil
	}
	return nil, fmt.Errorf("its pre_tokenizer %q is none that this program knows", s.Type)
}

func readPretokenizers(all []json.RawMessage) (pretokenizer, error) {
	var each []pretokenizer
	for _, raw := range all {
		p, err := readPretokenizer(raw)
		if err != nil {
			return nil, err
		}
		each = append(each, p)
	}
	return func(text string) []string {
		words := []string{text}
		for _, p := range each {
			var parts []string
			for _, w := range words {
				parts = append(parts, p(w)...)
			}
			words = parts
		}
		return words
	}, nil
}

// metaspace writes spaces as "▁", puts one before the text, and parts it before
// each.
func (s *step) metaspace(text string) []string {
	mark := s.Replacement
	if mark == "" {
		mark = "▁"
	}
	text = strings.ReplaceAll(text, " ", mark)
	never := s.PrependScheme == "never" || s.PrependScheme == "" && s.AddPrefix != nil && !*s.AddPrefix
	if !never && text != "" && !strings.HasPrefix(text, mark) {
		text = mark + text
	}
	if s.Split != nil && !*s.Split {
		return []string{text}
	}
	var words []string
	for text != "" {
		next := strings.Index(text[1:], mark) + 1
		if next == 0 {
			next = len(text)
		}
		words = append(words, text[:next])
		text = text[next:]
	}
	return words
}
