package identify

import "context"

// Exemplars are the exemplars that stand, as they can be exported: in the order
// in which they were taught, so that whoever learns them in that order ends with
// the same memory.
type Exemplars struct {
	Encoder EncoderInfo
	Refs    []ExemplarRef
	Labels  []string // Taxon.Label, one for each of Refs
	store   ExportReader
}

// ExemplarsOf lists the exemplars of an encoder whose observations match. What
// is taught or withdrawn afterwards changes nothing about them.
func ExemplarsOf(ctx context.Context, st ExportReader, info EncoderInfo, f ObservationFilter) (*Exemplars, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	if f.Said.State == StateWithdrawn {
		return nil, Errorf(Invalid, "state", "What was withdrawn is no exemplar any more. Leave the state out, or export CSV or a Darwin Core Archive.")
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

// Exemplars lists the exemplars of the export, in the order in which they were
// taught.
func (e *Export) Exemplars(ctx context.Context) (*Exemplars, error) {
	return ExemplarsOf(ctx, e.store, e.encoder, e.Request.Filter)
}

// Vectors visits the raw vector of each of Refs in order until visit returns an
// error, and returns that.
func (e *Exemplars) Vectors(ctx context.Context, visit func([]float32) error) error {
	return pages(e.Refs, func(seqs []Seq) ([][]float32, error) { return e.store.Vectors(ctx, e.Encoder.Digest, seqs) }, visit)
}

// Taught visits the event of each of Refs in order, with its vector, the taxon that it
// read as when the export began, and the name of who taught it without an e-mail
// address.
func (e *Exemplars) Taught(ctx context.Context, visit func(Event) error) error {
	read := func(seqs []Seq) ([]Event, error) { return e.store.TaughtBySeq(ctx, e.Encoder.Digest, seqs) }
	i := 0
	return pages(e.Refs, read, func(x Event) error {
		x.UserName, x.Taxon = nameOf(x.UserName, x.User), e.Refs[i].Taxon
		i++
		return visit(x)
	})
}
