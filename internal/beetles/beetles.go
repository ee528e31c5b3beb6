package beetles

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"math"
)

// Species is a kind of beetle.
type Species int

// The kinds that are drawn.
const (
	Lantern Species = iota // round and blue, with two yellow lamps on its back
	Ribbon                 // long and cream, with crimson bands and long feelers
)

// Pose is how a beetle was met: where it sits in the picture (shares of its side),
// how long it is there, how far it is turned (degrees, clockwise), on which ground.
type Pose struct {
	X, Y, Size, Turn float64
	Ground           Ground
}

// Ground is what a beetle sits on.
type Ground int

// The grounds that are drawn.
const (
	Leaf Ground = iota
	Sand
	Bark
)

type ground struct {
	top, bottom, blotch color.RGBA
	blotches            int
	grain, stretch      float64 // height of a blotch as a share of the side; its width as so many heights
	seed                uint64
}

func (g Ground) look() ground {
	switch g {
	case Sand:
		return ground{rgb(0xe8d9b5), rgb(0xd2bd90), rgb(0xb89f70), 900, 0.004, 1.2, 5}
	case Bark:
		return ground{rgb(0x8d7358), rgb(0x6d5640), rgb(0x53402f), 160, 0.007, 9, 11}
	}
	return ground{rgb(0x9cc46a), rgb(0x6fa04a), rgb(0x5d8d3c), 120, 0.006, 7, 3}
}

func rgb(hex uint32) color.RGBA {
	return color.RGBA{uint8(hex >> 16), uint8(hex >> 8), uint8(hex), 255}
}

// Draw draws a square picture.
func Draw(s Species, p Pose, side int) *image.RGBA {
	on := newSheet(side, p)
	on.ground(p.Ground.look())
	if s == Ribbon {
		on.ribbon()
	} else {
		on.lantern()
	}
	return on.img
}

// JPEG is Draw as a file.
func JPEG(s Species, p Pose, side int) []byte {
	var b bytes.Buffer
	// Writing to memory fails for no picture of this size.
	_ = jpeg.Encode(&b, Draw(s, p, side), &jpeg.Options{Quality: 92})
	return b.Bytes()
}

// shade is what a beetle's shadow is painted with.
func shade() color.Color { return color.NRGBA{0, 0, 0, 60} }

func (s *sheet) lantern() {
	s.ellipse(shade(), point{0.04, 0.11}, 0.4, 0.44)
	legs, shell, edge, lamp := rgb(0x27313d), rgb(0x1f5fa8), rgb(0x123a6b), rgb(0xffd23c)
	s.limb(legs, 0.03, point{0.25, -0.12}, point{0.44, -0.2}, point{0.5, -0.32})
	s.limb(legs, 0.03, point{0.32, 0.05}, point{0.5, 0.06}, point{0.58, 0.16})
	s.limb(legs, 0.03, point{0.26, 0.25}, point{0.43, 0.34}, point{0.47, 0.47})
	s.limb(legs, 0.022, point{0.06, -0.44}, point{0.16, -0.56}, point{0.26, -0.58})
	s.ellipse(rgb(0xe0702a), point{0, -0.4}, 0.17, 0.13)
	s.ellipse(rgb(0x20242b), point{0.12, -0.45}, 0.035, 0.04)
	s.ellipse(rgb(0x20242b), point{-0.12, -0.45}, 0.035, 0.04)
	s.ellipse(edge, point{0, 0.08}, 0.39, 0.43)
	s.ellipse(shell, point{0, 0.07}, 0.36, 0.4)
	s.ellipse(color.NRGBA{255, 255, 255, 46}, point{-0.12, -0.12}, 0.13, 0.1)
	s.polygon(edge, []point{{-0.008, -0.32}, {0.008, -0.32}, {0.008, 0.47}, {-0.008, 0.47}})
	for _, side := range []float64{1, -1} {
		s.ellipse(rgb(0x0d2a4d), point{side * 0.18, 0.08}, 0.125, 0.145)
		s.ellipse(lamp, point{side * 0.18, 0.08}, 0.1, 0.12)
		s.ellipse(rgb(0xfff3b0), point{side * 0.17, 0.06}, 0.045, 0.055)
	}
}

func (s *sheet) ribbon() {
	s.ellipse(shade(), point{0.04, 0.13}, 0.17, 0.42)
	legs, shell, edge, band := rgb(0x5a2a1a), rgb(0xf3e6c8), rgb(0xa98a5a), rgb(0xb3142e)
	s.limb(legs, 0.022, point{0.1, -0.2}, point{0.26, -0.28}, point{0.32, -0.4})
	s.limb(legs, 0.022, point{0.13, 0}, point{0.31, 0.02}, point{0.37, 0.12})
	s.limb(legs, 0.022, point{0.12, 0.2}, point{0.27, 0.32}, point{0.29, 0.46})
	s.limb(legs, 0.014, point{0.04, -0.48}, point{0.18, -0.66}, point{0.34, -0.66}, point{0.46, -0.52}, point{0.52, -0.3})
	s.ellipse(band, point{0, -0.44}, 0.075, 0.085)
	s.ellipse(rgb(0x3a0a14), point{0, -0.33}, 0.105, 0.09)
	s.ellipse(edge, point{0, 0.1}, 0.165, 0.42)
	s.ellipse(shell, point{0, 0.1}, 0.15, 0.4)
	for _, y := range []float64{-0.14, 0.04, 0.22, 0.38} {
		s.across(band, y, 0.04)
	}
	s.polygon(edge, []point{{-0.005, -0.28}, {0.005, -0.28}, {0.005, 0.5}, {-0.005, 0.5}})
}

// across paints a band over the ribbon beetle's shell, which is an ellipse.
func (s *sheet) across(c color.Color, y, half float64) {
	const a, b, middle = 0.15, 0.4, 0.1
	from, to := math.Asin((y-half-middle)/b), math.Asin(math.Min(1, (y+half-middle)/b))
	right := arc(point{0, middle}, a, b, from, to)
	left := arc(point{0, middle}, a, b, math.Pi-to, math.Pi-from)
	s.polygon(c, append(right, left...))
}
