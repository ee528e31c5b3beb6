package identify

import (
	"context"
	"time"
)

// Checklist is a list of taxa that others made, as it was read.
type Checklist struct {
	Name string // of its file
	Rows []ChecklistRow
}

// ChecklistRow is one line of a checklist: an accepted taxon, or a synonym of one.
type ChecklistRow struct {
	Line        int
	Key         string // what other rows know it by, "" nothing
	ParentKey   string // of the row above it; "" none
	AcceptedKey string // of the row that it is a synonym of; "" or Key: it is accepted
	Name        string // scientific, without its authors
	Rank        Rank   // "" where it is not given
	Higher      []HigherTaxon
	English     string
	Vernacular  []VernacularName
	Synonyms    []string
	Problem     error // why it cannot be taken, nil if it can
}

// HigherTaxon is a taxon above one, by rank and name.
type HigherTaxon struct {
	Rank Rank
	Name string
}

// maxChecklist bounds the rows of a checklist.
const maxChecklist = 200_000

// ChecklistState is how a taxon of a checklist relates to those that are here.
type ChecklistState string

// The states.
const (
	ChecklistNew     ChecklistState = "new"
	ChecklistKnown   ChecklistState = "known"
	ChecklistChanged ChecklistState = "changed" // known, and the checklist says something else of it, or more
)

// ChecklistTaxon is a taxon of a checklist as it would be taken.
type ChecklistTaxon struct {
	Line    int // 0 for one that only stands above others
	State   ChecklistState
	Taxon   Taxon // as it would be; of a known one the names and place that it has, until changes are taken. ID 0: new
	Parent  int   // number of the taxon above it within the plan, -1: Taxon.Parent
	Changed Taxon // of a changed one, as it would be
	Changes []TaxonDifference
	Moves   bool // a changed one comes below another taxon: Parent
	Listed  bool // has a row of its own, below which there is none
}

// ChecklistProblem is a row that is left out, and why.
type ChecklistProblem struct {
	Line int
	Name string
	Why  error
}

// TaxonDifference is one thing that a checklist says of a known taxon, and that is not
// so here.
type TaxonDifference struct {
	In            TaxonPart
	Before, After string // names, or a rank; "" for none. Of what is added to others, After alone
}

// TaxonPart is what two records of a taxon can differ in.
type TaxonPart string

// The parts of a taxon.
const (
	PartScientificName TaxonPart = "scientific name"
	PartEnglishName    TaxonPart = "English name"
	PartRank           TaxonPart = "rank"
	PartPlace          TaxonPart = "above it"
	PartSynonyms       TaxonPart = "more synonyms"
	PartVernacular     TaxonPart = "in other languages"
)

// ChecklistPlan is what would come of a checklist.
type ChecklistPlan struct {
	Name                string
	Rows                int
	Taxa                []ChecklistTaxon
	New, Known, Changed int
	Synonyms            int // rows that are synonyms of others
	Problems            []ChecklistProblem
}

// ChecklistChoice is what is to be done with a plan.
type ChecklistChoice struct {
	Changes bool   // take what it says of known taxa too
	Set     string // name of a label set to be made of what it lists; "" none
}

// ChecklistChanges is what TakeChecklist stores in one transaction.
type ChecklistChanges struct {
	Name string
	Taxa []ChecklistChange
	Set  string // label set of those that are members, "" none
	What Notice // for the audit trail
	By   UserID
	At   time.Time
}

// ChecklistChange is a taxon to be stored, or one that stays as it is.
type ChecklistChange struct {
	Taxon  Taxon // ID 0: new, the store gives it the next local one
	Parent int   // number of the taxon above it within the list, -1: Taxon.Parent
	Write  bool  // else it only is a member, or above others
	Member bool
}

// TakenChecklist is what came of one.
type TakenChecklist struct {
	New, Changed int
	Set          LabelSetID // 0 none
}

// PlanChecklist says what would come of a checklist; nothing is changed.
func (s *Service) PlanChecklist(ctx context.Context, u User, c Checklist) (ChecklistPlan, error) {
	if err := allow(u, Curator, "import checklists"); err != nil {
		return ChecklistPlan{}, err
	}
	return s.planChecklist(ctx, c)
}

// TakeChecklist adds the new taxa of a checklist, changes known ones if that is
// chosen, and makes a label set if one is named: all of it or nothing. The checklist
// is planned anew, so that it meets the taxa as they are now. told is called with how
// many taxa are written; they are there when it returns.
func (s *Service) TakeChecklist(ctx context.Context, u User, c Checklist, choice ChecklistChoice, told func(ImportProgress)) (TakenChecklist, error) {
	plan, err := s.PlanChecklist(ctx, u, c)
	if err != nil {
		return TakenChecklist{}, err
	}
	changes, taxa, done, err := takeChecklist(ctx, s.Store, plan, choice, u.ID, s.Now, told)
	for i, t := range taxa {
		if changes.Taxa[i].Write {
			s.learned(t)
		}
	}
	return done, err
}

// PlanChecklist is Service.PlanChecklist where nothing is served.
func PlanChecklist(ctx context.Context, st Store, c Checklist) (ChecklistPlan, error) {
	s, err := newShared(ctx, Config{Store: st})
	if err != nil {
		return ChecklistPlan{}, err
	}
	return s.planChecklist(ctx, c)
}

// TakeChecklist is Service.TakeChecklist of a plan where nothing is served.
func TakeChecklist(ctx context.Context, st Store, plan ChecklistPlan, choice ChecklistChoice, by UserID, now func() time.Time, told func(ImportProgress)) (TakenChecklist, error) {
	_, _, done, err := takeChecklist(ctx, st, plan, choice, by, now, told)
	return done, err
}

func (s *shared) planChecklist(ctx context.Context, c Checklist) (ChecklistPlan, error) {
	if len(c.Rows) == 0 {
		return ChecklistPlan{}, Errorf(Invalid, "file", "This checklist has no rows.")
	}
	if len(c.Rows) > maxChecklist {
		return ChecklistPlan{}, Errorf(Invalid, "file", "This checklist has %d rows; at most %d are taken at once. Split it.", len(c.Rows), maxChecklist)
	}
	p := newChecklistPlanner(s, c)
	p.accepted()
	p.synonyms()
	p.parents()
	p.cycles()
	if err := p.match(ctx); err != nil {
		return ChecklistPlan{}, err
	}
	return p.plan(), nil
}

// takeChecklist stores a plan, and returns what was to be stored with the taxa as
// they are then.
func takeChecklist(ctx context.Context, st Store, plan ChecklistPlan, choice ChecklistChoice, by UserID, now func() time.Time, told func(ImportProgress)) (changes ChecklistChanges, taxa []Taxon, done TakenChecklist, err error) {
	if choice.Set != "" {
		if choice.Set, err = cleanName("set", choice.Set); err != nil {
			return changes, nil, done, err
		}
	}
	if len(plan.Taxa) == 0 {
		return changes, nil, done, Errorf(Invalid, "file", "Nothing of this checklist can be taken. See what is wrong with its rows.")
	}
	changes, done = plan.changes(choice)
	changes.By, changes.At = by, now()
	if n := len(changes.members()); choice.Set != "" && n > maxSet {
		return changes, nil, done, Errorf(Invalid, "set", "This checklist lists %d taxa, and a label set holds at most %d. Take it without a label set.", n, maxSet)
	}
	pace := newPace(0, done.New+done.Changed, now)
	if taxa, done.Set, err = st.TakeChecklist(ctx, changes, func(written int) { told(pace.at(written, 0)) }); err != nil {
		return changes, nil, TakenChecklist{}, stored(err, "set")
	}
	return changes, taxa, done, nil
}
