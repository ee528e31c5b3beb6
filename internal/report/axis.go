package report

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// Axis of a Chart.
type Axis struct {
	Label string
	Log   bool
	// Seconds says that the numbers are times, and labels ticks with units.
	Seconds bool
	// Names stand at 1, 2, 3, … in place of numbers.
	Names []string
	// From and To are the least that the axis covers; equal: what the lines need.
	From, To float64
}

func (a Axis) apply(to *plot.Axis) {
	if a.From != a.To {
		to.Min, to.Max = math.Min(to.Min, a.From), math.Max(to.Max, a.To)
	}
	switch {
	case len(a.Names) > 0:
		to.Min, to.Max = math.Min(to.Min, 1)-.15, math.Max(to.Max, float64(len(a.Names)))+.15
		var ticks []plot.Tick
		for i, name := range a.Names {
			ticks = append(ticks, plot.Tick{Value: float64(i + 1), Label: name})
		}
		to.Tick.Marker = plot.ConstantTicks(ticks)
		if longest(a.Names)*len(a.Names) > 60 {
			to.Tick.Label.Rotation, to.Tick.Label.XAlign, to.Tick.Label.YAlign = math.Pi/7, draw.XRight, draw.YCenter
		}
	case a.Log:
		const room = 1.5 // beside the first and the last point
		to.Min, to.Max = to.Min/room, to.Max*room
		to.Scale, to.Tick.Marker = plot.LogScale{}, plot.TickerFunc(a.logTicks)
	default:
		room := .04 * (to.Max - to.Min) // or the least and the greatest point lie on the frame
		to.Min, to.Max = to.Min-room, to.Max+room
		to.Tick.Marker = plot.TickerFunc(plainTicks)
	}
}

// logTicks are the powers of ten, labelled, and their multiples.
func (a Axis) logTicks(from, to float64) []plot.Tick {
	ticks := plot.LogTicks{Prec: -1}.Ticks(from, to)
	for i, t := range ticks {
		if t.Label == "" {
			continue
		}
		if at := math.Pow(10, math.Round(math.Log10(t.Value))); a.Seconds {
			ticks[i].Label = roundDuration(at)
		} else {
			ticks[i].Label = thousands(int(math.Round(at)))
		}
	}
	return ticks
}

// plainTicks are gonum's, labelled without noughts that say nothing.
func plainTicks(from, to float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(from, to)
	for i := range ticks {
		if ticks[i].Label != "" {
			ticks[i].Label = strconv.FormatFloat(ticks[i].Value, 'g', 6, 64)
		}
	}
	return ticks
}

func longest(names []string) int {
	n := 0
	for _, s := range names {
		n = max(n, len(s))
	}
	return n
}
