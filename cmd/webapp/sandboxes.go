package main

import (
	"log/slog"

	"fieldmark/internal/avif"
	"fieldmark/internal/heif"
	"fieldmark/internal/photo"
)

// openHEIC finds the decoder of HEIC photos. Without one the result is nil: they
// are refused then, by name, which is told once.
func openHEIC(log *slog.Logger) photo.Sandbox {
	d, err := heif.Open()
	if err != nil {
		log.Info("HEIC photos are refused: make setup fetches what decodes them", "reason", err)
		return nil
	}
	return d
}

// openAVIF does so for AVIF photos.
func openAVIF(log *slog.Logger) photo.Sandbox {
	d, err := avif.Open()
	if err != nil {
		log.Info("AVIF photos are refused: make setup fetches what decodes them", "reason", err)
		return nil
	}
	return d
}
