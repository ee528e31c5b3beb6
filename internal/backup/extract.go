package backup

import (
	"context"
	"errors"
	"io"
	"os"
	"path"
)

// Extract writes the files of a backup into a folder, which must have none of
// them. They are on disk when it returns; if it fails, what is there is to be
// thrown away.
func (a *Archive) Extract(ctx context.Context, into *os.Root) error {
	made := map[string]bool{".": true}
	return a.Each(ctx, func(name string, _, _ int64, data io.Reader) error {
		if dir := path.Dir(name); !made[dir] {
			if err := into.MkdirAll(dir, 0o700); err != nil {
				return err
			}
			made[dir] = true
		}
		return writeNew(into, name, data)
	})
}

func writeNew(into *os.Root, name string, data io.Reader) error {
	f, err := into.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := io.Copy(f, data); err != nil {
		return errors.Join(err, f.Close())
	}
	return errors.Join(f.Sync(), f.Close())
}
