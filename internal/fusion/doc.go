// Package fusion consolidates what the frozen encoder says of an image
// (zero-shot, METHOD section 2) with what the exemplar memory says of it
// (section 3) into one probability over the candidate labels (sections 4, 7).
//
// Source: Zhu, Lyu, Xiao, Hoiem, "Continual Learning in Open-vocabulary
// Classification with Complementary Memory Systems", TMLR 10/2024 ("the paper").
//
// # Use
//
//	s, err := fusion.NewScorer(fusion.Query{…})    // cos(v, t) of every candidate
//	e, err := s.Tree(logProb)                      // or s.KNN, s.Probe; nil: no exemplars
//	r, err := s.Fuse(fusion.AIMEmb, e)             // any number of rules, one after another
//
// # Labels
//
// A label is a row of Query.Texts. The first Query.Candidates rows are Y, the
// candidate labels of the request; rows after them are labels outside Y that
// exemplars carry: they can get no probability, yet they pull the exemplar
// embedding v_e (section 4). The package knows no names, no taxa and no tree.
//
// # Near
//
// AIM cannot show a correction (one exemplar among many moves a classifier by
// almost nothing) nor learn a name that the text tower does not know (p_z ≈ 0
// gives P_in ≈ 0). The rule Near (METHOD section 7) adds what the exemplars say
// that lie near to v, by themselves:
//
//	r = σ(a(s₁ - s₀))        trust in the neighbourhood; s₁ = cos of the nearest exemplar
//	w = softmax_j 100·s_j    vote of the k nearest
//	p = Σ_{j: y_j ∈ Y} r·w_j·1[y_j] + (1 - Σ_{j: y_j ∈ Y} r·w_j)·p_AIM
//
// It follows that a vote for a label outside Y pulls nothing and leaves its
// share to p_AIM; that one vector taught under two names shares r between them,
// by the number of times each was taught; that a withdrawn exemplar, being no
// neighbour any more, leaves the answer exactly as it was; and that the number
// of exemplars in the memory does not enter. r is the encoder's: s₀ lies above
// the cosines that photos of different things reach, below those of a copy or a
// crop of the same photo. Exemplars that are one photo in several views must
// come as one Neighbour, with the cosine of the best view.
//
// Refinements were measured on photos of 179 bird species and left out. Adding
// the lead of the nearest label over the next to s₁ finds no more copies and
// crops, and costs species without exemplars 3 to 8 points where their names are
// among the candidates. A gate on the ratio (1-s₁)/(1-s_k), which hardly depends
// on how many exemplars there are, loses as many crops as it spares strangers.
// One vote for each label instead of each exemplar changes nothing, and lets one
// dissenter outweigh a majority.
//
// # Guarantee
//
// Every vector of probabilities has one entry for each candidate, is finite and
// sums to 1 within 1e-5, for any finite image vector (zero, denormal and huge
// ones included) and any unit text rows. What is not finite, or no unit row, is
// an error, never a wrong number. Logarithms are natural. A sum of probabilities
// is formed in float64, and every product of them in log space.
package fusion
