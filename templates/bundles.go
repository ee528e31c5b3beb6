package templates

import "context"

// BundlesPage makes bundles and takes them in.
type BundlesPage struct {
	Site        string // what this Fieldmark is called
	Fingerprint string // of its key, in groups
	Signers     []Signer
	Problem     string // why something was refused
	Jobs        ImportJobList
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
	New         string   // "12 lessons are new"; "" if there are none
	TakeNew     bool
	Known       string // a sentence; "" if there are none
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
	Withdrawn    bool // what is at odds was taught here and withdrawn
	Near         bool // the photo only looks the same
	Theirs, Ours string
	Rows         string // "3 lessons"
	Take         bool
	Photos       []MergePhoto
}

func (g MergeGroup) takeLabel(ctx context.Context) string {
	if g.Withdrawn {
		return t(ctx, "Teach it again")
	}
	return t(ctx, "Let both stand, as two people who disagree do")
}

func (g MergeGroup) leaveLabel(ctx context.Context) string {
	if g.Withdrawn {
		return t(ctx, "Leave it out")
	}
	return t(ctx, "Keep ours alone")
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
	Rank    string // "species"
	Below   string // "Rubus", ""
	Rows    string // "3 lessons"
	Choices []Option
	Typed   string
}
