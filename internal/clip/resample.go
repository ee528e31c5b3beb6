package clip

import (
	"image"
	"math"
	"slices"
)

// A kernel is an interpolation filter: weight(x) is zero beyond ±support.
type kernel struct {
	support float64
	weight  func(x float64) float64
}

// bicubic is Keys' cubic convolution with a = −0.5 ("Cubic convolution
// interpolation for digital image processing", 1981), as in Pillow.
func bicubic(x float64) float64 {
	const a = -0.5
	x = math.Abs(x)
	switch {
	case x < 1:
		// The conversions forbid fused multiply-adds, whose other rounding
		// would show in the last bit on some processors.
		return float64(float64(float64(float64((a+2)*x)-(a+3))*x)*x) + 1
	case x < 2:
		return float64(float64(float64(float64(float64(x-5)*x)+8)*x)-4) * a
	}
	return 0
}

// triangle is linear interpolation.
func triangle(x float64) float64 {
	return max(1-math.Abs(x), 0)
}

func kernelOf(interpolation string) kernel {
	if interpolation == "bilinear" {
		return kernel{support: 1, weight: triangle}
	}
	return kernel{support: 2, weight: bicubic}
}

// fixedBits is Pillow's precision for pictures of 8 bits a channel.
const fixedBits = 22

// taps are the input samples that make one output sample: weights[i] belongs
// to input lo+i, in fixed point of fixedBits.
type taps struct {
	lo      int
	weights []int32
}

// tapsFor gives the taps of output samples first to first+count−1 when in
// samples are resized to out. The kernel widens as the picture shrinks, which
// is what keeps it free of aliases (Pillow's Resample.c).
func (k kernel) tapsFor(in, out, first, count int) []taps {
	if in == out {
		return identityTaps(first, count)
	}
	scale := float64(in) / float64(out)
	widen := max(scale, 1)
	narrow := 1 / widen
	support := k.support * widen
	all := make([]taps, count)
	for i := range all {
		centre := float64((float64(first+i) + 0.5) * scale)
		lo := max(int(centre-support+0.5), 0)
		hi := min(int(centre+support+0.5), in)
		weights := make([]float64, hi-lo)
		sum := 0.0
		for j := range weights {
			weights[j] = k.weight((float64(lo+j) - centre + 0.5) * narrow)
			sum += weights[j]
		}
		all[i] = taps{lo: lo, weights: fixed(weights, sum)}
	}
	return all
}

// fixed normalises weights by their sum and rounds them half away from zero.
func fixed(weights []float64, sum float64) []int32 {
	rounded := make([]int32, len(weights))
	for i, w := range weights {
		if sum != 0 {
			w /= sum
		}
		rounded[i] = int32(math.Round(w * (1 << fixedBits)))
	}
	return rounded
}

// identityTaps copy: a side that keeps its size is not filtered.
func identityTaps(first, count int) []taps {
	all := make([]taps, count)
	for i := range all {
		all[i] = taps{lo: first + i, weights: []int32{1 << fixedBits}}
	}
	return all
}

// toByte rounds and clips a fixed-point sum.
func toByte(sum int32) uint8 {
	v := sum >> fixedBits
	if uint32(v) > 255 {
		v = ^(v >> 31) & 255
	}
	return uint8(v)
}

const half = 1 << (fixedBits - 1)

// end is the first input sample after the taps.
func (t taps) end() int { return t.lo + len(t.weights) }

// bandRows is how many rows are filtered along x before they are filtered along
// y, or as many as one line needs. Photos of cameras have fewer. It bounds the
// memory that a strip takes, 16 pixels wide and a million high, which must become
// a square.
const bandRows = 8192

// resample filters along x, then along y, as Pillow does. The result is RGB bytes
// [len(lines), len(cols), 3].
func resample(src *image.RGBA, cols, lines []taps) []uint8 {
	width := 3 * len(cols)
	out := make([]uint8, 0, len(lines)*width)
	var rows []uint8
	for len(lines) > 0 {
		n, y0 := 1, lines[0].lo
		for n < len(lines) && lines[n].end()-y0 <= bandRows {
			n++
		}
		needed := (lines[n-1].end() - y0) * width
		rows = slices.Grow(rows[:0], needed)[:needed]
		acrossRows(rows, src, y0, lines[n-1].end(), cols)
		out = append(out, downColumns(rows, width, y0, lines[:n])...)
		lines = lines[n:]
	}
	return out
}

// acrossRows filters rows y0 to y1−1 of src along x into out, which then has three
// bytes a pixel, len(cols) pixels a row.
func acrossRows(out []uint8, src *image.RGBA, y0, y1 int, cols []taps) {
	inParallel(y1-y0, func(from, to int) {
		o := from * len(cols) * 3
		for y := y0 + from; y < y0+to; y++ {
			row := src.Pix[y*src.Stride:]
			for _, t := range cols {
				var r, g, b int32 = half, half, half
				pixels := row[4*t.lo:][:4*len(t.weights)]
				for _, w := range t.weights {
					r += w * int32(pixels[0])
					g += w * int32(pixels[1])
					b += w * int32(pixels[2])
					pixels = pixels[4:]
				}
				out[o], out[o+1], out[o+2] = toByte(r), toByte(g), toByte(b)
				o += 3
			}
		}
	})
}

// downColumns filters rows of width bytes along y; the first of them is row y0 of
// the picture. The result has len(lines) rows.
func downColumns(rows []uint8, width, y0 int, lines []taps) []uint8 {
	out := make([]uint8, len(lines)*width)
	sums := make([]int32, width)
	for i, t := range lines {
		for x := range sums {
			sums[x] = half
		}
		for j, w := range t.weights {
			row := rows[(t.lo-y0+j)*width:][:width]
			for x, v := range row {
				sums[x] += w * int32(v)
			}
		}
		for x, s := range sums {
			out[i*width+x] = toByte(s)
		}
	}
	return out
}
