package clip

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/jpeg"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"fieldmark/internal/photo"
	"fieldmark/internal/probe"
)

// lessons are exemplars for a probe that takes long to fit.
type lessons struct {
	rows   [][]float32
	labels []int32
}

func (l lessons) Len() int            { return len(l.rows) }
func (l lessons) Row(i int) []float32 { return l.rows[i] }
func (l lessons) Label(i int) int32   { return l.labels[i] }

func manyLessons(n, classes, dim int) lessons {
	random := rand.New(rand.NewPCG(11, 12))
	l := lessons{make([][]float32, n), make([]int32, n)}
	for i := range l.rows {
		l.rows[i], l.labels[i] = make([]float32, dim), int32(i%classes)
		for d := range l.rows[i] {
			l.rows[i][d] = float32(random.NormFloat64()) / 2
		}
		l.rows[i][i%classes] += 2
	}
	return l
}

// BenchmarkPhotoWhileLearning is what someone waits for who asks about a photo
// of a megapixel while the memory consolidates: nothing (0), or a fit of that
// many threads, goes on meanwhile; the network may use that many.
func BenchmarkPhotoWhileLearning(b *testing.B) {
	var file bytes.Buffer
	if err := jpeg.Encode(&file, smooth(1200, 900), nil); err != nil {
		b.Fatal(err)
	}
	decoder, data := photo.Decoder{JPEG: turbo(b)}, manyLessons(20_000, 100, 512)
	for _, threads := range []int{1, 2} {
		enc := builtin(b, threads)
		for _, learner := range []int{0, 1, 2} {
			b.Run(fmt.Sprintf("network=%d/learner=%d", threads, learner), func(b *testing.B) {
				stop := learn(b, data, learner)
				defer stop()
				var times []time.Duration
				for b.Loop() {
					start := time.Now()
					if err := photoToVector(b, enc, decoder, file.Bytes()); err != nil {
						b.Fatal(err)
					}
					times = append(times, time.Since(start))
				}
				slices.Sort(times)
				b.ReportMetric(times[len(times)/2].Seconds()*1000, "p50-ms")
				b.ReportMetric(times[len(times)*95/100].Seconds()*1000, "p95-ms")
			})
		}
	}
}

// learn fits a probe with so many threads, over and over, until stop.
func learn(b *testing.B, data lessons, threads int) (stop func()) {
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan error, 1)
	go func() {
		for threads > 0 && ctx.Err() == nil {
			if _, _, err := probe.Fit(ctx, data, probe.Options{Workers: threads}); err != nil && !errors.Is(err, context.Canceled) {
				done <- err
				return
			}
		}
		done <- nil
	}()
	return func() {
		cancel()
		if err := <-done; err != nil {
			b.Error(err)
		}
	}
}
