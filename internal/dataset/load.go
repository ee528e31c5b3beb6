package dataset

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"fieldmark/internal/fusion"
	"fieldmark/internal/photo"
	"fieldmark/internal/protocol"
	"fieldmark/internal/vec"
)

// Options of Load.
type Options struct {
	// Encoder embeds photos, and labels that come without vectors. It may be nil
	// where there are none of either.
	Encoder Encoder
	Cache   *Cache // needed with Encoder
	// Decoder and Need say how photos are decoded: as the server does it.
	Decoder photo.Decoder
	Need    photo.Need
	Workers int // that decode photos; 0 is one
	// Progress, unless nil, is told how much of a stretch of work is done; total is
	// 0 while it is not known.
	Progress func(what string, done, total int)
}

func (o Options) tell(what string, done, total int) {
	if o.Progress != nil {
		o.Progress(what, done, total)
	}
}

// Loaded is a suite and how it came about.
type Loaded struct {
	Suite protocol.Suite
	// Notes say what was left out, and what is doubtful.
	Notes []string
	// Embedded is how many photos were embedded now; others came out of the cache.
	Embedded int
}

// defaultTau is τ of OpenAI's CLIP (METHOD.md, Eq. 1).
const defaultTau = 100

// Load reads the tasks of a manifest. The suite is the same for the same files,
// whatever is in the cache. Errors name the task.
func Load(ctx context.Context, m *Manifest, o Options) (*Loaded, error) {
	if o.Encoder != nil && o.Cache == nil {
		return nil, errors.New("dataset: an encoder needs a cache")
	}
	l := &loader{manifest: m, options: o, tasks: make([]protocol.Task, len(m.Tasks))}
	for i, t := range m.Tasks {
		var err error
		switch {
		case t.Photos != "":
			continue
		case t.Pack != "":
			err = l.readPack(i)
		default:
			err = l.readVectors(ctx, i)
		}
		if err != nil {
			return nil, fmt.Errorf("task %q: %w", t.Name, err)
		}
	}
	if err := l.readPhotos(ctx); err != nil {
		return nil, err
	}
	s := protocol.Suite{Name: m.Name, Tau: l.temperature(), Tasks: l.tasks}
	if o.Encoder != nil {
		about := o.Encoder.Manifest()
		s.Encoder = about.Name + " " + o.Encoder.Digest()
		s.Near = fusion.NearParams{Slope: about.Near.Slope, Midpoint: about.Near.Midpoint}
	} else {
		s.Encoder = strings.TrimSpace(m.Encoder + " " + l.digest)
	}
	if err := check(s); err != nil {
		return nil, err
	}
	return &Loaded{Suite: s, Notes: append(l.notes, taughtAnyway(s)...), Embedded: l.embedded}, nil
}

// loader fills in the tasks of a manifest.
type loader struct {
	manifest *Manifest
	options  Options
	tasks    []protocol.Task
	notes    []string
	embedded int
	packTau  float64
	digest   string // of the encoder that the files name, "" if none does
}

func (l *loader) note(format string, args ...any) {
	l.notes = append(l.notes, fmt.Sprintf(format, args...))
}

// temperature is τ: as the manifest has it, or the encoder, or the pack.
func (l *loader) temperature() float64 {
	switch {
	case l.manifest.Tau > 0:
		return l.manifest.Tau
	case l.options.Encoder != nil:
		return l.options.Encoder.Manifest().LogitScale
	case l.packTau > 0:
		return l.packTau
	}
	return defaultTau
}

// errNoEncoder is the error of what only an encoder can do.
var errNoEncoder = errors.New("it needs an encoder: give one with --model")

// texts embeds a task's labels by the encoder's text tower.
func (l *loader) texts(ctx context.Context, t Task, names [][]string) ([][]float32, error) {
	if l.options.Encoder == nil {
		return nil, errNoEncoder
	}
	if about := l.options.Encoder.Manifest(); t.Prompt != "" && about.Text.Lookup != nil {
		l.note("%s: its prompt is of no use to the encoder %s, which has a table of names in place of a text tower", t.Name, about.Name)
	}
	return embedNames(ctx, l.options, names, t.Prompt)
}

// check makes sure that all tasks can be asked together.
func check(s protocol.Suite) error {
	dim := 0
	for _, t := range s.Tasks {
		sets := [][][]float32{t.Texts, t.Train.Vectors, t.Test.Vectors}
		if len(t.Test.Vectors) == 0 {
			return fmt.Errorf("task %q: it has no test images", t.Name)
		}
		if !t.ZeroShot && len(t.Train.Vectors) == 0 {
			return fmt.Errorf("task %q: it has no training images", t.Name)
		}
		for _, set := range sets {
			for i, v := range set {
				if dim == 0 {
					dim = len(v)
				}
				if len(v) != dim {
					return fmt.Errorf("task %q: its embeddings have %d numbers, others have %d: all must come from one encoder", t.Name, len(v), dim)
				}
				if !vec.Finite(v) || vec.Norm(v) == 0 {
					return fmt.Errorf("task %q: embedding %d is zero or not finite", t.Name, i)
				}
			}
		}
		if twice := repeated(t.Classes); twice != "" {
			return fmt.Errorf("task %q: two classes are named %q", t.Name, twice)
		}
	}
	return nil
}

// taughtAnyway has a note on each zero-shot task some of whose classes a target
// task teaches: by the same text embedding they are one label.
func taughtAnyway(s protocol.Suite) []string {
	taught := map[string]bool{}
	for _, t := range s.Tasks {
		for _, v := range t.Texts {
			if !t.ZeroShot {
				taught[fmt.Sprint(v)] = true
			}
		}
	}
	var notes []string
	for _, t := range s.Tasks {
		n, example := 0, ""
		for c, v := range t.Texts {
			if t.ZeroShot && taught[fmt.Sprint(v)] {
				n, example = n+1, t.Classes[c]
			}
		}
		if n > 0 {
			notes = append(notes, fmt.Sprintf("%s is not wholly zero-shot: target tasks teach %d of its %d classes, %s for one", t.Name, n, len(t.Classes), example))
		}
	}
	return notes
}

func repeated(list []string) string {
	sorted := slices.Sorted(slices.Values(list))
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] {
			return sorted[i]
		}
	}
	return ""
}
