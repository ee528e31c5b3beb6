package fetch

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"fieldmark/internal/durable"
)

// A part is a file that is not whole yet. Beside it lies the validator of the
// version that it is of.
type part struct {
	file      *os.File
	size      int64
	sum       hash.Hash // of what is there
	validator string    // a strong ETag, or ""
	joined    bool      // it came in pieces, which may be of different versions
}

// openPart opens path.part, which may have something in it, and keeps other
// processes away from it.
func openPart(path string) (*part, error) {
	file, err := os.OpenFile(path+".part", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	p := &part{file: file, sum: sha256.New()}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("another process is downloading %s: wait for it", path), file.Close())
	}
	tag, err := os.ReadFile(p.tagFile())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(err, file.Close())
	}
	p.validator = string(tag)
	if p.size, err = io.Copy(p.sum, file); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	p.joined = p.size > 0
	return p, nil
}

func (p *part) tagFile() string { return p.file.Name() + ".etag" }

// close leaves what has come, and no trace if nothing has.
func (p *part) close() error {
	err := p.file.Close()
	if p.size == 0 {
		if removed := os.Remove(p.file.Name()); !errors.Is(removed, fs.ErrNotExist) {
			err = errors.Join(err, removed)
		}
	}
	return err
}

// restart empties the part.
func (p *part) restart() error {
	p.size, p.validator, p.joined = 0, "", false
	p.sum.Reset()
	err := p.file.Truncate(0)
	if _, seekErr := p.file.Seek(0, io.SeekStart); seekErr != nil {
		err = errors.Join(err, seekErr)
	}
	if tagErr := os.Remove(p.tagFile()); !errors.Is(tagErr, fs.ErrNotExist) {
		err = errors.Join(err, tagErr)
	}
	return err
}

func (p *part) setValidator(tag string) error {
	p.validator = tag
	if tag == "" {
		return nil
	}
	return os.WriteFile(p.tagFile(), []byte(tag), 0o600)
}

// append adds a body that must complete total bytes; -1: as many as come.
func (p *part) append(body io.Reader, total int64) error {
	if total >= 0 {
		body = io.LimitReader(body, total-p.size+1) // one more would show
	}
	n, err := io.Copy(writerFunc(p.write), body)
	switch {
	case err != nil:
		return err
	case total >= 0 && p.size > total:
		return errors.Join(&finalError{fmt.Errorf("the server sends more than %d bytes: it is not the file that is meant", total)}, p.restart())
	case total >= 0 && p.size < total:
		return fmt.Errorf("the transfer ended after %d of %d bytes", n, n+total-p.size)
	}
	return nil
}

func (p *part) write(b []byte) (int, error) {
	n, err := p.file.Write(b)
	p.sum.Write(b[:n])
	p.size += int64(n)
	return n, err
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// makeRoom refuses a transfer that the disk has no room for.
func (p *part) makeRoom(bytes int64) error {
	free, err := Free(filepath.Dir(p.file.Name()))
	if err != nil {
		return err
	}
	if bytes > free {
		return fmt.Errorf("%.0f MB are still to come, and the disk of %s has %.0f MB free: free some space and try again",
			float64(bytes)/1e6, filepath.Dir(p.file.Name()), float64(free)/1e6)
	}
	return nil
}

// Free is how many bytes may still be written below a folder.
func Free(folder string) (int64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		return 0, fmt.Errorf("finding out how much room %s has: %w", folder, err)
	}
	return int64(s.Bavail) * int64(s.Bsize), nil
}

func (p *part) digest() string { return hex.EncodeToString(p.sum.Sum(nil)) }

// check compares what has come with what was meant.
func (p *part) check(f File) error {
	switch got := p.digest(); {
	case f.Bytes > 0 && p.size != f.Bytes:
		return fmt.Errorf("%d bytes came, not %d", p.size, f.Bytes)
	case f.SHA256 != "" && got != f.SHA256:
		return fmt.Errorf("the file that came has SHA-256 %s, not %s: it was changed there, or on the way", got, f.SHA256)
	}
	return nil
}

// rename makes the part the file, durably. Where that fails the part is as it was, to
// go on from.
func (p *part) rename(path string) error {
	if err := p.file.Sync(); err != nil {
		return err
	}
	if err := os.Rename(p.file.Name(), path); err != nil {
		return err
	}
	if err := os.Remove(p.tagFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return durable.SyncDir(filepath.Dir(path))
}

func digestOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
