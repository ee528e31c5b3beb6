// Package probe is the linear probe (LinProbe, and the classifier in every leaf
// of TreeProbe) of Zhu, Lyu, Xiao and Hoiem, "Continual Learning in
// Open-vocabulary Classification with Complementary Memory Systems" (TMLR
// 10/2024), Sec. 3.2: multinomial logistic regression on raw embeddings,
//
//	minimise  f(W, b) = ½‖W‖²_F + C · Σ_i −log softmax(W x_i + b)[y_i]
//
// with K classes, W [K×D], b [K] not penalised, C = 0.316 (DefaultC), in the
// softmax form for every K ≥ 2. f is strictly convex but for a constant added
// to all of b, which is fixed by mean(b) = 0: there is one optimum, and every
// way of getting there ends in the same classifier.
//
// Fit goes there from any starting point, stops when asked, and says how far it
// came:
//
//	m, report, err := probe.Fit(ctx, data, probe.Options{Workers: 2})                      // cold, to convergence
//	m, report, err = probe.Fit(ctx, more, probe.Options{Warm: m})                          // from there, with more data
//	p := m.Predict(x)                                                                      // a Distribution
//
// An Overlay follows single lessons from an optimum, without going over the data
// again, by a model of how f curves there (Curvature):
//
//	c, err := probe.Curve(ctx, m, data, probe.Options{Workers: 2})
//	o := probe.NewOverlay(m, c)
//	o = o.Learn([]probe.Exemplar{{ID: 7, X: x, Label: y}}, nil, labels, 2)
//	p = o.Model().Predict(x)
//
// Until there is an optimum, Begin makes a model and its Curvature for an Overlay
// to start from.
//
// doc/learning.md derives all three, and says what was measured.
package probe
