package templates

import "strconv"

// Photo says where a photo's picture is.
type Photo struct {
	Observation   int64
	Alt           string
	Width, Height int  // of the upright original
	Missing       bool // it never came: an imported embedding
}

func (p Photo) sized(size string) string {
	return observationURL(p.Observation) + "/photo?size=" + size
}

func (p Photo) small() string    { return p.sized("small") }
func (p Photo) thumb() string    { return p.sized("thumb") }
func (p Photo) display() string  { return p.sized("display") }
func (p Photo) original() string { return p.sized("original") }
func (p Photo) width() string    { return strconv.Itoa(p.Width) }
func (p Photo) height() string   { return strconv.Itoa(p.Height) }

// plateSet and largeSet are what a browser may choose from where the photo is one of
// many, and where it stands for itself: srcset, by the widths of photos that are
// broader than high. A higher one has its height from the same file.
func (p Photo) plateSet() string { return p.small() + " 320w, " + p.thumb() + " 640w" }
func (p Photo) largeSet() string { return p.thumb() + " 640w, " + p.display() + " 1280w" }

// How wide photos are drawn, for browsers to choose by: the attribute sizes.
const (
	cardSizes   = "(max-width: 45rem) 84vw, 34rem"
	reviewSizes = "(max-width: 60rem) 92vw, 42rem"
	plateSizes  = "(max-width: 45rem) 44vw, 11rem"
	tileSizes   = "(max-width: 45rem) 30vw, 9rem"
)
