package photo

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
)

// The kinds of refusal, for errors.Is.
var (
	ErrNotAPhoto     = errors.New("not a photo")       // no picture, or one in a format that is not read
	ErrTruncated     = errors.New("incomplete photo")  // begins as a photo, but is cut short or damaged
	ErrTooLarge      = errors.New("too many bytes")    // the file exceeds Limits.MaxBytes
	ErrTooManyPixels = errors.New("too many pixels")   // the picture exceeds Limits.MaxPixels
	ErrTooSmall      = errors.New("photo is too tiny") // a side is below Limits.MinSide
	ErrNoDecoder     = errors.New("no decoder")        // what decodes this kind of file cannot be loaded
)

// An Error says why a file was refused.
type Error struct {
	Kind    error      // one of the Err values of this package
	Says    []Sentence // for people: what is wrong, and what to do
	Message string     // the same in English
	Cause   error      // the decoder's own error, or nil; for logs
}

// A Sentence is what people are told, as fmt has it, so that it can be said in other
// languages. Every literal of this package that reads as a sentence is one.
type Sentence struct {
	Format string
	Args   []any
}

func (e *Error) Error() string {
	if e.Cause == nil {
		return e.Message
	}
	return e.Message + " (" + e.Cause.Error() + ")"
}

// Unwrap makes errors.Is find both the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Cause}
}

const accepted = "Choose a JPEG, PNG, GIF, WebP, HEIC or AVIF file."

// refuse makes an Error of sentences.
func refuse(kind, cause error, says ...Sentence) error {
	e := &Error{Kind: kind, Says: says, Cause: cause}
	for i, s := range says {
		if i > 0 {
			e.Message += " "
		}
		e.Message += fmt.Sprintf(s.Format, s.Args...)
	}
	return e
}

// sentences are those of a text without values, one by one.
func sentences(text string) []Sentence {
	var list []Sentence
	for part := range strings.SplitAfterSeq(text, ". ") {
		list = append(list, Sentence{Format: strings.TrimSpace(part)})
	}
	return list
}

// notAPhoto refuses what is no photo that can be read; message is one sentence or more,
// without values.
func notAPhoto(message string, cause error) error {
	return refuse(ErrNotAPhoto, cause, sentences(message+" "+accepted)...)
}

// rareKind refuses a file of a format that is read, but not in this kind.
func rareKind(title string, cause error) error {
	return refuse(ErrNotAPhoto, cause, Sentence{"This %s file is of a rare kind that cannot be read: open it in a photo program and save it again.", []any{title}},
		Sentence{Format: accepted})
}

// undecodable refuses a file of which a library does not say what is amiss.
func undecodable(title string, cause error) error {
	return refuse(ErrTruncated, cause, Sentence{"This %s file is damaged, or of a rare kind that cannot be read: open it in a photo program and save it as JPEG.", []any{title}})
}

func tooManyScans(most int) error {
	return refuse(ErrNotAPhoto, errors.New("too many scans"),
		Sentence{"This JPEG file has more than %d scans, as no camera makes it: open it in a photo program and save it again.", []any{most}}, Sentence{Format: accepted})
}

func truncated(name string, cause error) error {
	return refuse(ErrTruncated, cause, Sentence{"This %s file is incomplete or damaged.", []any{name}},
		Sentence{Format: "Send it again, or export it anew from where it came."})
}

func tooLarge(size, limit int) error {
	return refuse(ErrTooLarge, nil, Sentence{"This file has %.1f MB; at most %.0f MB are accepted.", []any{float64(size) / 1e6, float64(limit) / 1e6}},
		Sentence{Format: "Export the photo at a smaller size or quality."})
}

func tooManyPixels(width, height, limit int) error {
	return refuse(ErrTooManyPixels, nil, Sentence{"This picture has %d × %d pixels; at most %d million are accepted.", []any{width, height, limit / 1_000_000}},
		Sentence{Format: "Scale it down and send it again."})
}

func tooSmall(width, height, limit int) error {
	return refuse(ErrTooSmall, nil, Sentence{"This picture has only %d × %d pixels; each side needs at least %d.", []any{width, height, limit}},
		Sentence{Format: "Choose a larger copy of it."})
}

// A PanicError is the cause of an Error where a decoder panicked: a fault of its,
// which a file made for that purpose, or damaged, has found.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("a decoder panicked: %v", e.Value) }

// recovered, deferred, turns a panic into an error.
func recovered(err *error) {
	if value := recover(); value != nil {
		*err = notAPhoto("This file cannot be read as a photo: it is damaged, or made in a way that no camera makes.",
			&PanicError{value, debug.Stack()})
	}
}
