package probe

import (
	"context"

	"fieldmark/internal/vec"
)

// hessianSize bounds the exemplars × dimensions, and the exemplars × labels, that a
// hessian keeps: 64 MiB for each of three matrices.
const hessianSize = 1 << 24

// hessian multiplies by the second derivatives of f at some θ: with u_i = V x_i + v_b′,
//
//	H·(V, v_b′) = (V, 0) + C Σ_i (p_i ∘ (u_i − p_iᵀu_i)) [x_i; 1]ᵀ
//
// in single precision. It keeps what such products have in common, so that one costs
// two matrix products and little else. Of very many exemplars it takes
// representatives.
type hessian struct {
	*evaluator[float32] // of these
	blocks              []curved
	sums                []curvedSum // stripes'
}

// curved is a block of m exemplars.
type curved struct {
	across, along []float32 // in panels of exemplars, and of dimensions
	p             []float32 // K × ldz, their probabilities, times how many exemplars each stands for
	each          []float32 // m, 1 / that
}

// curvedSum is a stripe's share of a sum over exemplars.
type curvedSum struct {
	w []float32 // kp × ldg
	b []float64 // K
}

// hessian is that at θ, where doubt is 1 − p of every exemplar's own label.
func (p *problem) hessian(ctx context.Context, theta []float64, doubt []float32) (*hessian, error) {
	ids, stands := representatives(doubt, max(blockRows, hessianSize/max(p.d, p.k)))
	part := *p
	part.rows, part.y = make([][]float32, len(ids)), make([]int32, len(ids))
	for i, id := range ids {
		part.rows[i], part.y[i] = p.rows[id], p.y[id]
	}
	h := &hessian{evaluator: newEvaluator[float32](&part), blocks: make([]curved, (len(ids)+blockRows-1)/blockRows)}
	h.sums = make([]curvedSum, min(stripes, len(h.blocks)))
	for i := range h.sums {
		h.sums[i] = curvedSum{make([]float32, h.kp*h.ldg), make([]float64, h.k)}
	}
	h.load(theta)
	parallel(len(h.scratch), len(h.blocks), func(worker, block int) {
		if ctx.Err() == nil {
			from := block * blockRows
			h.blocks[block] = h.keep(&h.scratch[worker], from, theta[h.k*h.d:], stands[from:min(len(ids), from+blockRows)])
		}
	})
	return h, ctx.Err()
}

// keep is the block of exemplars from ≤ i < from+len(stands).
func (h *hessian) keep(s *scratch[float32], from int, b []float64, stands []float32) curved {
	m := len(stands)
	h.logits(s, from, m, b)
	h.residuals(s, from, m)
	for i, y := range h.y[from : from+m] {
		s.z[int(y)*ldz+i]++ // the residual's probability
	}
	c := curved{across: s.across, along: vec.Panels(nil, s.x, m, h.d, h.ldw), p: make([]float32, h.k*ldz), each: make([]float32, m)}
	s.across = nil // it is the block's now
	for k := range h.k {
		row := c.p[k*ldz : k*ldz+m]
		copy(row, s.z[k*ldz:])
		vec.MulInto(row, stands)
	}
	for i, n := range stands {
		c.each[i] = 1 / n
	}
	return c
}

// sum adds up over all blocks what add says of each.
func (h *hessian) sum(ctx context.Context, add func(s *scratch[float32], sum *curvedSum, block int)) error {
	parallel(len(h.scratch), len(h.sums), func(worker, stripe int) {
		sum := &h.sums[stripe]
		clear(sum.w)
		clear(sum.b)
		for block := stripe; block < len(h.blocks) && ctx.Err() == nil; block += len(h.sums) {
			add(&h.scratch[worker], sum, block)
		}
	})
	return ctx.Err()
}

// total adds the stripes' shares of a sum to out.
func (h *hessian) total(out []float64) {
	for _, sum := range h.sums {
		for k := range h.k {
			vec.Axpy(1, sum.w[k*h.ldg:k*h.ldg+h.d], out[k*h.d:(k+1)*h.d])
			out[h.k*h.d+k] += sum.b[k]
		}
	}
}

// mul sets out to H·v. It looks at ctx between blocks.
func (h *hessian) mul(ctx context.Context, v, out []float64) error {
	kd := h.k * h.d
	h.load(v)
	err := h.sum(ctx, func(s *scratch[float32], sum *curvedSum, block int) { h.product(s, sum, &h.blocks[block], v[kd:]) })
	if err != nil {
		return err
	}
	clear(out)
	h.total(out)
	vec.Scale(h.c, out)
	vec.AxpyFloat64(1, v[:kd], out[:kd])
	return nil
}

// product adds a block's share of a product to sum.
func (h *hessian) product(s *scratch[float32], sum *curvedSum, c *curved, b []float64) {
	m := len(c.each)
	h.bias(s.z, b)
	vec.MulAdd(h.kp, h.d, m, h.w, h.ldw, c.across, s.z, ldz)
	mean := s.sums[:m] // pᵀu of each
	clear(mean)
	for k := range h.k {
		vec.AddProduct(c.p[k*ldz:k*ldz+m], s.z[k*ldz:k*ldz+m], mean)
	}
	vec.MulInto(mean, c.each)
	for k := range h.k {
		row := s.z[k*ldz : k*ldz+m]
		vec.AddScaled(-1, mean, row)
		vec.MulInto(row, c.p[k*ldz:k*ldz+m])
		sum.b[k] += sumOf(row)
	}
	vec.MulAdd(h.kp, m, h.d, s.z, ldz, c.along, sum.w, h.ldg)
}
