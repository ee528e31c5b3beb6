package main

import (
	"errors"
	"log/slog"

	"fieldmark/internal/photo"
	"fieldmark/internal/turbojpeg"
)

// openJPEG loads libjpeg-turbo. Without one, unless it was named, the result is
// nil: Go's decoder reads photos then, which takes longer and is told.
func openJPEG(c Config, log *slog.Logger) (photo.ScaledJPEG, error) {
	library, err := turbojpeg.Open(c.TurboJPEG)
	switch {
	case err == nil:
		return library, nil
	case errors.Is(err, turbojpeg.ErrNotFound):
		log.Warn("JPEG photos are decoded in Go, which is several times slower: install libturbojpeg0 (on macOS jpeg-turbo)", "reason", err)
		return nil, nil
	}
	return nil, err
}
