package report

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Chart is lines over two axes.
type Chart struct {
	ID, Title, Note string
	X, Y            Axis
	Lines           []Line
}

// Line is points of a Chart in the order in which they are joined. SD is empty, or
// the standard deviation of each Y.
type Line struct {
	Name     string
	X, Y, SD []float64
	// Reference marks what others reported, or what is ideal: it is drawn in grey
	// dashes, without points.
	Reference bool
}

// The size of a chart without its legend, small enough that its letters can be
// read on a telephone, where it is as wide as the screen.
const (
	chartWidth  = 350 * vg.Length(1)
	chartHeight = 240 * vg.Length(1)
	legendLine  = 14 * vg.Length(1)
	rightMargin = 14 * vg.Length(1) // for the half of a last tick's label
)

// theme is the colours of what is not a line.
type theme struct {
	paper, ink, grid color.Color
}

// printed is for files of their own. inlaid is for the page, where the ink is
// whatever colour the text around has: stand-ins are put in its place.
func printed() theme {
	return theme{paper: color.White, ink: color.NRGBA{0x22, 0x22, 0x22, 0xff}, grid: color.NRGBA{0xdd, 0xdd, 0xdd, 0xff}}
}

func inlaid() theme {
	return theme{ink: color.NRGBA{1, 2, 3, 0xff}, grid: color.NRGBA{1, 2, 4, 0xff}}
}

// lineColour is of middling lightness, so that it stands out from white and from
// black alike: its contrast to both is 3 : 1 or more.
func lineColour(i int) color.Color {
	colours := []color.NRGBA{
		{0x2f, 0x7d, 0xd1, 0xff}, {0xd0, 0x66, 0x1a, 0xff}, {0x2f, 0x8f, 0x5b, 0xff}, {0xa3, 0x5c, 0xc6, 0xff},
		{0xd2, 0x45, 0x60, 0xff}, {0x24, 0x8f, 0xa0, 0xff}, {0x97, 0x7a, 0x28, 0xff}, {0x6f, 0x74, 0xd8, 0xff},
	}
	return colours[i%len(colours)]
}

// glyph tells lines apart without colours.
func glyph(i int) draw.GlyphDrawer {
	shapes := []draw.GlyphDrawer{
		draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.RingGlyph{}, draw.PyramidGlyph{}, draw.BoxGlyph{}, draw.PlusGlyph{}, draw.CrossGlyph{},
	}
	return shapes[i%len(shapes)]
}

// drawn is a chart ready for a canvas: the plot, and the legend below it.
type drawn struct {
	plot   *plot.Plot
	legend plot.Legend
	height vg.Length
}

func (c Chart) draw(t theme) (drawn, error) {
	p := plot.New()
	p.BackgroundColor = t.paper
	p.X.Label.Text, p.Y.Label.Text = c.X.Label, c.Y.Label
	sans := func(size vg.Length) font.Font {
		return font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size)
	}
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Color, a.Tick.Color, a.Tick.Label.Color, a.Label.TextStyle.Color = t.ink, t.ink, t.ink, t.ink
		a.Label.TextStyle.Font, a.Tick.Label.Font = sans(11), sans(10)
	}
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = t.grid, t.grid
	p.Add(grid)
	legend := plot.NewLegend()
	legend.TextStyle.Font, legend.TextStyle.Color = sans(11), t.ink
	legend.Left, legend.Top, legend.Padding, legend.ThumbnailWidth = true, true, vg.Points(3), vg.Points(24)
	for i, l := range c.Lines {
		if err := l.addTo(p, &legend, i); err != nil {
			return drawn{}, fmt.Errorf("chart %s: %s: %w", c.ID, l.Name, err)
		}
	}
	c.X.apply(&p.X)
	c.Y.apply(&p.Y)
	return drawn{p, legend, chartHeight + legendLine*vg.Length(len(c.Lines)) + 6}, nil
}

func (l Line) addTo(p *plot.Plot, legend *plot.Legend, i int) error {
	xys := make(plotter.XYs, len(l.X))
	for j := range xys {
		xys[j] = plotter.XY{X: l.X[j], Y: l.Y[j]}
	}
	curve, marks, err := plotter.NewLinePoints(xys)
	if err != nil {
		return err
	}
	if l.Reference {
		curve.Color, curve.Width, curve.Dashes = color.NRGBA{0x80, 0x80, 0x80, 0xff}, vg.Points(1.2), []vg.Length{vg.Points(2 + 2*float64(i%3)), vg.Points(3)}
		p.Add(curve)
		legend.Add(l.Name, curve)
		return nil
	}
	curve.Color, curve.Width = lineColour(i), vg.Points(1.6)
	marks.Color, marks.Shape, marks.Radius = lineColour(i), glyph(i), vg.Points(2.6)
	p.Add(curve, marks)
	legend.Add(l.Name, curve, marks)
	if len(l.SD) == 0 {
		return nil
	}
	spread := make(plotter.YErrors, len(l.SD))
	for j, sd := range l.SD {
		spread[j].Low, spread[j].High = -sd, sd
	}
	bars, err := plotter.NewYErrorBars(struct {
		plotter.XYs
		plotter.YErrors
	}{xys, spread})
	if err != nil {
		return err
	}
	bars.Color, bars.Width, bars.CapWidth = lineColour(i), vg.Points(0.8), vg.Points(4)
	p.Add(bars)
	return nil
}
