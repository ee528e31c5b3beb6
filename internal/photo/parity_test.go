package photo

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"image"
	"os"
	"path/filepath"
	"testing"
)

// parityCase is what Pillow made of one file (see the pack's README).
type parityCase struct {
	ID, File, Archive, Variant, Decoder string
	Orientation                         int
	RGBSize                             [2]int `json:"rgb_size"`
	RGBSHA256                           string `json:"rgb_sha256"`
}

// packRoot is the shared data folder beside the repository.
func packRoot(t testing.TB) string {
	t.Helper()
	root := filepath.Join("..", "..", "..", "shared", "data")
	if _, err := os.Stat(filepath.Join(root, "parity", "preprocess", "cases.json")); err != nil {
		t.Skip("the shared parity pack is not on this machine")
	}
	return root
}

func parityCases(t testing.TB, root string) []parityCase {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, "parity", "preprocess", "cases.json"))
	if err != nil {
		t.Fatal(err)
	}
	var pack struct{ Cases []parityCase }
	if err := json.Unmarshal(raw, &pack); err != nil {
		t.Fatal(err)
	}
	return pack.Cases
}

// TestUprightPixelsAsPillow compares with Pillow's upright RGB pixels: every
// PNG and GIF exactly, but for those files of which the pack itself says that
// Pillow is not to be followed. JPEG decoders differ by a level here and
// there, so for JPEG only size and orientation are compared here; package clip
// bounds the levels.
func TestUprightPixelsAsPillow(t *testing.T) {
	root := packRoot(t)
	exact := 0
	for _, c := range parityCases(t, root) {
		if c.Archive != "" || c.Variant == "black" {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(root, "parity", "preprocess", c.File))
			if err != nil {
				t.Fatal(err)
			}
			p, err := Decode(data, Limits{MinSide: 1})
			if err != nil {
				t.Fatal(err)
			}
			if got := [2]int{p.Width, p.Height}; got != c.RGBSize {
				t.Fatalf("size %v, want %v", got, c.RGBSize)
			}
			want := c.Orientation
			if want == 0 { // invalid: upright
				want = 1
			}
			if p.EXIF.Orientation != want {
				t.Errorf("orientation %d, want %d", p.EXIF.Orientation, want)
			}
			if c.Decoder != "exact" || c.ID == "png-grey16" { // Pillow clips 16-bit grey to white
				return
			}
			exact++
			if got := rgbHash(p.Image); got != c.RGBSHA256 {
				t.Errorf("pixels differ from Pillow's")
			}
		})
	}
	if exact < 20 {
		t.Errorf("only %d files compared exactly", exact)
	}
}

func rgbHash(m *image.RGBA) string {
	h := sha256.New()
	row := make([]byte, 3*m.Rect.Dx())
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			copy(row[3*x:3*x+3], m.Pix[m.PixOffset(x, y):])
		}
		h.Write(row)
	}
	return hex.EncodeToString(h.Sum(nil))
}
