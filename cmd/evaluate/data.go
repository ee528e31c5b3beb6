package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"

	"fieldmark/internal/clip"
	"fieldmark/internal/dataset"
	"fieldmark/internal/identify"
	"fieldmark/internal/photo"
	"fieldmark/internal/turbojpeg"
	"fieldmark/models"
)

// suiteSource is where an evaluation's tasks and encoder come from.
type suiteSource struct {
	models                      []string // as --model gave them; none: as the manifest needs
	data, library, turbo, cache string
}

// builtin is the encoder that comes with the program.
const builtin = "fieldmark-1"

func (s *suiteSource) register(fs *flag.FlagSet) {
	fs.Func("model", "encoder: "+builtin+", one that webapp models added to --data, or a `folder`; if not given, "+builtin+" where a task has photos, and otherwise none; several times, to set them side by side", func(name string) error {
		s.models = append(s.models, name)
		return nil
	})
	fs.StringVar(&s.data, "data", "./data", "data `folder` of webapp, for encoders that were added there")
	fs.StringVar(&s.library, "onnxruntime", "", "ONNX Runtime's library `file`; looked for beside the program if not given")
	fs.StringVar(&s.turbo, "turbojpeg", "", "libjpeg-turbo's library `file`; looked for if not given")
	fs.StringVar(&s.cache, "cache", "", "`folder` that embeddings are kept in for the next run; one of the user's caches if not given")
}

// load reads the tasks that a manifest lists, by the encoder of that name; "" is the
// one that the manifest needs. It tells on stderr how far it is, and what was left
// out.
func (p program) load(ctx context.Context, s suiteSource, model, manifest string) (_ *dataset.Loaded, err error) {
	m, err := dataset.ReadManifest(manifest)
	if err != nil {
		return nil, err
	}
	progress := &meter{out: p.stderr, now: time.Now}
	o := dataset.Options{Workers: p.workers, Progress: progress.tell}
	if model == "" && slices.ContainsFunc(m.Tasks, func(t dataset.Task) bool { return t.Photos != "" }) {
		model = builtin
	}
	if model != "" {
		e, err := p.openModel(s, model)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, e.Close()) }()
		o.Encoder = e
		if o.Decoder.JPEG, err = p.openJPEG(s.turbo); err != nil {
			return nil, err
		}
		o.Need = identify.EncoderInfo{ImageSize: e.Manifest().Image.Size}.PhotoNeed()
		dir, err := s.cacheFolder()
		if err != nil {
			return nil, err
		}
		if o.Cache, err = dataset.OpenCache(dir); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, o.Cache.Close()) }()
	}
	loaded, err := dataset.Load(ctx, m, o)
	if err != nil {
		return nil, err
	}
	for _, n := range loaded.Notes {
		fmt.Fprintln(p.stderr, n)
	}
	return loaded, nil
}

// openModel opens an encoder as webapp's --model names it.
func (p program) openModel(s suiteSource, model string) (*clip.Encoder, error) {
	var folder fs.FS
	if model == builtin {
		folder = models.Builtin()
	}
	for _, dir := range []string{filepath.Join(s.data, "models", model), model} {
		if _, err := os.Stat(filepath.Join(dir, clip.ManifestFile)); err == nil && folder == nil {
			folder = os.DirFS(dir)
		}
	}
	if folder == nil {
		return nil, fmt.Errorf("there is no encoder %q: give %q, one of `webapp models list`, or a folder that has a %s", model, builtin, clip.ManifestFile)
	}
	return clip.Open(folder, clip.Options{Runtime: s.library, Threads: p.workers, Batch: 1})
}

// openJPEG loads libjpeg-turbo; without one, unless it was named, Go's own
// decoder reads photos.
func (p program) openJPEG(file string) (photo.ScaledJPEG, error) {
	library, err := turbojpeg.Open(file)
	switch {
	case err == nil:
		return library, nil
	case errors.Is(err, turbojpeg.ErrNotFound):
		fmt.Fprintln(p.stderr, "libjpeg-turbo was not found: large photos take longer to read")
		return nil, nil
	}
	return nil, err
}

func (s suiteSource) cacheFolder() (string, error) {
	if s.cache != "" {
		return s.cache, nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("there is no place for the cache (give one with --cache): %w", err)
	}
	return filepath.Join(dir, "fieldmark", "evaluate"), nil
}

// runData reads a manifest and says what it comes to, without measuring anything:
// to check a data set before a long run, and to embed it beforehand.
func (p program) runData(ctx context.Context, args []string) error {
	fs := p.flags("data", "Usage: evaluate data [flags] MANIFEST\nReads and embeds the tasks that a manifest (TOML) lists, and says what they come to.")
	var s suiteSource
	s.register(fs)
	if err := parse(fs, args); err != nil {
		return err
	}
	if fs.NArg() != 1 {
		return fmt.Errorf("give one manifest: %w", errUsage)
	}
	if len(s.models) == 0 {
		s.models = []string{""}
	}
	for _, model := range s.models {
		loaded, err := p.load(ctx, s, model, fs.Arg(0))
		if err != nil {
			return err
		}
		if err := p.printTasks(loaded); err != nil {
			return err
		}
	}
	return nil
}

// printTasks says what the tasks of a manifest come to.
func (p program) printTasks(loaded *dataset.Loaded) error {
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "task\tkind\tclasses\ttaught\tasked")
	for _, t := range loaded.Suite.Tasks {
		kind := "target"
		if t.ZeroShot {
			kind = "zero-shot"
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\n", t.Name, kind, len(t.Classes), len(t.Train.Labels), len(t.Test.Labels))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(p.stdout, "encoder: %s; τ = %g; %d photos were embedded now\n",
		cmp.Or(loaded.Suite.Encoder, "none, and the files name none"), loaded.Suite.Tau, loaded.Embedded)
	return err
}
