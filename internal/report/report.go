package report

// Report is what a run came to, ready to be shown. All text in it is plain: what
// writes it escapes it.
type Report struct {
	Title string
	// Asked are paragraphs on what was measured, Findings sentences on what came
	// out, most important first.
	Asked, Findings []string
	Sections        []Section
	Made            []Fact // command, seed, version, encoder
}

// Section is one part of a report. IDs are letters, digits and hyphens.
type Section struct {
	ID, Title string
	Text      []string // paragraphs
	Tables    []Table
	Charts    []Chart
}

// Fact is one line on how a report came about.
type Fact struct{ Name, Value string }

// Tables lists the tables of all sections.
func (r Report) Tables() []Table {
	var all []Table
	for _, s := range r.Sections {
		all = append(all, s.Tables...)
	}
	return all
}

// Charts lists the charts of all sections.
func (r Report) Charts() []Chart {
	var all []Chart
	for _, s := range r.Sections {
		all = append(all, s.Charts...)
	}
	return all
}
