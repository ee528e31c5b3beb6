package photo

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// The kinds of refusal, for errors.Is.
var (
	ErrNotAPhoto     = errors.New("not a photo")       // no picture, or one in a format that is not read
	ErrTruncated     = errors.New("incomplete photo")  // begins as a photo, but is cut short or damaged
	ErrTooLarge      = errors.New("too many bytes")    // the file exceeds Limits.MaxBytes
	ErrTooManyPixels = errors.New("too many pixels")   // the picture exceeds Limits.MaxPixels
	ErrTooSmall      = errors.New("photo is too tiny") // a side is below Limits.MinSide
)

// An Error says why a file was refused.
type Error struct {
	Kind    error  // one of the Err values of this package
	Message string // a sentence or two for people: what is wrong, and what to do
	Cause   error  // the decoder's own error, or nil; for logs
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

const accepted = "Choose a JPEG, PNG, GIF, WebP or HEIC file."

func notAPhoto(message string, cause error) error {
	return &Error{Kind: ErrNotAPhoto, Message: message + " " + accepted, Cause: cause}
}

func truncated(name string, cause error) error {
	return &Error{
		Kind:    ErrTruncated,
		Message: fmt.Sprintf("This %s file is incomplete or damaged. Send it again, or export it anew from where it came.", name),
		Cause:   cause,
	}
}

func tooLarge(size, limit int) error {
	return &Error{
		Kind: ErrTooLarge,
		Message: fmt.Sprintf("This file has %.1f MB; at most %.0f MB are accepted. Export the photo at a smaller size or quality.",
			float64(size)/1e6, float64(limit)/1e6),
	}
}

func tooManyPixels(width, height, limit int) error {
	return &Error{
		Kind: ErrTooManyPixels,
		Message: fmt.Sprintf("This picture has %d × %d pixels; at most %d million are accepted. Scale it down and send it again.",
			width, height, limit/1_000_000),
	}
}

func tooSmall(width, height, limit int) error {
	return &Error{
		Kind: ErrTooSmall,
		Message: fmt.Sprintf("This picture has only %d × %d pixels; each side needs at least %d. Choose a larger copy of it.",
			width, height, limit),
	}
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
