// Command icons draws the icons of the installed app: the mark of
// web/static/icons/mark.svg as PNG, with and without the margin that a system may
// cut a shape out of ("maskable"). They are committed, so it runs only when the
// mark changes:
//
//	go run ./tools/icons web/static/icons
package main

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log"
	"math"
	"os"
	"path/filepath"
)

// The mark's strokes in the 32 units of its viewBox: cubic Bézier curves of four
// points each, and straight lines as curves. It is the same drawing as mark.svg.
var (
	leaf  = color.RGBA{0x2f, 0x5a, 0x3c, 0xff}
	clay  = color.RGBA{0x9a, 0x4a, 0x22, 0xff}
	paper = color.RGBA{0xf5, 0xf1, 0xe7, 0xff}
	mark  = []stroke{
		{leaf, []curve{
			{{5, 27}, {4, 14}, {11, 5}, {26, 4}}, {{26, 4}, {27, 19}, {19, 27}, {7, 25}},
			{{5, 27}, {8, 20}, {13, 15}, {19, 11}},
		}},
		{clay, []curve{
			line(30, 21.5, 21.5, 21.5), line(24.5, 18.5, 21.5, 21.5), line(21.5, 21.5, 24.5, 24.5),
		}},
	}
)

const (
	viewBox = 32
	width   = 2.2 // of a stroke
	steps   = 48  // straight pieces of a curve
)

type point struct{ x, y float64 }

type curve [4]point

type stroke struct {
	ink    color.RGBA
	curves []curve
}

func line(x1, y1, x2, y2 float64) curve {
	a, b := point{x1, y1}, point{x2, y2}
	return curve{a, a, b, b}
}

func (c curve) at(t float64) point {
	u := 1 - t
	w := [4]float64{u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t}
	var p point
	for i, k := range w {
		p.x, p.y = p.x+k*c[i].x, p.y+k*c[i].y
	}
	return p
}

// distance from p to the curve, taken as straight pieces.
func (c curve) distance(p point) float64 {
	best, from := math.Inf(1), c.at(0)
	for i := 1; i <= steps; i++ {
		to := c.at(float64(i) / steps)
		dx, dy := to.x-from.x, to.y-from.y
		t := 0.0
		if l := dx*dx + dy*dy; l > 0 {
			t = math.Max(0, math.Min(1, ((p.x-from.x)*dx+(p.y-from.y)*dy)/l))
		}
		best = math.Min(best, math.Hypot(p.x-from.x-t*dx, p.y-from.y-t*dy))
		from = to
	}
	return best
}

// draw paints the mark on paper, as large as share of the side.
func draw(side int, share float64) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, side, side))
	unit := float64(side) * share / viewBox // pixels of one unit
	margin := float64(side) * (1 - share) / 2
	for y := range side {
		for x := range side {
			p := point{(float64(x) + 0.5 - margin) / unit, (float64(y) + 0.5 - margin) / unit}
			c := paper
			for _, s := range mark {
				nearest := math.Inf(1)
				for _, curve := range s.curves {
					nearest = math.Min(nearest, curve.distance(p))
				}
				// A pixel is covered by how far its middle is within the stroke.
				c = over(c, s.ink, math.Max(0, math.Min(1, (width/2-nearest)*unit+0.5)))
			}
			img.SetRGBA(x, y, c)
		}
	}
	return img
}

func over(below, ink color.RGBA, cover float64) color.RGBA {
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + (float64(b)-float64(a))*cover)) }
	return color.RGBA{mix(below.R, ink.R), mix(below.G, ink.G), mix(below.B, ink.B), 0xff}
}

func write(path string, img image.Image) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(f, img); err != nil {
		return err
	}
	return f.Close()
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: icons DIR")
	}
	for _, side := range []int{192, 512} {
		// What is maskable is safe within a circle of 80 % of the side.
		for kind, share := range map[string]float64{"app": 0.82, "app-maskable": 0.56} {
			path := filepath.Join(os.Args[1], fmt.Sprintf("%s-%d.png", kind, side))
			if err := write(path, draw(side, share)); err != nil {
				log.Fatal(err)
			}
		}
	}
}
