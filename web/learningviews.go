package web

import (
	"context"
	"math"
	"strconv"
	"strings"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// What the two lines of the page are called.
const (
	withMemory    = words.Key("With the memory")
	zeroShotAlone = words.Key("Zero-shot alone")
)

func figured(ctx context.Context, name words.Key, x identify.Score) templates.Figured {
	return templates.Figured{Name: words.T(ctx, name), Value: percentOf(ctx, x.Right, x.Asked), Note: interval(ctx, x)}
}

// interval is that of a share: "[58–66%]".
func interval(ctx context.Context, x identify.Score) string {
	return words.T(ctx, "[%d–%d%%]", points(x.Low), points(x.High))
}

// points is a share in whole percent.
func points(share float64) int { return int(math.RoundToEven(100 * share)) }

func leftOut(ctx context.Context, c identify.TrialCounts, counted int) []string {
	list := []string{words.T(ctx, "%d lessons are counted, of %d ever given.", counted, c.Lessons)}
	for _, x := range []struct {
		n    int
		said words.Key
	}{
		{c.Imported, words.Key("Left out: %d lessons came with imports: nobody asked before.")},
		{c.Repeated, words.Key("Left out: %d were about photos that had been taught already.")},
		{c.Unnamed, words.Key("Left out: %d were withdrawn, or are in quarantine, and nobody else has named the photo.")},
		{c.Untested, words.Key("Left out: %d were taught without being asked about first, or under another encoder.")},
	} {
		if x.n > 0 {
			list = append(list, words.T(ctx, x.said, x.n))
		}
	}
	return list
}

// sureWords says where the threshold of headlines comes from.
func sureWords(ctx context.Context, t identify.SureThreshold) string {
	from, right := points(t.Value), points(t.Target)
	switch {
	case !t.Measured:
		return words.T(ctx, "A species is named without reserve from %d%% on: by convention, until %s have been tested, and enough of them answered with confidence. "+
			"Then it is the least probability at which %d%% come out right.", from, words.T(ctx, "%d lessons", t.Enough), right)
	case !t.Met:
		return words.T(ctx, "A species is named without reserve only from %d%% on, the highest there is: among the last %s, no lower one kept what it promises, that %d%% are right.",
			from, words.T(ctx, "%d lessons", t.Answers), right)
	}
	return words.T(ctx, "A species is named without reserve from %d%% on: the least probability that keeps its promise that %d%% are right.", from, right) + " " +
		words.T(ctx, "Among the last %s it was reached by %d, of which %s right.", words.T(ctx, "%d lessons", t.Answers), t.Said, words.T(ctx, "%d were", t.Right)) + " " +
		words.T(ctx, "It is looked at again after every %d lessons, and moves by no less than %d points.", t.Every, points(t.Inertia))
}

func learningGroup(ctx context.Context, g identify.GroupScores) templates.LearningGroup {
	v := templates.LearningGroup{Name: words.T(ctx, "Others"), Asked: words.Number(ctx, g.Fused.Asked), Fused: percentOf(ctx, g.Fused.Right, g.Fused.Asked),
		ZeroShot: percentOf(ctx, g.ZeroShot.Right, g.ZeroShot.Asked), Range: interval(ctx, g.Fused), Unknown: words.Number(ctx, g.Unknown),
		FusedWidth: strconv.Itoa(1000 * g.Fused.Right / g.Fused.Asked), ZeroX: strconv.Itoa(max(0, 1000*g.ZeroShot.Right/g.ZeroShot.Asked-8))}
	if g.Group != "" && g.Group != "none" {
		v.Name = capital(groupWord(ctx, g.Group))
	}
	return v
}

func chartView(ctx context.Context, l identify.Learning) *templates.Chart {
	last := l.Curve[len(l.Curve)-1]
	c := &templates.Chart{Label: words.T(ctx, "Accuracy over %s: with the memory it ends at %d%%, zero-shot at %d%%. The table below has the points.",
		words.T(ctx, "%d lessons", last.Lesson), points(last.Fused), points(last.ZeroShot))}
	first := l.Curve[0].Lesson
	x := func(lesson int) float64 { return 1000 * float64(lesson-first) / float64(max(1, last.Lesson-first)) }
	y := func(share float64) float64 { return 400 * (1 - share) }
	for _, share := range []float64{0, .25, .5, .75, 1} {
		c.Rules = append(c.Rules, templates.ChartRule{Y: tenth(y(share)), Text: wholePercent(ctx, share)})
	}
	for i, anchor := range []string{"start", "middle", "end"} {
		lesson := first + (last.Lesson-first)*i/2
		c.Ticks = append(c.Ticks, templates.ChartTick{X: tenth(x(lesson)), Text: words.T(ctx, "%d lessons", lesson), Anchor: anchor})
	}
	line := func(class string, name words.Key, of func(identify.CurvePoint) float64) {
		var path strings.Builder
		for i, p := range l.Curve {
			path.WriteString(map[bool]string{true: "M", false: "L"}[i == 0] + tenth(x(p.Lesson)) + " " + tenth(y(of(p))))
		}
		c.Lines = append(c.Lines, templates.Line2D{Class: class, Name: words.T(ctx, name), Path: path.String(), EndX: tenth(x(last.Lesson)), EndY: tenth(y(of(last)))})
	}
	line("fused", withMemory, func(p identify.CurvePoint) float64 { return p.Fused })
	line("zero", zeroShotAlone, func(p identify.CurvePoint) float64 { return p.ZeroShot })
	step := max(1, len(l.Curve)/20)
	for i, p := range l.Curve {
		if (len(l.Curve)-1-i)%step == 0 {
			c.Points = append(c.Points, templates.CurveRow{Lesson: words.Number(ctx, p.Lesson), Day: words.DateTime(ctx, p.At.Local()),
				Fused: wholePercent(ctx, p.Fused), ZeroShot: wholePercent(ctx, p.ZeroShot)})
		}
	}
	return c
}

func tenth(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }

func reliabilityView(ctx context.Context, name words.Key, class string, x identify.Score) templates.Reliability {
	label := words.Key("Reliability, with the memory: share of right answers by what was said, calibration error %.1f points. The table below has the bars.")
	if name == zeroShotAlone {
		label = words.Key("Reliability, zero-shot alone: share of right answers by what was said, calibration error %.1f points. The table below has the bars.")
	}
	r := templates.Reliability{Name: words.T(ctx, name), Class: class, ECE: words.T(ctx, "%.1f points", 100*x.ECE), Label: words.T(ctx, label, 100*x.ECE)}
	width := 400 / float64(len(x.Bins))
	for i, b := range x.Bins {
		if b.Asked == 0 {
			continue
		}
		height := 400 * float64(b.Right) / float64(b.Asked)
		r.Bars = append(r.Bars, templates.ReliabilityBar{X: tenth(float64(i)*width + 2), Y: tenth(400 - height), Width: tenth(width - 4), Height: tenth(height),
			Said: wholePercent(ctx, b.Confidence/float64(b.Asked)), Right: percentOf(ctx, b.Right, b.Asked), Asked: words.Number(ctx, b.Asked)})
	}
	return r
}
