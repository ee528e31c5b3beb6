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

	"fieldmark/internal/durable"
	"fieldmark/internal/words"
)

// scratchFolders is the pattern of the names of folders that a backup is made in.
const scratchFolders = ".backup-*"

// staleAfter is when such a folder belongs to nobody any more.
const staleAfter = 24 * time.Hour

func runBackup(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	var c Config
	fs := flagSet("backup", stderr)
	c.register(fs)
	withoutModels := fs.Bool("without-models", false, "leave out the encoders that were added")
	fs.Usage = func() {
		fmt.Fprintln(stderr, "Usage: webapp backup FILE [flags]\nWrites all data to one new file, while a server goes on, and verifies it.")
		fs.PrintDefaults()
	}
	files, err := parseAround(fs, args)
	if err != nil {
		return err
	}
	if len(files) != 1 {
		return fmt.Errorf("%w: name the file that is to be written", errUsage)
	}
	if _, err := os.Lstat(files[0]); err == nil {
		return fmt.Errorf("%s is there already: name another file, or move that one away", files[0])
	}
	st, err := openExisting(ctx, c.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	sum, err := writeBackup(files[0], func(out *os.File, scratch string) (backupSummary, error) {
		return makeBackup(ctx, c, st, out, scratch, *withoutModels)
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s: %s, %d MB, verified: %s, %s\n", files[0], words.English("%d files", sum.Files), (sum.Bytes+1<<20-1)>>20,
		words.English("%d events", sum.Events), words.English("%d exemplars", sum.Exemplars))
	return sum.remarks()
}

// remarks are what is to be said of a backup that is whole and yet not all that it
// should be.
func (s backupSummary) remarks() error {
	var errs []error
	if s.Missing > 0 {
		errs = append(errs, fmt.Errorf("the backup is whole, but the data folder itself lacks %s of photos: webapp verify lists them", words.English("%d files", s.Missing)))
	}
	if s.Unfolded != "" {
		errs = append(errs, fmt.Errorf("every digest and the database were checked, but the log was not folded: %s", s.Unfolded))
	}
	return errors.Join(errs...)
}

// writeBackup lets a file be written beside its final name, and gives it that name
// when it is verified: however the process ends, what has the name is whole.
func writeBackup(path string, write func(out *os.File, scratch string) (backupSummary, error)) (sum backupSummary, err error) {
	dir := filepath.Dir(path)
	if err := removeStale(dir); err != nil {
		return sum, err
	}
	scratch, err := os.MkdirTemp(dir, scratchFolders)
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	out, err := os.OpenFile(filepath.Join(scratch, "backup"), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return sum, err
	}
	sum, err = write(out, scratch)
	if err = errors.Join(err, out.Close()); err != nil {
		return sum, err
	}
	// A link, unlike a renaming, does not replace what came there meanwhile.
	if err := os.Link(out.Name(), path); errors.Is(err, fs.ErrExist) {
		return sum, err
	} else if err != nil { // not every file system has links
		if err := os.Rename(out.Name(), path); err != nil {
			return sum, err
		}
	}
	return sum, durable.SyncDir(dir)
}

// removeStale removes what backups that were killed left in a folder.
func removeStale(dir string) error {
	left, err := filepath.Glob(filepath.Join(dir, scratchFolders))
	if err != nil {
		return err
	}
	for _, x := range left {
		if stat, err := os.Stat(x); err == nil && time.Since(stat.ModTime()) > staleAfter {
			if err := os.RemoveAll(x); err != nil {
				return err
			}
		}
	}
	return nil
}
