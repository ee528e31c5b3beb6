package protocol

// sums are of the rows of one pass.
type sums struct {
	rows                       int
	exemplars, train, answer   float64
	targetAsked, zeroShotAsked int
	sum                        map[string]float64
	n                          map[string]int
}

func newSums() *sums { return &sums{sum: map[string]float64{}, n: map[string]int{}} }

func (s *sums) add(r Row) {
	s.rows++
	s.exemplars += float64(r.Exemplars)
	s.train += r.Cost.Place + r.Cost.Stroke + r.Cost.Train
	s.answer += r.Cost.Answer
	count := func(name string, v float64) { s.sum[name] += v; s.n[name]++ }
	for _, c := range r.Scores {
		if c.ZeroShot {
			s.zeroShotAsked += c.Asked
			count("zero-shot", c.Top1())
		} else {
			s.targetAsked += c.Asked
			count("target", c.Top1())
			count("ece", c.ECE)
		}
		for _, g := range c.Groups {
			count(groupPrefix+g.Name, float64(g.Right)/float64(g.Asked))
		}
	}
}

func (s *sums) means() map[string]float64 {
	out := map[string]float64{}
	for name, n := range s.n {
		out[name] = s.sum[name] / float64(n)
	}
	if s.n["target"] > 0 && s.n["zero-shot"] > 0 {
		out["both"] = (out["target"] + out["zero-shot"]) / 2
	}
	return out
}
