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
func Thumbnail(img image.Image, maxSide int) ([]byte, error) {
	b := img.Bounds()
	w, h := b.Dx(), b.Dy()
	if w < 1 || h < 1 || maxSide < 1 {
		return nil, fmt.Errorf("thumbnail of %d×%d at %d pixels: nothing to draw", w, h, maxSide)
	}
	if long := max(w, h); long > maxSide {
		w, h = max(w*maxSide/long, 1), max(h*maxSide/long, 1)
	}
	small := image.NewRGBA(image.Rect(0, 0, w, h))
	// Antialiased when it shrinks: the kernel widens with the scale.
	draw.BiLinear.Scale(small, small.Rect, img, b, draw.Src, nil)
	var out bytes.Buffer
	if err := jpeg.Encode(&out, small, &jpeg.Options{Quality: thumbnailQuality}); err != nil {
		return nil, fmt.Errorf("thumbnail: %w", err)
	}
	return out.Bytes(), nil
}
