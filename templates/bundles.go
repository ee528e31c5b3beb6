package templates

import "context"

// BundlesPage makes bundles and takes them in.
type BundlesPage struct {
	Site        string // what this Fieldmark is called
	Fingerprint string // of its key, in groups
	Signers     []Signer
	Problem     string // why something was refused
	Jobs        ImportJobList
	Waiting     []WaitingBundle
}

// WaitingBundle is one that was uploaded and not decided about.
type WaitingBundle struct {
	Path  string
	Name  string
	Sum   string // "48 lessons"
	From  string // "Lab A"
	Size  string // "2.5 MB"
	By    string
	When  Moment
	State string // "under way", ""
}

// Signer is whose key is known.
type Signer struct {
	Name, Fingerprint, By string
	Key                   string // in hex
	When                  Moment
}

// MergePage is what taking a bundle in would do.
type MergePage struct {
	ID, Name  string // of the upload, and of the file
	From      string // "Lab A"
	Made      Moment
	Sum       string // "48 exemplars of 4 taxa, with photos"
	Narrowed  string // what it was narrowed to there, "" to nothing
	Signer    MergeSigner
	Notes     []string // what else there is to know
	Resumes   string   // how far it had come, "" if it is new
	New       string   // "12 lessons are new"; "" if there are none
	TakeNew   bool
	Known     string // a sentence; "" if there are none
	Kinds     []MergeKind
	Taxa      []MergeTaxon
	AllTaxa   []Option // what can be decided about all of them at once; nil for a single one
	MoreTaxa  string   // "300 more names are not listed."; "" if all are
	OtherTaxa []Option // what can be decided about those
	Take      string   // "14 lessons would be taught"
	Nothing   string   // what to do where none would; "" if some would
	Problem   string
	Old       bool // something was taught or withdrawn here since
}

// MergeSigner says whose a bundle is.
type MergeSigner struct {
	Name        string // "" unknown
	Own         bool
	Fingerprint string // in groups
	Key         string // in hex
}

// MergeKind is the groups that are asked about for the same reason.
type MergeKind struct {
	Key       string
	Title     string // "The same photo has another name here"
	Withdrawn bool   // what is at odds was taught here and withdrawn
	Groups    []MergeGroup
}

// MergeGroup is rows that are decided about together.
type MergeGroup struct {
	Key          string
	Withdrawn    bool // what is at odds was taught here and withdrawn
	Theirs, Ours string
	Rows         string // "3 lessons"
	Take         bool
	Photos       []MergePhoto
}

func takeLabel(ctx context.Context, withdrawn bool) string {
	if withdrawn {
		return t(ctx, "Teach it again")
	}
	return t(ctx, "Let both stand, as two people who disagree do")
}

func leaveLabel(ctx context.Context, withdrawn bool) string {
	if withdrawn {
		return t(ctx, "Leave it out")
	}
	return t(ctx, "Keep ours alone")
}

// MergePhoto is what is here of a photo that is at odds.
type MergePhoto struct {
	Observation string // address
	Thumbnail   string // address
	Alt         string
	Theirs      string // address of their photo, where it is another and can be looked at
}

// MergeTaxon is a name that is not known here.
type MergeTaxon struct {
	Field   string // "taxon-7"
	Name    string
	English string
	Rank    string   // "species"
	Below   string   // "Rubus", ""
	Rows    string   // "3 lessons"
	Photos  []string // addresses of a few of its photos
	Choices []Option
	Typed   string
}
