package templates

import (
	"context"
	"strconv"
)

// ReviewPage is the review queue: one photo that waits to be named, or one group
// of look-alikes, and what follows.
type ReviewPage struct {
	Here     string // its address, with what it shows
	Said     string // one sentence for a screen reader
	Count    string // "412 photos wait to be named"
	Orders   []Tab
	Whose    []Tab  // none where all are the user's own
	Asides   string // link to what was set aside, "" for none
	Groups   string // link to the look-alikes
	Singles  string // link to the queue one by one
	Grouped  bool   // it shows look-alikes
	Last     *LastDecision
	Card     *ReviewCard // nil: nothing waits
	Nothing  string      // why, and what to do; "" with a card
	Refusal  string      // why it may not be used; "" if it may
	Carried  Carried
	Upcoming []ReviewThumb
	Previous string // link to the one before, "" at the first
	Next     string // link to the one after, "" at the last
}

// Carried is what the forms take along.
type Carried struct {
	Order, Whose, View string
	Next               string // what follows, by id, with commas
}

// LastDecision says what was decided last, with the way back.
type LastDecision struct {
	ID       int64
	Sentence string // "Taught as Great Tit: 12 photos."
	Photo    *Photo // of the first
	Was      int64  // the photo that it was taken at, 0 if that is not known
	Changed  string // address of what this changed elsewhere; "" if that is not known
}

// ReviewCard is what is decided on.
type ReviewCard struct {
	Card            // of the photo, or of the one that leads the look-alikes
	Place    string // "48.1371° N, 11.5754° E", ""
	Observer string // "" for the user's own
	Like     string // link to those that look like it; "" in a group
	Tiles    []ReviewThumb
	Lead     string // what the look-alikes are: "14 photos that look alike"
}

// ReviewThumb is a photo that waits.
type ReviewThumb struct {
	Link  string // to look at it alone
	Photo Photo
	Name  string // as it was read last
	Share Share
	Sure  bool
	Off   bool // not selected
}

func (t ReviewThumb) id() string { return strconv.FormatInt(t.Photo.Observation, 10) }

func (l LastDecision) id() string { return strconv.FormatInt(l.ID, 10) }

func (l LastDecision) was() string { return strconv.FormatInt(l.Was, 10) }

// ChangedPage is what a lesson changed elsewhere.
type ChangedPage struct {
	Sentence string
	List     []ChangedPhoto
	More     string // "6 more", "" if all are shown
}

// ChangedPhoto is one photo, read before and after.
type ChangedPhoto struct {
	Link          string
	Photo         Photo
	Before, After Line
	Renamed       bool // another name; else only surer, or less sure
	Sure          bool // now
}

// AsidePage lists what was set aside.
type AsidePage struct {
	List  []AsidePhoto
	Whose string // "what you set aside", "what anyone set aside"
}

// AsidePhoto is one observation that was set aside.
type AsidePhoto struct {
	Thumb
	Decision    string
	Observation string
	By          string
	When        Moment
}

// currentPage marks the entry of a list of pages that is shown.
func currentPage(is bool) string {
	if is {
		return "page"
	}
	return "false"
}

// selected says how many tiles are.
func selected(ctx context.Context, tiles []ReviewThumb) string {
	n := 0
	for _, tile := range tiles {
		if !tile.Off {
			n++
		}
	}
	return t(ctx, "%d of %d selected", n, len(tiles))
}
