package templates

// LabelSetsPage lists the label sets, with a form for a new one.
type LabelSetsPage struct {
	Sets    []LabelSet
	CanAdd  bool
	Form    LabelSetForm
	Created string // name of one that was just made
}

// LabelSet is one named list of names.
type LabelSet struct {
	ID       int64
	Name     string
	Builtin  bool
	Count    string // "1,240 names"
	Learned  string // what the encoder has learned to see of them
	Share    Share  // learned of all
	Shares   bool   // the encoder says what it has learned
	UseLink  string
	CanDrop  bool
	Link     string // its own page
	DropLink string
}

// LabelSetForm is what was typed for a new label set.
type LabelSetForm struct {
	Action                 string // "" makes a new one
	Name, Names            string
	NameProblem, NamesNote string
	Unknown                []UnknownName
}

// AboutPage says what this is and how it stands.
type AboutPage struct {
	Memory  []Figure
	Encoder []Fact
	Others  bool // the user may look at the other encoders
	Version string
}

// Figure is a number with what it counts.
type Figure struct {
	Value, Of string
}

// taxonLink is the page of a taxon.
func (m Match) taxonLink() string { return "/taxa/" + m.id() }

func (f LabelSetForm) action() string {
	if f.Action == "" {
		return "/label-sets"
	}
	return f.Action
}
