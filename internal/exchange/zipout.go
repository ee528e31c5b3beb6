package exchange

import (
	"archive/zip"
	"bufio"
	"context"
	"fmt"
	"io"
	"time"

	"fieldmark/internal/identify"
)

// zipOut writes a zip whose bytes depend on nothing but its members: every
// member has the same time.
type zipOut struct {
	z *zip.Writer
}

func newZipOut(w io.Writer) *zipOut { return &zipOut{zip.NewWriter(w)} }

// member writes one member. What is compressed already is stored as it is.
func (o *zipOut) member(name string, method uint16, write func(w *bufio.Writer) error) error {
	w, err := o.z.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	out := bufio.NewWriterSize(w, 64<<10)
	if err = write(out); err == nil {
		err = out.Flush()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (o *zipOut) text(name string, write func(w *bufio.Writer) error) error {
	return o.member(name, zip.Deflate, write)
}

// photos writes the photos of the records that wanted lets through, each once,
// under the names it gives; "" is for none. One photo is held at a time, and the
// names of all, as the directory of the zip does.
func (o *zipOut) photos(ctx context.Context, src Source, name func(identify.Record) string) error {
	written := map[string]bool{}
	return src.Each(ctx, func(r identify.Record) error {
		n := name(r)
		if n == "" || written[n] || !r.Photo.HasFile() {
			return nil
		}
		written[n] = true
		data, _, err := src.Photo(ctx, r)
		if err != nil {
			return err
		}
		return o.member(n, zip.Store, func(w *bufio.Writer) error {
			_, err := w.Write(data)
			return err
		})
	})
}

func (o *zipOut) close() error { return o.z.Close() }
