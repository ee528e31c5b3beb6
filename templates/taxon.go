package templates

// TaxaPage is where names are searched for, and browsed from the top.
type TaxaPage struct {
	Query   string
	Matches []Match
	Top     []TaxonLink
	More    string // where there are more at the top
}

// TaxonLink is a taxon to go to.
type TaxonLink struct{ Name, Scientific, Rank, Link string }

// TaxonPage is one taxon.
type TaxonPage struct {
	Crumbs           []Crumb
	Name, Scientific string
	Kicker           string // "species · birds"
	Facts            []Fact
	Below            []TaxonLink
	BelowCount       string
	More             string
	Sets             []TaxonLink
	Exemplars        []Thumb
	All              string // all that is taught of it, in the gallery
	Form             *TaxonForm
	Synonymy         *SynonymyPart // nil: nothing is merged here
}

// TaxonForm is what a curator may change of a taxon.
type TaxonForm struct {
	Action                       string
	Scientific, English          string
	Synonyms, Vernacular, Parent string
	Ranks                        []Option
	Field, Problem               string // what is wrong, with which field
	Open                         bool
}

// problem is what is wrong with a field, "" if nothing.
func (f TaxonForm) problem(field string) string {
	if f.Field == field {
		return f.Problem
	}
	return ""
}

// ChecklistPage is where checklists are taken in.
type ChecklistPage struct {
	Problem string
	Plan    *ChecklistPlan
	Jobs    ImportJobList
}

// ChecklistPlan is what would come of one.
type ChecklistPlan struct {
	Action, Name, Sum string
	Figures           []Figure
	New, Changed      []ChecklistLine
	Problems          []ChecklistLine
	MoreNew           string // how many are not shown
	MoreChanged       string
	MoreProblems      string
	CanTake           bool
	Set               string
	SetProblem        string
	Changes           bool
}

// ChecklistLine is a row of a checklist.
type ChecklistLine struct{ Line, Name, Scientific, Detail string }

// LabelSetPage is one label set, to be changed where that is allowed.
type LabelSetPage struct {
	Name, Count, Learned string
	Names                []LabelSetName
	More                 string
	UseLink, CSVLink     string
	BeginLink            string // makes it what the first page begins with
	Begins               bool   // it is
	DropLink             string
	Form                 *LabelSetForm
}

// LabelSetName is a name of a label set.
type LabelSetName struct {
	TaxonLink
	Unseen bool
}

// UnknownName is a name that no taxon has, and what may be meant.
type UnknownName struct {
	Name    string
	Options []Option
}
