package main

import (
	"cmp"
	"flag"
	"fmt"

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
	fs.StringVar(&c.Index, "index", string(identify.IndexAuto), "how the nearest exemplars are found: exact, hnsw, or auto: exact while they are few")
	fs.StringVar(&c.Precision, "precision", defaultPrecision, "of the exemplars' embeddings in memory: half or single; on disk they are single")
}

// memory checks what those flags say, and opens the data folder's snapshots.
func (c *Config) memory() (identify.MemoryConfig, error) {
	m := identify.MemoryConfig{Snapshots: snapshotfile.Open(c.Data)}
	if c.Psi < 2 {
		return m, fmt.Errorf("%w: --psi must be at least 2", errUsage)
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
