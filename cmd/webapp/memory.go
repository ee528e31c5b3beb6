package main

import (
	"cmp"
	"flag"
	"fmt"
	"sync/atomic"

	"fieldmark/internal/coderhnsw"
	"fieldmark/internal/identify"
	"fieldmark/internal/nearest"
	"fieldmark/internal/snapshotfile"
)

// defaultPrecision halves what a million exemplars take; doc/decisions.md says
// what that costs.
const defaultPrecision = "half"

// registerMemory adds the flags that say how the memory is kept, on which serve
// and verify must agree.
func (c *Config) registerMemory(fs *flag.FlagSet) {
	fs.IntVar(&c.Psi, "psi", defaultPsi, "most `exemplars` that a leaf takes before it splits")
	fs.StringVar(&c.Index, "index", string(identify.IndexAuto), "how the nearest exemplars are found: exact, hnsw, coder-hnsw (to compare with: it is often wrong), or auto: exact while they are few")
	fs.StringVar(&c.Precision, "precision", defaultPrecision, "of the exemplars' embeddings in memory: half or single; on disk they are single")
}

// memory checks what those flags say, and opens the data folder's snapshots.
func (c Config) memory() (identify.MemoryConfig, error) {
	m := identify.MemoryConfig{Snapshots: snapshotfile.Open(c.Data)}
	if c.Psi < 2 {
		return m, fmt.Errorf("%w: --psi must be at least 2", errUsage)
	}
	if c.Index == coderHNSW {
		m.Other = func() identify.OtherIndex { return &coderIndex{Index: coderhnsw.New(1, coderWidth)} }
		c.Index = ""
	}
	var err error
	if m.Index, err = identify.ParseIndexKind(cmp.Or(c.Index, string(identify.IndexAuto))); err != nil {
		return m, fmt.Errorf("%w: --index: %w", errUsage, err)
	}
	switch p := cmp.Or(c.Precision, defaultPrecision); p {
	case "half":
		m.Format = nearest.Half
	case "single":
		m.Format = nearest.Float32
	default:
		return m, fmt.Errorf("%w: --precision %q is neither half nor single", errUsage, p)
	}
	return m, nil
}

// coderHNSW is the --index that is there to compare with.
const (
	coderHNSW  = "coder-hnsw"
	coderWidth = 128 // candidates that a search keeps, as many as our own graph's
)

// coderIndex is a coderhnsw.Index that knows how far it has come.
type coderIndex struct {
	*coderhnsw.Index
	n atomic.Int64
}

// Len implements identify.OtherIndex.
func (x *coderIndex) Len() int { return int(x.n.Load()) }

// Extend implements identify.OtherIndex.
func (x *coderIndex) Extend(v *nearest.Vectors, to int) {
	x.Index.Extend(v, to)
	x.n.Store(max(x.n.Load(), int64(min(to, v.Len()))))
}
