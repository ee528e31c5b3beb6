package identify

import (
	"context"
	"crypto/ed25519"
	"time"

	"fieldmark/internal/bundle"
)

// BundleKind is the Kind of an import that came with a bundle.
const BundleKind = "bundle"

// PhotoLessons is how often a photo was given one name here.
type PhotoLessons struct {
	Photo       PhotoHash
	Taxon       TaxonID
	Observation ObservationID // the latest of those
	Standing    int           // lessons that stand, or wait in quarantine
	TakenBack   int           // lessons that people withdrew, but for imports that were withdrawn as a whole
}

// NewMerge is what was decided about a bundle.
type NewMerge struct {
	From  bundle.Instance
	Key   ed25519.PublicKey
	Rows  int    // of the bundle
	Known int    // of those, here before
	Taken []byte // a byte for each row: 1 if it is taken
	Taxa  []MergedTaxon
}

// MergedTaxon says which taxon here a taxon of a bundle is. Exactly one of Taxon
// and Create is set.
type MergedTaxon struct {
	ID      int64 // within the bundle
	Taxon   TaxonID
	Create  *Taxon          // added as a local one; its ID is not set
	Origins []bundle.Origin // its numbers at other sites, to be remembered
}

// Merge is what was decided, once it is stored.
type Merge struct {
	From  bundle.Instance
	Key   ed25519.PublicKey
	Rows  int
	Known int
	Taken []byte
	Taxa  map[int64]TaxonID
}

// MergedExemplar is one row of a bundle as TeachMerged stores it.
type MergedExemplar struct {
	Photo  Photo  // its file, if it has one, must be kept already
	Seen   SeenBy // under the import's encoder; Views is nil where none are known
	Taxon  TaxonID
	Origin LessonOrigin
	Skip   bool // the row cannot be taken after all: it is only counted
	Details
}

// MergeStore keeps what came with bundles. One method is one transaction, durable
// when it returns.
type MergeStore interface {
	// PhotoLessons lists what some photos were named here.
	PhotoLessons(ctx context.Context, photos []PhotoHash) ([]PhotoLessons, error)
	// BeginMerge is BeginImport for a bundle; source.Total is how many rows are
	// taken.
	BeginMerge(ctx context.Context, source ImportSource, by UserID, n NewMerge, at time.Time) (Import, Merge, error)
	// Merge returns what was decided when an import began; KindOf NotFound if it
	// came with no bundle.
	Merge(ctx context.Context, id ImportID) (Merge, error)
	// TeachMerged is TeachImported for rows that are taken.
	TeachMerged(ctx context.Context, id ImportID, from int, rows []MergedExemplar, at time.Time) (Import, Seq, error)
}
