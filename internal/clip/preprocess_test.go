package clip

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"image"
	"io"
	"math"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fieldmark/internal/photo"
)

// A preprocessed is what Pillow made of one file (see the pack's README).
type preprocessed struct {
	ID, File, Archive, Variant, Decoder string
	Crop                                result `json:"crop224"`
	Squash                              result `json:"squash160"`
}

type result struct {
	SHA256   string
	Expected *string
	Mean     [3]float64
	Probes   [][5]float64 // channel, row, column, level, normalised
}

type preprocessPack struct {
	Mean, Std [3]float64
	Cases     []preprocessed
}

func readPreprocessPack(t testing.TB) preprocessPack {
	t.Helper()
	var pack preprocessPack
	if err := json.Unmarshal(readFile(t, shared(t, "parity", "preprocess", "cases.json")), &pack); err != nil {
		t.Fatal(err)
	}
	return pack
}

// TestPreprocessAsPillow: PNG and GIF files come out as Pillow's, bit for bit.
// JPEG decoders differ in rounding, so there the mean difference is bounded by
// 0.2 of 255 levels, and the largest by 6.
//
// Left out: "black" (Pillow's convert drops alpha, and so do we) and the one
// file of 16-bit grey, which Pillow clips to white (its "high8" is compared).
func TestPreprocessAsPillow(t *testing.T) {
	pack := readPreprocessPack(t)
	photos := archived(t, pack)
	tower := ImageTower{Mean: pack.Mean, Std: pack.Std}
	crop, squash := tower, tower
	crop.Size, crop.Resize, crop.Interpolation = 224, "crop", "bicubic"
	squash.Size, squash.Resize, squash.Interpolation = 160, "squash", "bilinear"

	for _, c := range pack.Cases {
		if c.Variant == "black" || c.ID == "png-grey16" {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			data := photos[c.File]
			if c.Archive == "" {
				data = readFile(t, shared(t, "parity", "preprocess", c.File))
			}
			if data == nil {
				t.Skipf("%s is not on this machine", c.Archive)
			}
			p, err := photo.Decode(data, photo.Limits{MinSide: 1})
			if err != nil {
				t.Fatal(err)
			}
			compare(t, newPreprocessor(crop), p.Image, c.Crop, c.Decoder == "exact")
			compare(t, newPreprocessor(squash), p.Image, c.Squash, c.Decoder == "exact")
		})
	}
}

func compare(t *testing.T, pre *preprocessor, img image.Image, want result, exact bool) {
	t.Helper()
	square, err := pre.square(img)
	if err != nil {
		t.Fatal(err)
	}
	planes := planar(square, pre.size)
	if sum := sha256.Sum256(planes); exact && hex.EncodeToString(sum[:]) != want.SHA256 {
		t.Errorf("%d: pixels differ from Pillow's", pre.size)
	}
	if want.Expected != nil {
		levels := gunzip(t, readFile(t, shared(t, "parity", "preprocess", *want.Expected)))
		mean, largest := difference(planes, levels)
		if mean > 0.2 || largest > 6 {
			t.Errorf("%d: differs by %.3f on average, %v at most", pre.size, mean, largest)
		}
		t.Logf("%d: mean %.4f, max %v", pre.size, mean, largest)
	}
	compareProbes(t, pre, pre.normalized(square), planes, want, exact)
}

// compareProbes covers the cases whose pixels the pack does not hold.
func compareProbes(t *testing.T, pre *preprocessor, pixels []float32, planes []uint8, want result, exact bool) {
	t.Helper()
	n := pre.size * pre.size
	for c, mean := range want.Mean {
		sum := 0
		for _, v := range planes[c*n : (c+1)*n] {
			sum += int(v)
		}
		if got := float64(sum) / float64(n); math.Abs(got-mean) > 0.2 {
			t.Errorf("%d: channel %d has mean %.4f, want %.4f", pre.size, c, got, mean)
		}
	}
	for _, p := range want.Probes {
		at := int(p[0])*n + int(p[1])*pre.size + int(p[2])
		if diff := math.Abs(float64(planes[at]) - p[3]); diff > 6 || exact && diff > 0 {
			t.Errorf("%d: level %d at %v, want %v", pre.size, planes[at], p[:3], p[3])
		}
		if exact && math.Abs(float64(pixels[at])-p[4]) > 1e-6 {
			t.Errorf("%d: normalised %v at %v, want %v", pre.size, pixels[at], p[:3], p[4])
		}
	}
}

// planar turns [size, size, 3] into [3, size, size].
func planar(square []uint8, size int) []uint8 {
	n := size * size
	out := make([]uint8, 3*n)
	for i := range n {
		for c := range 3 {
			out[c*n+i] = square[3*i+c]
		}
	}
	return out
}

func difference(a, b []uint8) (mean, largest float64) {
	if len(a) != len(b) {
		return math.Inf(1), math.Inf(1)
	}
	for i := range a {
		d := math.Abs(float64(a[i]) - float64(b[i]))
		mean += d
		largest = max(largest, d)
	}
	return mean / float64(len(a)), largest
}

func gunzip(t testing.TB, data []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// archived reads the photos that the pack names within archives, by name;
// archives that are not there give none.
func archived(t testing.TB, pack preprocessPack) map[string][]byte {
	t.Helper()
	want := map[string]map[string]bool{}
	for _, c := range pack.Cases {
		if c.Archive != "" {
			if want[c.Archive] == nil {
				want[c.Archive] = map[string]bool{}
			}
			want[c.Archive][c.File] = true
		}
	}
	found := map[string][]byte{}
	for archive, names := range want {
		// Another program inflates it: the race detector would make a minute of it.
		inflate := exec.CommandContext(t.Context(), "gzip", "-dc", shared(t, filepath.FromSlash(archive)))
		z, err := inflate.StdoutPipe()
		if err == nil {
			err = inflate.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		for r := tar.NewReader(z); len(names) > 0; {
			head, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			name := strings.TrimPrefix(head.Name, "./")
			if !names[name] {
				continue
			}
			if found[name], err = io.ReadAll(r); err != nil {
				t.Fatal(err)
			}
			delete(names, name)
		}
		_ = z.Close()
		_ = inflate.Wait() // of the broken pipe it complains, if it had more
	}
	return found
}

func TestGenericImagesAreRead(t *testing.T) {
	pre := newPreprocessor(ImageTower{Size: 4, Resize: "squash", Interpolation: "bicubic", Std: [3]float64{1, 1, 1}})
	grey := image.NewGray(image.Rect(3, 5, 11, 9)) // does not begin at (0, 0)
	for i := range grey.Pix {
		grey.Pix[i] = 51
	}
	got, err := pre.pixels(grey)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		if math.Abs(float64(v)-0.2) > 1e-7 { // 51/255
			t.Fatalf("value %d is %v, want 0.2", i, v)
		}
	}
	if _, err := pre.pixels(image.NewRGBA(image.Rectangle{})); err == nil {
		t.Error("a photo without pixels is accepted")
	}
}

func BenchmarkPreprocess12MP(b *testing.B) {
	img := image.NewRGBA(image.Rect(0, 0, 4000, 3000))
	pre := newPreprocessor(ImageTower{Size: 160, Resize: "crop", Interpolation: "bicubic", Std: [3]float64{1, 1, 1}})
	for b.Loop() {
		if _, err := pre.pixels(img); err != nil {
			b.Fatal(err)
		}
	}
}

// TestAStripIsFilteredInBands: what a strip of 25,000 rows becomes is what the
// two filters give one after the other on all of it.
func TestAStripIsFilteredInBands(t *testing.T) {
	strip := image.NewRGBA(image.Rect(0, 0, 16, 25_000))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range strip.Pix {
		strip.Pix[i] = uint8(random.Uint32())
	}
	for _, interpolation := range []string{"bicubic", "bilinear"} {
		k := kernelOf(interpolation)
		cols, lines := k.tapsFor(16, 8, 0, 8), k.tapsFor(25_000, 24, 0, 24)
		if lines[0].end() > bandRows || lines[23].end() <= 3*bandRows {
			t.Fatal("it is no matter of several bands")
		}
		whole := make([]uint8, 25_000*8*3)
		acrossRows(whole, strip, 0, 25_000, cols)
		if want := downColumns(whole, 8*3, 0, lines); !slices.Equal(resample(strip, cols, lines), want) {
			t.Errorf("%s: other pixels", interpolation)
		}
	}
}
