package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"fieldmark/internal/identify"
	"fieldmark/internal/store"
)

// database is an open store with what seeding it gave.
type database struct {
	*store.Store
	everything identify.LabelSetID // the default label set
}

// databaseFile is the name of the database in the data folder.
const databaseFile = "fieldmark.db"

// openStore opens the database of a data folder, which is made if need be, and
// brings the starting vocabulary up to date.
func openStore(ctx context.Context, data string) (*database, error) {
	if err := makeData(data); err != nil {
		return nil, err
	}
	if err := errRestoring(data); err != nil {
		return nil, err
	}
	st, err := store.Open(ctx, filepath.Join(data, databaseFile))
	if err != nil {
		return nil, err
	}
	everything, err := seed(ctx, st)
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return &database{Store: st, everything: everything}, nil
}

func makeData(data string) error {
	if err := os.MkdirAll(data, 0o700); err != nil {
		return fmt.Errorf("cannot make the data folder: %w; choose another with --data", err)
	}
	return nil
}

// openExisting opens the database of a data folder that has one.
func openExisting(ctx context.Context, data string) (*store.Store, error) {
	if err := dataIsThere(data); err != nil {
		return nil, err
	}
	return store.Open(ctx, filepath.Join(data, databaseFile))
}

// dataIsThere refuses a folder without a database: a mistyped one must not look
// like an empty memory.
func dataIsThere(data string) error {
	_, err := os.Stat(filepath.Join(data, databaseFile))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no Fieldmark data in %s; name its folder with --data", data)
	}
	return err
}
