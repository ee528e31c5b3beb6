package templates

// ObservationsPage is the list of observations.
type ObservationsPage struct {
	Filter   Filter
	Tabs     []Tab
	List     []Thumb
	Newest   string // link to the first page, "" when on it
	Older    string // link to the next page, "" at the end
	Anything bool   // there are observations, though perhaps none that match
	Clear    string // link without filters, "" when there are none
	Refused  []Refused
}

// Filter is what the filter form shows.
type Filter struct {
	Query, From, To string
	Status          string
	Taxon           string // id, "" for all
	TaxonName       string
	WithoutTaxon    string // link that drops the taxon alone
	Problem         string
}

// Tab is one status to choose from.
type Tab struct {
	Label, Link string
	Current     bool
}

// ObservationPage shows one observation.
type ObservationPage struct {
	Card    Card
	Facts   []Fact
	Notes   string
	History []Entry
	Back    string
	Compare string // page on which two encoders read it, "" where the user may not
}

// Entry is one identification of the history.
type Entry struct {
	ID        int64
	Name      string
	Link      string
	By        string
	How       string // "picked from the answers", "searched for"
	When      Moment
	Withdrawn *Moment
	UndoURL   string // "" where it cannot be undone
}
