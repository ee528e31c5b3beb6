package probe

import "math"

// settle solves the optimality condition of one exemplar of class y: p such that
//
//	p = softmax(z),  z_k = z⁰_k + c_k (δ_ky − p_k)
//
// given the logits z⁰ [K] without its own influence, and its influence c_k ≥ 0 on
// its own logits: C times the kernel of class k. The solution is one, the p of a
// strictly convex problem. p [K] is written over.
//
// With t = log Σ exp z, each p_k is the root of log p + c_k p = z⁰_k + c_k δ_ky − t,
// which decreases in t; t is where they add up to 1 (as in Keerthi, Sundararajan,
// Chang, Hsieh and Lin, KDD 2008, and Yu, Huang and Lin, Machine Learning 85,
// 2011, for the ordinary dual).
func settle(z, c []float64, y int, p []float64) {
	top := math.Inf(-1)
	for k, v := range z {
		p[k] = v
		if k == y {
			p[k] += c[k]
		}
		top = max(top, p[k])
	}
	// At t = log Σ exp a, for a = z⁰ + cδ, the sum is at most 1: t is at most that.
	// At the t where the greatest p alone is 1 it is at least 1.
	sum := 0.0
	lo := math.Inf(-1)
	for k, a := range p {
		sum += math.Exp(a - top)
		lo = max(lo, a-c[k])
	}
	hi := top + math.Log(sum)
	t := hi
	for range 50 {
		total, slope := 0.0, 0.0
		for k, a := range p {
			q := root(a-t, c[k])
			total += q
			slope += q / (1 + c[k]*q)
		}
		if math.Abs(total-1) < 1e-10 {
			break
		}
		if total > 1 {
			lo = max(lo, t)
		} else {
			hi = min(hi, t)
		}
		// Newton's step on log Σ p, which is nearly linear in t.
		next := t + math.Log(total)*total/slope
		if !(next > lo && next < hi) {
			next = (lo + hi) / 2
		}
		if next == t {
			break
		}
		t = next
	}
	for k, a := range p {
		p[k] = root(a-t, c[k])
	}
}

// root is the q > 0 with log q + c·q = v, for c ≥ 0.
func root(v, c float64) float64 {
	if c == 0 || v < -40 {
		return math.Exp(v)
	}
	u := v // u = log q: u + c·eᵘ = v. The left side is convex and rises.
	if v+math.Log(c) > 1 {
		u = math.Log(v+math.Log(c)) - math.Log(c)
	}
	for range 30 {
		e := c * math.Exp(u)
		step := (u + e - v) / (1 + e)
		u -= step
		if math.Abs(step) < 1e-12*(1+math.Abs(u)) {
			break
		}
	}
	return math.Exp(u)
}
