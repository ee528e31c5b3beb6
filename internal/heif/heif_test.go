package heif

import (
	"errors"
	"math"
	"os"
	"testing"

	"fieldmark/internal/photo"
	"fieldmark/internal/sandbox"
)

func open(t testing.TB) *Decoder {
	t.Helper()
	d, err := Open()
	if errors.Is(err, sandbox.ErrNotFound) {
		t.Skip("skipped: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func sample(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestDecode: the colours that make.sh drew are there, and the place that EXIF
// says. EXIF's orientation does not count: the container says none (ISO/IEC
// 23008-12, 6.5.10).
func TestDecode(t *testing.T) {
	d := photo.Decoder{HEIC: open(t)}
	p, err := d.Decode(sample(t, "made.heic"), photo.Need{})
	if err != nil {
		t.Fatal(err)
	}
	if p.Width != 192 || p.Height != 128 || p.MediaType != "image/heic" {
		t.Fatalf("%d × %d, %s", p.Width, p.Height, p.MediaType)
	}
	const rim = 4 // whose colours libde265 leaves a little off
	for y := rim; y < 128-rim; y++ {
		for x := rim; x < 192-rim; x++ {
			c := p.Image.RGBAAt(x, y)
			want := [3]int{5 * (x / 4), 7 * (y / 4), 255 - 5*(x/4)}
			for i, got := range []uint8{c.R, c.G, c.B} {
				if off := int(got) - want[i]; off < -32 || off > 32 || c.A != 255 {
					t.Fatalf("(%d, %d) is %v, want %v", x, y, c, want)
				}
			}
		}
	}
	if p, err = d.Decode(sample(t, "turned.heic"), photo.Need{}); err != nil {
		t.Fatal(err)
	}
	if p.Width != 128 || p.Height != 192 || p.EXIF.Orientation != 1 {
		t.Errorf("%d × %d, %+v", p.Width, p.Height, p.EXIF)
	}
	const minutes = 30.0/60 + 36.0/3600
	if p.EXIF.Latitude == nil || math.Abs(*p.EXIF.Latitude-52-minutes) > 1e-9 {
		t.Errorf("%+v", p.EXIF)
	}
}

// TestDamage: cut or changed anywhere, a file is decoded or refused, and nothing
// else happens.
func TestDamage(t *testing.T) {
	d := photo.Decoder{HEIC: open(t)}
	whole := sample(t, "made.heic")
	for i := 40; i < len(whole); i += 151 {
		damaged := append([]byte(nil), whole...)
		damaged[i] ^= 0xff
		for _, data := range [][]byte{whole[:i], damaged} {
			_, err := d.Decode(data, photo.Need{})
			var refused *photo.Error
			if err != nil && !errors.As(err, &refused) {
				t.Fatalf("byte %d: %v", i, err)
			}
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	d := open(b)
	data := sample(b, "made.heic")
	for b.Loop() {
		if _, err := d.Decode(data); err != nil {
			b.Fatal(err)
		}
	}
}
