package identify

import (
	"errors"

	"fieldmark/internal/words"
)

// ErrorKind sorts errors by what the caller can do about them; web turns it
// into a status code.
type ErrorKind string

// The kinds of errors.
const (
	Invalid    ErrorKind = "invalid"     // the input is wrong; the message says how to mend it (422)
	NotFound   ErrorKind = "not-found"   // no such thing (404)
	Conflict   ErrorKind = "conflict"    // it clashes with what is there (409)
	TooLarge   ErrorKind = "too-large"   // more bytes than are taken (413)
	NotAPhoto  ErrorKind = "not-a-photo" // unknown or broken picture (415)
	Forbidden  ErrorKind = "forbidden"   // the role does not allow it (403)
	NotReady   ErrorKind = "not-ready"   // starting or stopping; try again (503)
	Busy       ErrorKind = "busy"        // the machine has too much to do; try again soon (503)
	Overloaded ErrorKind = "overloaded"  // too much at once of one person or kind; try again later (429)
)

// Error is an error that a person can act on.
type Error struct {
	Kind    ErrorKind
	Field   string // the input it is about, "" if none
	Message string // one or two sentences: what is wrong and what to do
	// Format and Args are what Message was made of, for whoever says it in another
	// language; Format is "" if it was not made by Errorf.
	Format string
	Args   []any
	Err    error // cause, may be nil
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.Err }

// Because gives the error its cause.
func (e *Error) Because(cause error) *Error {
	e.Err = cause
	return e
}

// Errorf makes an Error of a kind about a field.
func Errorf(kind ErrorKind, field, format string, args ...any) *Error {
	return &Error{Kind: kind, Field: field, Message: words.English(format, args...), Format: format, Args: args}
}

// KindOf returns the kind of the first Error in err's chain, "" if there is none.
func KindOf(err error) ErrorKind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}
