package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// errServed means that another process serves the data folder.
var errServed = errors.New("another Fieldmark serves")

// lockData makes sure that one process serves a data folder: a second one would
// not learn what the first is taught. The folder is made if need be. The lock
// ends with the process, however that ends.
func lockData(data string) (io.Closer, error) {
	if err := makeData(data); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(data, "serving.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		err = fmt.Errorf("%w %s already; stop it, or choose another folder with --data", errServed, data)
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
