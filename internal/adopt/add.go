package adopt

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"

	"fieldmark/internal/clip"
	"fieldmark/internal/durable"
)

// Added is an encoder that was added.
type Added struct {
	Folder   string
	Manifest clip.Manifest
	Notes    []string // what was read from where, and what a first run showed
	Warnings []string // what a person should look at
}

var (
	wellFormedName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
	// ErrExists is returned for a name that an encoder has already.
	ErrExists = errors.New("there is an encoder of that name already")
)

// Add reads the encoder in folder, writes it to the folder o.Name within models
// and runs it there once. The folder appears whole or not at all: it is filled
// under another name and renamed when all is well.
func Add(ctx context.Context, models string, folder fs.FS, o Options, run clip.Options) (_ *Added, err error) {
	if !wellFormedName.MatchString(o.Name) {
		return nil, fmt.Errorf("%q can't be an encoder's name: letters, digits, dots, dashes and underlines can, 64 at most; give another with --name", o.Name)
	}
	target := filepath.Join(models, o.Name)
	if _, err := os.Lstat(target); err == nil {
		return nil, fmt.Errorf("%w (%s): give another with --name, or remove that folder", ErrExists, target)
	}
	if _, err := clip.FindRuntime(run.Runtime); err != nil {
		return nil, err
	}
	d, err := read(folder, o)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(models, 0o700); err != nil {
		return nil, fmt.Errorf("%w: make it writable, or choose another data folder", err)
	}
	unlock, err := lock(models)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	temp, err := os.MkdirTemp(models, unfinished+"*")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(temp))
		}
	}()
	if err := d.fill(ctx, temp); err != nil {
		return nil, err
	}
	s, err := d.settle(ctx, temp, run)
	if err != nil {
		return nil, fmt.Errorf("it was read, but does not work: %w", err)
	}
	if err := durable.SyncDir(temp); err != nil {
		return nil, err
	}
	if err := os.Rename(temp, target); err != nil {
		return nil, err
	}
	return &Added{Folder: target, Manifest: d.manifest, Notes: append(d.notes, s.notes...), Warnings: s.warnings}, durable.SyncDir(models)
}

// fill writes the encoder's files and its manifest, as far as it is known.
func (d *draft) fill(ctx context.Context, dir string) error {
	for _, f := range d.files {
		if err := ctx.Err(); err != nil {
			return err
		}
		data, err := f.make()
		if err != nil {
			return err
		}
		sum := sha256.Sum256(data)
		f.entry.SHA256, f.entry.Bytes = hex.EncodeToString(sum[:]), int64(len(data))
		if err := writeFile(filepath.Join(dir, f.entry.File), data); err != nil {
			return err
		}
	}
	d.files = nil // and with them the graphs, which are about to be loaded once more
	debug.FreeOSMemory()
	return d.writeManifest(dir)
}

func (d *draft) writeManifest(dir string) error {
	if err := d.manifest.Check(); err != nil {
		return err
	}
	raw, err := json.MarshalIndent(d.manifest, "", " ")
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, clip.ManifestFile), append(raw, '\n'))
}

// settle runs the encoder and writes the manifest anew with what that showed.
func (d *draft) settle(ctx context.Context, dir string, run clip.Options) (_ *smoke, err error) {
	e, err := clip.Open(os.DirFS(dir), run)
	if err != nil {
		return nil, err
	}
	s, err := try(ctx, e)
	if err = errors.Join(err, e.Close()); err != nil {
		return nil, err
	}
	m := &d.manifest
	if m.Image.Scale == 0 && math.Abs(s.norms[0]-1) < unitSlack && math.Abs(s.norms[1]-1) < unitSlack {
		m.Image.Scale = cmp.Or(d.said.Length, DefaultLength)
		m.MeanNorm = m.Image.Scale
		s.note("embeddings come with length 1: multiplied by %g, the length that the linear probe is made for", m.Image.Scale)
	} else if m.MeanNorm == 0 {
		m.MeanNorm = math.Round(s.meanNorm*100) / 100
		s.note("embeddings of the drawn pictures have length %.2f on average; the linear probe sees lengths as they come", m.MeanNorm)
	}
	if s.alone {
		m.Image.Batch, m.Text.Batch = 1, 1
		s.note("embeddings depend on what shares their run (dynamic quantisation does that): each gets a run of its own")
	}
	return s, d.writeManifest(dir)
}
