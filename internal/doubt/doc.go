// Package doubt finds the exemplars of a memory that are likeliest to be named
// wrong, each with what speaks against it. It judges nothing: whoever looks at the
// photo does.
//
//	lists := doubt.NewLists(doubt.Params{})
//	err := lists.Update(ctx, memory, ids, true)       // the nearest others of each; only what changed is sought anew
//	found, err := doubt.Find(ctx, memory, lists)      // likeliest mistakes first
//
// Three things speak against a name.
//
// Disagreement. What the memory would say of the exemplar's photo without it is
//
//	p̄(y) = ½ p_near(y) + ½ p_leaf(y)
//
// with p_near the votes of its nearest others, the exemplar and its photo left out,
// each with the weight exp(Sharpness·(cos_j − cos_1)): leave-one-out to the letter. A
// name of n exemplars is asked of at most 2(n−1)+1 neighbours, since it has but n−1
// votes to win with; one that stands alone can be outvoted by everybody and so is
// not asked. p_leaf is the probability by the classifier of the leaf, which was
// trained on the exemplar too: to leave it out of each in turn would take a fit for
// each. So p_leaf errs towards the name given, the more so the fewer exemplars there
// are, and a name that its own classifier does not believe is suspect all the more.
// Therefore the margin max_{y≠ŷ} p̄(y) − p̄(ŷ) ranks, and an exemplar is in doubt if
// that is above 0 or if its neighbours alone outvote its name, which finds what the
// classifier of a small leaf has learned by heart. (A first-order correction of the
// logits by C·|x|²·(1 − p), after Jaakkola and Haussler, "Probabilistic kernel
// regression models", AISTATS 1999, was tried: it finds as many and ranks them
// worse.) The margin is the measure "normalized margin" of Northcutt, Jiang and
// Chuang, "Confident Learning: Estimating Uncertainty in Dataset Labels" (JAIR 70,
// 2021). Names of which one includes the other (a genus and its species) do not
// disagree. testdata/planted.golden has what this finds of 5 % wrong names among real
// embeddings, beside neighbours alone.
//
// Duplicates. Two photos of cosine Twin or more, or one and the same photo, under
// names that disagree: one of them is wrong. It is told of the one that p̄ believes
// less.
//
// Outliers. The distance 1 − cos to the nearest other of the same name is far above
// that name's median: a modified z-score above 3.5 (Iglewicz and Hoaglin, "How to
// Detect and Handle Outliers", 1993), for names of at least five exemplars.
package doubt
