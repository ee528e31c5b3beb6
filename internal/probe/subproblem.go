package probe

import "math"

// settle solves the optimality condition of one exemplar of class y: p such that
//
//	p = softmax(z),  z_k = z⁰_k + c_k (δ_ky − p_k)
//
// given the logits z⁰ [K] without its own influence, and its influence c_k ≥ 0 on
// its own logits: C times the kernel of class k. There are further classes that it
// has no influence on; rest is log Σ exp of their logits, −Inf if there are none.
// The solution is one, the p of a strictly convex problem. p [K] is written over.
//
// With t = log Σ exp z, each p_k is the root of log p + c_k p = z⁰_k + c_k δ_ky − t,
// which decreases in t; t is where they add up to 1 (as in Keerthi, Sundararajan,
// Chang, Hsieh and Lin, KDD 2008, and Yu, Huang and Lin, Machine Learning 85,
// 2011, for the ordinary dual).
func settle(z, c []float64, y int, rest float64, p []float64) {
	top, lo := rest, rest
	for k, v := range z {
		p[k] = v
		if k == y {
			p[k] += c[k]
		}
		top, lo = max(top, p[k]), max(lo, p[k]-c[k])
	}
	// At t = log Σ exp(z⁰ + cδ) the sum is at most 1: t is at most that. Where the
	// greatest p alone is 1, it is at least 1.
	sum := math.Exp(rest - top)
	for _, a := range p {
		sum += math.Exp(a - top)
	}
	hi := top + math.Log(sum)
	t := hi
	for range 50 {
		total := math.Exp(rest - t)
		slope := total
		for k, a := range p {
			q := root(a-t, c[k])
			total += q
			slope += q / (1 + c[k]*q)
		}
		if math.Abs(total-1) < 1e-8 {
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

// root is the q > 0 with log q + c·q = v, for c ≥ 0, to about nine digits.
func root(v, c float64) float64 {
	if c == 0 || v < -40 {
		return math.Exp(v)
	}
	u := v // u = log q: u + c·eᵘ = v. The left side is convex and rises.
	if log := math.Log(c); v+log > 1 {
		u = math.Log(v+log) - log
	}
	q := math.Exp(u)
	for range 30 {
		step := (v - u - c*q) / (1 + c*q)
		u += step
		if math.Abs(step) < 1e-5 {
			return q * (1 + step + step*step/2)
		}
		q = math.Exp(u)
	}
	return q
}
