package adopt

import (
	"fmt"
	"io/fs"
	"strings"

	"fieldmark/internal/clip"
)

// Options are what a person says. Zero values say nothing.
type Options struct {
	Name    string // of the encoder
	Title   string // "": the name
	License string // "": unknown

	ImageFile, TextFile     string // paths within the folder, where several would do
	Precision               string // of the files to take: "fp32", "fp16", "quantized", …
	ImageOutput, TextOutput string
	Dim                     int

	Size          int
	Resize        string // "crop" or "squash"
	Interpolation string // "bicubic" or "bilinear"
	Mean, Std     []float64

	Tokenizer fs.FS // folder of the tokenizer's files; nil: the encoder's
	Context   int
	Pad       *int64

	LogitScale float64
	Length     float64  // given to embeddings that come with length 1; 0: DefaultLength
	Prompts    []string // nil: defaultPrompt
	Names      []string // which names of a taxon are embedded; nil: "english"
	Near       *clip.Near
}

// DefaultLength is the length that unit embeddings are given. The linear
// probe's C is meant for ViT-B/32, whose raw embeddings have norms near 10
// (METHOD.md, section 3).
const DefaultLength = 10

// defaultPrompt is the one that CLIP's authors use where nothing better is
// known of the labels.
const defaultPrompt = "a photo of a {}."

// defaultNear is what `evaluate near --pack` proposes for the reference pack,
// real embeddings of OpenAI's ViT-B/32. Nothing can be fitted to an encoder
// before it has seen photos with names, so every added encoder begins with it.
func defaultNear() clip.Near { return clip.Near{Slope: 10, Midpoint: 0.6} }

// Missing is the error of a folder that is sound, but doesn't say everything.
// Each entry says what is missing and how to say it.
type Missing []string

func (m Missing) Error() string {
	return fmt.Sprintf("something is missing that the folder does not say:\n  - %s", strings.Join(m, "\n  - "))
}
