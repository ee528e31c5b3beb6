package heif

import (
	"testing"

	"fieldmark/internal/photo"
	"fieldmark/internal/sandbox/sandboxtest"
)

func FuzzDecodeHEIC(f *testing.F) {
	d := photo.Decoder{HEIC: open(f)}
	f.Add([]byte("\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic\x00\x00\x00\x01meta"))
	sandboxtest.Fuzz(f, d, "made.heic", "turned.heic", "grid.heic")
}
