package main

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// unit says how a figure is written and which way it is better.
type unit int

const (
	duration unit = iota // seconds; less is better
	rate                 // per second; more is better
	share                // 0 to 1; more is better
	excess               // relative to another's, such as 1e-4; less is better
	size                 // bytes; less is better
)

// less says whether less of it is better.
func (u unit) less() bool { return u != rate && u != share }

// write is a value with its unit, to three digits.
func (u unit) write(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	switch u {
	case duration:
		return seconds(v)
	case rate:
		return digits(v) + "/s"
	case share:
		return fmt.Sprintf("%.2f %%", 100*v)
	case excess:
		return fmt.Sprintf("%+.1e", v)
	case size:
		return digits(v) + " B"
	}
	return digits(v)
}

func seconds(v float64) string {
	for _, s := range []struct {
		of   float64
		name string
	}{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}} {
		if v >= s.of*(1-1e-9) {
			return digits(v/s.of) + " " + s.name
		}
	}
	return digits(v*1e9) + " ns"
}

// digits writes a positive number to three digits, thousands apart.
func digits(v float64) string {
	switch {
	case v >= 999.5:
		whole := fmt.Sprintf("%.0f", v)
		for i := len(whole) - 3; i > 0; i -= 3 {
			whole = whole[:i] + "," + whole[i:]
		}
		return whole
	case v >= 99.95:
		return fmt.Sprintf("%.0f", v)
	case v >= 9.995:
		return fmt.Sprintf("%.1f", v)
	case v >= .0995:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.2g", v)
}

// count writes a whole number, thousands apart.
func count(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return digits(float64(n))
}

// figure is what something else reaches where Fieldmark reaches a row's.
type figure struct {
	name    string
	value   float64
	least   bool   // a time is longer than this: it was stopped then
	note    string // "" or what to know about it
	missing string // why there is no value
}

// bound is what a row is to reach.
type bound struct {
	value float64
	peer  string // value is then how many times better than this one; "" is a value of the row's unit
}

// row is one line of the table.
type row struct {
	what   string
	unit   unit
	ours   float64
	note   string // "" or what to know about ours
	bounds []bound
	peers  []figure
}

// unmeasured is a row that lacks what it is compared with.
func (r row) unmeasured(why string) row {
	r.ours = math.NaN()
	r.peers = append(r.peers, figure{name: scikit, missing: why})
	return r
}

// ratio is how many times better ours is than v.
func (r row) ratio(v float64) float64 {
	if r.unit.less() {
		return v / r.ours
	}
	return r.ours / v
}

// peer is the figure of a name.
func (r row) peer(name string) (figure, bool) {
	for _, p := range r.peers {
		if p.name == name {
			return p, p.missing == ""
		}
	}
	return figure{}, false
}

// goal is a bound in words.
func (r row) goal(b bound) string {
	if b.peer != "" {
		return fmt.Sprintf("≥ %s× %s", count(int(b.value)), b.peer)
	}
	sign := "≥ "
	if r.unit.less() {
		sign = "≤ "
	}
	return sign + r.unit.write(b.value)
}

// verdict says whether a bound is met, and if not, by how much it is missed.
func (r row) verdict(b bound) string {
	reached, wanted, less := r.ours, b.value, r.unit.less()
	stopped := false
	if b.peer != "" {
		p, there := r.peer(b.peer)
		if !there {
			return "not compared"
		}
		reached, less, stopped = r.ratio(p.value), false, p.least
	}
	switch {
	case stopped && reached < wanted:
		return "not compared: stopped"
	case math.IsNaN(reached):
		return "not measured"
	case less && reached <= wanted, !less && reached >= wanted:
		return "met"
	case r.unit == share && b.peer == "":
		return fmt.Sprintf("missed by %.2f points", 100*(wanted-reached))
	case less:
		return fmt.Sprintf("missed: %.2f× the goal", reached/wanted)
	}
	return fmt.Sprintf("missed: %.2f of the goal", reached/wanted)
}

// beside is a peer's figure in words, with how many times better ours is.
func (r row) beside(p figure) string {
	if p.missing != "" {
		return fmt.Sprintf("%s: missing (%s)", p.name, p.missing)
	}
	than := ""
	if p.least {
		than = "> "
	}
	text := fmt.Sprintf("%s %s%s", p.name, than, r.unit.write(p.value))
	if r.unit != share && r.unit != excess {
		text += fmt.Sprintf(" (%s%s×)", than, digits(r.ratio(p.value)))
	}
	if p.note != "" {
		text += ", " + p.note
	}
	return text
}

// took is a time as a figure.
func took(d time.Duration) float64 { return d.Seconds() }
