package identify

import (
	"context"
	"time"
)

// SensitiveTaxon is one whose places, and those of its descendants, are exported
// no more exactly than Generalise has them.
type SensitiveTaxon struct {
	Taxon   TaxonID
	Label   string // Taxon.Label at the time of reading
	Name    string // scientific
	AddedBy string
	AddedAt time.Time
}

// SensitiveStore keeps the list of sensitive taxa. One method is one
// transaction, durable when it returns.
type SensitiveStore interface {
	// SensitiveTaxa lists them by name.
	SensitiveTaxa(ctx context.Context) ([]SensitiveTaxon, error)
	// AddSensitiveTaxon adds one; one that is there already stays as it is.
	AddSensitiveTaxon(ctx context.Context, t TaxonID, by UserID, at time.Time) error
	// RemoveSensitiveTaxon takes one out; KindOf NotFound if it is not there.
	RemoveSensitiveTaxon(ctx context.Context, t TaxonID) error
}

// SensitiveTaxa lists the taxa whose places are generalised. It takes a curator.
func (s *Service) SensitiveTaxa(ctx context.Context, u User) ([]SensitiveTaxon, error) {
	if err := allow(u, Curator, "see which taxa are sensitive"); err != nil {
		return nil, err
	}
	return s.Store.SensitiveTaxa(ctx)
}

// AddSensitiveTaxon adds a taxon with all below it. It takes a curator.
func (s *Service) AddSensitiveTaxon(ctx context.Context, u User, t TaxonID) error {
	if err := allow(u, Curator, "say which taxa are sensitive"); err != nil {
		return err
	}
	return s.Store.AddSensitiveTaxon(ctx, t, u.ID, s.Now())
}

// RemoveSensitiveTaxon takes a taxon out of the list. It takes a curator.
func (s *Service) RemoveSensitiveTaxon(ctx context.Context, u User, t TaxonID) error {
	if err := allow(u, Curator, "say which taxa are sensitive"); err != nil {
		return err
	}
	return s.Store.RemoveSensitiveTaxon(ctx, t)
}
