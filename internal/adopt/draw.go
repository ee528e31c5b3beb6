package adopt

import (
	"image"
	"image/color"
	"math/rand/v2"
)

const drawn = 320 // pixels a side

func drawShape(ink color.RGBA, inside func(x, y int) bool) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, drawn, drawn))
	for y := range drawn {
		for x := range drawn {
			c := color.RGBA{255, 255, 255, 255}
			if inside(x-drawn/2, y-drawn/2) {
				c = ink
			}
			img.SetRGBA(x, y, c)
		}
	}
	return img
}

func drawCircle() image.Image {
	return drawShape(color.RGBA{220, 20, 20, 255}, func(x, y int) bool { return x*x+y*y < 100*100 })
}

func drawSquare() image.Image {
	return drawShape(color.RGBA{20, 40, 220, 255}, func(x, y int) bool { return max(x, -x, y, -y) < 90 })
}

// drawNoise is a mosaic of random colours, the same for the same seed. Its
// tiles are small for an even seed and large for an odd one.
func drawNoise(seed uint64) image.Image {
	random := rand.New(rand.NewPCG(seed, 1))
	tile := 4
	if seed%2 == 1 {
		tile = 40
	}
	img := image.NewRGBA(image.Rect(0, 0, drawn, drawn))
	for top := 0; top < drawn; top += tile {
		for left := 0; left < drawn; left += tile {
			v := random.Uint32()
			c := color.RGBA{uint8(v), uint8(v >> 8), uint8(v >> 16), 255}
			for y := range tile {
				for x := range tile {
					img.SetRGBA(left+x, top+y, c)
				}
			}
		}
	}
	return img
}
