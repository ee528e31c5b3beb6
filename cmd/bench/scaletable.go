package main

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"fieldmark/internal/protocol"
)

// trial is the paper's run by all systems: courses by ψ, LinProbe's by
// linProbePeer.
type trial struct {
	suite        protocol.Suite
	first        int // ψ that is put beside LinProbe
	ours, theirs map[int]course
}

// systemOf is a system's name by its ψ.
func systemOf(psi int) string {
	if psi == linProbePeer {
		return "LinProbe"
	}
	return "TreeProbe, ψ = " + count(psi)
}

// figure is a course's time as a peer's.
func (c course) figure(name string, of func(course) spent, by func(spent) float64) figure {
	f := figure{name: name, value: by(of(c)), least: c.Missing != ""}
	switch {
	case c.Missing != "" && c.Stopped == nil:
		f.missing = c.Missing
	case c.Missing != "":
		f.note = fmt.Sprintf("stopped in stage %d", len(c.Laps)+1)
	}
	return f
}

// section says it all: the whole runs, their accuracy, and stage by stage.
func (t trial) section(b *bench) section {
	var s section
	for _, psi := range b.systems() {
		s.rows = append(s.rows, t.totals(psi)...)
	}
	for _, psi := range slices.Sorted(slices.Values(b.psis)) {
		if r, ok := t.curve(b.psis, psi); ok {
			s.rows = append(s.rows, r)
		}
	}
	for _, psi := range []int{t.first, linProbePeer} {
		s.rows = append(s.rows, t.stages(psi)...)
	}
	n, classes := 0, 0
	for _, task := range t.suite.Tasks {
		n += len(task.Train.Labels)
		if !task.ZeroShot {
			classes += len(task.Classes)
		}
	}
	s.notes = append(s.notes, fmt.Sprintf("%s exemplars of %s labels in %d tasks, taught one after another; after each, %d photos of each class of these and of %d zero-shot tasks are asked, by AIM-Emb. "+
		"Both begin with the same numbers, of protocol.Synthetic; whose accuracies say nothing about photos, but whether two systems agree. Ours is timed until every classifier is at its optimum (doc/learning.md), and finds neighbours as the product does: by a scan, from %s exemplars on by its graph, whose making is part of its teaching. "+
		"The reference (tools/bench/paper.py) is scikit-learn's logistic regression as the paper sets it (lbfgs, C = 0.316, at most 5,000 iterations) and its 2-means: LinProbe is fitted anew on all exemplars after each task, TreeProbe in each leaf that changed. It answers all photos in one batch, ours one by one.",
		count(n), count(classes), paperTargets, scaleAsked, paperZeroShotTasks, count(scaleGraph)))
	if b.plots != "" && len(b.psis) > 1 {
		s.notes = append(s.notes, "![Accuracy after the last task against the seconds of processors that all teaching and answering took, for every ψ](scale.svg)")
	}
	return s
}

// totals are the rows of a whole course.
func (t trial) totals(psi int) []row {
	ours, theirs := t.ours[psi], t.theirs[psi]
	name := systemOf(psi)
	peer := scikit + "'s " + name
	clock := func(s spent) float64 { return took(byClock(s)) }
	used := func(s spent) float64 { return took(ofProcessors(s)) }
	answered, asked := ours.answered()
	last := lap{Target: math.NaN(), ZeroShot: math.NaN()}
	if ours.Missing == "" {
		last = ours.Laps[len(ours.Laps)-1]
	}
	rows := []row{
		{what: name + ": taught", unit: duration, ours: clock(ours.taught()), peers: []figure{theirs.figure(peer, course.taught, clock)}},
		{what: name + ": taught, seconds of processors", unit: duration, ours: used(ours.taught()), peers: []figure{theirs.figure(peer, course.taught, used)}},
		{what: name + ": taught and asked, seconds of processors", unit: duration, ours: used(ours.whole()), bounds: []bound{{1, peer}},
			note:  fmt.Sprintf("of that %s for %s answers", seconds(used(answered)), count(asked)),
			peers: []figure{theirs.figure(peer, course.whole, used)}},
		{what: name + ": target tasks, after the last", unit: share, ours: last.Target,
			note: fmt.Sprintf("zero-shot tasks %s", share.write(last.ZeroShot))},
	}
	if psi == t.first {
		lin := t.theirs[linProbePeer]
		goal := scikit + "'s LinProbe"
		for i, of := range []func(course) spent{course.taught, course.taught, course.whole} {
			by := used
			if i == 0 {
				by = clock
			}
			rows[i].peers = append(rows[i].peers, lin.figure(goal, of, by))
			rows[i].bounds = append(rows[i].bounds, bound{scaleGoal, goal})
		}
	}
	if ours.Missing != "" {
		for i := range rows {
			rows[i].ours, rows[i].note = math.NaN(), fmt.Sprintf("%s, in stage %d", ours.Missing, len(ours.Laps)+1)
		}
	}
	if n := len(theirs.Laps); theirs.Missing == "" {
		l := theirs.Laps[n-1]
		rows[3].peers = []figure{{name: peer, value: l.Target, note: "zero-shot tasks " + share.write(l.ZeroShot)}}
		rows[3].bounds = []bound{{value: l.Target}}
	} else {
		rows[3].peers = []figure{{name: peer, missing: theirs.Missing}}
	}
	return rows
}

// curve compares our curve of accuracy against time with the reference's TreeProbe of
// one ψ, a point of its own: the best that any of our trees comes to in the seconds of
// processors that it took. false if the reference did not end.
func (t trial) curve(psis []int, psi int) (row, bool) {
	theirs := t.theirs[psi]
	if theirs.Missing != "" || len(theirs.Laps) == 0 {
		return row{}, false
	}
	theirTime, theirTarget := took(theirs.whole().processors), theirs.Laps[len(theirs.Laps)-1].Target
	r := row{what: fmt.Sprintf("our curve of accuracy against time, where scikit-learn's TreeProbe has ψ = %s", count(psi)), unit: share,
		note:   "none of our trees ends as soon",
		bounds: []bound{{value: theirTarget}},
		peers:  []figure{{name: scikit, value: theirTarget, note: seconds(theirTime) + " of processors"}}}
	for _, own := range psis {
		c := t.ours[own]
		if c.Missing != "" || len(c.Laps) == 0 || took(c.whole().processors) > theirTime {
			continue
		}
		if target := c.Laps[len(c.Laps)-1].Target; target > r.ours {
			r.ours, r.note = target, fmt.Sprintf("ψ = %s in %s", count(own), seconds(took(c.whole().processors)))
		}
	}
	return r, true
}

// stages are the rows of a course's laps.
func (t trial) stages(psi int) []row {
	var rows []row
	ours, theirs := t.ours[psi], t.theirs[psi]
	for i, l := range ours.Laps {
		r := row{what: fmt.Sprintf("%s, stage %d, %s exemplars: taught, seconds of processors", systemOf(psi), l.Stage, count(l.Exemplars)),
			unit: duration, ours: took(l.Taught.processors), note: l.beside()}
		peer := figure{name: scikit, missing: theirs.Missing}
		switch {
		case i < len(theirs.Laps):
			p := theirs.Laps[i]
			peer = figure{name: scikit, value: took(p.Taught.processors), note: p.beside()}
		case i == len(theirs.Laps) && theirs.Stopped != nil:
			peer = figure{name: scikit, value: took(theirs.Stopped.processors), least: true}
		}
		r.peers = []figure{peer}
		rows = append(rows, r)
	}
	return rows
}

// beside is what else is known of a lap.
func (l lap) beside() string {
	return fmt.Sprintf("%s by the clock, %s answers %s of processors, targets %s", seconds(took(l.Taught.clock)), count(l.Asked), seconds(took(l.Answered.processors)), share.write(l.Target))
}

// plotCurves draws accuracy against time, a point for every ψ, if there are several.
func (b *bench) plotCurves(t trial) error {
	if b.plots == "" || len(b.psis) < 2 {
		return nil
	}
	var lines []line
	for i, of := range []map[int]course{t.ours, t.theirs} {
		l := line{name: []string{"Fieldmark", scikit}[i]}
		for _, psi := range slices.Sorted(slices.Values(b.psis)) {
			if c := of[psi]; c.Missing == "" && len(c.Laps) > 0 {
				l.points = append(l.points, point{took(c.whole().processors), 100 * c.Laps[len(c.Laps)-1].Target})
			}
		}
		if len(l.points) > 1 {
			lines = append(lines, l)
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return plotTrade(lines, filepath.Join(b.plots, "scale.svg"), filepath.Join(b.plots, "scale.png"))
}
