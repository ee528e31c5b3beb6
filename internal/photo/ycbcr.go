package photo

import "image"

// A colourSpace turns a row of luma and of chroma at full width into RGBA.
// It is a type parameter, so that the loops below are compiled for each.
type colourSpace interface {
	row(to, y, cb, cr []byte)
}

// ycbcrToRGBA converts a picture whose chroma may be stored at half the
// resolution. Go's own conversion repeats each chroma sample, which shows as
// fringes; libjpeg ("fancy upsampling") and libwebp interpolate with the
// triangle filter 3:1, and so do we.
func ycbcrToRGBA[C colourSpace](m *image.YCbCr, space C) *image.RGBA {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	dst := image.NewRGBA(image.Rect(0, 0, w, h))
	up := upsamplerFor(m.SubsampleRatio, w, h)
	bands(h, 2, func(y0, y1 int) {
		cb, cr := make([]byte, up.room()), make([]byte, up.room())
		sums := make([]uint16, up.cw)
		for y := y0; y < y1; y++ {
			luma := m.Y[y*m.YStride:][:w]
			up.row(cb, sums, m.Cb, m.CStride, y)
			up.row(cr, sums, m.Cr, m.CStride, y)
			space.row(dst.Pix[y*dst.Stride:][:4*w], luma, cb[:w], cr[:w])
		}
	})
	return dst
}

// fullRange is JFIF's YCbCr in libjpeg's 16-bit fixed point:
// R = Y + 1.402·Cr, G = Y − 0.34414·Cb − 0.71414·Cr, B = Y + 1.772·Cb,
// with Cb and Cr less 128.
type fullRange struct{}

func (fullRange) row(to, y, cb, cr []byte) {
	cb, cr = cb[:len(y)], cr[:len(y)]
	to = to[:4*len(y)]
	for x, luma := range y {
		l, b, r := int32(luma), int32(cb[x])-128, int32(cr[x])-128
		p := to[4*x : 4*x+4 : 4*x+4]
		p[0] = clamp(l + (91881*r+1<<15)>>16)
		p[1] = clamp(l + (-22554*b-46802*r+1<<15)>>16)
		p[2] = clamp(l + (116130*b+1<<15)>>16)
		p[3] = 255
	}
}

// videoRange is the YCbCr of VP8 (WebP), whose black is 16 and white 235
// (BT.601), in libwebp's 14-bit fixed point. Go's image.YCbCr takes every
// picture for JFIF's and would show it flat.
type videoRange struct{}

func (videoRange) row(to, y, cb, cr []byte) {
	cb, cr = cb[:len(y)], cr[:len(y)]
	to = to[:4*len(y)]
	for x, luma := range y {
		l, b, r := int32(luma)*19077>>8, int32(cb[x]), int32(cr[x])
		p := to[4*x : 4*x+4 : 4*x+4]
		p[0] = clamp((l + r*26149>>8 - 14234) >> 6)
		p[1] = clamp((l - b*6419>>8 - r*13320>>8 + 8708) >> 6)
		p[2] = clamp((l + b*33050>>8 - 17685) >> 6)
		p[3] = 255
	}
}

func clamp(v int32) uint8 {
	if uint32(v) > 255 {
		v = ^(v >> 31) & 255
	}
	return uint8(v)
}
