package clip

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/draw"

	"fieldmark/internal/photo"
	"fieldmark/internal/vec"
)

// TestAScaledDecodeKeepsTheVector: decoded by libjpeg-turbo at the smallest
// scale that leaves twice the tower's side, and not a pixel more, a photo has
// the vector that it has when Go's decoder reads it in full, up to a cosine of
// 0.999. So it does not matter which of them embedded what is stored.
// BenchmarkScaledCosine has photos, and the smaller scales.
func TestAScaledDecodeKeepsTheVector(t *testing.T) {
	enc, library := builtin(t, 0), turbo(t)
	side := 2 * 2 * enc.manifest.Image.Size
	for _, size := range []image.Point{{side, side*4/3 + 2}, {side*4/3 + 2, side}} { // 855 becomes 428
		if cos := scaledCosine(t, enc, library, camera(size.X, size.Y)); cos < 0.999 {
			t.Errorf("%v: cosine %.5f", size, cos)
		}
	}
}

// BenchmarkScaledCosine gives, for each scale, how near the two vectors of a
// photo are: mean and least cosine over twelve photos and one of all of them.
func BenchmarkScaledCosine(b *testing.B) {
	enc, library := builtin(b, 0), turbo(b)
	small := smallPhotos(b)
	for _, d := range []int{2, 4, 8} {
		b.Run(fmt.Sprintf("scale=1over%d", d), func(b *testing.B) {
			side := d * 2 * enc.manifest.Image.Size
			for b.Loop() {
				least := scaledCosine(b, enc, library, sideBySide(small, side))
				sum := least
				for _, m := range small {
					cos := scaledCosine(b, enc, library, enlarged(m, side))
					least, sum = min(least, cos), sum+cos
				}
				b.ReportMetric(least, "cos-least")
				b.ReportMetric(sum/float64(len(small)+1), "cos-mean")
			}
		})
	}
}

// scaledCosine is the cosine between a photo's vectors: with libjpeg-turbo, at
// the smallest scale that leaves twice the tower's side, and with Go's decoder.
func scaledCosine(t testing.TB, enc *Encoder, library photo.ScaledJPEG, m image.Image) float64 {
	t.Helper()
	file := asJPEG(t, m)
	need := photo.Need{Shorter: 2 * enc.manifest.Image.Size}
	var vectors [2][]float32
	for i, d := range []photo.Decoder{{}, {JPEG: library}} {
		p, err := d.Decode(file, need)
		if err != nil {
			t.Fatal(err)
		}
		if short := min(p.Image.Rect.Dx(), p.Image.Rect.Dy()); i == 1 && short != need.Shorter {
			t.Fatalf("%v was decoded to %v", m.Bounds(), p.Image.Rect)
		}
		if vectors[i], err = enc.EmbedImage(t.Context(), p.Scaled()); err != nil {
			t.Fatal(err)
		}
	}
	return float64(vec.Dot(vectors[0], vectors[1])) / (vec.Norm(vectors[0]) * vec.Norm(vectors[1]))
}

// halved is a picture that was decoded at half its size.
type halved struct {
	image.Image
	full image.Point
}

func (h halved) Decoded() image.Image  { return h.Image }
func (h halved) FullSize() image.Point { return h.full }

// TestTheCropIsThatOfThePhotoInFull. A photo of 427 × 320 resized for a tower
// of 80 is ⌊80·427/320⌋ = 106 wide, and its crop begins at (106−80)/2 = 13. The
// centre of that column lies at 13.5·214/106 − 0.5 = 26.75 of the 214 columns
// left at half the size. From 214 × 160 alone it would be 107 wide, beginning
// at 14: column 28.5.
func TestTheCropIsThatOfThePhotoInFull(t *testing.T) {
	pre := newPreprocessor(ImageTower{Size: 80, Resize: "crop", Interpolation: "bilinear", Std: [3]float64{1, 1, 1}})
	ramp := image.NewRGBA(image.Rect(0, 0, 214, 160))
	for i := range ramp.Pix {
		ramp.Pix[i] = uint8(i / 4 % 214)
	}
	for _, c := range []struct {
		img  image.Image
		want uint8
	}{{halved{ramp, image.Pt(427, 320)}, 27}, {ramp, 29}} {
		square, err := pre.square(c.img)
		if err != nil {
			t.Fatal(err)
		}
		if square[0] != c.want {
			t.Errorf("the first pixel is of column %d, want %d", square[0], c.want)
		}
	}
	if _, err := pre.square(halved{ramp, image.Pt(0, 0)}); err == nil {
		t.Error("a photo of no size was taken")
	}
}

// smallPhotos are the parity pack's photos, in the order of their names.
func smallPhotos(t testing.TB) []image.Image {
	t.Helper()
	files := archived(t, readPreprocessPack(t))
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.SortFunc(names, strings.Compare)
	list := make([]image.Image, len(names))
	for i, name := range names {
		var err error
		if list[i], err = jpeg.Decode(bytes.NewReader(files[name])); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// enlarged is a photo whose shorter side has n pixels, with a sensor's noise of
// two levels.
func enlarged(m image.Image, n int) *image.RGBA {
	w, h := m.Bounds().Dx(), m.Bounds().Dy()
	short := min(w, h)
	large := image.NewRGBA(image.Rect(0, 0, w*n/short, h*n/short))
	draw.CatmullRom.Scale(large, large.Rect, m, m.Bounds(), draw.Src, nil)
	random := rand.New(rand.NewPCG(5, uint64(n)))
	for i, v := range large.Pix {
		if i%4 < 3 {
			large.Pix[i] = uint8(min(max(float64(v)+2*random.NormFloat64(), 0), 255))
		}
	}
	return large
}

// sideBySide is a square of n pixels, tiled with photos as they are: more detail
// in each pixel than a camera's photo has.
func sideBySide(photos []image.Image, n int) *image.RGBA {
	const tile = 100 // the least side of these photos
	m := image.NewRGBA(image.Rect(0, 0, n, n))
	for i := range (n/tile + 1) * (n/tile + 1) {
		x, y := i%(n/tile+1)*tile, i/(n/tile+1)*tile
		p := photos[i%len(photos)]
		draw.Draw(m, image.Rect(x, y, x+tile, y+tile), p, p.Bounds().Min, draw.Src)
	}
	return m
}
