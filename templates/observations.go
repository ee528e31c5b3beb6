package templates

import "github.com/a-h/templ"

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
	Card      Card
	Facts     []Fact
	Notes     string
	History   []Entry
	Community *Community // where several people named it
	Back      string
	Details   *DetailsForm // nil: the user may not change them
	Edits     []Edit       // of the details, newest first
	Ask       AskForm
	Compare   string // page on which two encoders read it, "" where the user may not
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

// DetailsForm changes what is said of an observation besides its name.
type DetailsForm struct {
	URL                 string
	Clock               string // "2026-05-03T14:30:00", of the place where it was seen
	Zones               []Option
	Latitude, Longitude string // as they were typed
	Licenses            []Option
	RightsHolder, Notes string
	Open                bool   // it was sent, and refused
	Field, Problem      string // which field is wrong, and how to mend it
}

// problemOf is what is wrong with a field, "" if nothing is.
func (f DetailsForm) problemOf(field string) string {
	if f.Field != field {
		return ""
	}
	return f.Problem
}

// Edit is one field that was changed.
type Edit struct {
	Field, By     string
	When          Moment
	Before, After string
}

// AskForm asks a stored photo which of a few names it is.
type AskForm struct {
	URL, Labels, Problem string
}

// fieldState marks the field that is wrong and points to what says how.
func fieldState(f DetailsForm, field string) templ.Attributes {
	if f.problemOf(field) == "" {
		return nil
	}
	return templ.Attributes{"aria-invalid": "true", "autofocus": true, "aria-describedby": "d-" + field + "-problem"}
}
