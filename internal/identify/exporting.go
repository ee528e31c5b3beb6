package identify

import "context"

// Exemplars are the exemplars that stand, as they can be exported: in the order
// in which they were taught, so that whoever learns them in that order ends with
// the same memory.
type Exemplars struct {
	Encoder EncoderInfo
	Refs    []ExemplarRef
	Labels  []string // Taxon.Label, one for each of Refs
	store   Store
}

// ExemplarsOf lists the exemplars of an encoder whose observations match. What
// is taught or withdrawn afterwards changes nothing about them.
func ExemplarsOf(ctx context.Context, st Store, info EncoderInfo, f ObservationFilter) (*Exemplars, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	taxa, err := st.Taxa(ctx)
	if err != nil {
		return nil, err
	}
	label := make(map[TaxonID]string, len(taxa))
	for _, t := range taxa {
		label[t.ID] = t.Label()
	}
	refs, err := st.Exemplars(ctx, info.Digest, f)
	if err != nil {
		return nil, err
	}
	e := &Exemplars{Encoder: info, Refs: refs, Labels: make([]string, len(refs)), store: st}
	for i, x := range refs {
		e.Labels[i] = label[x.Taxon]
	}
	return e, nil
}

// Exemplars is ExemplarsOf for the encoder that serves. It takes a curator.
func (s *Service) Exemplars(ctx context.Context, u User, f ObservationFilter) (*Exemplars, error) {
	if err := allow(u, Curator, "export"); err != nil {
		return nil, err
	}
	return ExemplarsOf(ctx, s.Store, s.serving().info, f)
}

// exemplarPage is how many vectors are read at once.
const exemplarPage = 500

// Vectors visits the raw vector of each of Refs in order until visit returns an
// error, and returns that.
func (e *Exemplars) Vectors(ctx context.Context, visit func([]float32) error) error {
	for from := 0; from < len(e.Refs); from += exemplarPage {
		page := e.Refs[from:min(from+exemplarPage, len(e.Refs))]
		seqs := make([]Seq, len(page))
		for i, x := range page {
			seqs[i] = x.Seq
		}
		vectors, err := e.store.Vectors(ctx, e.Encoder.Digest, seqs)
		if err != nil {
			return err
		}
		for _, v := range vectors {
			if err := visit(v); err != nil {
				return err
			}
		}
	}
	return nil
}
