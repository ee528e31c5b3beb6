package templates

import "strconv"

// HomePage is the first page: the place for photos, and the answers.
type HomePage struct {
	CanUpload bool
	Upload    UploadForm
	Cards     []Card
	More      string   // "10 more photos came in …" that are not shown, "" if none
	Known     []Option // photos that were here before: link and name
	Refused   []Refused
	Recent    []Thumb
	Empty     bool // nothing was ever stored: a newcomer
}

// UploadForm is the place for photos.
type UploadForm struct {
	Observer      int64 // who fills it, 0 where that is not known: on the page for when there is no connection
	Sets          []Option
	SetAdvice     string // about the chosen label set, "" if nothing is to be said
	Labels        string // names for one look, between commas
	LabelsProblem string
	Licenses      []Option // none: rights are not asked for
	RightsHolder  string
	Accept        string // media types of the file dialogue
	MaxBytes      int64  // of one photo
	Limit         string // "JPEG, HEIC, AVIF, PNG, WebP or GIF, up to 16 MB each."
}

func (f UploadForm) observer() string {
	if f.Observer == 0 {
		return ""
	}
	return strconv.FormatInt(f.Observer, 10)
}

func (f UploadForm) maxBytes() string { return strconv.FormatInt(f.MaxBytes, 10) }

// asksNames reports whether names for one look are given: then their fold is open.
func (f UploadForm) asksNames() bool { return f.Labels != "" || f.LabelsProblem != "" }

// Refused is a photo that could not be read.
type Refused struct {
	File    string
	Message string
}

// platesAtOnce is how many photos of a list a window shows that begins near its top.
const platesAtOnce = 6

// Thumb is one observation in a list.
type Thumb struct {
	Link       string
	Photo      Photo
	Name       string
	Scientific string
	Status     string // "Taught", "answered, 83%", "perhaps …"
	Taught     bool
	Caption    string // "3 May 2026 · Ana"
}

func (t Thumb) id() string { return strconv.FormatInt(t.Photo.Observation, 10) }

// chosen is the label of the option that is selected, "" if none is.
func chosen(list []Option) string {
	for _, o := range list {
		if o.Selected {
			return o.Label
		}
	}
	return ""
}
