package clip

import (
	"image"
	"os"
	"sync/atomic"
	"testing"
)

// builtinFolder holds the encoder that comes with Fieldmark.
const builtinFolder = "../../models/fieldmark-1"

// builtin opens the encoder that comes with Fieldmark.
func builtin(t testing.TB, threads int) *Encoder {
	t.Helper()
	return builtinBy(t, Options{Threads: threads})
}

func builtinBy(t testing.TB, o Options) *Encoder {
	t.Helper()
	if _, err := FindRuntime(""); err != nil {
		t.Fatal(err)
	}
	enc, err := Open(os.DirFS(builtinFolder), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := enc.Close(); err != nil {
			t.Error(err)
		}
	})
	return enc
}

func TestBuiltinPhotoIsTheSameInAnyCompany(t *testing.T) {
	sameInAnyCompany(t, builtin(t, 2), 1e-5)
}

// TestOneAtATimeIsTheSameToTheLastBit: what is measured must not hang on who asked
// when. (With runs of up to eight, vectors differ in their last bits.)
func TestOneAtATimeIsTheSameToTheLastBit(t *testing.T) {
	sameInAnyCompany(t, builtinBy(t, Options{Threads: 2, Batch: 1}), 0)
}

func smooth(w, h int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			copy(m.Pix[m.PixOffset(x, y):], []byte{uint8(x / 16), uint8(y / 12), uint8((x ^ y) / 8), 255})
		}
	}
	return m
}

// BenchmarkEmbedImage gives photos a second, for one caller and for eight.
func BenchmarkEmbedImage(b *testing.B) {
	img := smooth(400, 300)
	for _, threads := range []int{1, 2} {
		enc := builtin(b, threads)
		b.Run("alone/threads="+string(rune('0'+threads)), func(b *testing.B) {
			for b.Loop() {
				if _, err := enc.EmbedImage(b.Context(), img); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("crowd/threads="+string(rune('0'+threads)), func(b *testing.B) {
			b.SetParallelism(maxBatch)
			var failed atomic.Int64
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if _, err := enc.EmbedImage(b.Context(), img); err != nil {
						failed.Add(1)
					}
				}
			})
			if failed.Load() > 0 {
				b.Fatalf("%d failed", failed.Load())
			}
		})
	}
}

// BenchmarkEmbedNames gives the time of one name of a vocabulary.
func BenchmarkEmbedNames(b *testing.B) {
	enc := builtin(b, 0)
	const n = 64
	names := make([][]string, n)
	for i := range names {
		names[i] = []string{"Erithacus rubecula", "European Robin"}
	}
	for b.Loop() {
		if _, err := enc.EmbedNames(b.Context(), names); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/name")
}
