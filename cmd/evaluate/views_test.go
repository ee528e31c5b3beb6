package main

import (
	"image"
	"image/color"
	"testing"
)

// A picture of 100 x 50 whose red is x and whose green is y.
func gradient() *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, 100, 50))
	for y := range 50 {
		for x := range 100 {
			img.SetRGBA(x, y, color.RGBA{uint8(x), uint8(y), 0, 255})
		}
	}
	return img
}

func TestViews(t *testing.T) {
	tests := []struct {
		kind          string
		width, height int
		corner        color.RGBA // top left, exactly; zero: not looked at
	}{
		{"same photo", 100, 50, color.RGBA{0, 0, 0, 255}},
		{"re-encoded", 80, 40, color.RGBA{}},
		{"crop 80 %", 80, 40, color.RGBA{10, 5, 0, 255}},
		{"crop 70 %", 70, 35, color.RGBA{9, 9, 0, 255}},
		{"corner 70 %", 70, 35, color.RGBA{30, 0, 0, 255}},
		{"mirror", 100, 50, color.RGBA{99, 0, 0, 255}},
	}
	all := views()
	if len(all) != len(tests) {
		t.Fatalf("%d views, %d tested", len(all), len(tests))
	}
	for i, tt := range tests {
		img, err := all[i].make(gradient())
		if err != nil {
			t.Fatal(err)
		}
		b := img.Bounds()
		if all[i].kind != tt.kind || b.Dx() != tt.width || b.Dy() != tt.height {
			t.Errorf("%s is %d x %d, want %s at %d x %d", all[i].kind, b.Dx(), b.Dy(), tt.kind, tt.width, tt.height)
		}
		if r, g, _, _ := img.At(b.Min.X, b.Min.Y).RGBA(); tt.corner.A != 0 && (uint8(r>>8) != tt.corner.R || uint8(g>>8) != tt.corner.G) {
			t.Errorf("%s begins with red %d, green %d; want %v", tt.kind, r>>8, g>>8, tt.corner)
		}
	}
}
