package templates

// Work is what is done in the background for an encoder.
type Work struct {
	Key      string // what it is about: when that changes, more of the page than the figures does
	Sentence string
	Share    Share // done of all
	Shares   bool  // a share can be told
	Stopped  bool  // something stopped it: people have to look
	Link     string
}

// address is where the figures come from anew.
func (w Work) address(refresh bool) string {
	url := "/encoders/progress?of=" + w.Key
	if refresh {
		url += "&refresh=1"
	}
	return url
}

// EncodersPage lists the encoders.
type EncodersPage struct {
	Encoders  []Encoder
	Work      *Work // nil if nothing is done
	CanPause  bool
	CanResume bool
	CanCancel bool
	CanChoose bool // the user's role allows it
	CanCmp    bool // there are two to be compared
	Lost      []LostLessons
}

// Encoder is one that is installed.
type Encoder struct {
	Model   string
	Title   string // "" where it is the model's name
	Facts   string // "512 numbers a photo · 24.1 MB · Apache-2.0"
	State   string
	Share   Share // photos read of all
	Serving bool
	Fault   bool // State says why it cannot be used
	CanUse  bool
}

// LostLessons are what one encoder's memory lacks.
type LostLessons struct {
	Model    string
	Lessons  []LostLesson
	More     string // "and 40 more", ""
	CanRetry bool
}

// LostLesson is a lesson whose photo cannot be read.
type LostLesson struct {
	Photo    string // "No. 12"
	Link     string
	Name     string
	TaughtBy string
	Reason   string
}

// ComparePage shows one photo as two encoders read it.
type ComparePage struct {
	Observation string // number, "" for a photo that is not kept
	Photo       *Photo
	First       []Option // encoders to choose from
	Second      []Option
	Accept      string
	Problem     string
	Sides       []Side
}

// Side is what one encoder says.
type Side struct {
	Encoder string
	Memory  string // "answers with 120 exemplars"
	Answer  Answer
}
