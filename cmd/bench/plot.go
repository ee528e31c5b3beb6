package main

import (
	"errors"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// legendRoom is how far the axis of seconds goes below the lines, for the legend.
const legendRoom = 30

// plotLines draws lines by the number of exemplars, both axes logarithmic, into
// files; their names say in which format.
func plotLines(lines []line, files ...string) error {
	p := plot.New()
	p.BackgroundColor = color.White
	p.X.Label.Text, p.Y.Label.Text = "exemplars in the memory", "seconds for one more"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.LogTicks{Prec: -1}, plot.LogTicks{Prec: -1}
	p.Legend.Top, p.Legend.Left = false, false
	p.Legend.XOffs, p.Legend.YOffs = -vg.Points(4), vg.Points(4)
	p.Legend.Padding = vg.Points(2)
	p.Legend.TextStyle.Font.Size = vg.Points(9)
	p.Add(plotter.NewGrid())
	for i, l := range lines {
		var xys plotter.XYs
		for _, pt := range l.points {
			xys = append(xys, plotter.XY{X: pt.exemplars, Y: pt.seconds})
		}
		curve, marks, err := plotter.NewLinePoints(xys)
		if err != nil {
			return err
		}
		curve.Color, curve.Width = plotutil.Color(i), vg.Points(1.5)
		marks.Color, marks.Shape, marks.Radius = plotutil.Color(i), draw.CircleGlyph{}, vg.Points(2.5)
		p.Add(curve, marks)
		p.Legend.Add(l.name, curve, marks)
	}
	p.Y.Min /= legendRoom
	var err error
	for _, file := range files {
		err = errors.Join(err, p.Save(18*vg.Centimeter, 12*vg.Centimeter, file))
	}
	return err
}
