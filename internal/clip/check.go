package clip

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"regexp"
	"strings"
)

// faults gathers what is wrong with a manifest.
type faults []error

func (f *faults) need(ok bool, format string, args ...any) {
	if !ok {
		*f = append(*f, fmt.Errorf(format, args...))
	}
}

// Check returns every fault at once, so that one reading mends them all.
func (m *Manifest) Check() error {
	var f faults
	f.need(m.Format == 1, "format is %d: this program reads format 1", m.Format)
	f.need(m.Name != "", "name is empty")
	f.need(m.Dim > 0 && m.Dim <= 1<<16, "dim is %d: must be 1 to 65536", m.Dim)
	m.Image.check(&f)
	if m.Text.Lookup == nil {
		m.Text.check(&f)
	}
	f.need(m.LogitScale > 0 && !math.IsInf(m.LogitScale, 0), "logit_scale is %v: must be positive", m.LogitScale)
	f.need(len(m.Prompts) > 0, "prompts is empty: at least one is needed")
	f.need(len(m.Names) > 0, "names is empty: english, scientific or both are needed")
	for _, n := range m.Names {
		f.need(n == "english" || n == "scientific", `names has %q: each must be "english" or "scientific"`, n)
	}
	f.need(m.Near.Slope > 0, "near.slope is %v: must be positive", m.Near.Slope)
	f.need(math.Abs(m.Near.Midpoint) < 1, "near.midpoint is %v: must be a cosine between -1 and 1", m.Near.Midpoint)
	for _, p := range m.Prompts {
		f.need(strings.Count(p, "{}") == 1, "prompt %q: must hold {} once, for the name", p)
		f.need(m.Text.Lookup == nil || p == "{}", `prompt %q: must be "{}", since text.lookup knows names alone`, p)
	}
	for _, file := range m.Files() {
		f.need(fs.ValidPath(file.File) && path.Base(file.File) == file.File && file.File != ".",
			"file %q: must be a name within the folder", file.File)
		f.need(wellFormedDigest.MatchString(file.SHA256), "file %q: sha256 must be 64 lower-case hexadecimal digits", file.File)
	}
	return errors.Join(f...)
}

var wellFormedDigest = regexp.MustCompile(`^[0-9a-f]{64}$`)

func (t *ImageTower) check(f *faults) {
	t.Graph.check("image", f)
	f.need(floatType(t.InputType), `image.input_type is %q: must be "float32" or "float16"`, t.InputType)
	f.need(t.Size > 0 && t.Size <= 4096, "image.size is %d: must be 1 to 4096", t.Size)
	f.need(t.Resize == "crop" || t.Resize == "squash", `image.resize is %q: must be "crop" or "squash"`, t.Resize)
	f.need(t.Interpolation == "bicubic" || t.Interpolation == "bilinear",
		`image.interpolation is %q: must be "bicubic" or "bilinear"`, t.Interpolation)
	for i, std := range t.Std {
		f.need(std > 0, "image.std[%d] is %v: must be positive", i, std)
	}
	f.need(t.Scale >= 0 && t.Scale <= 1e6, "image.scale is %v: must be 0 (as it is) to 1e6", t.Scale)
}

func (t *TextTower) check(f *faults) {
	t.Graph.check("text", f)
	f.need(t.IDType == "int64" || t.IDType == "int32", `text.id_type is %q: must be "int64" or "int32"`, t.IDType)
	f.need(t.Context >= 3 && t.Context <= 4096, "text.context is %d: must be 3 to 4096", t.Context)
	f.need(t.Tokenizer.Kind == "clip-bpe" || t.Tokenizer.Kind == "unigram",
		`text.tokenizer.kind is %q: must be "clip-bpe" or "unigram"`, t.Tokenizer.Kind)
}

func (g *Graph) check(tower string, f *faults) {
	f.need(g.Input != "" && g.Output != "", "%[1]s.input and %[1]s.output must be named", tower)
	f.need(floatType(g.OutputType), `%s.output_type is %q: must be "float32" or "float16"`, tower, g.OutputType)
	f.need(g.Batch == 0 || g.Batch == 1, "%s.batch is %d: must be 0 (any) or 1", tower, g.Batch)
}

func floatType(t string) bool { return t == "" || t == "float32" || t == "float16" }

// Files of the folder, besides the manifest itself.
func (m *Manifest) Files() []File {
	var files []File
	for _, e := range m.Entries() {
		files = append(files, *e)
	}
	return files
}

// Entries are where the manifest names its files.
func (m *Manifest) Entries() []*File {
	t := &m.Text
	entries := []*File{&m.Image.File}
	switch {
	case t.Lookup != nil:
		entries = append(entries, &t.Lookup.Names, &t.Lookup.Vectors)
	case t.Tokenizer.Kind == "unigram":
		entries = append(entries, &t.File, &t.Tokenizer.Model)
	default:
		entries = append(entries, &t.File, &t.Tokenizer.Vocab, &t.Tokenizer.Merges)
	}
	if m.Seen != nil {
		entries = append(entries, m.Seen)
	}
	return entries
}
