package report

import (
	"fmt"
	"math"
	"regexp"
	"slices"

	"fieldmark/internal/fusion"
	"fieldmark/internal/protocol"
)

// findings are sentences on the figures, each only where they were measured.
func (c composer) findings() []string {
	unit := regexp.MustCompile(`(\d) (%|s|ms|µs)`) // a line does not end between the two
	var out []string
	for _, f := range []func() (string, bool){c.gain, c.ours, c.fromLog, c.shape, c.speed, c.kept} {
		if text, there := f(); there {
			out = append(out, unit.ReplaceAllString(text, "$1\u00a0$2"))
		}
	}
	return out
}

// chief is the strand that findings are about: TreeProbe by the paper's rule, or
// what leads if that was not asked.
func (c composer) chief() (zero, s strand, there bool) {
	list := strands(c.points, protocol.TaskIncremental, own)
	zero, there = find(list, "", fusion.ZeroShot)
	if !there {
		return zero, s, false
	}
	for _, s := range leading(list, 3) {
		if s.rule != fusion.ZeroShot && s.last().Target != nil && zero.last().Target != nil {
			return zero, s, true
		}
	}
	return zero, s, false
}

// gain is what learning all tasks changes.
func (c composer) gain() (string, bool) {
	zero, s, there := c.chief()
	if !there {
		return "", false
	}
	before, after := zero.last(), s.last()
	text := fmt.Sprintf("Learning %s %s the mean accuracy on them from %.1f %% to %.1f %% (%s)",
		plural(c.targets(), "target task", "target tasks, one after another,"), verb(after.Target.Mean-before.Target.Mean, "lifts", "lowers", "leaves"),
		100*before.Target.Mean, 100*after.Target.Mean, s.name())
	if before.ZeroShot != nil && after.ZeroShot != nil {
		d := 100 * (after.ZeroShot.Mean - before.ZeroShot.Mean)
		text += fmt.Sprintf("; the zero-shot tasks, of which it learned nothing, stand at %.1f %% (%s points)", 100*after.ZeroShot.Mean, signed(d))
	}
	paper := paperTasks()
	return text + fmt.Sprintf(". The paper, with %s on its eight tasks: %s points on target tasks, %s on zero-shot tasks.",
		paper[0].encoder, signed(paper[1].target-paper[0].target), signed(paper[1].zeroShot-paper[0].zeroShot)), true
}

func (c composer) targets() int {
	n := 0
	for _, t := range c.About.Tasks {
		if !t.ZeroShot {
			n++
		}
	}
	return n
}

// verb says which way a share went; what rounds to nothing stayed.
func verb(d float64, up, down, same string) string {
	switch {
	case d > 0.0005:
		return up
	case d < -0.0005:
		return down
	}
	return same
}

// signed writes a difference with its sign; what is written as nothing has none.
func signed(points float64) string {
	switch text := fmt.Sprintf("%.1f", math.Abs(points)); {
	case text == "0.0":
		return "±0.0"
	case points < 0:
		return "−" + text
	default:
		return "+" + text
	}
}

// ours sets near beside the paper's rule.
func (c composer) ours() (string, bool) {
	list := strands(c.points, protocol.TaskIncremental, own)
	paper, one := find(list, fusion.Tree, fusion.AIMEmb)
	near, two := find(list, fusion.Tree, fusion.Near)
	if !one || !two || paper.last().Target == nil || near.last().Target == nil {
		return "", false
	}
	a, b := paper.last(), near.last()
	text := fmt.Sprintf("Our rule near stands at %.1f %% on target tasks, %s points beside the paper's aim-emb", 100*b.Target.Mean, signed(100*(b.Target.Mean-a.Target.Mean)))
	if a.ZeroShot != nil && b.ZeroShot != nil {
		text += fmt.Sprintf(", and at %.1f %% on zero-shot tasks (%s)", 100*b.ZeroShot.Mean, signed(100*(b.ZeroShot.Mean-a.ZeroShot.Mean)))
	}
	return text + ".", true
}

// fromLog says how soon corrections help, and whether probabilities can be trusted.
func (c composer) fromLog() (string, bool) {
	all := c.logs()
	i := slices.IndexFunc(all, func(l logged) bool { return l.rule == fusion.Near && l.system.Kind == fusion.Tree })
	if i < 0 {
		i = slices.IndexFunc(all, func(l logged) bool { return l.rule != fusion.ZeroShot })
	}
	if i < 0 || len(all[i].asked) < 2 {
		return "", false
	}
	l, n := all[i], len(all[i].asked)
	text := fmt.Sprintf("Along a log of %s lessons, each asked before it was taught, %s named %.0f %% right in the first stretch and %.0f %% in the last",
		thousands(lessonsOf(l)), l.name(), 100*l.total(0, 1), 100*l.total(n-1, n))
	if z := slices.IndexFunc(all, func(l logged) bool { return l.rule == fusion.ZeroShot }); z >= 0 {
		text += fmt.Sprintf(" (zero-shot: %.0f %%)", 100*all[z].total(n-1, n))
	}
	ece, stated := l.error()
	if stated > 0 {
		text += fmt.Sprintf(". It said %.0f %% on average and was right in %.0f %%; its probabilities are %.1f points off in the mean", 100*stated, 100*l.total(0, n), 100*ece)
	}
	return text + ".", true
}

// shape says which system does best, and by how much ψ matters.
func (c composer) shape() (string, bool) {
	list := c.systems()
	if len(list) < 2 {
		return "", false
	}
	best, worst := list[0], list[0]
	for _, s := range list {
		if s.last().Target == nil {
			return "", false
		}
		if s.last().Target.Mean > best.last().Target.Mean {
			best = s
		}
		if s.last().Target.Mean < worst.last().Target.Mean {
			worst = s
		}
	}
	return fmt.Sprintf("Of %d exemplar systems %s does best on target tasks (%.1f %%), %s least well (%.1f %%), all by %s.",
		len(list), systemName(best.system), 100*best.last().Target.Mean, systemName(worst.system), 100*worst.last().Target.Mean, best.ruleName()), true
}

// speed sets the times of the systems beside the paper's.
func (c composer) speed() (string, bool) {
	var tree, lin *protocol.Point
	for _, s := range c.systems() {
		p := s.last()
		switch s.system {
		case protocol.System{Kind: fusion.Tree}:
			tree = &p
		case protocol.System{Kind: fusion.LinProbe}:
			lin = &p
		}
	}
	if tree == nil || !(tree.Train > 0) {
		return "", false
	}
	paper := map[fusion.System]string{}
	for _, p := range paperTimes() {
		paper[p.kind] = duration(p.training / paperExemplars)
	}
	ours, theirs := duration(tree.Train/tree.Exemplars), paper[fusion.Tree]
	if lin != nil && lin.Train > 0 {
		ours += fmt.Sprintf(", and LinProbe %s", duration(lin.Train/lin.Exemplars))
		theirs += " and " + paper[fusion.LinProbe]
	}
	return fmt.Sprintf("To learn an exemplar, to its optimum, TreeProbe took %s. The paper's took %s, with %s times as many exemplars, on another machine.",
		ours, theirs, thousands(int(math.Round(paperExemplars/tree.Exemplars)))), true
}

// kept counts the orderings that hold.
func (c composer) kept() (string, bool) {
	if len(c.claims) == 0 {
		return "", false
	}
	broken, worst := 0, 0.0
	var where protocol.Claim
	for _, k := range c.claims {
		if k.Holds {
			continue
		}
		broken++
		if d := k.Right - k.Slack - k.Left; d >= worst {
			worst, where = d, k
		}
	}
	if broken == 0 {
		return fmt.Sprintf("All %d orderings that the paper reports, or that are asked of near, hold here.", len(c.claims)), true
	}
	return fmt.Sprintf("Of %d orderings that the paper reports, or that are asked of near, %d hold here. The one missed by most (%.1f points): %s (%s).",
		len(c.claims), len(c.claims)-broken, math.Abs(100*worst), where.Text, where.Where), true
}
