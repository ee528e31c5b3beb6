// Package spool keeps what was uploaded in a file while it is read, for formats
// that are not read from beginning to end.
package spool

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"syscall"
	"time"

	"fieldmark/internal/identify"
)

// MaxBytes is the most that is taken: a million embeddings of 512 numbers.
const MaxBytes = 4 << 30

// Time is how long an upload may take.
const Time = time.Hour

// Take writes body into a temporary file that has no name any more: however the
// process ends, nothing of it is left. Close what it returns. Too many bytes are
// an *identify.Error of kind TooLarge about the field "file".
func Take(body io.Reader) (_ *os.File, err error) {
	f, err := os.CreateTemp("", "fieldmark-upload-*")
	if err != nil {
		return nil, fmt.Errorf("keeping the upload: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	if err := os.Remove(f.Name()); err != nil {
		return nil, fmt.Errorf("keeping the upload: %w", err)
	}
	if err := fill(f, body); err != nil {
		return nil, err
	}
	return f, nil
}

// fill writes an upload into a file.
func fill(f *os.File, body io.Reader) error {
	n, err := io.Copy(f, io.LimitReader(body, MaxBytes+1))
	var tooLong *http.MaxBytesError
	switch {
	case n > MaxBytes || errors.As(err, &tooLong):
		return identify.Errorf(identify.TooLarge, "file", "This file is larger than %d GB. Import it with \"webapp import\" on the machine itself, or split it.", MaxBytes>>30)
	case errors.Is(err, syscall.ENOSPC):
		return &identify.Error{Kind: identify.TooLarge, Field: "file", Err: err,
			Message: "The server has no room to keep this file while it reads it. Import it with \"webapp import\" on the machine itself, or make room there in " + os.TempDir() + "."}
	case err != nil:
		return Broken(err)
	case n == 0:
		return identify.Errorf(identify.Invalid, "file", "There is no file here, or an empty one. Choose a zip of photos or an npz file.")
	}
	return nil
}

// Broken is the error of an upload that could not be read to its end.
func Broken(err error) error {
	return &identify.Error{Kind: identify.Invalid, Field: "file", Err: err,
		Message: "The upload broke off before its end. Nothing was taken; send it again."}
}
