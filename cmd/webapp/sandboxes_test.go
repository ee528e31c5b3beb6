package main

import (
	"bytes"
	"errors"
	"image"
	"log/slog"
	"strings"
	"testing"

	"fieldmark/internal/photo"
	"fieldmark/internal/sandbox"
)

// brokenModule is a decoder whose module cannot be loaded, or that cannot decode.
type brokenModule struct{ err error }

func (b brokenModule) Decode([]byte, int64) (image.Image, error) { return nil, b.err }

// A decoder that cannot be loaded is logged as that, once; a photo that cannot be decoded
// is not.
func TestADecoderThatCannotBeLoadedIsLoggedOnce(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, nil))
	w := &watchedSandbox{decoder: brokenModule{sandbox.ErrUnusable}, kind: "HEIC", log: log}
	for range 3 {
		if _, err := w.Decode(nil, 0); !errors.Is(err, photo.ErrNoDecoder) || !errors.Is(err, sandbox.ErrUnusable) {
			t.Error(err)
		}
	}
	if n := strings.Count(out.String(), "level=ERROR"); n != 1 || !strings.Contains(out.String(), "HEIC photos cannot be read") {
		t.Errorf("%d lines: %s", n, out.String())
	}
	out.Reset()
	w = &watchedSandbox{decoder: brokenModule{sandbox.ErrRefused}, kind: "HEIC", log: log}
	if _, err := w.Decode(nil, 0); errors.Is(err, photo.ErrNoDecoder) || !errors.Is(err, sandbox.ErrRefused) || out.Len() > 0 {
		t.Errorf("%v: %s", err, out.String())
	}
}
