package eval

import (
	"context"
	"math/rand/v2"

	"fieldmark/internal/fusion"
)

// NearTrial finds out what the rule Near gains and costs, and under which
// parameters. In each draw the classes are dealt out at random: some are taught
// under their own names, some under invented ones, the others not at all.
type NearTrial struct {
	Subject  Subject // Near is not read
	Classes  []Class
	Extra    []int // labels that are candidates besides those of the classes
	Invented []int // labels of names that mean nothing, for a fifth of the classes; none: no class gets one
	Taught   int   // photos of each taught class
	Grid     []fusion.NearParams
	Draws    int
}

// The kinds of photo that are asked, besides those of Copy.
const (
	OtherPhoto     = "another photo, taught"
	UntaughtPhoto  = "another photo, untaught"
	InventedPhoto  = "another photo, invented name"
	inventedPrefix = "invented name, "
)

// NearCount is how many photos of a kind each way of answering named right.
type NearCount struct {
	Kind                 string
	Asked                int
	ZeroShot, AIM, Bayes int
	Near                 []int // for each of Grid
}

// Run deals, teaches and asks Draws times.
func (n NearTrial) Run(ctx context.Context, rng *rand.Rand) ([]NearCount, error) {
	t := nearTally{at: map[string]int{}, grid: len(n.Grid)}
	for range n.Draws {
		taught, asked, candidates := n.deal(rng)
		s, err := NewStudent(n.Subject, 0)
		if err != nil {
			return nil, err
		}
		if err := s.Teach(ctx, taught...); err != nil {
			return nil, err
		}
		c := s.Among(candidates)
		for _, x := range asked {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err := t.ask(s, c, x, n.Grid); err != nil {
				return nil, err
			}
		}
	}
	return t.counts, nil
}

// nearAsked is an example of a kind.
type nearAsked struct {
	Example
	kind string
}

// deal draws what is taught and what is asked.
func (n NearTrial) deal(rng *rand.Rand) (taught []Example, asked []nearAsked, candidates []int) {
	candidates = append(candidates, n.Extra...)
	invented := min(len(n.Invented), len(n.Classes)/5)
	named := (len(n.Classes) - invented) / 2
	for i, at := range rng.Perm(len(n.Classes)) {
		c := n.Classes[at]
		candidates = append(candidates, c.Label)
		label, other, prefix := c.Label, OtherPhoto, ""
		switch {
		case i < invented:
			label, other, prefix = n.Invented[i], InventedPhoto, inventedPrefix
			candidates = append(candidates, label)
		case i >= invented+named:
			for _, p := range c.Photos {
				asked = append(asked, nearAsked{Example{Label: label, Vector: p.Vector}, UntaughtPhoto})
			}
			continue
		}
		for j, k := range rng.Perm(len(c.Photos)) {
			p := c.Photos[k]
			if j >= n.Taught {
				asked = append(asked, nearAsked{Example{Label: label, Vector: p.Vector}, other})
				continue
			}
			taught = append(taught, Example{Label: label, Vector: p.Vector, Views: p.Views})
			for _, v := range p.Copies {
				asked = append(asked, nearAsked{Example{Label: label, Vector: v.Vector}, prefix + v.Kind})
			}
		}
	}
	return taught, asked, candidates
}

// nearTally counts by kind, in the order in which kinds come up.
type nearTally struct {
	counts []NearCount
	at     map[string]int
	grid   int
}

func (t *nearTally) ask(s *Student, c *Candidates, x nearAsked, grid []fusion.NearParams) error {
	if _, ok := t.at[x.kind]; !ok {
		t.at[x.kind] = len(t.counts)
		t.counts = append(t.counts, NearCount{Kind: x.kind, Near: make([]int, t.grid)})
	}
	n := &t.counts[t.at[x.kind]]
	n.Asked++
	q, err := s.question(x.Vector, c)
	if err != nil {
		return err
	}
	first, err := q.answer([]fusion.Rule{fusion.ZeroShot, fusion.AIMEmb, fusion.Bayes}, fusion.NearParams{})
	if err != nil {
		return err
	}
	tick := func(count *int, a Answered) {
		if a.Label == x.Label {
			*count++
		}
	}
	tick(&n.ZeroShot, first[0])
	tick(&n.AIM, first[1])
	tick(&n.Bayes, first[2])
	for g, p := range grid {
		a, err := q.answer([]fusion.Rule{fusion.Near}, p)
		if err != nil {
			return err
		}
		tick(&n.Near[g], a[0])
	}
	return nil
}

// Choose returns the index of the parameters that name the most copies, and other
// photos of invented names, right among those that cost at most loss (a share, say
// .005) against AIM on other photos, of taught and of untaught classes alike; -1 if
// none is so gentle. Equals go to the first. grid is the number of parameters.
func Choose(counts []NearCount, grid int, loss float64) int {
	best, most := -1, -1
	for g := range grid {
		copies, gentle := 0, true
		for _, n := range counts {
			switch n.Kind {
			case OtherPhoto, UntaughtPhoto:
				gentle = gentle && float64(n.AIM-n.Near[g]) <= loss*float64(n.Asked)
			default:
				copies += n.Near[g]
			}
		}
		if gentle && copies > most {
			best, most = g, copies
		}
	}
	return best
}
