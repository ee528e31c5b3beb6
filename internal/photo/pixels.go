package photo

import (
	"image"
	"image/color"
	"image/draw"
)

// rgba gives a decoded picture as opaque RGB on a canvas of the declared size.
// Samples of 16 bits keep their high byte. Alpha is dropped.
func (f *format) rgba(m image.Image, canvas image.Rectangle) *image.RGBA {
	switch m := m.(type) {
	case *image.YCbCr:
		if f.name == "webp" {
			return ycbcrToRGBA(m, videoRange{})
		}
		return ycbcrToRGBA(m, fullRange{})
	case *image.NYCbCrA: // WebP with alpha
		return ycbcrToRGBA(&m.YCbCr, videoRange{})
	case *image.RGBA: // JPEG that holds RGB, PNG without alpha: opaque already
		return opaque(m.Pix, m.Stride, m.Rect)
	case *image.NRGBA:
		return opaque(m.Pix, m.Stride, m.Rect)
	case *image.Gray:
		return fill(m.Rect, func(to []byte, y int) { greyRow(to, m.Pix[y*m.Stride:], 1) })
	case *image.Gray16:
		return fill(m.Rect, func(to []byte, y int) { greyRow(to, m.Pix[y*m.Stride:], 2) })
	case *image.RGBA64:
		return fill(m.Rect, func(to []byte, y int) { highBytes(to, m.Pix[y*m.Stride:]) })
	case *image.NRGBA64:
		return fill(m.Rect, func(to []byte, y int) { highBytes(to, m.Pix[y*m.Stride:]) })
	case *image.CMYK:
		return fill(m.Rect, func(to []byte, y int) { cmykRow(to, m.Pix[y*m.Stride:]) })
	case *image.Paletted: // a GIF's first frame may cover a part of its canvas
		return onCanvas(m, canvas)
	}
	dst := image.NewRGBA(image.Rect(0, 0, m.Bounds().Dx(), m.Bounds().Dy()))
	draw.Draw(dst, dst.Rect, m, m.Bounds().Min, draw.Src)
	return opaque(dst.Pix, dst.Stride, dst.Rect)
}

// opaque makes RGBA or NRGBA pixels opaque, in place.
func opaque(pix []byte, stride int, r image.Rectangle) *image.RGBA {
	for y := range r.Dy() {
		row := pix[y*stride : y*stride+4*r.Dx()]
		for i := 3; i < len(row); i += 4 {
			row[i] = 255
		}
	}
	return &image.RGBA{Pix: pix, Stride: stride, Rect: image.Rect(0, 0, r.Dx(), r.Dy())}
}

// fill makes a picture of r's size, row by row.
func fill(r image.Rectangle, row func(to []byte, y int)) *image.RGBA {
	dst := image.NewRGBA(image.Rect(0, 0, r.Dx(), r.Dy()))
	for y := range r.Dy() {
		row(dst.Pix[y*dst.Stride:][:dst.Stride], y)
	}
	return dst
}

func greyRow(to, from []byte, step int) {
	for i, j := 0, 0; i < len(to); i, j = i+4, j+step {
		v := from[j]
		to[i], to[i+1], to[i+2], to[i+3] = v, v, v, 255
	}
}

func highBytes(to, from []byte) {
	for i, j := 0, 0; i < len(to); i, j = i+4, j+8 {
		to[i], to[i+1], to[i+2], to[i+3] = from[j], from[j+2], from[j+4], 255
	}
}

func cmykRow(to, from []byte) {
	for i := 0; i < len(to); i += 4 {
		white := 255 - int(from[i+3])
		for c := range 3 {
			to[i+c] = uint8(((255-int(from[i+c]))*white + 127) / 255)
		}
		to[i+3] = 255
	}
}

// onCanvas looks every index up in the palette and drops its alpha. Indices
// beyond the palette, and what the frame leaves bare, are black.
func onCanvas(m *image.Paletted, canvas image.Rectangle) *image.RGBA {
	var table [256][3]uint8
	for i, c := range m.Palette {
		// Palettes hold color.RGBA, or color.NRGBA where a PNG has
		// transparency, whose hidden colours would be lost by c.RGBA().
		if n, ok := c.(color.NRGBA); ok {
			table[i] = [3]uint8{n.R, n.G, n.B}
			continue
		}
		r, g, b, _ := c.RGBA()
		table[i] = [3]uint8{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8)}
	}
	dst := image.NewRGBA(canvas)
	r := m.Rect.Intersect(canvas)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		to := dst.Pix[dst.PixOffset(r.Min.X, y):]
		from := m.Pix[m.PixOffset(r.Min.X, y):][:r.Dx()]
		for i, index := range from {
			copy(to[4*i:4*i+3], table[index][:])
		}
	}
	return opaque(dst.Pix, dst.Stride, dst.Rect)
}
