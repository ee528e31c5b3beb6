// Package tree is TreeProbe, the exemplar memory of Zhu, Lyu, Xiao and Hoiem,
// "Continual Learning in Open-vocabulary Classification with Complementary
// Memory Systems" (TMLR 10/2024), Sec. 3.2 and Alg. 1–2: a binary clustering
// tree whose leaves hold exemplars and a linear probe (package probe) fitted on
// just those.
//
// A *Tree is one immutable version of the memory. Insert, Withdraw and
// WithProbe return the next version, which shares with the former all that did
// not change; readers of any version need no lock. Whoever owns the memory
// publishes the newest version through an atomic pointer:
//
//	t, err := tree.New(512, tree.Params{})
//	t, id, err := t.Insert(label, embedding)           // exemplars are numbered 0, 1, 2… in the order of insertion
//	t, err = t.Withdraw(id)
//	p, err := t.Predict(embedding, 9)                  // neighbours, their leaves, the ensemble's distribution
//	ns, err := t.Nearest(embedding, 9, keep)           // neighbours alone: KNN
//
// Where an exemplar lives follows from the order of insertions and withdrawals
// alone, bit for bit; Digest tells two trees apart. What a leaf predicts also
// depends on how far its probe has been fitted. A leaf whose members changed is
// stale: it goes on predicting with the probe that it has, and knows nothing of
// a label new to it, until it is fitted, outside the tree, and the result is
// put into whatever version is then the newest:
//
//	t, err = t.Stroke(ctx, []int{t.LeafOf(id)}, 2)                   // immediate stroke, of bounded cost
//	f, err := t.Fit(ctx, leaf, probe.Options{})                      // consolidating stroke, of each of t.Stale()
//	t, ok := t.WithProbe(f)
//
// A Fit need not be interrupted by what is taught meanwhile: WithProbe keeps the
// lessons since (package probe, Overlay; doc/learning.md).
//
// Many changes at once (a start-up, an import) go through an Edit, which copies
// nothing twice:
//
//	e := t.Edit(); e.Insert(…); e.Withdraw(…); t = e.Tree()
//
// A whole tree can be put down and taken up again, with its probes:
//
//	err := t.Write(w)
//	t, err := tree.Read(r, 512, tree.Params{})
package tree
