package avif

import (
	"testing"

	"fieldmark/internal/photo"
	"fieldmark/internal/sandbox/sandboxtest"
)

func BenchmarkDecode(b *testing.B) {
	d := open(b)
	data := sandboxtest.Sample(b, "made.avif")
	for b.Loop() {
		if _, err := d.Decode(data, 1<<26); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPhone(b *testing.B) {
	sandboxtest.BenchmarkPhone(b, photo.Decoder{AVIF: open(b)}, "phone.avif", "phone.jpg")
}
