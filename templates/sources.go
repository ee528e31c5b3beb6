package templates

import "strconv"

// SourcesPage lists where lessons came from.
type SourcesPage struct {
	List []Source
	Sum  string // "212 lessons by 3 people and 1 import"
}

// Source is a person or an import that lessons came from.
type Source struct {
	Path     string // "/memory/sources/people/3"
	Name     string
	Kind     string // "Person", "Import by Ann"
	Facts    []SourceFact
	Last     Moment
	Bar      []Segment
	BarLabel string      // what the bar shows, in words
	Held     *Quarantine // nil unless it is in quarantine
	Lessons  string      // its observations, "" where they cannot be listed
}

// SourceFact is one count of a source's lessons.
type SourceFact struct {
	Name, Value string
	Key         string // class of the bar's part that shows it, "" none
}

// Segment is a part of a bar of 1000 units.
type Segment struct {
	Class    string // of the bar's style
	From, To int
}

func (s Segment) x() string     { return strconv.Itoa(s.From) }
func (s Segment) width() string { return strconv.Itoa(s.To - s.From) }

// Quarantine is one that lasts.
type Quarantine struct {
	State  string // "In quarantine.", or which way its lessons go at this moment
	Text   string // "57 lessons wait outside the memory since 3 May 2026 (Cy)."
	Reason string
	// UnderWay says how far that is, "" when it is done: until then nothing else can be
	// decided.
	UnderWay string
}

// SourcePage is one source, with what would change without it.
type SourcePage struct {
	Source
	Preview  *Preview // nil if it was not asked for
	Problem  string
	Reason   string // as typed
	Learning bool   // the memory has not taken in yet what was decided
}

// Preview is what would be answered without a source.
type Preview struct {
	Verdict string // "The memory would be right more often without them."
	Better  string // class of the verdict: "better", "worse", "same"
	With    string // "61%"
	Without string
	WithOf  string // "80 of 130"
	NoneOf  string
	Changed string // "34 of 180"
	How     string // what was asked, and how
	List    []ChangedName
	More    string // "the first 60 are shown", "" all are
}

// ChangedName is a photo that would be named otherwise.
type ChangedName struct {
	Observation   int64
	Photo         bool
	Truth         string // "" nobody else named it
	Before, After string
	BeforeChance  string
	AfterChance   string
	Effect        string // class of what it means: "better", "worse", ""
	EffectWord    string
}

func (c ChangedName) number() string { return strconv.FormatInt(c.Observation, 10) }
func (c ChangedName) href() string   { return observationURL(c.Observation) }
func (c ChangedName) small() string  { return c.href() + "/photo?size=small" }
