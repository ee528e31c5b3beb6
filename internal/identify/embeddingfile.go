package identify

// EmbeddingFile is a file of exemplars without photos: embeddings with their
// labels. It can be read as often as need be, a row at a time.
type EmbeddingFile interface {
	Rows() int       // N
	Dim() int        // D
	Encoder() string // digest of the encoder that made the embeddings; "" where the file does not say
	// Each visits every row in order until visit returns an error, and returns
	// that. A file that turns out to be damaged is an *Error of kind Invalid.
	Each(visit func(EmbeddingRow) error) error
}

// EmbeddingRow is one exemplar of a file.
type EmbeddingRow struct {
	Row       int       // from 0, as NumPy counts
	Embedding []float32 // raw [D]; valid until visit returns
	Label     string
	Taxon     TaxonID // 0 where the file gives none
	Ref       string  // which observation it is where it comes from; "" where the file does not say
	Problem   *Error  // why its text cannot be read, nil if it can
}
