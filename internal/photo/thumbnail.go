package photo

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"

	"golang.org/x/image/draw"
)

const thumbnailQuality = 82 // JPEG; below 80 fine feathers smear

// Thumbnail gives a JPEG of img whose longer side has maxSide pixels, or img's
// own size if that is smaller. It carries no EXIF: neither place nor camera.
func Thumbnail(img *image.RGBA, maxSide int) (data []byte, err error) {
	defer recovered(&err)
	w, h := img.Rect.Dx(), img.Rect.Dy()
	if w < 1 || h < 1 || maxSide < 1 {
		return nil, fmt.Errorf("thumbnail of %d×%d at %d pixels: nothing to draw", w, h, maxSide)
	}
	small := img
	if long := max(w, h); long > maxSide {
		small = image.NewRGBA(image.Rect(0, 0, max(w*maxSide/long, 1), max(h*maxSide/long, 1)))
		// A box first, down to no less than twice the size, is much faster than
		// the kernel alone and cannot be told from it.
		if k := long / (2 * maxSide); k > 1 && min(w, h) >= k {
			img = boxed(img, k)
		}
		draw.BiLinear.Scale(small, small.Rect, img, img.Rect, draw.Src, nil)
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, small, &jpeg.Options{Quality: thumbnailQuality}); err != nil {
		return nil, fmt.Errorf("thumbnail: %w", err)
	}
	return out.Bytes(), nil
}

// boxed averages squares of k×k pixels. What is left over at the right and at
// the bottom, less than k pixels, is dropped.
func boxed(src *image.RGBA, k int) *image.RGBA {
	w, h := src.Rect.Dx()/k, src.Rect.Dy()/k
	dst := image.NewRGBA(image.Rect(0, 0, w, h))
	n := uint32(k * k)
	bands(h, 1, func(y0, y1 int) {
		sums := make([]uint32, 3*w)
		for y := y0; y < y1; y++ {
			clear(sums)
			for row := y * k; row < (y+1)*k; row++ {
				addRow(sums, src.Pix[row*src.Stride:][:4*k*w], k)
			}
			to := dst.Pix[y*dst.Stride:][:4*w]
			for x := range w {
				for c := range 3 {
					to[4*x+c] = uint8((sums[3*x+c] + n/2) / n)
				}
				to[4*x+3] = 255
			}
		}
	})
	return dst
}

// addRow adds each k pixels of a row to the three sums of their square.
func addRow(sums []uint32, row []byte, k int) {
	for ; len(sums) >= 3 && len(row) >= 4*k; sums, row = sums[3:], row[4*k:] {
		var r, g, b uint32
		for square := row[:4*k]; len(square) >= 4; square = square[4:] {
			r += uint32(square[0])
			g += uint32(square[1])
			b += uint32(square[2])
		}
		sums[0] += r
		sums[1] += g
		sums[2] += b
	}
}
