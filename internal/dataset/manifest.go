package dataset

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// Manifest lists the tasks of an evaluation. It is written in TOML; its places
// are relative to the folder that it lies in.
type Manifest struct {
	Name string `toml:"name"`
	// Names is a table of class, scientific and English name, tabs between, which
	// says how the classes of photos are put to the text tower; without one, or for
	// a class that it lacks, its folder's name is, with spaces for underscores.
	Names string `toml:"names"`
	// Encoder names what made the embeddings, where the tasks are files of these.
	Encoder string `toml:"encoder"`
	// Tau is τ of METHOD.md Eq. 1. 0: the encoder's or the pack's, or else 100,
	// which is OpenAI CLIP's.
	Tau float64 `toml:"tau"`
	// SplitSeed decides which photos are a class's test share (Task.TestShare).
	SplitSeed uint64 `toml:"split_seed"`
	Tasks     []Task `toml:"task"`

	folder string
}

// Task names the files of one task, in one of three ways: Photos; Embeddings,
// or Train and Test; Pack.
type Task struct {
	Name string `toml:"name"`
	// ZeroShot marks a task that is asked about and never taught: its training
	// images are left aside.
	ZeroShot bool `toml:"zero_shot"`
	// Prompt is the sentence in which the text tower reads each label, with {} for
	// it; "" is the encoder's own prompts.
	Prompt string `toml:"prompt"`

	// Photos is a folder or a .tar.gz with CLASS/FILE, train/CLASS/FILE and
	// test/CLASS/FILE, below Folder if that is given.
	Photos   string   `toml:"photos"`
	Folder   string   `toml:"folder"`
	Classes  []string `toml:"classes"`   // that are used, by folder; all if there are none
	LeaveOut []string `toml:"leave_out"` // folders that are no classes
	// Named leaves out the classes that the table Names lacks.
	Named    bool `toml:"named"`
	PerClass int  `toml:"per_class"` // photos of a class at most; 0: all
	// TestEvery takes each n-th photo of a class, by name, from the first on, for
	// testing; TestShare that part of a class, drawn by SplitSeed. One of them is
	// given where the photos have no folders train and test.
	TestEvery int     `toml:"test_every"`
	TestShare float64 `toml:"test_share"`

	// Embeddings is an npz file: embeddings [N, D], labels [N] (text, or numbers
	// that count text_labels), split [N] ("train" or "test"), and if need be
	// text_embeddings [K, D] with text_labels [K], and encoder, a digest.
	Embeddings string `toml:"embeddings"`
	// Train and Test are the same without split; or npy files [N, D], with
	// TrainLabels and TestLabels: a file of one label a line, or npy [N].
	Train       string `toml:"train"`
	TrainLabels string `toml:"train_labels"`
	Test        string `toml:"test"`
	TestLabels  string `toml:"test_labels"`
	// Texts is an npz file with text_embeddings and text_labels; or an npy file
	// [K, D], with TextLabels: one label a line, or npy [K]. Without any the encoder
	// embeds the labels.
	Texts      string `toml:"texts"`
	TextLabels string `toml:"text_labels"`

	// Pack is the folder of a reference pack; its exemplars are taught and its
	// queries asked.
	Pack string `toml:"pack"`
}

// ReadManifest reads a manifest and checks it as far as that goes without the
// files that it names. Errors say what is wrong and where.
func ReadManifest(file string) (*Manifest, error) {
	m := &Manifest{folder: filepath.Dir(file)}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	known, err := toml.Decode(string(text), m)
	if syntax := (toml.ParseError{}); errors.As(err, &syntax) {
		return nil, fmt.Errorf("manifest %s: %s", file, strings.TrimSpace(strings.TrimPrefix(syntax.ErrorWithPosition(), "toml: error: ")))
	}
	if err != nil {
		return nil, fmt.Errorf("manifest %s: %w", file, err)
	}
	if extra := known.Undecoded(); len(extra) > 0 {
		return nil, fmt.Errorf("manifest %s: there is no setting %q: see doc/evaluation.md for those there are", file, extra[0])
	}
	if m.Name == "" {
		m.Name = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("manifest %s: %w", file, err)
	}
	return m, nil
}

func (m *Manifest) check() error {
	if len(m.Tasks) == 0 {
		return errors.New("it has no [[task]]")
	}
	if m.Tau < 0 {
		return fmt.Errorf("tau = %g: it must be positive", m.Tau)
	}
	var names []string
	targets := 0
	for i, t := range m.Tasks {
		if t.Name == "" {
			return fmt.Errorf("task %d has no name", i+1)
		}
		if slices.Contains(names, t.Name) {
			return fmt.Errorf("two tasks are named %q", t.Name)
		}
		names = append(names, t.Name)
		if !t.ZeroShot {
			targets++
		}
		if err := t.check(); err != nil {
			return fmt.Errorf("task %q: %w", t.Name, err)
		}
	}
	if targets == 0 {
		return errors.New("every task is zero-shot: at least one must be taught")
	}
	return nil
}

func (t Task) check() error {
	forms := 0
	for _, given := range []bool{t.Photos != "", t.Embeddings != "", t.Train != "" || t.Test != "", t.Pack != ""} {
		if given {
			forms++
		}
	}
	if forms != 1 {
		return errors.New("it needs one of photos, embeddings, train and test, pack")
	}
	switch {
	case t.Prompt != "" && strings.Count(t.Prompt, "{}") != 1:
		return fmt.Errorf("prompt = %q: it needs {} once, where the label stands", t.Prompt)
	case t.Prompt != "" && (t.Pack != "" || t.Texts != ""):
		return errors.New("its texts come as vectors, which no prompt can change: leave out prompt")
	case t.Photos == "" && (t.Folder != "" || len(t.Classes) > 0 || len(t.LeaveOut) > 0 || t.Named || t.PerClass != 0 || t.TestEvery != 0 || t.TestShare != 0):
		return errors.New("folder, classes, leave_out, named, per_class, test_every and test_share go with photos only")
	case t.TestEvery != 0 && t.TestShare != 0:
		return errors.New("it has both test_every and test_share")
	case t.TestEvery < 0 || t.TestEvery == 1 && !t.ZeroShot || t.TestShare < 0 || t.TestShare > 1 || t.TestShare == 1 && !t.ZeroShot || t.PerClass < 0:
		return errors.New("test_every is at least 2, test_share between 0 and 1, and per_class positive, so that photos are left to teach")
	case t.Train == "" && t.TrainLabels != "" || t.Test == "" && t.TestLabels != "":
		return errors.New("it has labels without embeddings")
	case t.Test == "" && t.Train != "" || t.Test != "" && t.Train == "" && !t.ZeroShot:
		return errors.New("train and test belong together; only a zero-shot task can do without train")
	case t.Texts == "" && t.TextLabels != "":
		return errors.New("it has text_labels without texts")
	}
	return nil
}

// path is a place of the manifest on this machine.
func (m *Manifest) path(place string) string {
	if filepath.IsAbs(place) {
		return place
	}
	return filepath.Join(m.folder, filepath.FromSlash(place))
}
