package eval

import (
	"math"

	"fieldmark/internal/probe"
)

// Candidates is a candidate set Y over labels that are numbered from 0, laid out as
// fusion wants it: the rows of texts are the candidates, then all other labels.
type Candidates struct {
	Labels []int       // Y, each label once
	Texts  [][]float32 // unit text embeddings: of Labels, then of the other labels, ascending
	Row    []int       // of each label, its row of Texts
}

// Among lays out the candidates of a question, in their order; one that is given twice
// counts once. texts are the unit text embeddings of all labels.
func Among(texts [][]float32, candidates []int) *Candidates {
	c := &Candidates{Row: make([]int, len(texts))}
	for y := range c.Row {
		c.Row[y] = -1
	}
	for _, y := range candidates {
		if c.Row[y] < 0 {
			c.Row[y] = len(c.Labels)
			c.Labels = append(c.Labels, y)
			c.Texts = append(c.Texts, texts[y])
		}
	}
	for y, r := range c.Row {
		if r < 0 {
			c.Row[y] = len(c.Texts)
			c.Texts = append(c.Texts, texts[y])
		}
	}
	return c
}

// LogProb is what a distribution over labels gives to each candidate, as natural
// logarithms: -Inf to those that it does not know, and nothing renormalised.
func (c *Candidates) LogProb(d probe.Distribution) []float64 {
	out := make([]float64, len(c.Labels))
	for i := range out {
		out[i] = math.Inf(-1)
	}
	for i, y := range d.Labels {
		if r := c.Row[y]; r < len(out) {
			out[r] = d.LogP[i]
		}
	}
	return out
}
