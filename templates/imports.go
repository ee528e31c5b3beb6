package templates

import (
	"slices"
	"strconv"
)

// ImportsPage lists what was imported, with a form for another file.
type ImportsPage struct {
	List    []Import
	Problem string   // why a file was refused
	Bad     []BadRow // its rows that could not be taken
	MoreBad string   // "and 80 more", ""
	Good    string   // "Take the 12 good rows", if they can be taken without the others; ""
	Held    int64    // the file is kept under this number until it is decided about; 0: it is not
	Jobs    ImportJobList
	Waiting []WaitingBundle
	Backup  bool // one can be made
	Plan    *ImportPlan
	Current bool   // the form's tick: the file is this encoder's
	Encoder string // name of the encoder that serves
}

// Import is one import of the list.
type Import struct {
	ID     int64
	Name   string
	Status string // "50,000 lessons taught, 3 known before"
	State  string // "taken back", "" where there is nothing to say
	By     string
	When   Moment
	Drop   string // what its button says, "" where there is none
}

func (i Import) number() string      { return strconv.FormatInt(i.ID, 10) }
func (i Import) shown() string       { return "/observations?import=" + i.number() }
func (i Import) withdrawURL() string { return "/imports/" + i.number() + "/withdraw" }

// heldURL is where it is said what becomes of the file that is held.
func (m ImportsPage) heldURL() string { return "/imports/held/" + strconv.FormatInt(m.Held, 10) }

// BadRow is a row of a file that cannot be taken.
type BadRow struct {
	Row     string // "Row 17", "Luna Moth/3.jpg"
	File    bool   // Row is the name of a file
	Message string
}

// ImportPlan says what the file that was checked would do.
type ImportPlan struct {
	File, Sum string    // "birds.npz", "50,000 rows of 100 taxa"
	New       []NewName // names that become taxa
	More      string    // "and 80 more", ""
	Notes     []string  // sentences
}

// NewName is a name that nothing has, and names of taxa that are spelled much
// like it.
type NewName struct {
	Name string
	Near []string
}

// ImportJob is something that was begun to be taken in since the server started.
type ImportJob struct {
	ID       int64
	Name     string
	Sentence string // "300 of 2,000 rows taken in, about 3 minutes left."
	Share    Share
	Running  bool
	Failed   bool
	Bad      []BadRow // left out on the way
	Links    []Link   // what can be looked at, or done next
}

func (j ImportJob) path() string { return "/jobs/" + strconv.FormatInt(j.ID, 10) }

// ImportJobList lists them, newest first.
type ImportJobList struct {
	Jobs  []ImportJob
	Renew string // address of the list as it is by then
	Again string // the page that it is on, "" where that renews itself without scripts
}

// Running reports whether one is under way.
func (l ImportJobList) Running() bool {
	return slices.ContainsFunc(l.Jobs, func(j ImportJob) bool { return j.Running })
}

// JobPage is the page of one of them.
type JobPage struct {
	Title string // "A bundle is taken in"
	Back  string // address of the page about all such
	Whole bool   // all of it is taken in or nothing
	Looks bool   // nothing is taken in yet
	Jobs  ImportJobList
}
