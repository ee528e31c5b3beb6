package clip

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"regexp"
	"strings"
)

// ManifestFile is the manifest's name in an encoder's folder.
const ManifestFile = "manifest.json"

// A Manifest describes an encoder.
type Manifest struct {
	Format  int    `json:"format"` // 1
	Name    string `json:"name"`
	Title   string `json:"title"`
	License string `json:"license"`
	Dim     int    `json:"dim"` // D, the length of every vector

	Image ImageTower `json:"image"`
	Text  TextTower  `json:"text"`

	LogitScale float64  `json:"logit_scale"` // τ of METHOD.md eq. 1
	MeanNorm   float64  `json:"mean_norm"`   // of raw image embeddings
	Prompts    []string `json:"prompts"`     // each with one {} for a name
	Names      []string `json:"names"`       // which names of a taxon are embedded
	Near       Near     `json:"near"`
	Seen       *File    `json:"seen"` // names that the image tower has learned to see, one a line; nil: unknown

	Figures json.RawMessage `json:"figures"` // what the encoder scores; for people
}

// A File of an encoder's folder.
type File struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
}

// ImageTower is an ONNX graph from float32 [n, 3, Size, Size] to the raw
// embeddings, float32 [n, Dim], and how its input is made of a photo.
type ImageTower struct {
	File
	Input         string     `json:"input"`
	Output        string     `json:"output"`
	Size          int        `json:"size"`
	Resize        string     `json:"resize"`        // "crop" or "squash"
	Interpolation string     `json:"interpolation"` // "bicubic" or "bilinear"
	Mean          [3]float64 `json:"mean"`
	Std           [3]float64 `json:"std"`
}

// TextTower is an ONNX graph from token ids, integers [n, Context], to
// embeddings, float32 [n, Dim].
type TextTower struct {
	File
	Input     string        `json:"input"`
	Output    string        `json:"output"`
	IDType    string        `json:"id_type"` // "int64" or "int32"
	Context   int           `json:"context"`
	Tokenizer TokenizerSpec `json:"tokenizer"`
}

// TokenizerSpec says how text becomes token ids.
type TokenizerSpec struct {
	Kind   string `json:"kind"` // "clip-bpe"
	Vocab  File   `json:"vocab"`
	Merges File   `json:"merges"`
	Start  string `json:"start"`
	End    string `json:"end"`
	PadID  int64  `json:"pad_id"`
}

// Near is the prior of METHOD.md section 7: r = σ(Slope·(s₁ − Midpoint)).
type Near struct {
	Slope    float64 `json:"slope"`
	Midpoint float64 `json:"midpoint"`
}

// ReadManifest reads and checks the manifest of an encoder's folder. The files
// that it names are checked when they are read.
func ReadManifest(folder fs.FS) (Manifest, error) {
	raw, err := fs.ReadFile(folder, ManifestFile)
	if err != nil {
		return Manifest{}, fmt.Errorf("encoder: %w", err)
	}
	var m Manifest
	if err := json.Unmarshal(raw, &m); err != nil {
		return Manifest{}, fmt.Errorf("encoder: %s: %w", ManifestFile, err)
	}
	if err := m.check(); err != nil {
		return Manifest{}, fmt.Errorf("encoder: %s: %w", ManifestFile, err)
	}
	return m, nil
}

var wellFormedDigest = regexp.MustCompile(`^[0-9a-f]{64}$`)

// check returns every fault at once, so that one reading mends them all.
func (m *Manifest) check() error {
	var faults []error
	need := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	need(m.Format == 1, "format is %d: this program reads format 1", m.Format)
	need(m.Name != "", "name is empty")
	need(m.Dim > 0 && m.Dim <= 1<<16, "dim is %d: must be 1 to 65536", m.Dim)
	need(m.Image.Size > 0 && m.Image.Size <= 4096, "image.size is %d: must be 1 to 4096", m.Image.Size)
	need(m.Image.Resize == "crop" || m.Image.Resize == "squash", `image.resize is %q: must be "crop" or "squash"`, m.Image.Resize)
	need(m.Image.Interpolation == "bicubic" || m.Image.Interpolation == "bilinear",
		`image.interpolation is %q: must be "bicubic" or "bilinear"`, m.Image.Interpolation)
	for i, std := range m.Image.Std {
		need(std > 0, "image.std[%d] is %v: must be positive", i, std)
	}
	need(m.Image.Input != "" && m.Image.Output != "", "image.input and image.output must be named")
	need(m.Text.Input != "" && m.Text.Output != "", "text.input and text.output must be named")
	need(m.Text.IDType == "int64" || m.Text.IDType == "int32", `text.id_type is %q: must be "int64" or "int32"`, m.Text.IDType)
	need(m.Text.Context >= 3 && m.Text.Context <= 4096, "text.context is %d: must be 3 to 4096", m.Text.Context)
	need(m.Text.Tokenizer.Kind == "clip-bpe", `text.tokenizer.kind is %q: must be "clip-bpe"`, m.Text.Tokenizer.Kind)
	need(m.LogitScale > 0 && !math.IsInf(m.LogitScale, 0), "logit_scale is %v: must be positive", m.LogitScale)
	need(len(m.Prompts) > 0, "prompts is empty: at least one is needed")
	for _, p := range m.Prompts {
		need(strings.Count(p, "{}") == 1, "prompt %q: must hold {} once, for the name", p)
	}
	for _, f := range m.files() {
		need(fs.ValidPath(f.File) && path.Base(f.File) == f.File && f.File != ".", "file %q: must be a name within the folder", f.File)
		need(wellFormedDigest.MatchString(f.SHA256), "file %q: sha256 must be 64 lower-case hexadecimal digits", f.File)
	}
	return errors.Join(faults...)
}

func (m *Manifest) files() []File {
	files := []File{m.Image.File, m.Text.File, m.Text.Tokenizer.Vocab, m.Text.Tokenizer.Merges}
	if m.Seen != nil {
		files = append(files, *m.Seen)
	}
	return files
}

// Bytes is the size of all files that the manifest names.
func (m *Manifest) Bytes() int64 {
	var sum int64
	for _, f := range m.files() {
		sum += f.Bytes
	}
	return sum
}

// Digest is the identity of the encoder's image embeddings, which are stored:
// the SHA-256, in hexadecimal, over the image tower and all that is done to a
// photo before it. Stored embeddings are comparable exactly when their digests
// are equal. The text tower is no part of it: its embeddings are stored nowhere,
// so that a better one can take the place of another without a photo being read
// again.
func (m *Manifest) Digest() string {
	h := sha256.New()
	fmt.Fprintf(h, "fieldmark image encoder 1\nimage %s\ndim %d\nsize %d\nresize %s\ninterpolation %s\nmean %v\nstd %v\n",
		m.Image.SHA256, m.Dim, m.Image.Size, m.Image.Resize, m.Image.Interpolation, m.Image.Mean, m.Image.Std)
	return hex.EncodeToString(h.Sum(nil))
}

// read returns a file's bytes if they are the ones that the manifest means.
func (f File) read(folder fs.FS) ([]byte, error) {
	data, err := fs.ReadFile(folder, f.File)
	if err != nil {
		return nil, fmt.Errorf("encoder: %w", err)
	}
	if int64(len(data)) != f.Bytes {
		return nil, fmt.Errorf("encoder: %s has %d bytes, but its manifest says %d: fetch or export it again", f.File, len(data), f.Bytes)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != f.SHA256 {
		return nil, fmt.Errorf("encoder: %s has SHA-256 %x, but its manifest says %s: fetch or export it again", f.File, sum, f.SHA256)
	}
	return data, nil
}
