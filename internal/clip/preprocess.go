package clip

import (
	"errors"
	"image"
	"image/draw"
	"math"
	"runtime"
	"sync"
)

// A preprocessor makes the image tower's input of a photo: resized as Pillow
// does it, bit for bit, cropped or squashed to a square, and normalised.
type preprocessor struct {
	size   int
	squash bool
	kernel kernel
	levels [3][256]float32 // (v/255 − mean)/std, for each channel and level
}

func newPreprocessor(t ImageTower) *preprocessor {
	p := &preprocessor{size: t.Size, squash: t.Resize == "squash", kernel: kernelOf(t.Interpolation)}
	for c := range p.levels {
		for v := range p.levels[c] {
			p.levels[c][v] = float32((float64(v)/255 - t.Mean[c]) / t.Std[c])
		}
	}
	return p
}

// pixels gives the photo as float32 [3, size, size].
func (p *preprocessor) pixels(img image.Image) ([]float32, error) {
	square, err := p.square(img)
	if err != nil {
		return nil, err
	}
	return p.normalized(square), nil
}

// normalized gives RGB bytes [size, size, 3] as float32 [3, size, size].
func (p *preprocessor) normalized(square []uint8) []float32 {
	n := p.size * p.size
	out := make([]float32, 3*n)
	for i := range n {
		for c := range 3 {
			out[c*n+i] = p.levels[c][square[3*i+c]]
		}
	}
	return out
}

// A scaled picture was decoded at a smaller scale than the photo's own. Size and
// place of the crop are rounded to pixels; they must be those of the photo in
// full, or a crop would lie half a pixel off.
type scaled interface {
	Decoded() image.Image
	FullSize() image.Point
}

// square gives the resized photo as RGB bytes [size, size, 3]. Only what
// survives the crop is computed.
func (p *preprocessor) square(img image.Image) ([]uint8, error) {
	full := img.Bounds().Size()
	if s, ok := img.(scaled); ok {
		full, img = s.FullSize(), s.Decoded()
	}
	src := asRGBA(img)
	if src.Rect.Empty() || full.X <= 0 || full.Y <= 0 {
		return nil, errors.New("encoder: the photo has no pixels")
	}
	outW, outH := p.size, p.size
	if !p.squash {
		if full.X < full.Y {
			outH = p.size * full.Y / full.X
		} else {
			outW = p.size * full.X / full.Y
		}
	}
	cols := p.kernel.tapsFor(src.Rect.Dx(), outW, middle(outW, p.size), p.size)
	lines := p.kernel.tapsFor(src.Rect.Dy(), outH, middle(outH, p.size), p.size)
	return resample(src, cols, lines), nil
}

// middle is where a centre crop of size begins in a side of n, rounded half to
// even as torchvision does.
func middle(n, size int) int {
	return int(math.RoundToEven(float64(n-size) / 2))
}

// asRGBA gives a picture from (0, 0) on. Alpha is ignored, not composited.
func asRGBA(img image.Image) *image.RGBA {
	switch m := img.(type) {
	case *image.RGBA:
		return &image.RGBA{Pix: m.Pix, Stride: m.Stride, Rect: image.Rect(0, 0, m.Rect.Dx(), m.Rect.Dy())}
	case *image.NRGBA:
		return &image.RGBA{Pix: m.Pix, Stride: m.Stride, Rect: image.Rect(0, 0, m.Rect.Dx(), m.Rect.Dy())}
	}
	b := img.Bounds()
	dst := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(dst, dst.Rect, img, b.Min, draw.Src)
	return dst
}

// inParallel calls work for stretches that cover [0, n), on as many goroutines
// as there are processors, and returns when all are done.
func inParallel(n int, work func(from, to int)) {
	workers := min(runtime.GOMAXPROCS(0), n/64)
	if workers <= 1 {
		work(0, n)
		return
	}
	step := (n + workers - 1) / workers
	var wg sync.WaitGroup
	for from := 0; from < n; from += step {
		wg.Go(func() { work(from, min(from+step, n)) })
	}
	wg.Wait()
}
