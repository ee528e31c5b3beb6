package beetles

import (
	"image"
	"image/color"
	"image/draw"
	"math"

	"golang.org/x/image/vector"
)

// point is a place on the beetle: x to its right, y to its tail, the middle at 0.
type point struct{ x, y float64 }

// sheet is a picture with a beetle's place on it.
type sheet struct {
	img      *image.RGBA
	fill     *vector.Rasterizer
	sin, cos float64 // of how far the beetle is turned
	length   float64 // of the beetle in pixels
	centre   point   // in pixels
}

func newSheet(side int, p Pose) *sheet {
	sin, cos := math.Sincos(p.Turn * math.Pi / 180)
	return &sheet{img: image.NewRGBA(image.Rect(0, 0, side, side)), fill: vector.NewRasterizer(side, side), sin: sin, cos: cos,
		length: p.Size * float64(side), centre: point{p.X * float64(side), p.Y * float64(side)}}
}

// at is where a place on the beetle is, in pixels.
func (s *sheet) at(p point) (x, y float32) {
	return float32(s.centre.x + s.length*(p.x*s.cos-p.y*s.sin)), float32(s.centre.y + s.length*(p.x*s.sin+p.y*s.cos))
}

// polygon fills a closed line through places on the beetle. It looks at no more of the
// picture than the line goes around.
func (s *sheet) polygon(c color.Color, list []point) {
	var box image.Rectangle
	for _, p := range list {
		x, y := s.at(p)
		box = box.Union(image.Rect(int(x)-1, int(y)-1, int(x)+2, int(y)+2))
	}
	if box = box.Intersect(s.img.Bounds()); box.Empty() {
		return
	}
	s.fill.Reset(box.Dx(), box.Dy())
	for i, p := range list {
		x, y := s.at(p)
		x, y = x-float32(box.Min.X), y-float32(box.Min.Y)
		if i == 0 {
			s.fill.MoveTo(x, y)
		} else {
			s.fill.LineTo(x, y)
		}
	}
	s.fill.ClosePath()
	s.fill.Draw(s.img, box, image.NewUniform(c), image.Point{})
}

// ellipse has its axes along the beetle's.
func (s *sheet) ellipse(c color.Color, middle point, a, b float64) {
	s.polygon(c, arc(middle, a, b, 0, 2*math.Pi))
}

// arc is a stretch of an ellipse, from one angle to another.
func arc(middle point, a, b, from, to float64) []point {
	const steps = 72
	list := make([]point, 0, steps+1)
	for i := range steps + 1 {
		sin, cos := math.Sincos(from + (to-from)*float64(i)/steps)
		list = append(list, point{middle.x + a*cos, middle.y + b*sin})
	}
	return list
}

// limb is a line of some width through places on the beetle, and its mirror image.
func (s *sheet) limb(c color.Color, width float64, list ...point) {
	for _, side := range []float64{1, -1} {
		for i := 1; i < len(list); i++ {
			p, q := point{side * list[i-1].x, list[i-1].y}, point{side * list[i].x, list[i].y}
			d := math.Hypot(q.x-p.x, q.y-p.y)
			nx, ny := width/2*(q.y-p.y)/d, -width/2*(q.x-p.x)/d
			s.polygon(c, []point{{p.x + nx, p.y + ny}, {q.x + nx, q.y + ny}, {q.x - nx, q.y - ny}, {p.x - nx, p.y - ny}})
			s.ellipse(c, q, width/2, width/2)
		}
	}
}

// ground paints what the beetle sits on: a colour, lighter at the top, with blotches.
func (s *sheet) ground(g ground) {
	b := s.img.Bounds()
	for y := range b.Dy() {
		row := image.Rect(0, y, b.Dx(), y+1)
		draw.Draw(s.img, row, image.NewUniform(mix(g.top, g.bottom, float64(y)/float64(b.Dy()))), image.Point{}, draw.Src)
	}
	// A linear congruential generator: the blotches are the same every time.
	state := g.seed
	next := func() float64 {
		state = state*6364136223846793005 + 1442695040888963407
		return float64(state>>40) / (1 << 24)
	}
	side := float64(b.Dx())
	plain := *s
	plain.sin, plain.cos, plain.length, plain.centre = 0, 1, side, point{}
	for range g.blotches {
		size := g.grain * (0.4 + next())
		plain.ellipse(mix(g.blotch, g.top, 0.6*next()), point{next(), next()}, size*g.stretch, size)
	}
}

// mix is a colour between two, t from 0 to 1.
func mix(a, b color.RGBA, t float64) color.RGBA {
	one := func(x, y uint8) uint8 { return uint8(float64(x) + t*(float64(y)-float64(x))) }
	return color.RGBA{one(a.R, b.R), one(a.G, b.G), one(a.B, b.B), 255}
}
