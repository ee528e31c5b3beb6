package main

import (
	"errors"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// legendRoom is how far the axis of times goes below the lines, for the legend.
const legendRoom = 300

// plotLines draws lines by the number of exemplars, both axes logarithmic, into
// files; their names say in which format.
func plotLines(lines []line, files ...string) error {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = "exemplars in the memory", "time for one more"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker = powers{func(v float64) string { return count(int(v)) }}
	p.Y.Tick.Marker = powers{plainSeconds}
	if err := add(p, lines); err != nil {
		return err
	}
	p.Y.Min /= legendRoom
	return save(p, files)
}

// plotTrade draws accuracy in percent against seconds, whose axis is logarithmic.
func plotTrade(lines []line, files ...string) error {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = "processor time of teaching and answering", "target tasks, % right"
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, powers{plainSeconds}
	if err := add(p, lines); err != nil {
		return err
	}
	return save(p, files)
}

func plainSeconds(v float64) string {
	return strings.NewReplacer(".00 ", " ", ".0 ", " ").Replace(seconds(v))
}

// add adds lines and their legend.
func add(p *plot.Plot, lines []line) error {
	p.BackgroundColor = color.White
	p.Legend.Top, p.Legend.Left = false, false
	p.Legend.XOffs, p.Legend.YOffs = -vg.Points(4), vg.Points(4)
	p.Legend.Padding = vg.Points(2)
	p.Legend.TextStyle.Font.Size = vg.Points(9)
	p.Add(plotter.NewGrid())
	for i, l := range lines {
		var xys plotter.XYs
		for _, pt := range l.points {
			xys = append(xys, plotter.XY{X: pt.x, Y: pt.y})
		}
		curve, marks, err := plotter.NewLinePoints(xys)
		if err != nil {
			return err
		}
		curve.Color, curve.Width = plotutil.Color(i), vg.Points(1.5)
		marks.Color, marks.Shape, marks.Radius = plotutil.Color(i), draw.CircleGlyph{}, vg.Points(2.5)
		if i%2 == 1 {
			curve.Dashes = []vg.Length{vg.Points(5), vg.Points(3)}
		}
		p.Add(curve, marks)
		p.Legend.Add(l.name, curve, marks)
	}
	return nil
}

func save(p *plot.Plot, files []string) error {
	var err error
	for _, file := range files {
		err = errors.Join(err, p.Save(18*vg.Centimeter, 12*vg.Centimeter, file))
	}
	return err
}

// powers marks the powers of ten, as write has them.
type powers struct{ write func(v float64) string }

// Ticks implements plot.Ticker.
func (p powers) Ticks(least, most float64) []plot.Tick {
	ticks := plot.LogTicks{}.Ticks(least, most)
	for i, t := range ticks {
		if t.Label != "" {
			ticks[i].Label = p.write(math.Pow10(int(math.Round(math.Log10(t.Value)))))
		}
	}
	return ticks
}
