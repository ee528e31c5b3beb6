package templates

import "strconv"

// DoubtsPage lists likely mistakes.
type DoubtsPage struct {
	Tabs     []Tab
	Chips    []Chip
	List     []Doubt
	Older    string // link to the next, "" at the end
	Newest   string // link to the first, "" when on it
	Fresh    string // how new the list is
	Working  bool   // it is being worked out: look again soon
	None     string // what is said where the list is empty
	Done     *SettledDoubt
	Kept     []KeptDoubt
	KeptMore string // "and 12 earlier", ""
	Here     string // this page's query, which forms lead back to
}

// Doubt is an exemplar that is likely to be named wrong.
type Doubt struct {
	ID         int64 // of the identification
	Photo      Photo
	Link       string
	Name       string // as it was taught
	Scientific string
	By         string
	When       Moment
	Kicker     string // "Disagrees", …
	Reasons    []DoubtReason
	Without    string
	Instead    *Match // what it would be renamed to, in one press; nil if nothing speaks for another name
	Matches    *Matches
	Query      string
	Problem    string
	Here       string
	Next       int64 // the doubt that comes after it; 0 if none is on the page
}

// DoubtReason is one sentence against a name, with what shows it.
type DoubtReason struct {
	Sentence string
	Twin     *Thumb
}

// SettledDoubt is what was just done.
type SettledDoubt struct {
	Sentence string
	Link     string // of the observation
	Undo     string // address that takes it back; "" where nothing can
	Now      int64  // identification that undoing withdraws; 0 if none
	Observed int64
	UndoWord string
}

// KeptDoubt is what somebody found right.
type KeptDoubt struct {
	ID         int64
	Name, Link string
	By         string
	When       Moment
}

func (d Doubt) id() string                { return identificationID(d.ID) }
func (d Doubt) part(name string) string   { return "doubt-" + d.id() + "-" + name }
func (d Doubt) action(what string) string { return "/memory/doubts/" + d.id() + "/" + what }
func (k KeptDoubt) action() string        { return "/memory/doubts/" + identificationID(k.ID) + "/again" }

func identificationID(id int64) string { return strconv.FormatInt(id, 10) }
