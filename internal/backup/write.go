package backup

import (
	"archive/tar"
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// Writer writes a backup member by member.
type Writer struct {
	tar  *tar.Writer
	sums *os.File // lines of SHA256SUMS so far, in a file that has no name
	list *bufio.Writer
	n    int
	size int64
}

// NewWriter begins a backup. Finish it or Discard it.
func NewWriter(out io.Writer, about About) (_ *Writer, err error) {
	sums, err := os.CreateTemp("", "fieldmark-sums-*")
	if err != nil {
		return nil, err
	}
	w := &Writer{tar: tar.NewWriter(out), sums: sums, list: bufio.NewWriter(sums)}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Discard())
		}
	}()
	if err := os.Remove(sums.Name()); err != nil {
		return nil, err
	}
	about.Format = format
	text, err := json.MarshalIndent(about, "", "  ")
	if err != nil {
		return nil, err
	}
	return w, w.member(aboutFile, int64(len(text)), strings.NewReader(string(text)))
}

// Discard lets go of what the Writer holds; the archive stays broken off.
func (w *Writer) Discard() error { return w.sums.Close() }

// Files is how many files were added, and Bytes how many bytes they have.
func (w *Writer) Files() int { return w.n - 1 }

// Bytes is how many bytes the files have.
func (w *Writer) Bytes() int64 { return w.size }

// Add adds an open file as it is now.
func (w *Writer) Add(ctx context.Context, name string, f *os.File) error {
	stat, err := f.Stat()
	if err != nil {
		return err
	}
	if !stat.Mode().IsRegular() {
		return fmt.Errorf("%s is no regular file", name)
	}
	return w.member(name, stat.Size(), &contextReader{ctx, io.NewSectionReader(f, 0, stat.Size())})
}

func (w *Writer) member(name string, size int64, data io.Reader) error {
	if strings.ContainsAny(name, "\n\\") {
		return fmt.Errorf("a file whose name has a line break or a backslash cannot be backed up: %q", name)
	}
	if err := w.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, Format: tar.FormatPAX}); err != nil {
		return err
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(w.tar, sum), data)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if n != size {
		return fmt.Errorf("%s was cut short while it was copied", name)
	}
	w.n, w.size = w.n+1, w.size+size
	_, err = fmt.Fprintf(w.list, "%s  %s\n", hex.EncodeToString(sum.Sum(nil)), name)
	return err
}

// Finish writes the list of digests. The archive is whole when it returns nil.
func (w *Writer) Finish() (err error) {
	defer func() { err = errors.Join(err, w.Discard()) }()
	if err := w.list.Flush(); err != nil {
		return err
	}
	size, err := w.sums.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if err := w.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: sumsFile, Size: size, Mode: 0o600, Format: tar.FormatPAX}); err != nil {
		return err
	}
	if _, err := io.Copy(w.tar, io.NewSectionReader(w.sums, 0, size)); err != nil {
		return err
	}
	return w.tar.Close()
}

// contextReader stops reading when its context ends.
type contextReader struct {
	ctx context.Context
	io.Reader
}

func (r *contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}
