package turbojpeg

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// library is libjpeg-turbo; without it the test is skipped, since Fieldmark
// does without it too.
func library(t testing.TB) *Library {
	t.Helper()
	l, err := Open("")
	if errors.Is(err, ErrNotFound) {
		t.Skip("libjpeg-turbo not tested: ", err)
	} else if err != nil {
		t.Fatal(err)
	}
	return l
}

// quarters is a JPEG of w × h in four colours, a quarter each.
func quarters(t testing.TB, w, h int) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.SetRGBA(x, y, quarter(x, y, w, h))
		}
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, m, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func quarter(x, y, w, h int) color.RGBA {
	return []color.RGBA{{200, 30, 40, 255}, {30, 180, 60, 255}, {40, 50, 190, 255}, {220, 210, 60, 255}}[2*(2*y/h)+2*x/w]
}

func TestDecodeAtEveryScale(t *testing.T) {
	l := library(t)
	const w, h = 250, 131 // neither is a multiple of a block
	data := quarters(t, w, h)
	for _, c := range []struct{ denominator, w, h int }{{1, 250, 131}, {2, 125, 66}, {4, 63, 33}, {8, 32, 17}} {
		m, err := l.DecodeJPEG(data, w, h, c.denominator)
		if err != nil {
			t.Fatal(err)
		}
		if m.Rect != image.Rect(0, 0, c.w, c.h) {
			t.Fatalf("1/%d is %v, want %d × %d", c.denominator, m.Rect, c.w, c.h)
		}
		for _, at := range []image.Point{{c.w / 4, c.h / 4}, {3 * c.w / 4, c.h / 4}, {c.w / 4, 3 * c.h / 4}, {3 * c.w / 4, 3 * c.h / 4}} {
			got, want := m.RGBAAt(at.X, at.Y), quarter(at.X, at.Y, c.w, c.h)
			if off(got.R, want.R) > 4 || off(got.G, want.G) > 4 || off(got.B, want.B) > 4 || got.A != 255 {
				t.Errorf("1/%d at %v is %v, want %v", c.denominator, at, got, want)
			}
		}
	}
}

func off(a, b uint8) int { return max(int(a)-int(b), int(b)-int(a)) }

func TestDecodeRefuses(t *testing.T) {
	l := library(t)
	data := quarters(t, 64, 48)
	for _, c := range []struct {
		name        string
		data        []byte
		w, h, scale int
		want        string
	}{
		{"no bytes", nil, 64, 48, 1, "no picture"},
		{"no width", data, 0, 48, 1, "no picture"},
		{"a third", data, 64, 48, 3, "1/3"},
		{"another size than the header's", data, 48, 64, 1, "64 x 48"},
		{"no JPEG", []byte("not a photo at all"), 64, 48, 1, "JPEG"},
		{"cut", data[:len(data)-60], 64, 48, 8, "remature"},
		{"without its end", data[:len(data)-2], 64, 48, 1, "remature"},
	} {
		m, err := l.DecodeJPEG(c.data, c.w, c.h, c.scale)
		if m != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error that says %q", c.name, err, c.want)
		}
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	folder := t.TempDir()
	if _, err := Open(folder); err == nil || !strings.Contains(err.Error(), folder) {
		t.Errorf("an empty folder: %v", err)
	}
	file := filepath.Join(folder, "notes.so")
	if err := os.WriteFile(file, []byte("not a library"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(file); err == nil || !strings.Contains(err.Error(), "notes.so") {
		t.Errorf("no library: %v", err)
	}
}

// TestABrokenCopyIsPassedOver: what lies where setup puts the library must not
// hide the system's.
func TestABrokenCopyIsPassedOver(t *testing.T) {
	_, errBefore := Open("")
	root := t.TempDir()
	t.Chdir(root)
	file, _ := names()
	if err := os.MkdirAll(filepath.Join("build", "turbojpeg"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("build", "turbojpeg", file), []byte("not a library"), 0o644); err != nil {
		t.Fatal(err)
	}
	l, err := Open("")
	if errBefore == nil && l == nil && !errors.Is(err, ErrNotFound) || errBefore != nil && !errors.Is(err, ErrNotFound) {
		t.Errorf("%v, before %v", err, errBefore)
	}
}
