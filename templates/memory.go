package templates

// GalleryPage shows what the memory holds.
type GalleryPage struct {
	Figures []Figure
	By      string // "taxon", "leaf", "teacher"
	Tabs    []Tab
	Empty   bool // it holds nothing
	Emptied bool // and did once

	Path     []Crumb // taxa from the top down, the last one shown
	Summary  string
	Shelves  []Shelf
	Leaves   []Leaf
	Teachers []Teacher

	Filter    GalleryFilter
	Exemplars ExemplarList
}

// Crumb is one step of a path; Link is "" for the last, and where it would lead to the
// next.
type Crumb struct{ Name, Scientific, Link string }

// Shelf is a branch of the tree of life.
type Shelf struct {
	Name, Scientific, Rank string
	Link                   string
	Count                  string // "240 exemplars of 12 names"
	Photos                 []Photo
}

// Leaf is a leaf of the clustering tree.
type Leaf struct {
	Number    int
	Link      string
	Title     string
	Size      string
	State     string // "fitted"
	StateWord string // what that means
	Settled   bool
	Retrained *Moment // nil: unknown
	Labels    []LabelShare
	More      string // "and 12 other names"
	Typical   []Thumb
	Members   ExemplarList
}

// LabelShare is a name with its share of a leaf or of what someone taught.
type LabelShare struct {
	Name, Link string
	Count      string
	Share      Share
}

// Teacher is someone whose lessons stand.
type Teacher struct {
	Name   string
	Link   string
	Count  string // "240 exemplars of 12 names"
	Labels []LabelShare
}

// ExemplarList is a page of exemplars.
type ExemplarList struct {
	Title  string
	List   []Thumb
	Newest string // "" when on it
	Older  string // "" at the end
}

// GalleryFilter is what the filter form of the gallery shows.
type GalleryFilter struct {
	Action    string
	Taxon     string // id, "" for all
	Photo     []Option
	Teachers  []Option
	Chips     []Chip
	Problem   string
	Filtering bool
}

// Chip is a filter that can be dropped.
type Chip struct{ Name, Link string }
