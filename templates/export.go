package templates

import (
	"strconv"
	"strings"
)

// ExportPage is the page on which one says what leaves.
type ExportPage struct {
	Form      ExportForm
	Problem   string // why the form was not understood
	Field     string // which of its fields is wrong
	Matches   []Link // taxa of a name that was not exact
	Figures   []ExportFigure
	Downloads []Download // none if nothing matches
	Anything  bool       // something was observed at all
	Filtered  bool       // the form narrows
	Sensitive []SensitiveTaxon
	Coarse    string // side of the squares that places of sensitive taxa are given by
	Hidden    string // what is said where some of what matches is sensitive, "" where nothing is
}

// ExportForm is what the form shows.
type ExportForm struct {
	Taxon                string // as it was typed
	TaxonID              string // chosen, with its name and the link that drops it
	TaxonName            string
	WithoutTaxon         string
	Query                string
	Sets, People         []Option
	States, Statuses     []Option
	Licenses             []Option
	From, To             string
	TaughtFrom, TaughtTo string
	Near, Within, Box    string
	Photos               []Option
	Exact, Originals     bool
	Open                 bool // the less usual fields are shown
}

// Link leads somewhere.
type Link struct{ Text, Path, Detail string }

// ExportFigure is a number with what it counts.
type ExportFigure struct{ Number, Of string }

// Download is one form of what matches.
type Download struct {
	Title, About, Size, Path string
	Name                     string // "csv"
}

// SensitiveTaxon is a line of the list of sensitive taxa.
type SensitiveTaxon struct {
	ID         int64
	Name       string
	Scientific string // "" where it is the name
	By         string
}

func (t SensitiveTaxon) removeURL() string {
	return "/export/sensitive/" + strconv.FormatInt(t.ID, 10) + "/remove"
}

// said is how much matches, for who does not see it change.
func (e ExportPage) said() string {
	figures := make([]string, len(e.Figures))
	for i, f := range e.Figures {
		figures[i] = f.Number + " " + f.Of
	}
	return strings.Join(figures, ", ")
}

// invalid marks the field that is wrong.
func (e ExportPage) invalid(field string) bool { return e.Problem != "" && e.Field == field }
