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
	newest              TaxonID // the highest number of a taxon that it was compared with
}

// ChecklistChoice is what is to be done with a plan.
type ChecklistChoice struct {
	Changes bool   // take what it says of known taxa too
	Set     string // name of a label set to be made of what it lists; "" none
}

// ChecklistChanges is what is stored of a checklist.
type ChecklistChanges struct {
	Name    string
	Taxa    []ChecklistChange
	Set     string  // label set of those that are members, "" none
	LeftOut int     // rows that could not be taken
	Newest  TaxonID // the highest number of a taxon that there was when this was decided
	By      UserID
	At      time.Time
}

// ChecklistChange is a taxon to be stored, or one that stays as it is.
type ChecklistChange struct {
	Taxon  Taxon  // ID 0: new, the store gives it the next local one
	Before *Taxon // a known one as it was when this was decided: who changes it until it is stored has the last word. nil: it is changed in any case
	Parent int    // number of the taxon above it within the list, which comes before it, -1: Taxon.Parent
	Write  bool   // else it only is a member, or above others
	Member bool
}

// TakenChecklist is what came of one.
type TakenChecklist struct {
	New, Changed int
	Set          LabelSetID // 0 none
	// Pending says that it is written down and goes on by itself, at the next start if
	// not before: only a part of it may be there.
	Pending bool
}

// PlanChecklist says what would come of a checklist; nothing is changed.
func (s *Service) PlanChecklist(ctx context.Context, u User, c Checklist) (ChecklistPlan, error) {
	if err := allow(u, Curator, "import checklists"); err != nil {
		return ChecklistPlan{}, err
	}
	return s.planChecklist(ctx, c)
}

// PlanChecklist is Service.PlanChecklist where nothing is served.
func PlanChecklist(ctx context.Context, st Store, c Checklist) (ChecklistPlan, error) {
	s, err := newShared(ctx, Config{Store: st})
	if err != nil {
		return ChecklistPlan{}, err
	}
	return s.planChecklist(ctx, c)
}

func (s *shared) planChecklist(ctx context.Context, c Checklist) (ChecklistPlan, error) {
	if len(c.Rows) == 0 {
		return ChecklistPlan{}, Errorf(Invalid, "file", "This checklist has no rows.")
	}
	if len(c.Rows) > maxChecklist {
		return ChecklistPlan{}, Errorf(Invalid, "file", "This checklist has %d rows; at most %d are taken at once. Split it.", len(c.Rows), maxChecklist)
	}
	newest := s.taxonomy.newest()
	p := newChecklistPlanner(s, c)
	p.accepted()
	p.synonyms()
	p.parents()
	p.cycles()
	if err := p.match(ctx); err != nil {
		return ChecklistPlan{}, err
	}
	plan := p.plan()
	plan.newest = newest
	return plan, nil
}
