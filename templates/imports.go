package templates

import "strconv"

// ImportsPage lists what was imported, with a form for another file.
type ImportsPage struct {
	List    []Import
	Problem string   // why a file was refused
	Bad     []BadRow // its rows that could not be taken
	Plan    *ImportPlan
	Current bool   // the form's tick: the file is this encoder's
	Encoder string // name of the encoder that serves
}

// Import is one import of the list.
type Import struct {
	ID     int64
	Name   string
	Status string // "50,000 lessons taught, 3 known before"
	State  string // "unfinished", "" where there is nothing to say
	By     string
	When   Moment
	Drop   string // what its button says, "" where there is none
}

func (i Import) number() string      { return strconv.FormatInt(i.ID, 10) }
func (i Import) shown() string       { return "/observations?import=" + i.number() }
func (i Import) withdrawURL() string { return "/imports/" + i.number() + "/withdraw" }

// BadRow is a row of a file that cannot be taken.
type BadRow struct{ Row, Message string }

// ImportPlan says what the file that was checked would do.
type ImportPlan struct {
	File, Sum string   // "birds.npz", "50,000 rows of 100 taxa"
	New       []string // names that become taxa
	More      string   // "and 80 more", ""
}
