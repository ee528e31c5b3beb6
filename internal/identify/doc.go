// Package identify is Fieldmark's domain: the nouns that people speak of
// (observation, taxon, identification, exemplar, label set) and the use cases
// over them (classify, observe, identify, withdraw).
//
// It owns the clock, the learner's queue and the order of events. The one idea
// that it keeps: the log is the memory. Every confirmed identification is an
// event, numbered by Seq; the exemplar memory is a deterministic fold of the
// events, and nothing else changes it.
//
// The interfaces that the use cases need (Embedder, Store, PhotoFiles) are
// declared here, where they are used, and implemented by internal/clip,
// internal/store and internal/photofile.
package identify
