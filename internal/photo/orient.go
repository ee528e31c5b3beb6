package photo

import "image"

// orient turns and mirrors a picture as EXIF's orientation (1 to 8; TIFF 6.0,
// tag 274) says, so that it stands upright. Orientation 1, and any value that
// is none, gives the picture itself.
func orient(src *image.RGBA, orientation int) *image.RGBA {
	if orientation < 2 || orientation > 8 {
		return src
	}
	w, h := src.Rect.Dx(), src.Rect.Dy()
	// The pixel at (x, y) goes to origin + x·dx + y·dy, in pixels of dst.
	var origin, dx, dy int
	dst := image.NewRGBA(image.Rect(0, 0, w, h))
	if quarterTurn(orientation) {
		dst = image.NewRGBA(image.Rect(0, 0, h, w))
	}
	row := dst.Rect.Dx()
	switch orientation {
	case 2: // mirrored left to right
		origin, dx, dy = w-1, -1, row
	case 3: // upside down
		origin, dx, dy = (h-1)*row+w-1, -1, -row
	case 4: // mirrored top to bottom
		origin, dx, dy = (h-1)*row, 1, -row
	case 5: // transposed
		origin, dx, dy = 0, row, 1
	case 6: // to be turned a quarter clockwise
		origin, dx, dy = h-1, row, -1
	case 7: // transposed over the other diagonal
		origin, dx, dy = (w-1)*row+h-1, -row, -1
	case 8: // to be turned a quarter anticlockwise
		origin, dx, dy = (w-1)*row, -row, 1
	}
	// In squares, so that a quarter turn stays within the cache both ways.
	const side = 64
	bands(h, side, func(y0, y1 int) {
		for top := y0; top < y1; top += side {
			for left := 0; left < w; left += side {
				for y := top; y < min(top+side, y1); y++ {
					from := src.Pix[y*src.Stride : y*src.Stride+4*w]
					to := origin + y*dy + left*dx
					for x := left; x < min(left+side, w); x++ {
						copy(dst.Pix[4*to:4*to+4], from[4*x:4*x+4])
						to += dx
					}
				}
			}
		}
	})
	return dst
}

// quarterTurn reports whether an orientation swaps width and height.
func quarterTurn(orientation int) bool { return orientation >= 5 && orientation <= 8 }
