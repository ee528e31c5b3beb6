package clip

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
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

// ImageTower is an ONNX graph from [n, 3, Size, Size] to the raw embeddings,
// [n, Dim], and how its input is made of a photo.
type ImageTower struct {
	File
	Graph
	InputType     string     `json:"input_type,omitempty"` // "float32", also if empty, or "float16"
	Size          int        `json:"size"`
	Resize        string     `json:"resize"`        // "crop" or "squash"
	Interpolation string     `json:"interpolation"` // "bicubic" or "bilinear"
	Mean          [3]float64 `json:"mean"`
	Std           [3]float64 `json:"std"`
	// Scale multiplies what the graph gives; 0 is 1. It gives embeddings of
	// length 1 the length that the linear probe is made for (METHOD.md, section
	// 3: x = s·v̂).
	Scale float64 `json:"scale,omitempty"`
}

// TextTower is an ONNX graph from token ids, integers [n, Context], to
// embeddings, [n, Dim]; or, where Lookup is given, a table of names alone.
type TextTower struct {
	File
	Graph
	Mask      string        `json:"mask,omitempty"` // input that is 1 where a token is attended to; "": none
	IDType    string        `json:"id_type"`        // "int64" or "int32", of Mask as well
	Context   int           `json:"context"`
	Tokenizer TokenizerSpec `json:"tokenizer"`
	Lookup    *Lookup       `json:"lookup,omitempty"`
}

// Graph names what a tower's graph is fed by and read from.
type Graph struct {
	Input      string `json:"input"`
	Output     string `json:"output"`
	OutputType string `json:"output_type,omitempty"` // "float32", also if empty, or "float16"
	Batch      int    `json:"batch,omitempty"`       // 1: the graph takes one row a run; 0: any number
}

// TokenizerSpec says how text becomes token ids.
type TokenizerSpec struct {
	Kind   string `json:"kind"`            // "clip-bpe" or "unigram"
	Vocab  File   `json:"vocab,omitzero"`  // clip-bpe: symbols to ids
	Merges File   `json:"merges,omitzero"` // clip-bpe: pairs by rank
	Model  File   `json:"model,omitzero"`  // unigram: the tokenizer.json of Hugging Face's tokenizers
	Start  string `json:"start"`           // "": none
	End    string `json:"end"`
	PadID  int64  `json:"pad_id"`
}

// Lookup holds the embeddings of names that were made elsewhere.
type Lookup struct {
	Names   File `json:"names"`   // one row a line; names of one row, if several, separated by tabs
	Vectors File `json:"vectors"` // float32 [rows, Dim], little-endian, nothing else
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
	if err := m.Check(); err != nil {
		return Manifest{}, fmt.Errorf("encoder: %s: %w", ManifestFile, err)
	}
	return m, nil
}

// Bytes is the size of all files that the manifest names.
func (m *Manifest) Bytes() int64 {
	var sum int64
	for _, f := range m.Files() {
		sum += f.Bytes
	}
	return sum
}

// Digest is the identity of the encoder's image embeddings, which are stored:
// the SHA-256, in hexadecimal, over the image tower and all that is done to a
// photo before it. Stored embeddings are comparable exactly when their digests
// are equal. The text tower is no part of it: its embeddings are kept only to
// save time, so that a better one can take the place of another without a photo
// being read again.
func (m *Manifest) Digest() string {
	h := sha256.New()
	fmt.Fprintf(h, "fieldmark image encoder 1\nimage %s\ndim %d\nsize %d\nresize %s\ninterpolation %s\nmean %v\nstd %v\n",
		m.Image.SHA256, m.Dim, m.Image.Size, m.Image.Resize, m.Image.Interpolation, m.Image.Mean, m.Image.Std)
	if m.Image.Scale != 0 && m.Image.Scale != 1 {
		fmt.Fprintf(h, "scale %v\n", m.Image.Scale)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// NameDigest is the identity of what EmbedNames returns: the SHA-256, in hexadecimal,
// over the text tower, its tokenizer or table of names, and the prompts.
func (m *Manifest) NameDigest() (string, error) {
	made, err := json.Marshal(struct {
		Dim     int
		Text    TextTower
		Prompts []string
	}{m.Dim, m.Text, m.Prompts})
	sum := sha256.Sum256(append([]byte("fieldmark names 1\n"), made...))
	return hex.EncodeToString(sum[:]), err
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
