package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"fieldmark/internal/backup"
	"fieldmark/internal/durable"
	"fieldmark/internal/identify"
	"fieldmark/internal/photofile"
	"fieldmark/internal/store"
	"fieldmark/internal/words"
)

// A restore writes everything into the first folder, verifies it, renames that to
// the second and moves its files up from there, the database last. Killed before
// the renaming it begins anew, after it goes on moving.
const (
	restoringFolder = ".restoring"
	restoredFolder  = ".restored"
)

func runRestore(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	var c Config
	fs := flagSet("restore", stderr)
	c.register(fs)
	fs.Usage = func() {
		fmt.Fprintln(stderr, "Usage: webapp restore FILE --data DIR\nPuts a backup into a folder that is empty or not there, once it is verified.")
		fs.PrintDefaults()
	}
	files, err := parseAround(fs, args)
	if err != nil {
		return err
	}
	if len(files) != 1 {
		return fmt.Errorf("%w: name the backup that is to be restored", errUsage)
	}
	in, err := os.Open(files[0])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	a, err := backup.Open(in) // before anything is made
	if err != nil {
		return fmt.Errorf("%s: %w", files[0], err)
	}
	lock, err := lockData(c.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if _, err := os.Stat(filepath.Join(c.Data, restoredFolder)); err == nil {
		fmt.Fprintln(stderr, "an earlier restore into this folder was verified and then broken off: it is brought to its end")
		return moveUp(c.Data)
	}
	if err := emptyBut(c.Data, "serving.lock", restoringFolder); err != nil {
		return err
	}
	sum, err := restore(ctx, c, a)
	if err != nil {
		// Nothing is left behind; if it cannot be removed the next restore does so.
		return fmt.Errorf("%s: nothing was restored: %w", files[0], errors.Join(err, os.RemoveAll(filepath.Join(c.Data, restoringFolder))))
	}
	fmt.Fprintf(stdout, "restored to %s and verified: %s, %s, as of %s\n", c.Data, words.English("%d events", sum.Events), words.English("%d exemplars", sum.Exemplars),
		a.About.MadeAt.Local().Format("2 January 2006, 15:04"))
	if sum.Unfolded != "" {
		return fmt.Errorf("every digest and the database were checked, but the log was not folded: %s; put that encoder into %s and run webapp verify",
			sum.Unfolded, filepath.Join(c.Data, "models"))
	}
	return nil
}

// emptyBut refuses a folder that has anything else.
func emptyBut(dir string, names ...string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !slices.Contains(names, e.Name()) {
			return fmt.Errorf("%s is not empty (it has %s): restore to another folder, and nothing there is lost", dir, e.Name())
		}
	}
	return nil
}

// restore writes the files of a backup, verifies them and puts them in place.
func restore(ctx context.Context, c Config, a *backup.Archive) (sum backupSummary, err error) {
	folder := filepath.Join(c.Data, restoringFolder)
	if err := os.RemoveAll(folder); err != nil {
		return sum, err
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		return sum, err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return sum, err
	}
	if err := errors.Join(a.Extract(ctx, root), root.Close()); err != nil {
		return sum, err
	}
	db := filepath.Join(folder, databaseFile)
	if _, err := os.Stat(db); err != nil {
		return sum, fmt.Errorf("%w: it has no database", backup.ErrNotBackup)
	}
	missing, err := missingPhotos(ctx, folder)
	if err != nil {
		return sum, err
	}
	photos, err := photofile.Open(folder)
	if err != nil {
		return sum, err
	}
	within := c
	within.Data = folder
	if sum, err = verifyCopy(ctx, within, db, photos, missing); err != nil {
		return sum, err
	}
	syscall.Sync() // the names in its folders too
	if err := os.Rename(folder, filepath.Join(c.Data, restoredFolder)); err != nil {
		return sum, err
	}
	return sum, moveUp(c.Data)
}

// missingPhotos lists the files of photos that a backup lacks because they were lost
// before it was made.
func missingPhotos(ctx context.Context, folder string) (missing []string, err error) {
	st, err := store.Open(ctx, filepath.Join(folder, databaseFile))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	return missing, st.EachPhotoFile(ctx, func(h identify.PhotoHash, glimpse bool) error {
		for _, name := range photoFiles(h, glimpse) {
			if _, err := os.Stat(filepath.Join(folder, filepath.FromSlash(name))); errors.Is(err, fs.ErrNotExist) {
				missing = append(missing, name)
			} else if err != nil {
				return err
			}
		}
		return nil
	})
}

// moveUp puts verified files in place, the database last.
func moveUp(data string) error {
	from := filepath.Join(data, restoredFolder)
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	slices.SortStableFunc(entries, func(a, b fs.DirEntry) int {
		return boolInt(a.Name() == databaseFile) - boolInt(b.Name() == databaseFile)
	})
	for _, e := range entries {
		if err := os.Rename(filepath.Join(from, e.Name()), filepath.Join(data, e.Name())); err != nil {
			return err
		}
	}
	if err := os.Remove(from); err != nil {
		return err
	}
	return durable.SyncDir(data)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// errRestoring refuses a data folder that is only half there.
func errRestoring(data string) error {
	for _, name := range []string{restoringFolder, restoredFolder} {
		if _, err := os.Stat(filepath.Join(data, name)); err == nil {
			return fmt.Errorf("a backup is being restored to %s, or that was broken off: run webapp restore again to bring it to its end", data)
		}
	}
	return nil
}
