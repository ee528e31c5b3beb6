package main

import (
	"errors"
	"fmt"
	"image"
	"log/slog"
	"sync"

	"fieldmark/internal/avif"
	"fieldmark/internal/heif"
	"fieldmark/internal/photo"
	"fieldmark/internal/sandbox"
)

// openHEIC finds the decoder of HEIC photos. Without one the result is nil: they
// are refused then, by name, which is told once.
func openHEIC(log *slog.Logger) photo.Sandbox { return openSandbox("HEIC", heif.Open, log) }

// openAVIF does so for AVIF photos.
func openAVIF(log *slog.Logger) photo.Sandbox { return openSandbox("AVIF", avif.Open, log) }

func openSandbox(kind string, open func() (*sandbox.Decoder, error), log *slog.Logger) photo.Sandbox {
	d, err := open()
	if err != nil {
		log.Info(kind+" photos are refused: make setup fetches what decodes them", "reason", err)
		return nil
	}
	return &watchedSandbox{decoder: d, kind: kind, log: log}
}

// watchedSandbox tells a photo that cannot be decoded from a decoder that cannot be
// loaded, and logs the latter once: that shows when the first photo is to be decoded.
type watchedSandbox struct {
	decoder photo.Sandbox
	kind    string
	log     *slog.Logger
	told    sync.Once
}

// Decode decodes a photo, as photo.Sandbox has it.
func (w *watchedSandbox) Decode(data []byte, memory int64) (image.Image, error) {
	img, err := w.decoder.Decode(data, memory)
	if errors.Is(err, sandbox.ErrUnusable) {
		w.told.Do(func() {
			w.log.Error(w.kind+" photos cannot be read: what decodes them cannot be loaded; make setup, or the release archive, has it", "error", err)
		})
		return nil, fmt.Errorf("%w: %w", photo.ErrNoDecoder, err)
	}
	return img, err
}
