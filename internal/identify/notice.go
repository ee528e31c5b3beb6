package identify

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"fieldmark/internal/words"
)

// Notice is something that is said to people, in a sentence or a part of one, and kept
// as what it is made of, so that it can be said in the language of whoever reads it.
// Args are texts, numbers, moments, TaxonNames, Ranks, Roles and Notices. The zero
// Notice says nothing.
type Notice struct {
	Format string // in English, as fmt has it
	Args   []any
}

// Noticef makes a Notice.
func Noticef(format string, args ...any) Notice { return Notice{format, args} }

// PlainNotice is a text that is said as it is.
func PlainNotice(text string) Notice {
	if text == "" {
		return Notice{}
	}
	return Notice{"%s", []any{text}}
}

// NoticeOf is what an error tells people: what was made for them, if it holds that, or
// its own text as a sentence.
func NoticeOf(err error) Notice {
	var own *Error
	switch {
	case err == nil:
		return Notice{}
	case errors.As(err, &own) && own.Format != "":
		return Notice{own.Format, own.Args}
	}
	return PlainNotice(sentence(err))
}

// Sentences are notices one after the other.
func Sentences(list ...Notice) Notice { return joined(list, " ") }

// joined puts a mark between notices.
func joined(list []Notice, mark string) Notice {
	all := Notice{Format: strings.TrimSuffix(strings.Repeat("%s"+mark, len(list)), mark)}
	for _, n := range list {
		all.Args = append(all.Args, n)
	}
	return all
}

// String says it in English.
func (n Notice) String() string {
	args := make([]any, len(n.Args))
	for i, a := range n.Args {
		if at, is := a.(time.Time); is {
			a = at.UTC().Format("2006-01-02 15:04 UTC")
		}
		args[i] = a
	}
	return words.English(n.Format, args...)
}

// Error makes it an error of a kind about a field.
func (n Notice) Error(kind ErrorKind, field string) *Error {
	return Errorf(kind, field, n.Format, n.Args...)
}

// Numeral is a number that is a name, "observation 1240": it is not grouped as a count
// would be.
type Numeral int64

// storedNotice is how a Notice is kept.
type storedNotice struct {
	Say  string            `json:"say"`
	With []json.RawMessage `json:"with,omitempty"`
}

// storedArg is an argument that is no text, count or Notice.
type storedArg struct {
	Numeral *Numeral   `json:"numeral,omitempty"`
	Number  *float64   `json:"number,omitempty"`
	At      *time.Time `json:"at,omitempty"`
	Rank    Rank       `json:"rank,omitempty"`
	Role    Role       `json:"role,omitempty"`
	Taxon   *TaxonName `json:"taxon,omitempty"`
}

// Text is the Notice as it is kept: what is plain as it is, all else as JSON, which
// ParseNotice reads.
func (n Notice) Text() string {
	if n.Format == "" {
		return ""
	}
	if n.Format == "%s" && len(n.Args) == 1 {
		if text, plain := n.Args[0].(string); plain && !strings.HasPrefix(text, noticeMark) {
			return text
		}
	}
	return string(n.stored())
}

// noticeMark is what every Notice that is not plain begins with where it is kept.
const noticeMark = `{"say":`

func (n Notice) stored() json.RawMessage {
	s := storedNotice{Say: n.Format}
	for _, a := range n.Args {
		s.With = append(s.With, storedArgument(a))
	}
	return mustJSON(s)
}

func storedArgument(a any) json.RawMessage {
	switch a := a.(type) {
	case Notice:
		return a.stored()
	case *Error:
		return NoticeOf(a).stored()
	case TaxonName:
		return mustJSON(storedArg{Taxon: &a})
	case time.Time:
		return mustJSON(storedArg{At: &a})
	case Rank:
		return mustJSON(storedArg{Rank: a})
	case Role:
		return mustJSON(storedArg{Role: a})
	case int, int64:
		return mustJSON(a)
	}
	v := reflect.ValueOf(a)
	switch {
	case v.CanInt():
		n := Numeral(v.Int())
		return mustJSON(storedArg{Numeral: &n})
	case v.CanFloat():
		f := v.Float()
		return mustJSON(storedArg{Number: &f})
	}
	return mustJSON(fmt.Sprint(a))
}

// mustJSON encodes what always can be.
func mustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil { // not a number: it is said as text
		b, _ = json.Marshal(fmt.Sprint(v))
	}
	return b
}

// ParseNotice reads what Text wrote. Any other text, of an earlier version or of
// somebody's, is said as it is.
func ParseNotice(text string) Notice {
	var s storedNotice
	if !strings.HasPrefix(text, noticeMark) || json.Unmarshal([]byte(text), &s) != nil {
		return PlainNotice(text)
	}
	n := Notice{Format: s.Say}
	for _, a := range s.With {
		n.Args = append(n.Args, parseArgument(a))
	}
	return n
}

func parseArgument(raw json.RawMessage) any {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var count int
	if json.Unmarshal(raw, &count) == nil {
		return count
	}
	if strings.HasPrefix(string(raw), noticeMark) {
		return ParseNotice(string(raw))
	}
	var a storedArg
	_ = json.Unmarshal(raw, &a) // what cannot be read is an empty text below
	switch {
	case a.Numeral != nil:
		return *a.Numeral
	case a.Number != nil:
		return *a.Number
	case a.At != nil:
		return *a.At
	case a.Taxon != nil:
		return *a.Taxon
	case a.Rank != "":
		return a.Rank
	}
	return a.Role
}
