package templates

import "fieldmark/internal/words"

// HistoryPage is a page of the audit trail.
type HistoryPage struct {
	List     []HistoryLine
	People   []Option
	Kinds    []Option
	From, To string // days, as the form has them
	Next     string // address of the older entries, "" none
	Download string // address of the same as CSV
	Filtered bool
	Problem  string
}

// HistoryLine is one thing that somebody did.
type HistoryLine struct {
	When    Moment
	Who     string
	Did     words.Key // "{1} taught {2}": who, and the subject
	Subject string
	Href    string // what it is about, "" nothing
	Detail  string // as the record has it
}
