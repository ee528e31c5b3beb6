package heif

import (
	"testing"

	"fieldmark/internal/photo"
	"fieldmark/internal/sandbox/sandboxtest"
)

func BenchmarkDecode(b *testing.B) {
	d := open(b)
	data := sandboxtest.Sample(b, "made.heic")
	for b.Loop() {
		if _, err := d.Decode(data, 1<<26); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPhone(b *testing.B) {
	sandboxtest.BenchmarkPhone(b, photo.Decoder{HEIC: open(b)}, "phone.heic", "phone.jpg")
}
