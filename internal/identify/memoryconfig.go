package identify

import (
	"context"
	"fmt"
	"io"

	"fieldmark/internal/nearest"
)

// MemoryConfig says how the memory is kept. The zero value keeps embeddings as
// they are given and no snapshots, and chooses the index by the memory's size.
type MemoryConfig struct {
	Format nearest.Format // of the exemplars' embeddings
	Index  IndexKind      // "" means IndexAuto
	// Other makes an index to be used in the graph's place, however few exemplars
	// there are; nil is none.
	Other     func() OtherIndex
	Snapshots Snapshots // nil: the log is folded at every start
}

// IndexKind names a way to find the nearest exemplars.
type IndexKind string

// The ways to find the nearest exemplars.
const (
	IndexAuto  IndexKind = "auto"  // exact for as long as that is fast enough, then HNSW
	IndexExact IndexKind = "exact" // compares with every exemplar
	IndexHNSW  IndexKind = "hnsw"  // a graph, however few exemplars there are
)

// OtherIndex is an approximate index that is extended in the background. Of may be
// called and its result searched while one goroutine extends.
type OtherIndex interface {
	Len() int                            // vectors taken in
	Extend(v *nearest.Vectors, to int)   // takes in those of v before number to
	Of(v *nearest.Vectors) nearest.Index // of v, which it was extended by, or a version of that
}

// ParseIndexKind reads the name of an index.
func ParseIndexKind(name string) (IndexKind, error) {
	switch k := IndexKind(name); k {
	case IndexAuto, IndexExact, IndexHNSW:
		return k, nil
	}
	return "", fmt.Errorf("there is no index %q; there are %s, %s and %s", name, IndexAuto, IndexExact, IndexHNSW)
}

// Snapshots keeps what it takes to start without folding the whole log, by name.
type Snapshots interface {
	// Save replaces the snapshot of a name by what write writes, once all of that
	// is durable. On any error the former one stays.
	Save(ctx context.Context, name string, write func(w io.Writer) error) error
	// Load lets read read the snapshot of a name to its end. errors.Is
	// fs.ErrNotExist if there is none. Another error means that something is wrong
	// with it, whatever read made of it.
	Load(ctx context.Context, name string, read func(r io.Reader) error) error
}
