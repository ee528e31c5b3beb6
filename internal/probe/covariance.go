package probe

import (
	"fmt"

	"fieldmark/internal/vec"

	"gonum.org/v1/gonum/mat"
)

// spread lists up to n exemplars, evenly spread.
func (p *problem) spread(n int) []int {
	ids := make([]int, min(n, len(p.rows)))
	for i := range ids {
		ids[i] = i * len(p.rows) / len(ids)
	}
	return ids
}

// covariance is Σ = (Σ_i v_i x_i x_iᵀ − Σ_k s_k m_k m_kᵀ) / Σ_i v_i over some of the
// exemplars, centred; the m_k are those of all.
func (p *problem) covariance(w doubts) *mat.SymDense {
	ids := p.spread(covarianceRows * p.d)
	sum := p.moments(ids, w.v)
	var total, seen float64
	for _, id := range ids {
		seen += float64(w.v[id])
	}
	for _, s := range w.s {
		total += s
	}
	if seen == 0 {
		return sum
	}
	for k, s := range w.s {
		sum.SymRankOne(sum, -s*seen/total, mat.NewVecDense(p.d, w.m[k*p.d:(k+1)*p.d]))
	}
	sum.ScaleSym(1/seen, sum)
	return sum
}

// moments is Σ_i v_i x_i x_iᵀ over some centred exemplars.
func (p *problem) moments(ids []int, v []float32) *mat.SymDense {
	var (
		lanes  = vec.Lanes[float32]()
		ldc    = (p.d + lanes - 1) / lanes * lanes
		groups = (p.d + vec.RowGroup - 1) / vec.RowGroup
		x      = make([]float32, blockRows*p.d)
		across = make([]float32, groups*vec.RowGroup*ldz) // D × m, weighted
		block  = make([]float32, groups*vec.RowGroup*ldc)
		sum    = mat.NewSymDense(p.d, nil)
		panels []float32
	)
	for from := 0; from < len(ids); from += blockRows {
		m := min(blockRows, len(ids)-from)
		for i := range m {
			row := x[i*p.d : (i+1)*p.d]
			vec.SubInto(row, p.rows[ids[from+i]], p.mean)
			weight := v[ids[from+i]]
			for d, value := range row {
				across[d*ldz+i] = weight * value
			}
		}
		panels = vec.Panels(panels, x, m, p.d, p.d)
		clear(block)
		parallel(p.workers, groups, func(_, g int) {
			lo := g * vec.RowGroup
			vec.MulAdd(vec.RowGroup, m, p.d, across[lo*ldz:], ldz, panels, block[lo*ldc:(lo+vec.RowGroup)*ldc], ldc)
		})
		for i := range p.d {
			for j := i; j < p.d; j++ {
				sum.SetSym(i, j, sum.At(i, j)+float64(block[i*ldc+j]))
			}
		}
	}
	return sum
}

// decompose sets basis and lambda.
func (c *Curvature) decompose(covariance *mat.SymDense) error {
	var e mat.EigenSym
	if !e.Factorize(covariance, true) {
		return fmt.Errorf("probe: the covariance of %d dimensions has no eigenvectors", c.d)
	}
	c.lambda = make([]float32, c.d)
	for i, l := range e.Values(nil) {
		c.lambda[i] = float32(max(0, l)) // less than 0 by rounding or by the sample alone
	}
	var v mat.Dense
	e.VectorsTo(&v)
	c.basis = make([]float32, c.d*c.d)
	for i := range c.d {
		for j := range c.d {
			c.basis[j*c.d+i] = float32(v.At(i, j))
		}
	}
	return nil
}

// within is the covariance of exemplars about the means of their classes, from
// some of them.
func (p *problem) within(means []float32) *mat.SymDense {
	ids := p.spread(covarianceRows * p.d)
	q := &problem{rows: make([][]float32, len(ids)), mean: make([]float32, p.d), d: p.d, workers: p.workers}
	all, weights := make([]int, len(ids)), make([]float32, len(ids))
	for i, id := range ids {
		k, row := int(p.y[id]), make([]float32, p.d)
		vec.SubInto(row, p.rows[id], p.mean)
		vec.AddScaled(-1, means[k*p.d:(k+1)*p.d], row)
		q.rows[i], all[i], weights[i] = row, i, 1/float32(len(ids))
	}
	return q.moments(all, weights)
}
