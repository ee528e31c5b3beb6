package photo

import (
	"image"
	"image/color"
	"testing"
)

// A photo of 40 × 20 pixels, each with its place as its colour. By hand: 70 % are
// 28 × 14, from (6, 3) in the middle; 75 % are 30 × 15, from 0 or from (10, 5).
func TestViewsByHand(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 40, 20))
	for y := range 20 {
		for x := range 40 {
			img.SetRGBA(x, y, color.RGBA{uint8(x), uint8(y), 0, 255})
		}
	}
	p := &Photo{Image: img, Width: 400, Height: 201} // decoded at a tenth
	want := []struct {
		from, size, full image.Point
	}{
		{image.Pt(6, 3), image.Pt(28, 14), image.Pt(280, 141)}, // .7·201 = 140.7
		{image.Pt(0, 0), image.Pt(30, 15), image.Pt(300, 151)}, // .75·201 = 150.75
		{image.Pt(10, 0), image.Pt(30, 15), image.Pt(300, 151)},
		{image.Pt(0, 5), image.Pt(30, 15), image.Pt(300, 151)},
		{image.Pt(10, 5), image.Pt(30, 15), image.Pt(300, 151)},
	}
	views := Views()
	if len(views) != len(want) {
		t.Fatalf("%d views, want %d", len(views), len(want))
	}
	for i, w := range want {
		got := views[i].Of(p)
		first := got.RGBAAt(got.Rect.Min.X, got.Rect.Min.Y)
		if got.Rect.Size() != w.size || got.FullSize() != w.full || image.Pt(int(first.R), int(first.G)) != w.from {
			t.Errorf("%s: %v of %v, from (%d, %d); want %v of %v, from %v",
				views[i].Name, got.Rect.Size(), got.FullSize(), first.R, first.G, w.size, w.full, w.from)
		}
	}
}

func TestViewsOfTheSmallestPhotos(t *testing.T) {
	for _, size := range []image.Point{image.Pt(1, 1), image.Pt(1, 300), image.Pt(2, 3)} {
		p := &Photo{Image: image.NewRGBA(image.Rectangle{Max: size}), Width: size.X, Height: size.Y}
		for _, v := range Views() {
			if got := v.Of(p); got.Rect.Empty() || !got.Rect.In(p.Image.Rect) || got.FullSize() != got.Rect.Size() {
				t.Errorf("%s of %v is %v", v.Name, size, got.Rect)
			}
		}
	}
}
