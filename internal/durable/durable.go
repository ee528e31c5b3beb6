// Package durable makes what was written outlast a loss of power.
package durable

import (
	"errors"
	"os"
)

// SyncDir makes the names that dir has, new, renamed and removed, durable: of a file
// its own Sync keeps what it holds, but not what it is called.
func SyncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
