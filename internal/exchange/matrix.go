package exchange

import (
	"archive/zip"
	"bufio"
	"bytes"
	"io"
	"strings"
)

// ReadMatrix reads the array [N×D] of floating-point numbers, N and D above 0,
// that data holds: an npy file, or an npz file with one such array. Errors are
// *identify.Error.
func ReadMatrix(data []byte) ([][]float32, error) {
	a, err := openMatrix(data)
	if err != nil {
		return nil, err
	}
	rows, err := a.matrixRows()
	if err != nil {
		return nil, err
	}
	return rows, a.finish()
}

func openMatrix(data []byte) (*npyArray, error) {
	if !bytes.HasPrefix(data, []byte("PK")) {
		a := &npyArray{name: "array", file: io.NopCloser(nil), in: bufio.NewReader(bytes.NewReader(data))}
		var err error
		if a.npyHeader, err = readNpyHeader(a.in, a.name); err != nil {
			return nil, err
		}
		if want := a.length + a.items()*int64(a.size); int64(len(data)) != want {
			return nil, damaged(a.name, "its header asks for %d bytes, and the file has %d", want, len(data))
		}
		if !a.matrix() {
			return nil, damaged(a.name, "it is no table of floating-point numbers [N, D]")
		}
		return a, nil
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, damaged("npz", "%v", err)
	}
	var found *npyArray
	for _, f := range archive.File {
		a, err := openArray(f, strings.TrimSuffix(f.Name, ".npy"))
		if err != nil {
			return nil, err
		}
		if !a.matrix() {
			continue
		}
		if found != nil {
			return nil, damaged(a.name, "the file has other tables of numbers besides it: keep one")
		}
		found = a
	}
	if found == nil {
		return nil, damaged("npz", "there is no table of floating-point numbers [N, D] in the file")
	}
	return found, nil
}

func (a *npyArray) matrix() bool {
	return a.kind == 'f' && len(a.shape) == 2 && a.shape[0] > 0 && a.shape[1] > 0
}
