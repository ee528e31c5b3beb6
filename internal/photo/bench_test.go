package photo

import (
	"image"
	"image/color"
	"math/rand/v2"
	"testing"
)

// camera is a JPEG of 12 megapixels with about as much detail as a photo's:
// smooth shapes and a little noise, 4:2:0.
func camera(b *testing.B) []byte {
	b.Helper()
	random := rand.New(rand.NewPCG(1, 1))
	m := image.NewRGBA(image.Rect(0, 0, 4000, 3000))
	for y := range 3000 {
		for x := range 4000 {
			n := uint8(random.Uint32() & 15)
			m.SetRGBA(x, y, color.RGBA{uint8(x/16) + n, uint8(y/12) + n, uint8((x+y)/28) + n, 255})
		}
	}
	data := asJPEG(b, m)
	b.SetBytes(int64(len(data)))
	return data
}

func BenchmarkDecode12MP(b *testing.B) {
	data := camera(b)
	for b.Loop() {
		if _, err := Decode(data, Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkColour12MP(b *testing.B) {
	m := image.NewYCbCr(image.Rect(0, 0, 4000, 3000), image.YCbCrSubsampleRatio420)
	for b.Loop() {
		ycbcrToRGBA(m, fullRange{})
	}
}

func BenchmarkOrient12MP(b *testing.B) {
	m := image.NewRGBA(image.Rect(0, 0, 4000, 3000))
	for b.Loop() {
		orient(m, 6)
	}
}

func BenchmarkThumbnail12MP(b *testing.B) {
	m := image.NewRGBA(image.Rect(0, 0, 4000, 3000))
	for b.Loop() {
		if _, err := Thumbnail(m, 640); err != nil {
			b.Fatal(err)
		}
	}
}
