// Package eval measures: it compares the pure core with reference results that
// an independent program computed (Parity, Partitions), and runs the experiments
// by which a fusion rule is judged: what lessons do (Lesson), what they cost
// elsewhere (Forgetting), what the rule near follows and costs (NearTrial, Crowd),
// and every rule on a reference pack (Qualities). Student is the memory that they
// teach and ask. ECE, Wilson, MeanSD, Running and Reliability form the figures, and
// ThresholdRule finds the confidence from which answers are right often enough.
//
// It reads files through an io/fs file system that its caller opens, and
// prints nothing.
package eval
