package identify

import (
	"context"
	"time"
)

// ExportRequest says what is to be exported.
type ExportRequest struct {
	Filter      ObservationFilter
	ExactPlaces bool // those of sensitive taxa, too
	Originals   bool // photos leave as they came, with all that their files say
	Own         bool // it goes to whom it is about: e-mail addresses stay in what they wrote
}

// ExportSummary says how much matches a filter.
type ExportSummary struct {
	Observations    int
	Identifications int
	Exemplars       int       // identifications that stand and have an embedding under the encoder that serves
	Photos          int       // files
	PhotoBytes      int64     // of these
	Sensitive       int       // observations that are Sensitive
	Dim             int       // length of an embedding
	Licenses        []string  // of the observations, in order; "" is none
	Seq             Seq       // last event of the log
	Changed         time.Time // when that was; zero if the log is empty
}

// ExportChoices are what there is to filter by.
type ExportChoices struct {
	People   []User   // who has identified, by name
	Licenses []string // without ""
}

// ExportStore reads what is exported. One method is one transaction.
type ExportStore interface {
	// Selection lists the ids of all observations that match, newest first.
	// Before and Limit do not count.
	Selection(ctx context.Context, f ObservationFilter) ([]ObservationID, error)
	// ObservationsByID returns those of ids that there are, newest first.
	ObservationsByID(ctx context.Context, ids []ObservationID) ([]Observation, error)
	// ExportSummary counts what matches; Exemplars are those of the encoder.
	ExportSummary(ctx context.Context, encoder string, f ObservationFilter) (ExportSummary, error)
	ExportChoices(ctx context.Context) (ExportChoices, error)
	// TaughtBySeq returns Taught events with their vectors under the encoder, in
	// the order of their numbers, which must ascend.
	TaughtBySeq(ctx context.Context, encoder string, seqs []Seq) ([]Event, error)
	// Instance is the UUID of this Fieldmark, made once.
	Instance(ctx context.Context) (string, error)
	SensitiveStore
}

// ExportReader is what an export reads of a Store.
type ExportReader interface {
	ExportStore
	Taxa(ctx context.Context) ([]Taxon, error)
	Exemplars(ctx context.Context, encoder string, f ObservationFilter) ([]ExemplarRef, error)
	Vectors(ctx context.Context, encoder string, seqs []Seq) ([][]float32, error)
}

// Export is what matched a request when it was made: which observations it has
// does not change afterwards. It may be read as often as a format needs it.
type Export struct {
	Instance string // UUID of this Fieldmark
	ExportSummary
	Request ExportRequest

	store     ExportReader
	photos    PhotoFiles
	taxa      *taxonomy
	selection []ObservationID
	encoder   EncoderInfo
}

// Export selects what is to be exported, with exemplars of the encoder that
// serves. It takes a curator.
func (s *Service) Export(ctx context.Context, u User, r ExportRequest) (*Export, error) {
	if err := allow(u, Curator, "export"); err != nil {
		return nil, err
	}
	return NewExport(ctx, s.Store, s.Photos, s.serving().info, r)
}

// NewExport is Service.Export of a data folder that need not be served.
func NewExport(ctx context.Context, st ExportReader, photos PhotoFiles, encoder EncoderInfo, r ExportRequest) (*Export, error) {
	if err := r.Filter.check(); err != nil {
		return nil, err
	}
	taxa, err := st.Taxa(ctx)
	if err != nil {
		return nil, err
	}
	e := &Export{Request: r, store: st, photos: photos, taxa: newTaxonomy(taxa), encoder: encoder}
	if e.ExportSummary, err = st.ExportSummary(ctx, encoder.Digest, r.Filter); err != nil {
		return nil, err
	}
	e.Dim = encoder.Dim
	if e.Instance, err = st.Instance(ctx); err != nil {
		return nil, err
	}
	e.selection, err = st.Selection(ctx, r.Filter)
	return e, err
}

// ExportChoices lists what an export can be narrowed to. It takes a curator.
func (s *Service) ExportChoices(ctx context.Context, u User) (ExportChoices, error) {
	if err := allow(u, Curator, "export"); err != nil {
		return ExportChoices{}, err
	}
	c, err := s.Store.ExportChoices(ctx)
	for i := range c.People {
		c.People[i].Name = nameOf(c.People[i].Name, c.People[i].ID)
	}
	return c, err
}

// ExportSummary says how much an export would have. It takes a curator.
func (s *Service) ExportSummary(ctx context.Context, u User, f ObservationFilter) (ExportSummary, error) {
	if err := allow(u, Curator, "export"); err != nil {
		return ExportSummary{}, err
	}
	return SummaryOf(ctx, s.Store, s.serving().info, f)
}

// SummaryOf is Service.ExportSummary of a store that need not be served.
func SummaryOf(ctx context.Context, st ExportReader, encoder EncoderInfo, f ObservationFilter) (ExportSummary, error) {
	if err := f.check(); err != nil {
		return ExportSummary{}, err
	}
	summary, err := st.ExportSummary(ctx, encoder.Digest, f)
	summary.Dim = encoder.Dim
	return summary, err
}

// exportPage is how many observations are read at once.
const exportPage = 500

// Each visits the observations, newest first, until visit returns an error, and
// returns that. It holds one page of them.
func (e *Export) Each(ctx context.Context, visit func(Record) error) error {
	for from := 0; from < len(e.selection); from += exportPage {
		page := e.selection[from:min(from+exportPage, len(e.selection))]
		list, err := e.store.ObservationsByID(ctx, page)
		if err != nil {
			return err
		}
		for _, o := range list {
			if err := visit(e.record(o)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Taxon is that of an id, its names without e-mail addresses; the zero Taxon if
// there is none.
func (e *Export) Taxon(id TaxonID) Taxon {
	t, _ := e.taxa.taxon(id)
	t.ScientificName, t.EnglishName = WithoutAddresses(t.ScientificName), WithoutAddresses(t.EnglishName)
	return t
}

// Lineage lists the taxa above a taxon, nearest first.
func (e *Export) Lineage(id TaxonID) []Taxon { return e.taxa.ancestors(id) }
