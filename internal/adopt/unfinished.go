package adopt

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// unfinished begins the names of folders that are being filled.
const unfinished = ".adding-"

// lock makes sure that one process at a time adds encoders, and removes what
// one that was killed has left.
func lock(models string) (unlock func() error, err error) {
	f, err := os.OpenFile(filepath.Join(models, ".adding.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("another process is adding an encoder to %s: wait for it", models), f.Close())
	}
	left, err := filepath.Glob(filepath.Join(models, unfinished+"*"))
	for _, dir := range left {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f.Close, nil
}

// writeFile writes a file of an unfinished folder, through to the disk.
func writeFile(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("%w: free some space and try again; nothing was added", err)
	}
	return err
}
