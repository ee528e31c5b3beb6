package identify

import (
	"context"
	"time"
)

// GalleryExemplar is an exemplar that stands, as it is shown.
type GalleryExemplar struct {
	Identification IdentificationID
	Observation    ObservationID
	Taxon          TaxonID
	Label          string // Taxon.Label
	Scientific     string
	Teacher        UserID
	TeacherName    string
	TaughtAt       time.Time
	HasPhoto       bool // false: its embedding was imported without a photo
	Width, Height  int  // of the photo, in pixels
}

// GalleryFilter narrows the exemplars of the gallery. Zero values do not filter.
type GalleryFilter struct {
	Taxon   TaxonID          // this taxon or any of its descendants
	Teacher UserID           // taught by this person
	Photo   string           // "" all, "with", "without"
	Before  IdentificationID // cursor: only those taught earlier; 0 from the newest
	Limit   int              // 1 to 200; 0 means 48
}

// KeptDoubt is an exemplar that was in doubt and that somebody found right.
type KeptDoubt struct {
	Identification IdentificationID
	Observation    ObservationID // as it is read; KeepDoubt knows
	Taxon          TaxonID       // likewise
	Label          string        // its Taxon.Label
	User           UserID
	UserName       string
	At             time.Time
	Evidence       []string // what spoke against it; see DoubtReason.Evidence
}

// GalleryStore is what the gallery, the doubts and the map are read from.
type GalleryStore interface {
	// GalleryPage lists the exemplars that stand and match, the last taught first.
	GalleryPage(ctx context.Context, f GalleryFilter) (list []GalleryExemplar, more bool, err error)
	// GalleryExemplars describes identifications that stand, in the order given;
	// those that do not are left out.
	GalleryExemplars(ctx context.Context, ids []IdentificationID) ([]GalleryExemplar, error)
	// GalleryPhotos lists for each taxon the observations of the exemplars last
	// taught that have a photo, at most each of them.
	GalleryPhotos(ctx context.Context, taxa []TaxonID, each int) (map[TaxonID][]ObservationID, error)
	// Photoless lists the observations whose embedding alone was imported.
	Photoless(ctx context.Context) ([]ObservationID, error)

	// KeptDoubts lists what was found right and still stands.
	KeptDoubts(ctx context.Context) ([]KeptDoubt, error)
	// KeepDoubt notes that an exemplar was found right, instead of an earlier note.
	KeepDoubt(ctx context.Context, k KeptDoubt) error
	// ForgetKept takes such a note back; NotFound if there is none.
	ForgetKept(ctx context.Context, id IdentificationID) error
	// Rename withdraws an identification and teaches another name for its
	// observation in one transaction. Where the same user teaches that name already,
	// it only withdraws. The last event's Seq is returned, and the identification
	// that has the new name.
	Rename(ctx context.Context, wrong IdentificationID, n NewIdentification) (Identification, Seq, error)
}
