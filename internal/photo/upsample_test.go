package photo

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"testing"
)

// TestUpsamplingIsTheTriangleFilter compares with the filter written out in
// real numbers: a sample twice as fine lies a quarter of the way to its
// neighbour. libjpeg's rounding stays within one level of it.
func TestUpsamplingIsTheTriangleFilter(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, ratio := range []image.YCbCrSubsampleRatio{
		image.YCbCrSubsampleRatio444, image.YCbCrSubsampleRatio422, image.YCbCrSubsampleRatio420, image.YCbCrSubsampleRatio440,
	} {
		for _, size := range [][2]int{{6, 2}, {7, 5}, {16, 16}, {33, 21}, {8, 1}} {
			t.Run(fmt.Sprintf("%v %v", ratio, size), func(t *testing.T) {
				m := image.NewYCbCr(image.Rect(0, 0, size[0], size[1]), ratio)
				for i := range m.Cb {
					m.Cb[i] = uint8(random.Uint32())
				}
				up := upsamplerFor(ratio, size[0], size[1])
				row, sums := make([]byte, up.room()), make([]uint16, up.cw)
				for y := range size[1] {
					up.row(row, sums, m.Cb, m.CStride, y)
					for x := range size[0] {
						want := triangleAt(m, up, x, y)
						if math.Abs(float64(row[x])-want) > 1 {
							t.Fatalf("(%d, %d) is %d, want %.2f", x, y, row[x], want)
						}
					}
				}
			})
		}
	}
}

// triangleAt interpolates linearly between the centres of chroma samples.
func triangleAt(m *image.YCbCr, up upsampler, x, y int) float64 {
	at := func(p, ratio, n int) (near, far int, weight float64) {
		near, far, weight = p/ratio, p/ratio, 1
		if ratio == 2 {
			far, weight = near+2*(p%2)-1, 0.75
		}
		return near, min(max(far, 0), n-1), weight
	}
	x0, x1, wx := at(x, up.h, up.cw)
	y0, y1, wy := at(y, up.v, up.ch)
	cb := func(x, y int) float64 { return float64(m.Cb[y*m.CStride+x]) }
	return wy*(wx*cb(x0, y0)+(1-wx)*cb(x1, y0)) + (1-wy)*(wx*cb(x0, y1)+(1-wx)*cb(x1, y1))
}

// TestRareRatiosRepeatSamples: where libjpeg does not interpolate.
func TestRareRatiosRepeatSamples(t *testing.T) {
	for _, ratio := range []image.YCbCrSubsampleRatio{image.YCbCrSubsampleRatio411, image.YCbCrSubsampleRatio410} {
		m := image.NewYCbCr(image.Rect(0, 0, 9, 5), ratio)
		for i := range m.Cb {
			m.Cb[i] = uint8(10 * i)
		}
		up := upsamplerFor(ratio, 9, 5)
		row, sums := make([]byte, up.room()), make([]uint16, up.cw)
		for y := range 5 {
			up.row(row, sums, m.Cb, m.CStride, y)
			for x := range 9 {
				if want := m.YCbCrAt(x, y).Cb; row[x] != want {
					t.Fatalf("%v (%d, %d) is %d, want %d", ratio, x, y, row[x], want)
				}
			}
		}
	}
}

func TestColoursOfBothRanges(t *testing.T) {
	for _, c := range []struct {
		name      string
		space     colourSpace
		y, cb, cr uint8
		want      [3]uint8
	}{
		// JFIF: red is Y 76.2, Cb 85.0, Cr 255.5.
		{"JFIF black", fullRange{}, 0, 128, 128, [3]uint8{0, 0, 0}},
		{"JFIF white", fullRange{}, 255, 128, 128, [3]uint8{255, 255, 255}},
		{"JFIF red", fullRange{}, 76, 85, 255, [3]uint8{254, 0, 0}},
		// BT.601: red is Y 81.5, Cb 90.2, Cr 240.
		{"video black", videoRange{}, 16, 128, 128, [3]uint8{0, 0, 0}},
		{"video white", videoRange{}, 235, 128, 128, [3]uint8{255, 255, 255}},
		{"video red", videoRange{}, 82, 90, 240, [3]uint8{255, 0, 0}},
	} {
		var got [4]byte
		c.space.row(got[:], []byte{c.y}, []byte{c.cb}, []byte{c.cr})
		for i := range 3 {
			if off(got[i], c.want[i]) > 2 {
				t.Errorf("%s: %v, want %v", c.name, got[:3], c.want)
				break
			}
		}
	}
}
