package projection

import (
	"context"
	"fmt"
	"math"
)

// Constants of the descent: those of the reference implementations, with the
// learning rate n/exaggeration of Belkina et al. ("Automated optimized parameters
// for t-SNE", Nature Communications 10, 2019).
const (
	exaggeration     = 12.0
	exaggerated      = 0.5 // share of the iterations, from nothing
	startSpread      = 1e-4
	earlyMomentum    = 0.5
	lateMomentum     = 0.8
	leastGain        = 0.01
	leastRate        = 50.0
	farthestInOneGo  = 5.0
	gradientConstant = 4.0
)

// Layout places rows [n][D], all of one length and none zero. From a start, which
// says where each row is or would be placed, the layout is relaxed rather than made
// anew, so that what was read off it stays true. Without one, or from one on a line,
// which no descent leaves, it begins at the plane of the principal components. ctx ends
// it with an error.
func Layout(ctx context.Context, rows [][]float32, start []Point, p Params) ([]Point, error) {
	n := len(rows)
	if len(start) != 0 && len(start) != n {
		return nil, fmt.Errorf("projection: a start of %d points for %d rows", len(start), n)
	}
	if n < 4 {
		return line(n), nil
	}
	if flat(start) {
		start = nil
	}
	p = p.withDefaults(n, len(start) > 0)
	joint, err := affinities(ctx, rows, p.Perplexity)
	if err != nil {
		return nil, err
	}
	d := descent{joint: joint, at: append([]Point(nil), start...), step: make([]Point, n), gain: make([]Point, n), force: make([]Point, n)}
	early := 0
	if len(start) == 0 {
		d.at, early = spread(principal(rows, p.Seed)), int(exaggerated*float64(p.Iterations))
	}
	for i := range d.gain {
		d.gain[i] = Point{1, 1}
	}
	rate := max(leastRate, float64(n)/exaggeration)
	for i := range p.Iterations {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if i < early {
			d.iterate(exaggeration, earlyMomentum, rate)
		} else {
			d.iterate(1, lateMomentum, rate)
		}
	}
	return d.at, nil
}

// line is a layout of too few rows to have neighbourhoods.
func line(n int) []Point {
	out := make([]Point, n)
	for i := range out {
		out[i].X = float64(i)
	}
	return out
}

// flat reports whether points lie on a line, as those of line do and what is placed
// among them: the forces between them are along it. Of the eigenvalues λ ≥ μ of their
// covariance, μ/λ is nothing: it is between det/trace² and four times that.
func flat(at []Point) bool {
	var mean Point
	for _, p := range at {
		mean.X, mean.Y = mean.X+p.X/float64(len(at)), mean.Y+p.Y/float64(len(at))
	}
	var xx, xy, yy float64
	for _, p := range at {
		dx, dy := p.X-mean.X, p.Y-mean.Y
		xx, xy, yy = xx+dx*dx, xy+dx*dy, yy+dy*dy
	}
	const nothing = 1e-9
	return xx*yy-xy*xy <= nothing*(xx+yy)*(xx+yy)
}

// spread scales a start so that its first axis has the standard deviation
// startSpread. Rows that coincide are told apart by a hair, in their order.
func spread(at []Point) []Point {
	var square float64
	for _, p := range at {
		square += p.X * p.X
	}
	scale := startSpread
	if deviation := math.Sqrt(square / float64(len(at))); deviation > 0 {
		scale /= deviation
	}
	for i := range at {
		hair := startSpread * 1e-3 * float64(i) / float64(len(at))
		at[i] = Point{at[i].X*scale + hair, at[i].Y*scale - hair}
	}
	return at
}

// descent is gradient descent with momentum and gains on the Kullback-Leibler
// divergence between p_ij and q_ij ∝ 1/(1 + |y_i − y_j|²).
type descent struct {
	joint                 [][]link
	at, step, gain, force []Point
}

// iterate goes one step along ∂C/∂y_i = 4 Σ_j (e·p_ij − q_ij) w_ij (y_i − y_j),
// w_ij = 1/(1 + |y_i − y_j|²), q_ij = w_ij / Σ w (van der Maaten and Hinton, eq. 5).
func (d *descent) iterate(exaggerate, momentum, rate float64) {
	z := d.repel()
	for i, links := range d.joint {
		f := Point{-d.force[i].X / z, -d.force[i].Y / z}
		for _, l := range links {
			dx, dy := d.at[i].X-d.at[l.to].X, d.at[i].Y-d.at[l.to].Y
			a := exaggerate * l.p / (1 + dx*dx + dy*dy)
			f.X, f.Y = f.X+a*dx, f.Y+a*dy
		}
		d.force[i] = Point{gradientConstant * f.X, gradientConstant * f.Y}
	}
	var mean Point
	for i, f := range d.force {
		d.gain[i].X, d.step[i].X = descend(d.gain[i].X, d.step[i].X, f.X, momentum, rate)
		d.gain[i].Y, d.step[i].Y = descend(d.gain[i].Y, d.step[i].Y, f.Y, momentum, rate)
		d.at[i].X, d.at[i].Y = d.at[i].X+d.step[i].X, d.at[i].Y+d.step[i].Y
		mean.X, mean.Y = mean.X+d.at[i].X, mean.Y+d.at[i].Y
	}
	n := float64(len(d.at))
	for i := range d.at {
		d.at[i].X, d.at[i].Y = d.at[i].X-mean.X/n, d.at[i].Y-mean.Y/n
	}
}

// repel sums w_ij² (y_i − y_j) into force, and returns Σ w over all i ≠ j.
func (d *descent) repel() (z float64) {
	clear(d.force)
	for i, a := range d.at {
		var fx, fy float64
		for j := i + 1; j < len(d.at); j++ {
			dx, dy := a.X-d.at[j].X, a.Y-d.at[j].Y
			w := 1 / (1 + dx*dx + dy*dy)
			z += 2 * w
			w *= w
			fx, fy = fx+w*dx, fy+w*dy
			d.force[j].X, d.force[j].Y = d.force[j].X-w*dx, d.force[j].Y-w*dy
		}
		d.force[i].X, d.force[i].Y = d.force[i].X+fx, d.force[i].Y+fy
	}
	return z
}

// descend is the delta-bar-delta rule: a gain grows while the gradient keeps its
// sign and shrinks when it turns.
func descend(gain, step, gradient, momentum, rate float64) (nextGain, nextStep float64) {
	if (gradient > 0) != (step > 0) {
		gain += 0.2
	} else {
		gain = max(leastGain, gain*0.8)
	}
	step = momentum*step - rate*gain*gradient
	return gain, max(-farthestInOneGo, min(farthestInOneGo, step))
}
