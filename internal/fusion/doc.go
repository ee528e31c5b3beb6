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
// # Guarantee
//
// Every vector of probabilities has one entry for each candidate, is finite and
// sums to 1 within 1e-5, for any finite image vector (zero, denormal and huge
// ones included) and any unit text rows. What is not finite, or no unit row, is
// an error, never a wrong number. Logarithms are natural. A sum of probabilities
// is formed in float64, and every product of them in log space.
package fusion
