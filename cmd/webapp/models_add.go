package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"fieldmark/internal/adopt"
	"fieldmark/internal/clip"
	"fieldmark/internal/words"
)

func runModelsAdd(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var c Config
	var a addFlags
	fs := flagSet("models add", stderr)
	c.register(fs)
	a.register(fs)
	fs.Usage = func() {
		fmt.Fprintln(stderr, "Usage: webapp models add FOLDER [flags]\n"+
			"Copies an encoder that was exported to ONNX into the data folder. What the folder says need not be said.")
		fs.PrintDefaults()
	}
	operands, err := parseAround(fs, args)
	if err != nil {
		return err
	}
	if len(operands) != 1 {
		return fmt.Errorf("%w: name one folder", errUsage)
	}
	dir, err := filepath.Abs(operands[0])
	if err != nil {
		return err
	}
	if info, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("there is no folder %s: name the folder that the encoder's files are in", dir)
	} else if err != nil {
		return err
	} else if !info.IsDir() {
		return fmt.Errorf("%s is no folder: name the folder that the encoder's files are in", dir)
	}
	o, err := a.read(dir)
	if err != nil {
		return err
	}
	if o.Name == builtin {
		return fmt.Errorf("%q is the built-in encoder: give another name with --name", builtin)
	}
	added, err := adopt.Add(ctx, filepath.Join(c.Data, modelsFolder), os.DirFS(dir), o, clip.Options{Runtime: c.Runtime, Threads: c.Threads})
	if err != nil {
		return err
	}
	report(stdout, added)
	return nil
}

// report says what was understood, so that a person can compare it with the
// encoder's card.
func report(w io.Writer, added *adopt.Added) {
	m := added.Manifest
	fmt.Fprintf(w, "added %s: %s, %.1f MB, in %s\n", m.Name, words.English("%d numbers a photo", m.Dim), float64(m.Bytes())/1e6, added.Folder)
	for _, n := range added.Notes {
		fmt.Fprintln(w, "  "+n)
	}
	for _, warning := range added.Warnings {
		fmt.Fprintln(w, "WARNING: "+warning)
	}
	fmt.Fprintf(w, "to have it embed the photos there are, and serve: webapp models use %s\n", m.Name)
}

// addFlags are what `models add` can be told of an encoder.
type addFlags struct {
	options   adopt.Options
	tokenizer string
	pad       int64
	near      clip.Near
	mean, std numbers
	prompts   prompts
	names     string
}

func (a *addFlags) register(fs *flag.FlagSet) {
	o := &a.options
	fs.StringVar(&o.Name, "name", "", "`name` of the encoder; the folder's if not given")
	fs.StringVar(&o.Title, "title", "", "`title` for people")
	fs.StringVar(&o.License, "license", "", "its `licence`")
	fs.StringVar(&o.ImageFile, "image", "", "`file` of the image tower, where several would do")
	fs.StringVar(&o.TextFile, "text", "", "`file` of the text tower, where several would do")
	fs.StringVar(&o.Precision, "weights", "", "which `files` to take: fp32, fp16, quantized, …; the most precise if not given")
	fs.StringVar(&o.ImageOutput, "image-output", "", "`name` of the output that is the photo's embedding")
	fs.StringVar(&o.TextOutput, "text-output", "", "`name` of the output that is the text's embedding")
	fs.IntVar(&o.Dim, "dim", 0, "`length` of an embedding, where the graph doesn't say it")
	fs.IntVar(&o.Size, "size", 0, "`pixels` a side of a photo")
	fs.StringVar(&o.Resize, "resize", "", "`how` a photo becomes a square: crop or squash")
	fs.StringVar(&o.Interpolation, "interpolation", "", "`how` it is resized: bicubic or bilinear")
	fs.Var(&a.mean, "mean", "`r,g,b` taken off pixels in [0, 1]")
	fs.Var(&a.std, "std", "`r,g,b` that they are divided by then")
	fs.StringVar(&a.tokenizer, "tokenizer", "", "`folder` of the tokenizer's files, if they are not with the encoder")
	fs.IntVar(&o.Context, "context", 0, "`tokens` that a text has")
	fs.Int64Var(&a.pad, "pad", -1, "`id` that fills up a short text")
	fs.Float64Var(&o.LogitScale, "logit-scale", 0, "`factor` of cosines before the softmax")
	fs.Float64Var(&o.Length, "length", adopt.DefaultLength, "`length` given to embeddings that come with length 1")
	fs.Var(&a.prompts, "prompt", "`text` with {} for the name; may be given several times")
	fs.StringVar(&a.names, "names", "", "`which` names of a taxon are read: english, scientific, or both with a comma")
	fs.Float64Var(&a.near.Slope, "near-slope", 0, "`slope` of the trust in near exemplars; with --near-midpoint")
	fs.Float64Var(&a.near.Midpoint, "near-midpoint", 0, "`cosine` at which that trust is a half; with --near-slope")
}

// notInNames is what a folder's name may have and an encoder's may not.
var notInNames = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// read gives the options for the encoder in dir.
func (a *addFlags) read(dir string) (adopt.Options, error) {
	o := a.options
	if o.Name == "" {
		o.Name = strings.Trim(notInNames.ReplaceAllString(filepath.Base(dir), "-"), "-.")
	}
	o.Mean, o.Std, o.Prompts = a.mean, a.std, a.prompts
	if a.tokenizer != "" {
		o.Tokenizer = os.DirFS(a.tokenizer)
	}
	if a.pad >= 0 {
		o.Pad = &a.pad
	}
	if (a.near.Slope == 0) != (a.near.Midpoint == 0) {
		return o, fmt.Errorf("%w: --near-slope and --near-midpoint belong together: give both, or neither", errUsage)
	}
	if a.near != (clip.Near{}) {
		o.Near = &a.near
	}
	if a.names != "" {
		o.Names = strings.Split(a.names, ",")
	}
	for _, n := range o.Names {
		if n != "english" && n != "scientific" {
			return o, fmt.Errorf("%w: --names %q: each must be english or scientific", errUsage, a.names)
		}
	}
	return o, nil
}

// numbers is a flag of three numbers with commas between them.
type numbers []float64

func (n *numbers) String() string { return "" }

func (n *numbers) Set(text string) error {
	parts := strings.Split(text, ",")
	if len(parts) != 3 {
		return fmt.Errorf("three numbers with commas between them are needed")
	}
	*n = nil
	for _, p := range parts {
		v, err := strconv.ParseFloat(strings.TrimSpace(p), 64)
		if err != nil {
			return err
		}
		*n = append(*n, v)
	}
	return nil
}

// prompts is a flag that may be given several times.
type prompts []string

func (p *prompts) String() string { return "" }

func (p *prompts) Set(text string) error {
	*p = append(*p, text)
	return nil
}
