package templates

import "strconv"

// BundlesPage makes bundles and takes them in.
type BundlesPage struct {
	Site        string // what this Fieldmark is called
	Fingerprint string // of its key, in groups
	Signers     []Signer
	Problem     string // why something was refused
	Taken       *BundleTaken
}

// BundleTaken is what came of a bundle.
type BundleTaken struct {
	Import        int64
	Taught, State string // "48 lessons"; "broken off after …", "" at its end
}

// Observations is where what came with it is listed.
func (t BundleTaken) Observations() string {
	return "/observations?import=" + strconv.FormatInt(t.Import, 10)
}

// Signer is whose key is known.
type Signer struct {
	Name, Fingerprint, By string
	Key                   string // in hex
	When                  Moment
}

// MergePage is what taking a bundle in would do.
type MergePage struct {
	ID, Name    string // of the upload, and of the file
	From        string // "Lab A"
	Made        Moment
	Sum         string // "48 exemplars of 4 taxa, with photos"
	Narrowed    string // what it was narrowed to there, "" to nothing
	Signer      MergeSigner
	Notes       []string // what else there is to know
	Resumes     string   // how far it had come, "" if it is new
	New         string   // "12 lessons"; "" if there are none
	TakeNew     bool
	Known       string // "3 lessons"; "" if there are none
	Groups      []MergeGroup
	Taxa        []MergeTaxon
	Take        string // "14 lessons would be taught"
	Nothing     bool   // none would
	Problem     string
	NamedSigner string // what was typed
}

// MergeSigner says whose a bundle is.
type MergeSigner struct {
	Name        string // "" unknown
	Own         bool
	Fingerprint string // in groups
	Key         string // in hex
}

// MergeGroup is rows that are decided about together.
type MergeGroup struct {
	Key          string
	Why          string // "The same photo has another name here"
	Theirs, Ours string
	Rows         string
	Take         bool
	TakeLabel    string // "Let both stand"
	LeaveLabel   string // "Keep ours alone"
	Photos       []MergePhoto
}

// MergePhoto is what is here of a photo that is at odds.
type MergePhoto struct {
	Observation string // address
	Thumbnail   string // address
	Alt         string
}

// MergeTaxon is a name that is not known here.
type MergeTaxon struct {
	Field   string // "taxon-7"
	Name    string
	English string
	Facts   string // "species below Rubus, 3 lessons"
	Choices []Option
	Typed   string
}
