package photo

import (
	"image"
	"math"
)

// ViewScheme numbers the list of Views. Embeddings of views are kept with it: those
// of another list are made anew. A list that was released is never changed without
// another number.
const ViewScheme = 1

// A View is a part of a photo that is remembered beside the whole, so that a crop
// of the photo is found again. Its size is a share of either side, its place goes
// from 0, at the left or the top, to 1.
type View struct {
	Name  string
	share float64
	x, y  float64
}

// Views are the parts that are remembered of a photo, in their order.
func Views() []View {
	return []View{
		{"centre, 70 %", .7, .5, .5},
		{"top left, 75 %", .75, 0, 0},
		{"top right, 75 %", .75, 1, 0},
		{"bottom left, 75 %", .75, 0, 1},
		{"bottom right, 75 %", .75, 1, 1},
	}
}

// Of is the view of a photo, at the scale at which that was decoded. It shares the
// photo's pixels.
func (v View) Of(p *Photo) Scaled {
	b := p.Image.Rect
	width, x := v.along(b.Dx(), v.x)
	height, y := v.along(b.Dy(), v.y)
	fullWidth, _ := v.along(p.Width, v.x)
	fullHeight, _ := v.along(p.Height, v.y)
	part := image.Rect(x, y, x+width, y+height).Add(b.Min)
	return Scaled{RGBA: p.Image.SubImage(part).(*image.RGBA), full: image.Pt(fullWidth, fullHeight)}
}

// along is the length of the view along a side of n pixels, at least 1, and where it
// begins.
func (v View) along(n int, place float64) (length, from int) {
	length = max(1, int(math.Round(v.share*float64(n))))
	return length, int(math.Round(place * float64(n-length)))
}
