package templates

import (
	"context"
	"time"

	"github.com/a-h/templ"

	"fieldmark/internal/words"
)

// Page is what every page has in common.
type Page struct {
	Title   string   // of this page, "" for the first one
	Section string   // which entry of the navigation is current: "identify", "observations", …
	Static  string   // folder of the static files, "/static/DIGEST"
	Styles  []string // style sheets of this page alone, below static/css
	Scripts []string // modules of this page alone, below static/js
	User    User
	// Languages are those that the page can be read in.
	Languages []Language
	Renewed   bool  // where no scripts run, the page is read anew every few seconds
	Work      *Work // what is done in the background, nil if nothing is or the page says it itself
}

// Language is one that the pages can be read in.
type Language struct {
	Tag     string // "de"
	Name    string // what it calls itself
	Back    string // the page to go on with
	Current bool
}

// User is who looks at the page.
type User struct {
	Name      string
	SignedIn  bool // on a loopback address nobody needs to be
	CanSignIn bool // there is a way to sign in
	Curates   bool // may judge what was taught, import and export
	Hosts     bool // may let people in
	Guest     bool // is here for a workshop
}

// home is the address of a user's own page: for a guest, of what they sent.
func (u User) home() templ.SafeURL {
	if u.Guest {
		return "/workshop/mine"
	}
	return "/account"
}

// file returns the address of a static file.
func (p Page) file(name string) string { return p.Static + "/" + name }

// title returns the text of the browser's tab.
func (p Page) title(ctx context.Context) string {
	if p.Title == "" {
		return t(ctx, "Fieldmark: what is it?")
	}
	return p.Title + " · Fieldmark"
}

// current marks the entry of the navigation that the page belongs to.
func (p Page) current(section string) string {
	if p.Section == section {
		return "page"
	}
	return "false"
}

// memoryPage is one entry of MemoryNav.
type memoryPage struct {
	Path string
	Name words.Key
}

// memoryPages are the pages about the memory that the user may see.
func (p Page) memoryPages() []memoryPage {
	list := []memoryPage{{"/memory", words.Key("Gallery")}, {"/memory/map", words.Key("Map")}, {"/memory/learning", words.Key("Learning")}}
	if p.User.Curates {
		list = append(list, memoryPage{"/memory/doubts", words.Key("Doubts")}, memoryPage{"/memory/sources", words.Key("Sources")}, memoryPage{"/memory/history", words.Key("History")},
			memoryPage{"/imports", words.Key("Import")}, memoryPage{"/export", words.Key("Export")}, memoryPage{"/bundles", words.Key("Bundles")})
	}
	return list
}

// Option is one choice of a select.
type Option struct {
	Value    string
	Label    string
	Selected bool
	Data     bool // Label is a name, not language
}

// Moment is a point in time as it is shown: Text before people, At for machines.
type Moment struct {
	Text string
	At   time.Time
}

// datetime is the value of a time element's attribute.
func (m Moment) datetime() string { return m.At.Format(time.RFC3339) }

// Problem is an error as it is put before people.
type Problem struct {
	Status  int
	Title   string // "Not found"
	Message string // one or two sentences: what is wrong and what to do
	Back    string // page to go on from, "" for the first one
	// Reference is the number under which the server's log tells more, "" if
	// nothing broke.
	Reference string
}
