package exchange

import (
	"archive/zip"
	"bufio"
	"bytes"
	"io"
	"math"
	"strings"

	"fieldmark/internal/identify"
)

// Archive is an npz file of arrays under any names, as evaluations use them.
// (NPZ is one of exemplars, and checks what those need.)
type Archive struct {
	members map[string]*zip.File
}

// OpenArchive lists the arrays of the npz file of size bytes behind r. Errors of
// an Archive are *identify.Error.
func OpenArchive(r io.ReaderAt, size int64) (*Archive, error) {
	budget := &budgetReader{r: r, left: maxDirectory}
	archive, err := zip.NewReader(budget, size)
	if err != nil {
		return nil, identify.Errorf(identify.Invalid, "file", "This file is not an npz archive, or it was not copied whole. Make one with numpy.savez.").Because(err)
	}
	budget.left = math.MaxInt64
	a := &Archive{members: map[string]*zip.File{}}
	for _, f := range archive.File {
		name := strings.TrimSuffix(f.Name, ".npy")
		if a.members[name] != nil {
			return nil, identify.Errorf(identify.Invalid, "file", "This archive has two arrays named %q.", name)
		}
		a.members[name] = f
	}
	return a, nil
}

// Has reports whether there is an array of this name.
func (a *Archive) Has(name string) bool { return a.members[name] != nil }

// Matrix reads an array of floating-point numbers [N×D], N and D above 0.
func (a *Archive) Matrix(name string) (rows [][]float32, err error) {
	err = a.read(name, func(x *npyArray) error {
		if !x.matrix() {
			return damaged(name, "it is no table of floating-point numbers [N, D]")
		}
		rows, err = x.matrixRows()
		return err
	})
	return rows, err
}

// Texts reads an array [N] or [] of text or whole numbers, whose digits are then
// the text; numbers says which.
func (a *Archive) Texts(name string) (texts []string, numbers bool, err error) {
	err = a.read(name, func(x *npyArray) error {
		texts, err = x.texts()
		numbers = !x.text()
		return err
	})
	return texts, numbers, err
}

func (a *Archive) read(name string, use func(*npyArray) error) error {
	f := a.members[name]
	if f == nil {
		return identify.Errorf(identify.Invalid, "file", "This archive has no array %q.", name)
	}
	x, err := openArray(f, name)
	if err != nil {
		return err
	}
	defer x.close()
	if err := use(x); err != nil {
		return err
	}
	return x.finish()
}

// ReadTexts is Archive.Texts for the npy file that data holds.
func ReadTexts(data []byte) (texts []string, numbers bool, err error) {
	a := &npyArray{name: "array", file: io.NopCloser(nil), in: bufio.NewReader(bytes.NewReader(data))}
	if a.npyHeader, err = readNpyHeader(a.in, a.name); err != nil {
		return nil, false, err
	}
	if texts, err = a.texts(); err != nil {
		return nil, false, err
	}
	return texts, !a.text(), a.finish()
}

// matrixRows reads a table from its beginning to its end.
func (a *npyArray) matrixRows() ([][]float32, error) {
	rows := make([][]float32, a.shape[0])
	for i := range rows {
		rows[i] = make([]float32, a.shape[1])
		if err := a.vector(rows[i]); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// texts reads a list of texts or whole numbers from its beginning to its end.
func (a *npyArray) texts() ([]string, error) {
	if a.kind == 'f' || len(a.shape) > 1 {
		return nil, damaged(a.name, "it is no list of texts or whole numbers [N]")
	}
	list := make([]string, a.items())
	for i := range list {
		raw, err := a.bytes(1)
		if err != nil {
			return nil, err
		}
		var ok bool
		if list[i], ok = a.string(raw); !ok {
			return nil, damaged(a.name, "entry %d is not valid text", i)
		}
	}
	return list, nil
}
