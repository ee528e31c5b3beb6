package clip

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"fieldmark/internal/photo"
	"fieldmark/internal/turbojpeg"
)

// turbo is libjpeg-turbo; what needs it is skipped without it, since Fieldmark
// does without it too.
func turbo(t testing.TB) *turbojpeg.Library {
	t.Helper()
	l, err := turbojpeg.Open("")
	if errors.Is(err, turbojpeg.ErrNotFound) {
		t.Skip("libjpeg-turbo is missing: ", err)
	} else if err != nil {
		t.Fatal(err)
	}
	return l
}

// camera is a picture with about as much detail as a photo's: shapes at every
// scale from the frame's to a few pixels', and sensor noise.
func camera(w, h int) *image.RGBA {
	random := rand.New(rand.NewPCG(1, 1))
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	type wave struct{ fx, fy, phase, height float64 }
	var waves [3][]wave
	for c := range waves {
		for wavelength := float64(w); wavelength > 6; wavelength /= 1.7 {
			angle := 2 * math.Pi * random.Float64()
			waves[c] = append(waves[c], wave{math.Cos(angle) / wavelength, math.Sin(angle) / wavelength, random.Float64(), 4 + 5*math.Log(wavelength)})
		}
	}
	var sine [1024]float64
	for i := range sine {
		sine[i] = math.Sin(2 * math.Pi * float64(i) / 1024)
	}
	for y := range h {
		for x := range w {
			p := m.Pix[m.PixOffset(x, y):][:4]
			noise := 3 * random.NormFloat64()
			for c := range waves {
				v := 128 + noise
				for _, s := range waves[c] {
					v += s.height * sine[int(1024*(s.fx*float64(x)+s.fy*float64(y)+s.phase)+1<<20)&1023]
				}
				p[c] = uint8(min(max(v, 0), 255))
			}
			p[3] = 255
		}
	}
	return m
}

func asJPEG(t testing.TB, m image.Image) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := jpeg.Encode(&file, m, &jpeg.Options{Quality: 92}); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// needOf is what identify asks of a decoder: twice the tower's side, and enough
// for a thumbnail.
func needOf(e *Encoder) photo.Need {
	return photo.Need{Shorter: 2 * e.manifest.Image.Size, Longer: 640}
}

// BenchmarkPhotoToVector takes the whole way of a photo of 12 megapixels beside
// its parts that are not ours, in turns: libjpeg-turbo's decoding at the
// smallest scale that leaves twice the tower's side, and the network alone. The
// times are medians; ratio is that of the whole to the sum of the parts.
func BenchmarkPhotoToVector(b *testing.B) {
	enc, file := builtin(b, 0), asJPEG(b, camera(4000, 3000))
	size := enc.manifest.Image.Size
	library := turbo(b)
	scale := 8
	for 3000/scale < 2*size {
		scale /= 2
	}
	pixels, err := enc.pre.pixels(smooth(size, size))
	if err != nil {
		b.Fatal(err)
	}
	steps := map[string]func() error{
		"libjpeg": func() error {
			_, err := library.DecodeJPEG(file, 4000, 3000, scale)
			return err
		},
		"network": func() error {
			_, err := enc.embedPixels([][]float32{pixels})
			return err
		},
		"whole":    func() error { return photoToVector(b, enc, photo.Decoder{JPEG: library}, file) },
		"whole-go": func() error { return photoToVector(b, enc, photo.Decoder{}, file) },
	}
	times := map[string][]time.Duration{}
	for b.Loop() {
		for name, step := range steps {
			start := time.Now()
			if err := step(); err != nil {
				b.Fatal(err)
			}
			times[name] = append(times[name], time.Since(start))
		}
	}
	ms := map[string]float64{}
	for name, list := range times {
		slices.Sort(list)
		ms[name] = list[len(list)/2].Seconds() * 1000
		b.ReportMetric(ms[name], name+"-ms")
	}
	parts := ms["libjpeg"] + ms["network"]
	b.ReportMetric(ms["whole"]/parts, "ratio")
	b.ReportMetric(ms["whole-go"]/parts, "ratio-go")
	b.ReportMetric(float64(len(file))/1e6, "file-MB")
	b.ReportMetric(0, "ns/op") // of no meaning here
}

func photoToVector(b *testing.B, enc *Encoder, d photo.Decoder, file []byte) error {
	p, err := d.Decode(file, needOf(enc))
	if err != nil {
		return err
	}
	_, err = enc.EmbedImage(b.Context(), p.Scaled())
	return err
}

// BenchmarkBatchThreads is the table of doc/encoders.md: the network alone, by
// photos a run and threads.
func BenchmarkBatchThreads(b *testing.B) {
	for _, threads := range []int{1, 2} {
		enc := builtin(b, threads)
		pixels, err := enc.pre.pixels(smooth(400, 300))
		if err != nil {
			b.Fatal(err)
		}
		for _, batch := range []int{1, 2, 4, 8, 16} {
			photos := slices.Repeat([][]float32{pixels}, batch)
			b.Run(fmt.Sprintf("threads=%d/batch=%d", threads, batch), func(b *testing.B) {
				for b.Loop() {
					if _, err := enc.embedPixels(photos); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(b.Elapsed().Seconds()*1000/float64(b.N*batch), "ms/photo")
			})
		}
	}
}
