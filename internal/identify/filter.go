package identify

import "time"

// ObservationFilter narrows a list of observations. Zero values do not filter.
type ObservationFilter struct {
	Taxon    TaxonID    // this taxon or any of its descendants, by the current identification
	LabelSet LabelSetID // the current identification is one of its taxa
	Status   string     // "" all, "unidentified", "identified"
	Observer UserID
	Disputed bool       // only those that people disagree about (Community)
	From, To *time.Time // of ObservedAt, From included, To excluded
	Import   ImportID   // came with this import
	Photo    PhotoHash  // of this photo
	Query    string     // part of a name of the current or the first suggested taxon, or of the notes
	License  string     // as it is written, or NoLicense
	Box      *Box
	Near     *Circle
	Said     IdentificationFilter // one of its identifications matches
	Viewer   *User                // whose list it is: places that are not shown to them exactly count as they are shown; nil: as they are
	Before   ObservationID        // cursor: only older ones (smaller ids); 0 from the newest
	Limit    int                  // 1 to 200; 0 means 50
}

// NoLicense, as ObservationFilter.License, finds what comes without one.
const NoLicense = "none"

// The states of IdentificationFilter.
const (
	StateStanding  = "standing"
	StateWithdrawn = "withdrawn"
)

// IdentificationFilter narrows identifications. Zero values do not filter.
type IdentificationFilter struct {
	By       UserID
	From, To *time.Time // of CreatedAt, From included, To excluded
	State    string     // "" all, StateStanding, StateWithdrawn
}

// Matches reports whether the filter lets an identification through.
func (f IdentificationFilter) Matches(i Identification) bool {
	switch {
	case f.By != 0 && i.User != f.By,
		f.From != nil && i.CreatedAt.Before(*f.From),
		f.To != nil && !i.CreatedAt.Before(*f.To),
		f.State == StateStanding && i.Withdrawn(),
		f.State == StateWithdrawn && !i.Withdrawn():
		return false
	}
	return true
}

// IsZero reports whether the filter lets everything through.
func (f IdentificationFilter) IsZero() bool { return f == IdentificationFilter{} }

// maxPage is the most observations that are listed at once.
const maxPage = 200

// check fills in the default of Limit and refuses what means nothing.
func (f *ObservationFilter) check() error {
	if f.Limit == 0 {
		f.Limit = 50
	}
	if f.Limit < 1 || f.Limit > maxPage {
		return Errorf(Invalid, "limit", "Ask for 1 to %d observations at a time.", maxPage)
	}
	switch f.Status {
	case "", "identified", "unidentified":
	default:
		return Errorf(Invalid, "status", "Status is \"identified\" or \"unidentified\", or left out for all.")
	}
	switch f.Said.State {
	case "", StateStanding, StateWithdrawn:
	default:
		return Errorf(Invalid, "state", "State is %q or %q, or left out for all.", StateStanding, StateWithdrawn)
	}
	for _, span := range []struct {
		field    string
		from, to *time.Time
	}{{"to", f.From, f.To}, {"taught_to", f.Said.From, f.Said.To}} {
		if span.from != nil && span.to != nil && !span.from.Before(*span.to) {
			return Errorf(Invalid, span.field, "The last day is before the first. Swap them.")
		}
	}
	if err := f.Box.check(); err != nil {
		return err
	}
	return f.Near.check()
}
