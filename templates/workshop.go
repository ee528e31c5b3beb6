package templates

import (
	"fmt"
	"strings"
)

// WorkshopsPage is where one is started.
type WorkshopsPage struct {
	Form  WorkshopForm
	Reach Reach
	List  []Workshop
}

// WorkshopForm is what was typed about a new one.
type WorkshopForm struct {
	Title, Role, Set, Hours string
	Roles, Sets             []Option
	Field, Problem          string // what is wrong, with which field
}

// Reach says how phones come here.
type Reach struct {
	Local      bool     // they do not
	SelfSigned bool     // their browsers warn
	Listen     string   // what --addr would have to be, where Local
	Origins    []Option // addresses; where Local, what they would be
}

// Chosen is the address that codes lead phones to; "" where none reaches us.
func (r Reach) Chosen() string {
	for _, o := range r.Origins {
		if o.Selected && !r.Local {
			return o.Value
		}
	}
	return ""
}

// Workshop is one of them.
type Workshop struct {
	ID                      int64
	Title, Code, Host       string
	GuestsAre               string // "Guests are experts."
	Open, Reset, CanExtend  bool
	HasLessons              bool
	Started, Ends           Moment
	Guests, Photos, Lessons int
}

func (w Workshop) path(below string) string { return fmt.Sprintf("/workshop/%d%s", w.ID, below) }

// WorkshopPage is its host's.
type WorkshopPage struct {
	Workshop
	Reach         Reach
	Set           string // label set by name; "" the usual one
	Guests        []WorkshopGuest
	Back          *GuestReturn // that was just made
	Said, Problem string
}

// state is what the page is made up by: a page of another state is another page.
func (p WorkshopPage) state() string { return fmt.Sprintf("%t %t", p.Open, p.CanExtend) }

// GuestReturn is how a guest comes back whose phone forgot them.
type GuestReturn struct {
	Name, Code string
	Link, QR   string // where phones reach us; "" they do not
	Ends       Moment
}

// where is the page at which the code is typed.
func (r GuestReturn) where() string { return short(strings.TrimSuffix(r.Link, "/"+r.Code)) }

// WorkshopGuest is someone who joined.
type WorkshopGuest struct {
	Path                          string
	ID                            int64
	Name, Role, Seen              string
	Photos, Lessons, Standing     int
	Disabled, Quarantined, Taught bool
	CanReturn                     bool // by a code
	Roles                         []Option
}

func (g WorkshopGuest) id() string { return fmt.Sprintf("guest-%d", g.ID) }

func (g WorkshopGuest) field(name string) string { return fmt.Sprintf("%s-%d", name, g.ID) }

// ResetPage asks whether what was taught is to leave the memory.
type ResetPage struct {
	Workshop
	Guests, Lessons int // who taught, and what of that stands
	Own             int // of the host's
}

// MyWorkshopPage is a guest's.
type MyWorkshopPage struct {
	Title, Name, RoleMeans string
	CanSend                bool
	Send                   string // where photos are sent
	Ends                   Moment
	Photos                 []Thumb
	Named                  int
	More                   bool
}

// ProjectorPage is the wall.
type ProjectorPage struct {
	Workshop
	Events  string // address of the stream
	Origin  string // at which phones reach us; "" they do not
	QR      string
	Tiles   []BoardTile
	Lines   []BoardLine
	Figures BoardFigures
}

// shortOrigin is the address as people type it.
func (p ProjectorPage) shortOrigin() string { return short(p.Origin) }

// short is an address without the part that browsers add themselves.
func short(address string) string { return strings.TrimPrefix(address, "http://") }

// BoardTile is a photo on the wall.
type BoardTile struct {
	Photo        Photo
	Who          string
	Before, Name string // Before is what it was taken for, where that was another
	Taught       bool
}

func (t BoardTile) id() string { return fmt.Sprintf("tile-%d", t.Photo.Observation) }

// BoardLine is a lesson.
type BoardLine struct{ Who, Before, After string }

// BoardFigures are the counts and the curve.
type BoardFigures struct {
	Guests, Photos, Lessons int
	Fused, Zero             string // shares of right answers; "" nothing was tested
	Chart                   *Chart // nil: too few lessons
}
