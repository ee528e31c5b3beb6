package avif

import (
	"os"
	"path/filepath"
	"testing"

	"fieldmark/internal/photo"
)

// BenchmarkPhone decodes what tools/wasm/phone.sh made: a photo as phones make it, and
// the same picture as a JPEG, by Go's own decoder.
func BenchmarkPhone(b *testing.B) {
	folder := os.Getenv("FIELDMARK_PHONE")
	if folder == "" {
		b.Skip("skipped: FIELDMARK_PHONE names no folder (tools/wasm/phone.sh)")
	}
	d := photo.Decoder{AVIF: open(b)}
	for _, name := range []string{"phone.avif", "phone.jpg"} {
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := d.Decode(data, photo.Need{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
