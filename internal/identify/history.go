package identify

import (
	"context"
	"time"
)

// HistoryKind says what somebody did.
type HistoryKind string

// What the audit trail tells of. Features that keep their own record add theirs.
const (
	DidTeach          HistoryKind = "taught"
	DidTeachHeld      HistoryKind = "held" // taught while in quarantine
	DidWithdraw       HistoryKind = "withdrawn"
	DidImport         HistoryKind = "imported"
	DidTakeBack       HistoryKind = "import taken back"
	DidQuarantine     HistoryKind = "quarantined"
	DidRelease        HistoryKind = "released"
	DidRemove         HistoryKind = "removed"
	DidEdit           HistoryKind = "edited"
	DidLetIn          HistoryKind = "let in"
	DidLetBackIn      HistoryKind = "let back in" // a guest, by a new code
	DidChangeRole     HistoryKind = "role changed"
	DidShutOut        HistoryKind = "access ended"
	DidMakeLabelSet   HistoryKind = "label set made"
	DidChangeLabelSet HistoryKind = "label set changed"
	DidDeleteLabelSet HistoryKind = "label set deleted"
	DidKeepDoubt      HistoryKind = "doubt settled"
	DidMarkSensitive  HistoryKind = "marked sensitive"
	DidStartWorkshop  HistoryKind = "workshop started"
	DidExtendWorkshop HistoryKind = "workshop extended"
	DidEndWorkshop    HistoryKind = "workshop ended"
	DidChangeTaxon    HistoryKind = "name changed"
	DidTakeChecklist  HistoryKind = "checklist imported"
	DidMergeTaxa      HistoryKind = "names merged"
	DidUnmergeTaxa    HistoryKind = "merge undone"
)

// HistoryKinds lists the kinds in the order in which they are offered.
func HistoryKinds() []HistoryKind {
	return []HistoryKind{DidTeach, DidTeachHeld, DidWithdraw, DidImport, DidTakeBack, DidQuarantine, DidRelease, DidRemove, DidEdit,
		DidMakeLabelSet, DidChangeLabelSet, DidDeleteLabelSet, DidKeepDoubt, DidMarkSensitive, DidChangeTaxon, DidTakeChecklist, DidMergeTaxa, DidUnmergeTaxa, DidLetIn, DidLetBackIn, DidChangeRole, DidShutOut, DidStartWorkshop, DidExtendWorkshop, DidEndWorkshop}
}

// HistoryEntry is one thing that somebody did. What was done to many lessons at once
// (an import, a quarantine) is one entry.
type HistoryEntry struct {
	At          time.Time
	User        UserID // who did it; 0 where that is not recorded
	UserName    string
	Kind        HistoryKind
	Subject     string        // what it was done to: a name
	Taxon       TaxonID       // whose name Subject is; 0: it is no taxon's
	Detail      Notice        // more, zero nothing
	Observation ObservationID // it is about; 0 none
	Cursor      string        // older entries follow it
}

// HistoryFilter narrows the audit trail. Zero values do not filter.
type HistoryFilter struct {
	User     UserID // who did it
	Kind     HistoryKind
	From, To *time.Time // From included, To excluded
	Before   string     // cursor of the last entry seen
	Limit    int        // 1 to 200; 0 means 50
}

// HistoryStore reads the audit trail.
type HistoryStore interface {
	// History lists what was done, newest first. More says that there is older.
	History(ctx context.Context, f HistoryFilter) (list []HistoryEntry, more bool, err error)
	// Doers lists everyone who ever had access, by name.
	Doers(ctx context.Context) ([]User, error)
}

// History lists what people did, newest first. It takes a curator.
func (s *Service) History(ctx context.Context, u User, f HistoryFilter) (list []HistoryEntry, more bool, err error) {
	if err := allow(u, Curator, "read the history"); err != nil {
		return nil, false, err
	}
	if f.Limit == 0 {
		f.Limit = 50
	}
	if f.Limit < 1 || f.Limit > maxPage {
		return nil, false, Errorf(Invalid, "limit", "Ask for 1 to %d entries at a time.", maxPage)
	}
	return s.Store.History(ctx, f)
}

// Doers lists everyone who may have done something. It takes a curator.
func (s *Service) Doers(ctx context.Context, u User) ([]User, error) {
	if err := allow(u, Curator, "read the history"); err != nil {
		return nil, err
	}
	return s.Store.Doers(ctx)
}
