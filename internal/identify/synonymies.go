package identify

import (
	"context"
	"time"
)

// SynonymyID numbers the synonymies from 1.
type SynonymyID int64

// Synonymy says that a curator found two taxa to be one: the first is a synonym of the
// second from then on. Each lesson of the synonym, be it in quarantine, gets an event
// in the log that gives it the accepted taxon, so that whoever folds the log, here or
// from a backup, has the same memory; what the person said stays with the event by
// which they taught it (Identification.Given). What was withdrawn for good keeps its
// name.
//
// What else refers to the synonym is told apart by whether it is history. Names and the
// taxa below it move to the accepted one, and a note of which makes that reversible.
// Label sets keep what was put into them and read as the accepted taxon, since a newer
// vocabulary may put the synonym in again. Trials and past answers stay as they were.
//
// A lesson that is taught, while it stands, by any name of either is of the accepted
// taxon for good: when the synonymy is undone, only what it moved goes back.
type Synonymy struct {
	ID            SynonymyID
	Synonym       TaxonID
	SynonymLabel  string
	SynonymName   string // scientific
	Accepted      TaxonID
	AcceptedLabel string
	AcceptedName  string // scientific
	Lessons       int    // that were given the accepted name
	ByName        string
	At            time.Time
	Returned      int        // lessons that were given their name back
	UndoneBy      string     // name; "" while it stands
	UndoneAt      *time.Time // nil while it stands
	UnderWay      SynonymyStep
	// Pending is the event that the memory that serves had still to come to when this
	// was answered; 0 if it had. Only what was decided just now has it.
	Pending Seq
}

// SynonymyStep is what is under way of a synonymy of many lessons, which begins, and is
// undone, in stretches, between which others write. All along its lessons read as the
// accepted taxon: a merge says so first and then gives them that, undoing gives them their
// own back and says so last.
type SynonymyStep string

// The steps.
const (
	NothingUnderWay SynonymyStep = ""
	Merging         SynonymyStep = "merged"
	Undoing         SynonymyStep = "undone"
)

// SynonymyPreview says what would come of making a taxon a synonym of another.
type SynonymyPreview struct {
	Synonym, Accepted Taxon
	Lessons           int      // of the synonym, that stand
	Waiting           int      // of the synonym, in quarantine: they would come back as the accepted one's
	Known             int      // lessons of the accepted taxon
	Observations      int      // that go by the synonym
	Read              int      // photos that wait for a name and read, last, as the synonym
	Children          int      // taxa below the synonym
	Names             []string // that search would find the accepted taxon by, too
	Vernacular        []VernacularName
	Sets              []LabelSet // without their taxa, that the synonym is in
}

// SynonymyStore keeps synonymies. One method is one transaction, durable when it
// returns; changed are the taxa as they are then that anything was changed of, the Seq
// is that of the last event of the log.
type SynonymyStore interface {
	// PreviewSynonymy says what MergeTaxa would do, or why it would not.
	PreviewSynonymy(ctx context.Context, synonym, accepted TaxonID) (SynonymyPreview, error)
	// MergeTaxa makes a taxon a synonym of another, if MayMerge lets it. Of many lessons
	// it and UndoSynonymy move the first stretch alone: what they return is UnderWay until
	// GoOnSynonymy has moved the others. Another decision about names is a Conflict until
	// then.
	MergeTaxa(ctx context.Context, synonym, accepted TaxonID, by UserID, at time.Time) (y Synonymy, changed []Taxon, last Seq, err error)
	// UndoSynonymy takes that back, if Undoable lets it; KindOf NotFound if there is
	// none of that number.
	UndoSynonymy(ctx context.Context, id SynonymyID, by UserID, at time.Time) (y Synonymy, changed []Taxon, last Seq, err error)
	GoOnSynonymy(ctx context.Context, id SynonymyID) (y Synonymy, changed []Taxon, last Seq, err error)
	// SynonymiesUnderWay lists those that were broken off.
	SynonymiesUnderWay(ctx context.Context) ([]Synonymy, error)
	// Synonymies lists those about a taxon, on either side, or with 0 all, newest
	// first, those that were undone included.
	Synonymies(ctx context.Context, about TaxonID) ([]Synonymy, error)
}

// MayMerge says why a taxon cannot become a synonym of another, nil if it can; below
// tells that the other is below it.
//
// A taxon of the vocabulary does not become a synonym of one that was added here: its
// number means the same in every Fieldmark, and what is taught of it travels by that.
// The other way round, and a new name for the one that stays, come to the same here.
func MayMerge(synonym, accepted Taxon, below bool) error {
	s, a := synonym.Name(), accepted.Name()
	switch {
	case synonym.ID == accepted.ID:
		return Errorf(Invalid, "accepted", "That is the same taxon. Choose another one.")
	case synonym.Accepted != 0:
		return Errorf(Conflict, "", "%s is a synonym already.", s)
	case accepted.Accepted != 0:
		return Errorf(Conflict, "accepted", "%s is itself a synonym. Choose the taxon that it is a synonym of.", a)
	case below:
		return Errorf(Invalid, "accepted", "%s is below %s. Merge it the other way round, or give it another place first.", a, s)
	case !synonym.Local && accepted.Local:
		return Errorf(Conflict, "accepted", "%s comes with Fieldmark and has the same number everywhere; %s was added here. Merge %s into %s instead, and then rename that if the other name is right.", s, a, a, s)
	case (synonym.Rank == RankNone) != (accepted.Rank == RankNone) && !synonym.Local:
		return Errorf(Invalid, "accepted", "One of them is an organism, the other is not: %s, %s.", s, a)
	}
	return nil
}

// Undoable says why a synonymy cannot be undone, nil if it can; accepted is the taxon
// that was accepted in it, as it is now.
func (y Synonymy) Undoable(accepted Taxon) error {
	switch {
	case y.UndoneAt != nil:
		return Errorf(Conflict, "", "That %s is a synonym of %s was undone already.", TaxonName{y.Synonym, y.SynonymLabel}, TaxonName{y.Accepted, y.AcceptedLabel})
	case accepted.Accepted != 0:
		return Errorf(Conflict, "", "%s has become a synonym itself since. Undo that first.", TaxonName{y.Accepted, y.AcceptedLabel})
	}
	return nil
}

// PreviewSynonymy says what would come of making a taxon a synonym of another. It
// takes a curator.
func (s *Service) PreviewSynonymy(ctx context.Context, u User, synonym, accepted TaxonID) (SynonymyPreview, error) {
	if err := allow(u, Curator, "merge names"); err != nil {
		return SynonymyPreview{}, err
	}
	return s.Store.PreviewSynonymy(ctx, synonym, accepted)
}

// MergeTaxa makes a taxon a synonym of another, and waits until the memory that serves
// has learned it. It takes a curator.
func (s *Service) MergeTaxa(ctx context.Context, u User, synonym, accepted TaxonID) (Synonymy, error) {
	if err := allow(u, Curator, "merge names"); err != nil {
		return Synonymy{}, err
	}
	s.naming.Lock()
	defer s.naming.Unlock()
	y, changed, last, err := s.Store.MergeTaxa(ctx, synonym, accepted, u.ID, s.Now())
	return s.renamed(ctx, y, changed, last, err)
}

// UndoSynonymy takes back that two taxa are one, and waits until the memory that serves
// has learned it. It takes a curator.
func (s *Service) UndoSynonymy(ctx context.Context, u User, id SynonymyID) (Synonymy, error) {
	if err := allow(u, Curator, "take merged names apart"); err != nil {
		return Synonymy{}, err
	}
	s.naming.Lock()
	defer s.naming.Unlock()
	y, changed, last, err := s.Store.UndoSynonymy(ctx, id, u.ID, s.Now())
	return s.renamed(ctx, y, changed, last, err)
}

// Synonymies lists those about a taxon, or with 0 all, newest first.
func (s *Service) Synonymies(ctx context.Context, about TaxonID) ([]Synonymy, error) {
	return s.Store.Synonymies(ctx, about)
}

// renamed puts taxa as they are now before everyone, does what is left of a decision
// about names, and waits for the lessons that changed their names, which is durable, to be
// learned, for as long as someone would.
func (s *Service) renamed(ctx context.Context, y Synonymy, changed []Taxon, last Seq, err error) (Synonymy, error) {
	if err != nil {
		return y, err
	}
	if y, last, err = s.moveNames(context.WithoutCancel(ctx), y, changed, last); err != nil {
		return y, err
	}
	y.Pending, err = s.learnedSoon(ctx, last)
	return y, err
}

// moveNames goes on with what is under way of a synonymy, stretch by stretch, so that
// others can write in between. Whoever decided it may leave meanwhile; a server that stops
// goes on with it at its next start.
func (s *Service) moveNames(ctx context.Context, y Synonymy, changed []Taxon, last Seq) (Synonymy, Seq, error) {
	for {
		for _, t := range changed {
			s.learned(t)
		}
		if y.UnderWay == NothingUnderWay || s.working.Err() != nil {
			return y, last, nil
		}
		s.tellLearners()
		var err error
		if y, changed, last, err = s.Store.GoOnSynonymy(ctx, y.ID); err != nil {
			return y, last, err
		}
	}
}

// goOnWithNames does what a stop broke off.
func (s *Service) goOnWithNames() {
	s.naming.Lock()
	defer s.naming.Unlock()
	list, err := s.Store.SynonymiesUnderWay(s.working)
	for _, y := range list {
		if err == nil {
			_, _, err = s.moveNames(s.working, y, nil, 0)
		}
	}
	if s.tellLearners(); err != nil && s.working.Err() == nil {
		s.Log.Error("names that were being merged, or taken apart, could not go on", "error", err)
	}
}
