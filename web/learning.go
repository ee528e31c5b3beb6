package web

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"fieldmark/internal/identify"
	"fieldmark/templates"
)

// LearningService is what the page of the learning curve needs.
type LearningService interface {
	Learning(ctx context.Context) (identify.Learning, error)
}

func (s *site) learningRoutes(r chi.Router) {
	r.Get("/memory/learning", s.handle(s.learning))
}

// leastCurve is how many lessons a curve needs to be worth drawing.
const leastCurve = 25

func (s *site) learning(w http.ResponseWriter, r *http.Request) error {
	l, err := s.Learning.Learning(r.Context())
	if err != nil {
		return err
	}
	page := templates.LearningPage{Encoder: l.Encoder, Empty: l.Fused.Asked == 0, Left: leftOut(l.Counts, l.Fused.Asked)}
	if !page.Empty {
		page.Figures = []templates.Figured{
			figured("right with the memory, lately", l.Recent.Fused), figured("right zero-shot, lately", l.Recent.ZeroShot),
			figured("right with the memory, ever", l.Fused), figured("right zero-shot, ever", l.ZeroShot),
		}
		page.Recent = fmt.Sprintf("Lately is the last %s; in brackets the 95 %% interval.", plural(l.Recent.Fused.Asked, "lesson", "lessons"))
		page.Fused, page.Zero = reliabilityView("With the memory", "fused", l.Fused), reliabilityView("Zero-shot alone", "zero", l.ZeroShot)
		page.Sure = sureWords(l.Sure)
		for _, g := range l.Groups {
			page.Groups = append(page.Groups, learningGroup(g))
		}
		if l.Fused.Asked >= leastCurve {
			page.Chart = chartView(l)
		}
	}
	p := s.page(r, "Learning", "memory")
	p.Styles = []string{"learning.css"}
	return s.render(w, r, http.StatusOK, templates.Learning(p, page))
}

func figured(name string, x identify.Score) templates.Figured {
	return templates.Figured{Name: name, Value: percentOf(x.Right, x.Asked), Note: "[" + interval(x) + "]"}
}

func interval(x identify.Score) string {
	return fmt.Sprintf("%.0f–%.0f%%", 100*x.Low, 100*x.High)
}

func leftOut(c identify.TrialCounts, counted int) []string {
	list := []string{fmt.Sprintf("%s counted, of %s ever given.", plural(counted, "lesson is", "lessons are"), number(c.Lessons))}
	for _, x := range []struct {
		n         int
		one, many string
	}{
		{c.Imported, "lesson came with an import: nobody asked before", "lessons came with imports: nobody asked before"},
		{c.Repeated, "was about a photo that had been taught already", "were about photos that had been taught already"},
		{c.Unnamed, "was withdrawn, or is in quarantine, and nobody else has named the photo", "were withdrawn, or are in quarantine, and nobody else has named the photo"},
		{c.Untested, "was taught without being asked about first, or under another encoder", "were taught without being asked about first, or under another encoder"},
	} {
		if x.n > 0 {
			list = append(list, "Left out: "+plural(x.n, x.one, x.many)+".")
		}
	}
	return list
}

// sureWords says where the threshold of headlines comes from.
func sureWords(t identify.SureThreshold) string {
	switch {
	case !t.Measured:
		return fmt.Sprintf("A species is named without reserve from %.0f %% on: by convention, until %s have been tested, and enough of them answered with confidence. "+
			"Then it is the least probability at which %.0f %% come out right.", 100*t.Value, plural(t.Enough, "lesson", "lessons"), 100*t.Target)
	case !t.Met:
		return fmt.Sprintf("A species is named without reserve only from %.0f %% on, the highest there is: among the last %s, no lower one kept what it promises, that %.0f %% are right.",
			100*t.Value, plural(t.Answers, "lesson", "lessons"), 100*t.Target)
	}
	return fmt.Sprintf("A species is named without reserve from %.0f %% on: the least probability that keeps its promise that %.0f %% are right. "+
		"Among the last %s it was reached by %s, of which %s right. It is looked at again after every %d lessons, and moves by no less than %.0f points.",
		100*t.Value, 100*t.Target, plural(t.Answers, "lesson", "lessons"), number(t.Said), plural(t.Right, "was", "were"), t.Every, 100*t.Inertia)
}

func learningGroup(g identify.GroupScores) templates.LearningGroup {
	v := templates.LearningGroup{Name: "Others", Asked: number(g.Fused.Asked), Fused: percentOf(g.Fused.Right, g.Fused.Asked),
		ZeroShot: percentOf(g.ZeroShot.Right, g.ZeroShot.Asked), Range: "[" + interval(g.Fused) + "]", Unknown: number(g.Unknown),
		FusedWidth: strconv.Itoa(1000 * g.Fused.Right / g.Fused.Asked), ZeroX: strconv.Itoa(max(0, 1000*g.ZeroShot.Right/g.ZeroShot.Asked-8))}
	if g.Group != "" && g.Group != "none" {
		v.Name = capital(groupWords(g.Group))
	}
	return v
}

func chartView(l identify.Learning) *templates.Chart {
	last := l.Curve[len(l.Curve)-1]
	c := &templates.Chart{Label: fmt.Sprintf("Accuracy over %s: with the memory it ends at %.0f %%, zero-shot at %.0f %%. The table below has the points.",
		plural(last.Lesson, "lesson", "lessons"), 100*last.Fused, 100*last.ZeroShot)}
	first := l.Curve[0].Lesson
	x := func(lesson int) float64 { return 1000 * float64(lesson-first) / float64(max(1, last.Lesson-first)) }
	y := func(share float64) float64 { return 400 * (1 - share) }
	for _, share := range []float64{0, .25, .5, .75, 1} {
		c.Rules = append(c.Rules, templates.ChartRule{Y: tenth(y(share)), Text: fmt.Sprintf("%.0f%%", 100*share)})
	}
	for i, anchor := range []string{"start", "middle", "end"} {
		lesson := first + (last.Lesson-first)*i/2
		c.Ticks = append(c.Ticks, templates.ChartTick{X: tenth(x(lesson)), Text: plural(lesson, "lesson", "lessons"), Anchor: anchor})
	}
	line := func(class, name string, of func(identify.CurvePoint) float64) {
		var path strings.Builder
		for i, p := range l.Curve {
			path.WriteString(map[bool]string{true: "M", false: "L"}[i == 0] + tenth(x(p.Lesson)) + " " + tenth(y(of(p))))
		}
		c.Lines = append(c.Lines, templates.Line2D{Class: class, Name: name, Path: path.String(), EndX: tenth(x(last.Lesson)), EndY: tenth(y(of(last)))})
	}
	line("fused", "With the memory", func(p identify.CurvePoint) float64 { return p.Fused })
	line("zero", "Zero-shot alone", func(p identify.CurvePoint) float64 { return p.ZeroShot })
	step := max(1, len(l.Curve)/20)
	for i, p := range l.Curve {
		if (len(l.Curve)-1-i)%step == 0 {
			c.Points = append(c.Points, templates.CurveRow{Lesson: number(p.Lesson), Day: moment(p.At).Text,
				Fused: fmt.Sprintf("%.0f%%", 100*p.Fused), ZeroShot: fmt.Sprintf("%.0f%%", 100*p.ZeroShot)})
		}
	}
	return c
}

func tenth(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }

func reliabilityView(name, class string, x identify.Score) templates.Reliability {
	r := templates.Reliability{Name: name, Class: class, ECE: fmt.Sprintf("%.1f points", 100*x.ECE),
		Label: fmt.Sprintf("Reliability, %s: share of right answers by what was said, calibration error %.1f points. The table below has the bars.", strings.ToLower(name), 100*x.ECE)}
	width := 400 / float64(len(x.Bins))
	for i, b := range x.Bins {
		if b.Asked == 0 {
			continue
		}
		height := 400 * float64(b.Right) / float64(b.Asked)
		r.Bars = append(r.Bars, templates.ReliabilityBar{X: tenth(float64(i)*width + 2), Y: tenth(400 - height), Width: tenth(width - 4), Height: tenth(height),
			Said: fmt.Sprintf("%.0f%%", 100*b.Confidence/float64(b.Asked)), Right: percentOf(b.Right, b.Asked), Asked: number(b.Asked)})
	}
	return r
}
