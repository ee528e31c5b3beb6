package photo

import "image"

// An upsampler gives rows of chroma at full width.
type upsampler struct {
	w, cw, ch int  // picture's width; chroma's width and height
	h, v      int  // how many luma samples one chroma sample spans, each way
	smooth    bool // interpolate where libjpeg does
}

func upsamplerFor(ratio image.YCbCrSubsampleRatio, w, h int) upsampler {
	up := upsampler{w: w, h: 1, v: 1}
	switch ratio {
	case image.YCbCrSubsampleRatio422:
		up.h = 2
	case image.YCbCrSubsampleRatio420:
		up.h, up.v = 2, 2
	case image.YCbCrSubsampleRatio440:
		up.v = 2
	case image.YCbCrSubsampleRatio411:
		up.h = 4
	case image.YCbCrSubsampleRatio410:
		up.h, up.v = 4, 2
	}
	up.cw, up.ch = (w+up.h-1)/up.h, (h+up.v-1)/up.v
	// libjpeg repeats samples where there are too few to interpolate (jdsample.c).
	up.smooth = up.h == 1 || up.h == 2 && up.cw > 2
	return up
}

// room is the length of the buffer that row fills.
func (u upsampler) room() int { return u.cw * u.h }

// row writes the chroma of picture row y to dst, of which the first w samples
// count. sums has room for cw numbers.
func (u upsampler) row(dst []byte, sums []uint16, plane []byte, stride, y int) {
	near := plane[y/u.v*stride:][:u.cw]
	switch {
	case u.smooth && u.v == 2:
		far := plane[u.farRow(y)*stride:][:u.cw]
		for i, n := range near {
			sums[i] = 3*uint16(n) + uint16(far[i])
		}
		if u.h == 2 {
			spreadSums(dst, sums)
			return
		}
		for i, s := range sums { // h1v2: rounded down and up by turns
			dst[i] = uint8((s + 1 + uint16(y&1)) >> 2)
		}
	case u.smooth && u.h == 2:
		spread(dst, near)
	case u.h == 1:
		copy(dst, near)
	default:
		for x := range u.w {
			dst[x] = near[x/u.h]
		}
	}
}

// farRow is the chroma row that weighs one quarter in picture row y: the one
// above for an even row, below for an odd one; the edge repeats itself.
func (u upsampler) farRow(y int) int {
	if y%2 == 0 {
		return max(y/2-1, 0)
	}
	return min(y/2+1, u.ch-1)
}

// spread doubles a row: each sample gives two, 3:1 between itself and its
// neighbour on that side, rounded down on the left and up on the right
// (libjpeg's h2v1_fancy_upsample). src has at least two samples.
func spread(dst, src []byte) {
	last := len(src) - 1
	dst = dst[:2*len(src)]
	dst[0] = src[0]
	dst[1] = uint8((3*uint16(src[0]) + uint16(src[1]) + 2) >> 2)
	for i := 1; i < last; i++ {
		v := 3 * uint16(src[i])
		dst[2*i] = uint8((v + uint16(src[i-1]) + 1) >> 2)
		dst[2*i+1] = uint8((v + uint16(src[i+1]) + 2) >> 2)
	}
	dst[2*last] = uint8((3*uint16(src[last]) + uint16(src[last-1]) + 1) >> 2)
	dst[2*last+1] = src[last]
}

// spreadSums is spread for sums that carry a factor of 4 from the vertical
// step (libjpeg's h2v2_fancy_upsample).
func spreadSums(dst []byte, sums []uint16) {
	last := len(sums) - 1
	dst = dst[:2*len(sums)]
	dst[0] = uint8((4*sums[0] + 8) >> 4)
	dst[1] = uint8((3*sums[0] + sums[1] + 7) >> 4)
	prev, here := sums[0], sums[1]
	for i := 1; i < last; i++ {
		next := sums[i+1]
		dst[2*i] = uint8((3*here + prev + 8) >> 4)
		dst[2*i+1] = uint8((3*here + next + 7) >> 4)
		prev, here = here, next
	}
	dst[2*last] = uint8((3*sums[last] + sums[last-1] + 8) >> 4)
	dst[2*last+1] = uint8((4*sums[last] + 7) >> 4)
}
