package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"fieldmark/internal/exchange"
	"fieldmark/internal/identify"
	"fieldmark/internal/photofetch"
	"fieldmark/internal/photofile"
)

// openedImport is a file, or a folder, that is open to be imported.
type openedImport struct {
	file   identify.ImportFile
	source identify.ImportSource
	closer io.Closer
	cache  *photofetch.Cache // of photos from the web; nil if there are none
}

func (o *openedImport) Close() error { return o.closer.Close() }

// forget removes what was fetched, once it is in.
func (o *openedImport) forget() error {
	if o.cache == nil {
		return nil
	}
	return o.cache.Remove()
}

// open opens what is to be imported, of whatever kind it is.
func (f importFlags) open(c Config, path string) (_ *openedImport, err error) {
	stat, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if stat.IsDir() {
		return openImportFolder(path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, file.Close())
		}
	}()
	kind, err := exchange.KindOf(file, stat.Size())
	if err != nil {
		return nil, err
	}
	switch kind {
	case exchange.KindTable:
		o, err := f.openTable(c, path)
		return o, errors.Join(err, file.Close())
	default:
		o := &openedImport{closer: file}
		o.file, o.source, err = exchange.OpenImport(file)
		return o, err
	}
}

func openImportFolder(path string) (*openedImport, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	set, source, err := exchange.OpenPhotoFolder(root)
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &openedImport{file: set, source: source, closer: root}, nil
}

// openTable opens a table of labels, with the folder that it lies in.
func (f importFlags) openTable(c Config, path string) (*openedImport, error) {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	o := &openedImport{closer: root}
	var fetch exchange.FetchPhoto
	if f.fetch {
		client := photofetch.New(photofetch.Options{Private: f.private})
		o.cache = photofetch.NewCache(filepath.Join(c.Data, "fetched"), client)
		fetch = o.cache.Get
	}
	set, source, err := exchange.OpenTable(root, filepath.Base(path), fetch)
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	o.file, o.source = set, source
	return o, nil
}

// importer is how a kind of file is taken in without a server.
type importer struct {
	plan func(ctx context.Context, source identify.ImportSource, o identify.ImportOptions) (identify.ImportPlan, error)
	run  func(ctx context.Context, plan identify.ImportPlan, by identify.UserID, told func(identify.ImportProgress)) (identify.Import, error)
}

// importerOf says how a file is taken in. Photos need the encoder; done closes it.
func importerOf(ctx context.Context, c Config, st *database, file identify.ImportFile, stderr io.Writer) (_ importer, done func() error, err error) {
	photos, is := file.(identify.PhotoSet)
	if !is {
		return npzImporter(ctx, c, st, file.(identify.EmbeddingFile))
	}
	if c, err = withChosenModel(ctx, c); err != nil {
		return importer{}, nil, err
	}
	log := slog.New(slog.NewTextHandler(stderr, nil))
	jpeg, err := openJPEG(c, log)
	if err != nil {
		return importer{}, nil, err
	}
	files, err := photofile.Open(c.Data)
	if err != nil {
		return importer{}, nil, err
	}
	e, err := openEncoder(c)
	if err != nil {
		return importer{}, nil, err
	}
	if err := st.RegisterEncoder(ctx, e.Info()); err != nil {
		return importer{}, nil, errors.Join(err, e.Close())
	}
	with := identify.Config{Store: st, Photos: files, Embedder: e, Model: c.Model, JPEG: jpeg, HEIC: openHEIC(log), AVIF: openAVIF(log), Workers: c.Threads, Log: log}
	return importer{
		plan: func(ctx context.Context, source identify.ImportSource, o identify.ImportOptions) (identify.ImportPlan, error) {
			return identify.PlanPhotos(ctx, with, source, photos, o)
		},
		run: func(ctx context.Context, plan identify.ImportPlan, by identify.UserID, told func(identify.ImportProgress)) (identify.Import, error) {
			return identify.RunPhotos(ctx, with, plan, photos, by, told)
		},
	}, e.Close, nil
}

func npzImporter(ctx context.Context, c Config, st *database, f identify.EmbeddingFile) (importer, func() error, error) {
	info, err := chosenInfo(ctx, c, st.Store)
	if err != nil {
		return importer{}, nil, err
	}
	if err := st.RegisterEncoder(ctx, info); err != nil {
		return importer{}, nil, err
	}
	return importer{
		plan: func(ctx context.Context, source identify.ImportSource, o identify.ImportOptions) (identify.ImportPlan, error) {
			return identify.PlanImport(ctx, st, info, source, f, o)
		},
		run: func(ctx context.Context, plan identify.ImportPlan, by identify.UserID, told func(identify.ImportProgress)) (identify.Import, error) {
			return identify.RunImport(ctx, st, plan, f, by, time.Now, told)
		},
	}, func() error { return nil }, nil
}
