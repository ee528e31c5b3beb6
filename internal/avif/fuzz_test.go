package avif

import (
	"testing"

	"fieldmark/internal/photo"
	"fieldmark/internal/sandbox/sandboxtest"
)

func FuzzDecodeAVIF(f *testing.F) {
	d := photo.Decoder{AVIF: open(f)}
	f.Add([]byte("\x00\x00\x00\x1cftypavif\x00\x00\x00\x00mif1miaf\x00\x00\x00\x01meta"))
	sandboxtest.Fuzz(f, d, "made.avif", "cropped.avif", "grid.avif", "moving.avif", "alpha.avif", "bt709-full-10bit.avif")
}
