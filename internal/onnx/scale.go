package onnx

import (
	"math"
	"strings"
)

// LogitScale is τ of METHOD.md eq. 1 as far as the model says it: the factor by
// which its logits exceed a cosine, an output "logit_scale" (OpenCLIP gives one,
// its exponential taken), or the parameter of that name, which is learned as a
// logarithm. It returns false if the model says none of them.
func (m *Model) LogitScale() (float64, bool) {
	for _, out := range m.Outputs {
		if strings.Contains(out.Name, "logit_scale") {
			// What is below 10 may be a logarithm: no CLIP is trained so low.
			if tau, ok := m.constant(out.Name, 8); ok && tau >= 10 && plausible(tau) {
				return tau, true
			}
		}
		if strings.HasPrefix(out.Name, "logits") {
			if tau := m.factor(out.Name, 16); tau != 1 && plausible(tau) {
				return tau, true
			}
		}
	}
	for name, t := range m.constants {
		if strings.HasSuffix(name, "logit_scale") {
			if log, ok := t.number(); ok && plausible(math.Exp(log)) {
				return math.Exp(log), true
			}
		}
	}
	return 0, false
}

// plausible keeps what a temperature can be.
func plausible(tau float64) bool { return tau > 0 && tau <= 1e4 }

// factor follows a name back, at most some steps, through what keeps cosines
// apart from a factor and a summand, and multiplies the factors. It ends at the
// embeddings, which are quotients.
func (m *Model) factor(name string, steps int) float64 {
	i, ok := m.producers[name]
	if !ok || steps == 0 {
		return 1
	}
	n := &m.nodes[i]
	switch n.op {
	case "Transpose", "Identity", "Cast", "Reshape", "Squeeze":
		return m.factor(n.input(0), steps-1)
	case "MatMul", "Gemm":
		return m.factor(n.input(0), steps-1) * m.factor(n.input(1), steps-1)
	case "Mul", "Add":
		for side, other := range []int{1, 0} {
			if v, ok := m.constant(n.input(side), 8); ok {
				if n.op == "Add" {
					v = 1
				}
				return v * m.factor(n.input(other), steps-1)
			}
		}
	}
	return 1
}

// constant is the value of a name that is one number, whatever the input.
func (m *Model) constant(name string, steps int) (float64, bool) {
	if t, ok := m.constants[name]; ok {
		return t.number()
	}
	i, ok := m.producers[name]
	if !ok || steps == 0 {
		return 0, false
	}
	n := &m.nodes[i]
	switch n.op {
	case "Constant":
		if n.value != nil {
			return n.value.number()
		}
	case "Exp":
		v, ok := m.constant(n.input(0), steps-1)
		return math.Exp(v), ok
	case "Identity", "Cast", "Reshape", "Squeeze", "Unsqueeze", "Expand":
		return m.constant(n.input(0), steps-1)
	}
	return 0, false
}
