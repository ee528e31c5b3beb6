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
// # Bayes, and AIM with it
//
// AIM replaces the image by v_e to the degree that p_z believes in labels that
// have exemplars, however little these are to be trusted: with one exemplar each
// of many species it forgets what the encoder knew (60 butterflies taught once
// each, photos of these and 30 others among 653 names: zero-shot names 47 %
// right, AIM 39 %, Bayes 55 %). The rule Bayes weighs what the exemplars say by
// how firmly they say it, as for two witnesses that are independent given the
// label:
//
//	p(y) ∝ p_z(y) · |Y_e| p_e(y)   for y in Y ∩ Y_e
//	p(y) ∝ p_z(y)                  for the other y in Y
//
// p_e is a posterior under a prior of 1/|Y_e|, by which it is divided; of labels
// without exemplars the memory says nothing. A hundredth of it is taken to be spread
// evenly over Y_e, here and below, so that a leaf that has not met a label cannot
// forbid it: |Y_e| p_e is .99·|Y_e| p_e + .01. A probe that few exemplars have
// trained is near 1/|Y_e| everywhere and changes little. With many exemplars AIM
// is the better by a point, and AIMBayes is both:
//
//	p = c·p_AIM + (1-c)·p_Bayes,   c = max p_e
//
// (reference pack, means over nine stages against aim-emb: target labels +2.2
// points, no stage lower; all labels +1.0, one stage lower by one query in 180).
//
// # Careful
//
// Both forget what was never taught. The witnesses are no two: the encoder's image
// speaks through both, and the exemplars are asked only which of the taught labels
// it resembles. A photo of an untaught species always resembles some taught one
// most, which |Y_e| p_e then multiplies by up to |Y_e|. What tells the two cases
// apart is zero-shot, asked twice: of the photo, and of the exemplar. Whoever taught
// v_j under y overruled what zero-shot had against y on v_j; a photo like v_j may
// overrule as much, and what zero-shot has against y beyond that counts in full, in
// nats. With y* zero-shot's first for v, and over the nearest exemplars v_j of y,
//
//	e(y) = min_j max(0, τ(cos(v,t*) - cos(v,t_y)) - τ(cos(v_j,t*) - cos(v_j,t_y)))
//	f(y) = log |Y_e| p_e(y)
//	g(y) = max(0, f - e)  where f > 0 and y has an exemplar among the nearest
//	       0              where f > 0 and it has none
//	       f              where f ≤ 0
//	c    = p_e(y′)·exp(-e′(y′))  where y′ = arg max p_e has an exemplar among the nearest
//	       p_e(y′)·P_in          where it has none
//	p(y) = c·p_AIM + (1 - c)·softmax(log p_z + g·1[y ∈ Y_e])
//
// e′ is e with zero-shot's first among the labels without exemplars for y*, 0 where all
// have some: between labels that it knows the probe is the better judge, of others it
// knows nothing. Where it is certain, and zero-shot has no more for what is untaught here
// than on the exemplars, AIM decides as before; elsewhere an exemplar must be like the
// photo in what zero-shot sees too. This needs no further constant and no exemplar
// but the nearest. doc/learning.md has what it gains and what else was tried.
//
// # Near
//
// None of these can show a correction (one exemplar among many moves a
// classifier by almost nothing) or learn a name that the text tower does not
// know (p_z ≈ 0). The rule Near (METHOD section 7) adds what the exemplars say
// that lie near to v, by themselves:
//
//	w = softmax_j 100·s_j                vote of the k nearest; s_j = cos(v, v_j)
//	ρ = (1 - s₁)/(1 - s_k)               nearest against farthest of them: |v̂-v̂₁|²/|v̂-v̂_k|²
//	q = σ(a(s₁ - s₀)) · σ(20(0.55 - ρ))  resemblance
//	o = max(0, o(v) - o(v₁)),  o(u) = τ(max cos(u,t) - cos(u,t_{y₁})), the maximum over Y
//	r = σ(log q/(1-q) + 1 - o/2)         trust in the vote
//	p = Σ_{j: y_j ∈ Y} r·w_j·1[y_j] + (1 - Σ_{j: y_j ∈ Y} r·w_j)·p_Careful
//
// The cosine alone is no evidence: among many exemplars something is always
// near. The ratio ρ (Lowe, "Distinctive Image Features from Scale-Invariant
// Keypoints", IJCV 2004, section 7.1, who asks the same of a match) of a photo of
// something else hardly depends on how many there are, while a copy or crop has
// its own photo much nearer than the rest. The same constants were found right
// for CLIP and for the built-in encoder. Where all neighbours are at one cosine, or
// there is only one, ρ says nothing and is left out.
//
// o is what zero-shot has against the nearest exemplar's label on the photo and had
// not on the exemplar, in nats. Of a copy it is near 0. Of other photos of the same
// species its median is 0, of strangers 2.3 (built-in encoder), whether or not the
// text tower knows the name: of one that it does not know, it objects to every photo
// alike. The first alone of Y, as in e, would not do here: it was chosen for v, and
// so stands higher on v than on v₁ by chance. Half of o counts, so that no crop of a
// photo that was taught under an invented name is lost.
//
// It follows that a vote for a label outside Y pulls nothing and leaves its
// share to p_Careful; and that a withdrawn exemplar, being no neighbour any more,
// leaves the answer exactly as it was.
//
// Someone who corrects a photo that was taught under a wrong name before expects
// the new name at once, though both exemplars are one vector. So the exemplars
// that are copies of the nearest one, as far as the cosine tells (s_j within
// 0.001 of an s₁ above 0.99, or the same s_j), pool their votes: the one taught
// last (Neighbour.Order) takes 60 % of them, the others 40 % in proportion. Where
// the order is not known, one vector taught under two names shares r between
// them, by the number of times each was taught.
//
// A crop of a taught photo may be no nearer to it than some other photo is. So
// exemplars may be remembered in several views, parts of the photo beside the whole
// (photo.Views): Query.Nearest then has each exemplar once, at the cosine of its
// best view that counts (nearest.Best). Among 10,000 photos, 500 of them taught with
// their views (built-in encoder), the rule follows 99.5 % of crops to 70 %, wherever
// they were cut and however sure the rest of the rule is of another name; 45 % without views.
//
// Measured and left out: the mix of METHOD section 7 as it stands (with a, s₀
// low enough to follow crops it names strangers after whoever is nearest, and
// with more exemplars more of them); ρ against the nearest exemplar of another
// label (no better, and needs another threshold as exemplars grow); one vote for
// each label instead of each exemplar (no better, and one dissenter outweighs a
// majority). The command evaluate near repeats the measurements of what stayed.
//
// # Guarantee
//
// Every vector of probabilities has one entry for each candidate, is finite and
// sums to 1 within 1e-5, for any finite image vector (zero, denormal and huge
// ones included) and any unit text rows. What is not finite, or no unit row, is
// an error, never a wrong number. Logarithms are natural. A sum of probabilities
// is formed in float64, and every product of them in log space.
package fusion
