package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"fieldmark/internal/adopt"
	"fieldmark/internal/catalogue"
	"fieldmark/internal/clip"
	"fieldmark/internal/fetch"
)

// downloadsFolder is where a data folder keeps what is being downloaded.
const downloadsFolder = "downloads"

// pull downloads an encoder and adds it as `models add` would. The files stay
// in the data folder until it is added, so that nothing comes twice.
func pull(ctx context.Context, c Config, e catalogue.Entry, accepted bool, stdout, stderr io.Writer) error {
	target := filepath.Join(c.Data, modelsFolder, e.Name)
	if _, err := os.Lstat(target); err == nil {
		return fmt.Errorf("%w (%s): remove that folder to fetch it anew", adopt.ErrExists, target)
	}
	describe(stderr, e)
	if e.License.Accept && !accepted {
		return fmt.Errorf("read the licence %s at %s; if you accept it, say so with --accept-license", e.License.Name, e.License.URL)
	}
	dir := filepath.Join(c.Data, downloadsFolder, e.Name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := roomFor(dir, e); err != nil {
		return err
	}
	if err := download(ctx, dir, e, stderr); err != nil {
		return err
	}
	if e.Incomplete != "" {
		_, err := fmt.Fprintf(stdout, "%s lies in %s, but cannot be added yet: %s; then run\n  webapp models add %s --name %s%s\n",
			e.Name, dir, e.Incomplete, dir, e.Name, asFlags(e.Settings))
		return err
	}
	added, err := adopt.Add(ctx, filepath.Join(c.Data, modelsFolder), os.DirFS(dir), optionsFor(e),
		clip.Options{Runtime: c.Runtime, Threads: c.Threads})
	if err != nil {
		return fmt.Errorf("%w\nthe files are in %s; `webapp models add` takes that folder too, and can be told more", err, dir)
	}
	report(stdout, added)
	return os.RemoveAll(dir)
}

// roomFor makes sure, before anything is downloaded, that the disk has room for
// what is still to come and for the copy that adding makes.
func roomFor(dir string, e catalogue.Entry) error {
	need := 2 * e.Size()
	for _, f := range e.Files {
		for _, path := range []string{filepath.Join(dir, f.Path), filepath.Join(dir, f.Path) + ".part"} {
			if info, err := os.Stat(path); err == nil {
				need -= info.Size()
			} else if !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	free, err := fetch.Free(dir)
	if err != nil {
		return err
	}
	if need > free {
		return fmt.Errorf("%s needs %.0f MB more, twice its size while it is added, and the disk of %s has %.0f MB free: free some space, or choose another folder with --data",
			e.Name, float64(need)/1e6, dir, float64(free)/1e6)
	}
	return nil
}

// download fetches the files that are not there yet.
func download(ctx context.Context, dir string, e catalogue.Entry, stderr io.Writer) error {
	client := fetch.NewClient()
	defer client.CloseIdleConnections()
	for _, f := range e.Files {
		bar := &progress{w: stderr, file: f.Path, about: f.Size()}
		fetcher := fetch.Fetcher{Client: client, Progress: bar.show}
		_, err := fetcher.Fetch(ctx, fetch.File{URL: f.URL, Bytes: f.Bytes, SHA256: f.SHA256}, filepath.Join(dir, filepath.FromSlash(f.Path)))
		if errors.Is(err, context.Canceled) {
			return fmt.Errorf("%w; the same command goes on from there", err)
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(stderr, "%s: whole, and what it should be\n", f.Path)
	}
	return nil
}

// A progress says how far a download is, a few times a minute.
type progress struct {
	w           io.Writer
	file        string
	about       int64 // bytes, where the server does not say how many
	begun, last time.Time
	before      int64 // bytes that were there when it began
}

const sayEvery = 5 * time.Second

func (p *progress) show(done, total int64) {
	now := time.Now()
	if p.begun.IsZero() {
		p.begun, p.last, p.before = now, now, done
		return
	}
	if now.Sub(p.last) < sayEvery {
		return
	}
	p.last = now
	if total == 0 {
		total = p.about
	}
	rate := float64(done-p.before) / now.Sub(p.begun).Seconds()
	left := ""
	if rate > 0 && total > done {
		left = fmt.Sprintf(", %v left", time.Duration(float64(total-done)/rate*float64(time.Second)).Round(time.Second))
	}
	fmt.Fprintf(p.w, "%s: %.0f of %.0f MB, %.1f MB/s%s\n", p.file, float64(done)/1e6, float64(total)/1e6, rate/1e6, left)
}

// optionsFor says what the catalogue knows of an encoder's files.
func optionsFor(e catalogue.Entry) adopt.Options {
	s := e.Settings
	return adopt.Options{
		Name: e.Name, Title: e.Title, License: e.License.Name,
		Size: s.Size, Resize: s.Resize, Interpolation: s.Interpolation, Mean: s.Mean, Std: s.Std,
		Context: s.Context, Pad: s.Pad, LogitScale: s.LogitScale, Length: adopt.DefaultLength,
	}
}

// asFlags is the same for `models add`.
func asFlags(s catalogue.Settings) string {
	return fmt.Sprintf(" --size %d --resize %s --interpolation %s --mean %g,%g,%g --std %g,%g,%g --logit-scale %g",
		s.Size, s.Resize, s.Interpolation, s.Mean[0], s.Mean[1], s.Mean[2], s.Std[0], s.Std[1], s.Std[2], s.LogitScale)
}
