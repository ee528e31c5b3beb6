package templates

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"
)

// Card is one observation with its answer and all that can be done with it.
type Card struct {
	ID        int64
	Photo     Photo
	Caption   string // "3 May 2026"
	Answer    Answer
	Lesson    *Lesson  // the identification that stands, nil if none does
	Change    *Change  // what a lesson changed, nil where nothing was taught
	Elsewhere string   // address of what the lesson changed elsewhere, "" if nothing was taught just now
	Advice    string   // what to know about this answer: names that were never learned; "" if nothing
	Question  Question // how the photo was read; forms carry it along
	Matches   *Matches // the names found for a correction that was not exact
	Problem   string   // why a correction was refused
	Stale     string   // why nothing was done: the card was older than the log; "" if not so
	CanTeach  bool     // the user's role allows it
	Said      string   // one sentence for a screen reader
	Large     bool     // on a page of its own
	Next      string   // page that forms lead back to without JavaScript
}

// Question carries the choice of candidate labels from form to form.
type Question struct {
	LabelSet int64    // 0 for the default
	Labels   []string // typed for one look; they go before LabelSet
}

func (q Question) labelSet() string { return strconv.FormatInt(q.LabelSet, 10) }

// Answer is what the photo seems to show.
type Answer struct {
	Kicker     string // the line above the name: "Species · birds", "Probably a member of the family"
	Name       string
	Scientific string
	Perhaps    string // likeliest name, where Name is an ancestor of it
	Certain    bool
	Percent    string
	Among      string // what Percent is relative to: "of these 30 names", "" for the default
	Candidates []Candidate
	Why        Why
}

// Candidate is one line of an answer.
type Candidate struct {
	Key         string // digit that accepts it, "" if none
	Taxon       int64  // 0 for free text
	Name        string
	Scientific  string
	Note        string // "taught 3 times", "known by name only", ""
	Share       Share
	ZeroShot    Share
	Exemplar    Share
	HasExemplar bool
	Accepted    bool // the identification that stands says the same
}

// Share is a probability, as text and as a length out of 1000.
type Share struct {
	Percent string
	Length  int
}

func (s Share) width() string { return strconv.Itoa(s.Length) }

// Why is the evidence behind an answer.
type Why struct {
	Memory     Share // share of the exemplar memory in the answer
	Encoder    Share // the rest
	Sentence   string
	Neighbours []Neighbour
	Footnotes  []Fact
}

// Neighbour is an exemplar near to the photo.
type Neighbour struct {
	Photo      Photo
	Name       string
	TaughtBy   string
	Similarity string
	Itself     bool // it is the photo that is asked about
}

// Fact is a term with its value.
type Fact struct {
	Term, Value string
	Mono        bool
	Data        bool // Value is not language: the name of a person
}

// Lesson is the identification that stands.
type Lesson struct {
	ID      int64
	Name    string
	Link    string // list of that taxon's observations
	By      string // "" for whoever reads it
	When    Moment
	CanUndo bool
}

// Change compares two answers to the same photo.
type Change struct {
	Title         string // "What this lesson changed"
	BeforeTitle   string
	AfterTitle    string
	Before, After Reading
	Speed         string // "Learned in 41 ms", ""
}

// Reading is an answer in short.
type Reading struct {
	Name       string
	Scientific string
	Lines      []Line
}

// Line is one name of a reading with its share.
type Line struct {
	Name   string
	Share  Share
	Taught bool // it is the name that was taught
}

// Matches lists the taxa whose names are like what was typed.
type Matches struct {
	Query string
	Taxa  []Match
	New   bool // offer to teach Query as a new name
}

// Match is one taxon of a search.
type Match struct {
	Taxon      int64
	Name       string
	Scientific string
	Detail     string // "species · birds", "also called …"
	Exact      bool   // one of its names is the very query
}

// found is the name by which the taxon is found again.
func (m Match) found() string { return cmp.Or(m.Scientific, m.Name) }

func (m Match) id() string { return strconv.FormatInt(m.Taxon, 10) }

func observationURL(id int64) string { return "/observations/" + strconv.FormatInt(id, 10) }

func (c Card) url() string          { return observationURL(c.ID) }
func (c Card) domID() string        { return "o" + strconv.FormatInt(c.ID, 10) }
func (c Card) target() string       { return "#" + c.domID() }
func (c Card) part(s string) string { return c.domID() + "-" + s }
func (c Card) identifyURL() string  { return c.url() + "/identifications" }
func (c Card) number() string       { return strconv.FormatInt(c.ID, 10) }

// answered is what a search says of the photo: the taxa it was answered with.
func (c Card) answered() string {
	ids := make([]string, len(c.Answer.Candidates))
	for i, k := range c.Answer.Candidates {
		ids[i] = k.taxon()
	}
	return `{"answered":"` + strings.Join(ids, ",") + `"}`
}

// link is the address of the observation's own page, with the question kept.
func (c Card) link() string {
	v := url.Values{}
	if c.Question.LabelSet != 0 {
		v.Set("label_set", c.Question.labelSet())
	}
	if len(c.Question.Labels) > 0 {
		v["label"] = c.Question.Labels
	}
	if len(v) == 0 {
		return c.url()
	}
	return c.url() + "?" + v.Encode()
}

func (c Card) withdrawURL() string {
	return c.identifyURL() + "/" + strconv.FormatInt(c.Lesson.ID, 10) + "/withdraw"
}

func (c Candidate) taxon() string { return strconv.FormatInt(c.Taxon, 10) }

// field and value are what the button that accepts a candidate sends: its taxon, or
// its text where no taxon has that name.
func (c Candidate) field() string {
	if c.Taxon == 0 {
		return "suggested_label"
	}
	return "suggestion"
}

func (c Candidate) value() string {
	if c.Taxon == 0 {
		return c.Name
	}
	return c.taxon()
}
