// Package adopt reads folders with encoders that others exported (Hugging
// Face's, OpenCLIP's, immich's, image towers with vectors of names) and makes
// encoders of them that package clip opens: a folder with a manifest.
//
// Everything is read: from the graphs themselves, from the configuration files
// beside them, or from what a person says in Options, which goes before the
// rest. What none of them says is asked for (Missing); nothing is guessed that
// would change an embedding.
//
// # Probabilities of encoders trained with a sigmoid
//
// SigLIP gives every label y a probability of its own, σ(z_y) with z_y = t·cos + b
// (Zhai et al., "Sigmoid Loss for Language Image Pre-Training", 2023). Candidate
// labels exclude each other: exactly one is right. Given that, and labels that
// are independent otherwise,
//
//	p(y) ∝ σ(z_y) Π_{j≠y} (1 - σ(z_j)) ∝ σ(z_y)/(1 - σ(z_y)) = exp(t·cos + b)
//
// which is the softmax of t·cos: b is the same for all and cancels. So such an
// encoder needs no scoring of its own: its logit scale is t, and METHOD.md eq. 1
// holds as it stands. What is lost with b is only how probable it is that none
// of the candidates is right, 1/(1 + Σ exp z_y), which Fieldmark doesn't ask.
package adopt
