package templates

// SynonymyPart is what a taxon's page says of names that mean the same.
type SynonymyPart struct {
	Said      string // what has just been done; "" nothing
	SynonymOf *MergedName
	Synonyms  []MergedName
	Action    string // where another name is looked for; "" where it may not be merged
}

// MergedName is one taxon that is a synonym of another.
type MergedName struct {
	Taxon   TaxonLink // the other one
	Lessons string
	Who     string // "" for those who may not know
	When    Moment
	Undo    string // where to undo it; "" for those who may not, and while it is under way

	UnderWay string // what is; "" if nothing
}

// SynonymyPage is where a name is given to another taxon.
type SynonymyPage struct {
	Taxon   TaxonLink
	Action  string
	Problem string
	Turned  string   // where the two are merged the other way round; "" unless that would help
	Query   string   // what was typed
	Matches *Matches // taxa that may be meant; nil if one is known
	Plan    *SynonymyPlan
}

// SynonymyPlan is what would come of it.
type SynonymyPlan struct {
	Into   TaxonLink
	ID     string
	Turned string // where the two are merged the other way round
	Lines  []string
}

// mergeLink is where what would come of merging a taxon into a match is told.
func (m Match) mergeLink(action string) string { return action + "?taxon=" + m.id() }
