package report

import (
	"fmt"
	"slices"
	"strings"

	"fieldmark/internal/fusion"
	"fieldmark/internal/protocol"
	"fieldmark/internal/tree"
)

// strand is one system with one rule through the stages of a protocol.
type strand struct {
	system   protocol.System
	rule     fusion.Rule
	longTail bool
	points   []protocol.Point
}

// strands are those of a protocol, in the order in which they came. Zero-shot,
// which no memory changes, is there once, without a system.
func strands(points []protocol.Point, of protocol.Protocol, candidates string) []strand {
	var list []strand
	for _, p := range points {
		if p.Protocol != of || p.Candidates != candidates {
			continue
		}
		s := strand{system: p.System, rule: p.Rule, longTail: p.LongTailRule}
		if p.Rule == fusion.ZeroShot {
			s.system, s.longTail = protocol.System{}, false
		}
		i := slices.IndexFunc(list, func(x strand) bool { return x.same(s) })
		if i < 0 {
			i, list = len(list), append(list, s)
		}
		if n := len(list[i].points); n == 0 || list[i].points[n-1].Stage < p.Stage {
			list[i].points = append(list[i].points, p)
		}
	}
	return list
}

func (s strand) same(x strand) bool {
	return s.system == x.system && s.rule == x.rule && s.longTail == x.longTail
}

func (s strand) last() protocol.Point { return s.points[len(s.points)-1] }

func (s strand) name() string {
	if s.rule == fusion.ZeroShot {
		return "zero-shot"
	}
	return systemName(s.system) + ", " + s.ruleName()
}

func (s strand) ruleName() string {
	if s.longTail {
		return string(s.rule) + ", long-tail"
	}
	return string(s.rule)
}

// systemName names a system as the paper does.
func systemName(s protocol.System) string {
	var b strings.Builder
	switch s.Kind {
	case fusion.Tree, fusion.TreeSingle:
		psi := s.Psi
		if psi == 0 {
			psi = tree.DefaultPsi
		}
		b.WriteString("TreeProbe (" + short(psi) + ")")
		if s.Kind == fusion.TreeSingle {
			b.WriteString(", one leaf")
		}
	case fusion.LinProbe:
		b.WriteString("LinProbe")
	case fusion.KNNMV:
		b.WriteString("KNN, MV")
	case fusion.KNNAvg:
		b.WriteString("KNN, AVG")
	case fusion.KNNWAvg:
		b.WriteString("KNN, WAVG")
	default:
		return missing
	}
	if s.K != 0 {
		fmt.Fprintf(&b, ", k = %d", s.K)
	}
	if s.TauBeta != 0 {
		fmt.Fprintf(&b, ", τβ = %g", s.TauBeta)
	}
	return b.String()
}

// short writes ψ as the paper does: 50k.
func short(n int) string {
	if n >= 1000 && n%1000 == 0 {
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprint(n)
}

// rank says how early a strand is shown where not all are: zero-shot, then what
// the paper and we propose, then what they are compared with.
func (s strand) rank() int {
	plain := s.system == protocol.System{Kind: s.system.Kind} && !s.longTail
	for i, want := range []struct {
		kind fusion.System
		rule fusion.Rule
	}{
		{"", fusion.ZeroShot}, {fusion.Tree, fusion.AIMEmb}, {fusion.Tree, fusion.Near},
		{fusion.LinProbe, fusion.AIMEmb}, {fusion.KNNWAvg, fusion.AIMEmb}, {fusion.Tree, fusion.AvgEmb},
	} {
		if s.system.Kind == want.kind && s.rule == want.rule && plain {
			return i
		}
	}
	return unranked
}

// unranked is the rank of all that is shown only where there is room.
const unranked = 100

// leading are the n strands of the lowest rank.
func leading(list []strand, n int) []strand {
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b strand) int { return a.rank() - b.rank() })
	return out[:min(n, len(out))]
}

// find returns the strand of a system and rule.
func find(list []strand, kind fusion.System, rule fusion.Rule) (strand, bool) {
	i := slices.IndexFunc(list, func(s strand) bool {
		return s.rule == rule && s.system == protocol.System{Kind: kind} && !s.longTail
	})
	if i < 0 {
		return strand{}, false
	}
	return list[i], true
}

// figure is one of the figures of a point, nil where there is none.
type figure func(protocol.Point) *protocol.Figure

func target(p protocol.Point) *protocol.Figure   { return p.Target }
func zeroShot(p protocol.Point) *protocol.Figure { return p.ZeroShot }
func both(p protocol.Point) *protocol.Figure     { return p.Both }
func ece(p protocol.Point) *protocol.Figure      { return p.ECE }

func group(name string) figure {
	return func(p protocol.Point) *protocol.Figure {
		f, there := p.Groups[name]
		if !there {
			return nil
		}
		return &f
	}
}

func share(f *protocol.Figure) Cell {
	if f == nil {
		return none()
	}
	return percent(f.Mean, f.SD)
}

// measured says whether a figure was measured at the last stage of any strand.
func measured(list []strand, of figure) bool {
	return slices.ContainsFunc(list, func(s strand) bool { return of(s.last()) != nil })
}

// through is a strand's figure, stage by stage, in percent.
func (s strand) through(of figure) (Line, bool) {
	l := Line{Name: s.name()}
	deviates := false
	for _, p := range s.points {
		f := of(p)
		if f == nil {
			continue
		}
		l.X, l.Y, l.SD = append(l.X, float64(p.Stage)), append(l.Y, 100*f.Mean), append(l.SD, 100*f.SD)
		deviates = deviates || f.SD > 0
	}
	if !deviates {
		l.SD = nil
	}
	return l, len(l.X) > 0
}
