package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fieldmark/internal/backup"
	"fieldmark/internal/identify"
	"fieldmark/internal/snapshotfile"
	"fieldmark/internal/store"
	"fieldmark/internal/words"
)

// backupSummary says what a backup holds, once it is verified.
type backupSummary struct {
	Files, Exemplars, Events int
	Bytes                    int64
	Missing                  int    // files that the data folder lacks itself
	Unfolded                 string // why the log could not be folded; "" if it was
}

// makeBackup writes a backup of a data folder to out, which others may serve
// meanwhile, and verifies what it wrote. scratch is a folder for a copy of the
// database. The copy goes first: what it refers to is there by then and is never
// deleted, so that a photo that comes in meanwhile is at worst too much.
func makeBackup(ctx context.Context, c Config, st *store.Store, out *os.File, scratch string, withoutModels bool) (backupSummary, error) {
	w, err := backup.NewWriter(out, backup.About{MadeAt: time.Now().UTC(), MadeBy: version(), WithoutModels: withoutModels})
	if err != nil {
		return backupSummary{}, err
	}
	missing, err := addAll(ctx, c, st, w, scratch, withoutModels)
	if err != nil {
		return backupSummary{}, errors.Join(err, w.Discard())
	}
	if err := w.Finish(); err != nil {
		return backupSummary{}, err
	}
	if err := out.Sync(); err != nil {
		return backupSummary{}, err
	}
	sum, err := verifyBackup(ctx, c, out, scratch, missing)
	sum.Files, sum.Bytes, sum.Missing = w.Files(), w.Bytes(), len(missing)
	return sum, err
}

// addAll adds the files of a data folder; missing are photos' files that it lacks.
func addAll(ctx context.Context, c Config, st *store.Store, w *backup.Writer, scratch string, withoutModels bool) (missing []string, err error) {
	db := filepath.Join(scratch, databaseFile)
	if err := st.CopyTo(ctx, db); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, removeDatabase(db)) }()
	if err := addFile(ctx, w, db, databaseFile); err != nil {
		return nil, err
	}
	copied, err := store.Open(ctx, db)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, copied.Close()) }()
	err = copied.EachPhotoFile(ctx, func(h identify.PhotoHash, glimpse bool) error {
		for _, name := range photoFiles(h, glimpse) {
			err := addFile(ctx, w, filepath.Join(c.Data, filepath.FromSlash(name)), name)
			if errors.Is(err, fs.ErrNotExist) {
				missing = append(missing, name)
			} else if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return missing, addOthers(ctx, c, w, withoutModels)
}

// photoFiles are the names of a photo's files in the data folder, or of the glimpse that
// is there in place of them.
func photoFiles(h identify.PhotoHash, glimpse bool) []string {
	if glimpse {
		return []string{path.Join("glimpses", string(h[:2]), string(h)+".jpg")}
	}
	return []string{path.Join("photos", string(h[:2]), string(h)), path.Join("thumbnails", string(h[:2]), string(h)+".jpg")}
}

// addOthers adds what else lies in the data folder: added encoders, and whatever
// later versions keep there. Snapshots and renditions of photos are made of the rest,
// and no part of a backup.
func addOthers(ctx context.Context, c Config, w *backup.Writer, withoutModels bool) error {
	skip := []string{"photos", "thumbnails", "glimpses", "renditions", "snapshots", "fetched", "serving.lock", databaseFile,
		"bundles", "checklists"} // what waits for a decision may be gone before it is read
	if withoutModels {
		skip = append(skip, "models")
	}
	return filepath.WalkDir(c.Data, func(full string, d fs.DirEntry, err error) error {
		if err != nil || full == c.Data {
			return err
		}
		name, err := filepath.Rel(c.Data, full)
		if err != nil {
			return err
		}
		top, _, _ := strings.Cut(filepath.ToSlash(name), "/")
		if slices.Contains(skip, top) || strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(top, databaseFile+"-") {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() {
			return nil // folders come with their files; links lead out
		}
		return addFile(ctx, w, full, filepath.ToSlash(name))
	})
}

func addFile(ctx context.Context, w *backup.Writer, from, name string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	return errors.Join(w.Add(ctx, name, f), f.Close())
}

// verifyBackup reads a backup from its beginning to its end, compares every digest,
// checks the database and folds the log, as webapp verify does. Of the photos' files
// those of missing may be.
func verifyBackup(ctx context.Context, c Config, in *os.File, scratch string, missing []string) (backupSummary, error) {
	a, err := backup.Open(in)
	if err != nil {
		return backupSummary{}, err
	}
	folder, err := os.MkdirTemp(scratch, "verify-")
	if err != nil {
		return backupSummary{}, err
	}
	photos, db := backup.NewPhotos(in), filepath.Join(folder, databaseFile)
	err = a.Each(ctx, func(name string, size, at int64, data io.Reader) error {
		photos.Note(name, size, at)
		if name != databaseFile {
			return nil
		}
		return writeCopy(db, data)
	})
	if err != nil {
		return backupSummary{}, errors.Join(err, os.RemoveAll(folder))
	}
	sum, err := verifyCopy(ctx, c, db, photos, missing)
	return sum, errors.Join(err, os.RemoveAll(folder))
}

func writeCopy(to string, data io.Reader) error {
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, data)
	return errors.Join(err, f.Close())
}

// verifyCopy checks a database that was backed up or restored, with its photos. c
// says where encoders are.
func verifyCopy(ctx context.Context, c Config, db string, photos identify.PhotoFiles, missing []string) (sum backupSummary, err error) {
	st, err := store.Open(ctx, db)
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	if err := st.Check(ctx); err != nil {
		return sum, fmt.Errorf("the copy of the database: %w", err)
	}
	info, err := chosenInfo(ctx, c, st)
	if err != nil {
		sum.Unfolded = err.Error()
		return sum, nil
	}
	if err := st.RegisterEncoder(ctx, info); err != nil {
		return sum, err
	}
	c.Psi = cmp.Or(c.Psi, defaultPsi)
	memory, err := c.memory()
	if err != nil {
		return sum, err
	}
	memory.Snapshots = snapshotfile.Open(filepath.Dir(db)) // there are none
	r, err := identify.Verify(ctx, identify.Config{Store: st, Photos: photos, Embedder: described{info}, Psi: c.Psi, Memory: memory,
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return sum, err
	}
	sum.Events, sum.Exemplars = r.Events, r.Exemplars
	return sum, problemsBut(r.Problems, missing)
}

// problemsBut is an error unless all problems are of files that are known to be
// missing.
func problemsBut(problems, missing []string) error {
	var left []string
	for _, p := range problems {
		if !slices.ContainsFunc(missing, func(name string) bool { return strings.Contains(p, strings.TrimSuffix(path.Base(name), ".jpg")) }) {
			left = append(left, p)
		}
	}
	if len(left) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s, the first: %s", errProblems, words.English("%d problems", len(left)), left[0])
}

// removeDatabase removes a database with the files beside it.
func removeDatabase(db string) error {
	var errs []error
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(db + suffix); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// described is an encoder that is only described: folding a log needs no more.
type described struct{ info identify.EncoderInfo }

func (d described) Info() identify.EncoderInfo { return d.info }

var errDescribed = errors.New("this encoder is not open")

func (described) EmbedImage(context.Context, image.Image) ([]float32, error) {
	return nil, errDescribed
}

func (described) EmbedNames(context.Context, [][]string) ([][]float32, error) {
	return nil, errDescribed
}
