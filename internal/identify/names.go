package identify

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
)

// names holds text embeddings: t_y of every taxon that was asked for, and of
// the free texts asked for lately. Rows are unit vectors and never change.
type names struct {
	embedder Embedder
	kinds    []string // which names of a taxon the encoder reads
	taxa     rows[TaxonID]
	texts    rows[string]
}

// maxTexts bounds the free texts that are remembered: 4 MB at 512 numbers each.
const maxTexts = 2000

func newNames(e Embedder) *names {
	return &names{embedder: e, kinds: e.Info().Names,
		taxa: rows[TaxonID]{limit: 0}, texts: rows[string]{limit: maxTexts}}
}

// ofTaxa returns one row for each taxon, embedding those that are new. A
// taxon's row is made of its scientific and English names.
func (n *names) ofTaxa(ctx context.Context, list []Taxon) ([][]float32, error) {
	keys := make([]TaxonID, len(list))
	for i, t := range list {
		keys[i] = t.ID
	}
	return n.taxa.get(ctx, n.embedder, keys, func(i int) []string { return n.namesOf(list[i]) })
}

// ofTexts returns one row for each text as it stands.
func (n *names) ofTexts(ctx context.Context, list []string) ([][]float32, error) {
	return n.texts.get(ctx, n.embedder, list, func(i int) []string { return list[i : i+1] })
}

// namesOf lists the names of a taxon that the encoder reads, or the ones it has.
func (n *names) namesOf(t Taxon) []string {
	var list []string
	if t.ScientificName != "" && slices.Contains(n.kinds, "scientific") {
		list = append(list, t.ScientificName)
	}
	if t.EnglishName != "" && slices.Contains(n.kinds, "english") {
		list = append(list, t.EnglishName)
	}
	if len(list) == 0 {
		list = append(list, cmp.Or(t.ScientificName, t.EnglishName))
	}
	return list
}

// rows remembers embeddings by key. The oldest are forgotten beyond limit,
// none if that is 0.
type rows[K comparable] struct {
	limit int

	mu        sync.Mutex
	known     map[K][]float32
	oldest    []K
	forgotten int // how often forget was called: what was asked before may be out of date
}

// get returns the row of each key; namesOf(i) are the names of the i-th.
func (r *rows[K]) get(ctx context.Context, e Embedder, keys []K, namesOf func(i int) []string) ([][]float32, error) {
	found := make([][]float32, len(keys))
	var missing []int
	var ask [][]string
	r.mu.Lock()
	forgotten := r.forgotten
	for i, k := range keys {
		if found[i] = r.known[k]; found[i] == nil {
			missing, ask = append(missing, i), append(ask, namesOf(i))
		}
	}
	r.mu.Unlock()
	if len(ask) == 0 {
		return found, nil
	}
	// The lock is not held meanwhile, so that nobody waits for names that they
	// did not ask for. Two callers may embed the same name, to the same row.
	made, err := e.EmbedNames(ctx, ask)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for j, i := range missing {
		if found[i] = made[j]; forgotten == r.forgotten {
			r.put(keys[i], made[j])
		}
	}
	return found, nil
}

// know gives a key the row that it has, unless it has one.
func (r *rows[K]) know(key K, row []float32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.put(key, row)
}

// all returns what is remembered now.
func (r *rows[K]) all() map[K][]float32 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.known)
}

// forget drops the row of a key: it is embedded anew when it is next asked for.
func (r *rows[K]) forget(key K) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.known, key)
	r.forgotten++
}

func (r *rows[K]) put(key K, row []float32) {
	if r.known == nil {
		r.known = map[K][]float32{}
	}
	if _, is := r.known[key]; is {
		return
	}
	r.known[key] = row
	if r.limit == 0 {
		return
	}
	if r.oldest = append(r.oldest, key); len(r.oldest) > r.limit {
		delete(r.known, r.oldest[0])
		r.oldest = r.oldest[1:]
	}
}
