package main

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"

	"golang.org/x/image/draw"
)

// view is an altered copy of a photo that must still be named as the photo was.
type view struct {
	kind string
	make func(image.Image) (image.Image, error)
}

// views lists the copies that METHOD section 7 speaks of. The crops are none of the
// views that a memory has of a photo (photo.Views).
func views() []view {
	return []view{
		{"same photo", func(img image.Image) (image.Image, error) { return img, nil }},
		{"re-encoded", recode},
		{"crop 80 %", crop(.8, .5, .5)},
		{"crop 70 %", crop(.7, .3, .65)},
		{"corner 70 %", crop(.7, 1, 0)},
		{"mirror", mirror},
	}
}

// recode is the photo at four fifths of its size, through JPEG at quality 60.
func recode(img image.Image) (image.Image, error) {
	b := img.Bounds()
	small := image.NewRGBA(image.Rect(0, 0, b.Dx()*4/5, b.Dy()*4/5))
	draw.CatmullRom.Scale(small, small.Bounds(), img, b, draw.Src, nil)
	var buf bytes.Buffer
	if err := jpeg.Encode(&buf, small, &jpeg.Options{Quality: 60}); err != nil {
		return nil, fmt.Errorf("re-encode: %w", err)
	}
	return jpeg.Decode(&buf)
}

// crop keeps a share of either side, at the given place: (0, 0) the top left, (½, ½)
// the middle.
func crop(share, x, y float64) func(image.Image) (image.Image, error) {
	return func(img image.Image) (image.Image, error) {
		b := img.Bounds()
		w, h := int(share*float64(b.Dx())), int(share*float64(b.Dy()))
		corner := b.Min.Add(image.Pt(int(x*float64(b.Dx()-w)), int(y*float64(b.Dy()-h))))
		return copyOf(img, image.Rectangle{Min: corner, Max: corner.Add(image.Pt(w, h))}), nil
	}
}

func mirror(img image.Image) (image.Image, error) {
	out := copyOf(img, img.Bounds())
	w := out.Bounds().Dx()
	for y := range out.Bounds().Dy() {
		for x := range w / 2 {
			a, b := out.RGBAAt(x, y), out.RGBAAt(w-1-x, y)
			out.SetRGBA(x, y, b)
			out.SetRGBA(w-1-x, y, a)
		}
	}
	return out, nil
}

// copyOf is the part r of img, moved to (0, 0).
func copyOf(img image.Image, r image.Rectangle) *image.RGBA {
	out := image.NewRGBA(image.Rect(0, 0, r.Dx(), r.Dy()))
	draw.Draw(out, out.Bounds(), img, r.Min, draw.Src)
	return out
}
