package probe

import (
	"cmp"
	"math"
	"slices"

	"fieldmark/internal/vec"
)

// sweep settles the newest lessons and, in turns, those near to them.
func (e *stroke) sweep(fresh int) {
	first := len(e.lessons) - fresh
	var near []int
	for i := first; i < len(e.lessons) && i < first+looking; i++ {
		near = append(near, e.nearest(i, first)...)
	}
	slices.Sort(near)
	near = slices.Compact(near)
	turns := rounds
	if fresh > many {
		turns = 1
	}
	for range turns {
		for i := first; i < len(e.lessons); i++ {
			e.settle(i)
		}
		if len(near) == 0 && fresh <= 1 {
			return
		}
		for _, i := range near {
			e.settle(i)
		}
	}
}

// nearest lists the nearLessons of the former lessons, those before the first fresh
// one, which lesson i bears upon most: by the kernel of a class of mean curvature,
// less what it has of the means m_k.
func (e *stroke) nearest(i, first int) []int {
	c := e.curve
	mean := float32(0)
	for _, s := range c.s {
		mean += s / float32(len(c.s))
	}
	probe := make([]float32, c.d)
	for d, l := range c.lambda {
		probe[d] = e.lessons[i].y[d] / (1 + float32(c.c)*mean*l)
	}
	ids := make([]int, first)
	bears := make([]float64, first)
	for j := range ids {
		ids[j], bears[j] = j, math.Abs(float64(vec.Dot(probe, e.lessons[j].y)))
	}
	slices.SortStableFunc(ids, func(a, b int) int { return cmp.Compare(bears[b], bears[a]) })
	return ids[:min(first, nearLessons)]
}

// settle makes lesson i's dual variables what they must be, all else being as it
// is.
func (e *stroke) settle(i int) {
	l := e.lessons[i]
	z, own := e.logitsOf(l)
	if own < 0 {
		return
	}
	c := e.curve.c
	moving, rest := e.moving(l, z, own)
	at, influence, p := make([]float64, len(moving)), make([]float64, len(moving)), make([]float64, len(moving))
	mine := 0
	for j, m := range moving {
		at[j], influence[j] = z[m.class]-m.alpha*m.kernel, c*m.kernel
		if m.class == own {
			mine = j
		}
	}
	settle(at, influence, mine, rest, p)
	for j, m := range moving {
		alpha := -c * p[j]
		if j == mine {
			alpha += c
		}
		if m.kernel == 0 || math.Abs(alpha-m.alpha) < negligible*c {
			continue
		}
		e.move(l.y, m.class, alpha-m.alpha)
		moving[j].alpha = alpha
	}
	next := *l
	next.duals = slices.DeleteFunc(moving, func(m dual) bool { return m.kernel == 0 })
	e.lessons[i] = &next
}

// moving lists the classes whose dual variables for a lesson are worth a change,
// given its logits z, and its own class in any case. rest is log Σ exp of the
// logits of all others.
func (e *stroke) moving(l *lesson, z []float64, own int) (moving []dual, rest float64) {
	lse := vec.LogSumExp(z)
	former := l.duals
	others := 0.0
	for k, v := range z {
		p := math.Exp(v - lse)
		var d dual
		if len(former) > 0 && former[0].class == k {
			d, former = former[0], former[1:]
		} else if k != own && p < negligible || k >= len(l.logits) && k != own {
			others += p
			continue
		}
		d.class = k
		if d.kernel == 0 && k < len(l.logits) && !e.single() {
			d.kernel = e.kernel(l.y, k)
		}
		moving = append(moving, d)
	}
	return moving, lse + math.Log(others)
}
