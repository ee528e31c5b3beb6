package templates

// HomePage is the first page: the place for photos, and the answers.
type HomePage struct {
	CanUpload bool
	Sets      []Option
	SetAdvice string // about the chosen label set, "" if nothing is to be said
	Accept    string // media types of the file dialogue
	Limit     string // "JPEG, PNG, WebP or GIF, up to 16 MB each"
	Cards     []Card
	More      string // "10 more photos" that came in but are not shown, "" if none
	Refused   []Refused
	Recent    []Thumb
	Empty     bool // nothing was ever stored: a newcomer
}

// Refused is a photo that could not be read.
type Refused struct {
	File    string
	Message string
}

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
