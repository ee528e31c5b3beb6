package exchange

import (
	"archive/zip"
	"bufio"
	"errors"
	"io"

	"fieldmark/internal/identify"
)

// npyArray is one array of an archive while it is read from beginning to end,
// a row at a time.
type npyArray struct {
	npyHeader
	name string
	file io.ReadCloser
	in   *bufio.Reader
	row  []byte    // of raw bytes
	held []float32 // [N×D] of an array in Fortran order, which has its rows nowhere together
	next int       // row
}

// maxHeld is how many bytes of an array in Fortran order are held at once.
const maxHeld = 256 << 20

// openArray opens a member of an archive and reads its header. What the header
// says is held against what the archive says.
func openArray(f *zip.File, name string) (*npyArray, error) {
	file, err := f.Open()
	if err != nil {
		return nil, damaged(name, "%v", err)
	}
	a := &npyArray{name: name, file: file, in: bufio.NewReaderSize(file, 256<<10)}
	if a.npyHeader, err = readNpyHeader(a.in, name); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if want := uint64(a.length + a.items()*int64(a.size)); f.UncompressedSize64 != want {
		err := damaged(name, "its header asks for %d bytes, and the archive has %d", want, f.UncompressedSize64)
		return nil, errors.Join(err, file.Close())
	}
	return a, nil
}

func (a *npyArray) close() error { return a.file.Close() }

// bytes returns the raw bytes of the next n items; they are valid until the
// next call.
func (a *npyArray) bytes(n int) ([]byte, error) {
	if size := n * a.size; len(a.row) != size {
		a.row = make([]byte, size)
	}
	if _, err := io.ReadFull(a.in, a.row); err != nil {
		return nil, a.broken(err)
	}
	return a.row, nil
}

// broken words the error of reading an array that was sound so far.
func (a *npyArray) broken(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return damaged(a.name, "it ends before its last row. Perhaps the file was not copied whole")
	}
	return damaged(a.name, "%v. Perhaps the file was not copied whole", err)
}

// vector reads the next row of a two-dimensional array into v.
func (a *npyArray) vector(v []float32) error {
	if a.fortran && a.held == nil {
		if err := a.hold(len(v)); err != nil {
			return err
		}
	}
	if a.held != nil {
		copy(v, a.held[a.next*len(v):])
		a.next++
		return nil
	}
	raw, err := a.bytes(len(v))
	if err == nil {
		a.floats(v, raw)
	}
	return err
}

// hold reads an array in Fortran order, column after column, into rows.
func (a *npyArray) hold(dim int) error {
	rows := a.shape[0]
	if 4*a.items() > maxHeld {
		return identify.Errorf(identify.Invalid, "file", "The array %q is in Fortran order and too large to be turned round here. "+
			"Save it as numpy.ascontiguousarray(%s).", a.name, a.name)
	}
	held, column := make([]float32, rows*dim), make([]float32, 1024)
	for c := range dim {
		for r := 0; r < rows; r += len(column) {
			part := column[:min(len(column), rows-r)]
			raw, err := a.bytes(len(part))
			if err != nil {
				return err
			}
			a.floats(part, raw)
			for i, x := range part {
				held[(r+i)*dim+c] = x
			}
		}
	}
	a.held = held
	return nil
}

// finish checks that the array ends where it should: the archive's checksum is
// compared there.
func (a *npyArray) finish() error {
	switch _, err := a.in.ReadByte(); {
	case errors.Is(err, io.EOF):
		return nil
	case err == nil:
		return damaged(a.name, "it goes on after its last row")
	default:
		return a.broken(err)
	}
}
