package exchange

import (
	"archive/zip"
	"errors"
	"io"
	"math"
	"strings"

	"fieldmark/internal/identify"
)

// The arrays of an npz file of exemplars.
const (
	arrayEmbeddings   = "embeddings"      // floating point [N, D], raw
	arrayLabels       = "labels"          // text [N]
	arrayTaxa         = "taxon_ids"       // whole numbers [N], 0 for none
	arrayObservations = "observation_ids" // whole numbers or text [N]
	arrayEncoder      = "encoder"         // text [] or [1]: the encoder's digest
)

// NPZ is an npz file of exemplars, opened. It is an identify.EmbeddingFile.
type NPZ struct {
	members   map[string]*zip.File
	rows, dim int
	encoder   string
}

var _ identify.EmbeddingFile = (*NPZ)(nil)

// OpenNPZ opens the archive of size bytes behind r and checks what its arrays
// say of themselves against one another and against the archive. Errors are
// *identify.Error. Nothing that a header says is believed before it is checked:
// reading takes memory for one row of each array, whatever the file holds, or
// for at most 256 MiB of an array in Fortran order.
func OpenNPZ(r io.ReaderAt, size int64) (*NPZ, error) {
	members, err := npzMembers(r, size)
	if err != nil {
		return nil, err
	}
	z := &NPZ{members: members}
	if err := z.check(); err != nil {
		return nil, err
	}
	return z, nil
}

// maxDirectory is how much of an archive may be read to list what it holds.
const maxDirectory = 1 << 20

// npzMembers lists the arrays that are ours by name, without ".npy".
func npzMembers(r io.ReaderAt, size int64) (map[string]*zip.File, error) {
	budget := &budgetReader{r: r, left: maxDirectory}
	archive, err := zip.NewReader(budget, size)
	if err != nil {
		return nil, identify.Errorf(identify.Invalid, "file", "This file is not an npz archive, or it was not copied whole. Make one with numpy.savez.").Because(err)
	}
	budget.left = math.MaxInt64
	members := map[string]*zip.File{}
	for _, f := range archive.File {
		name := strings.TrimSuffix(f.Name, ".npy")
		switch name {
		case arrayEmbeddings, arrayLabels, arrayTaxa, arrayObservations, arrayEncoder:
			if members[name] != nil {
				return nil, identify.Errorf(identify.Invalid, "file", "This archive has two arrays named %q.", name)
			}
			members[name] = f
		}
	}
	for _, name := range []string{arrayEmbeddings, arrayLabels} {
		if members[name] == nil {
			return nil, identify.Errorf(identify.Invalid, "file", "This archive has no array %q. "+
				"It takes numpy.savez(file, embeddings=…, labels=…): embeddings float32 [N, D], labels [N] text.", name)
		}
	}
	return members, nil
}

// budgetReader keeps the listing of an archive from filling the memory: each
// entry takes many times the bytes in memory that it takes in the file.
type budgetReader struct {
	r    io.ReaderAt
	left int64
}

var errDirectory = errors.New("the archive's directory is too long")

func (b *budgetReader) ReadAt(p []byte, at int64) (int, error) {
	if b.left == math.MaxInt64 {
		return b.r.ReadAt(p, at)
	}
	if b.left -= int64(len(p)); b.left < 0 {
		return 0, errDirectory
	}
	return b.r.ReadAt(p, at)
}

// Rows returns N.
func (z *NPZ) Rows() int { return z.rows }

// Dim returns D.
func (z *NPZ) Dim() int { return z.dim }

// Encoder returns the digest of the encoder that made the embeddings, "" where
// the file does not say.
func (z *NPZ) Encoder() string { return z.encoder }

// check holds the arrays' headers against one another.
func (z *NPZ) check() error {
	arrays, err := z.open()
	if err != nil {
		return err
	}
	defer arrays.close()
	e := arrays.embeddings
	if e.kind != 'f' || len(e.shape) != 2 {
		return identify.Errorf(identify.Invalid, "file", "The array %q must hold floating-point numbers in two dimensions [N, D]; save it as float32.", arrayEmbeddings)
	}
	z.rows, z.dim = e.shape[0], e.shape[1]
	if z.rows == 0 || z.dim == 0 || z.dim > maxDim {
		return identify.Errorf(identify.Invalid, "file", "The array %q has the shape (%d, %d): there is nothing to learn from it.", arrayEmbeddings, z.rows, z.dim)
	}
	for _, c := range []struct {
		array *npyArray
		want  string
		ok    func(*npyArray) bool
	}{
		{arrays.labels, "text", func(a *npyArray) bool { return a.text() }},
		{arrays.taxa, "whole numbers", func(a *npyArray) bool { return a.kind == 'i' || a.kind == 'u' }},
		{arrays.observations, "whole numbers or text", func(a *npyArray) bool { return a.kind != 'f' }},
	} {
		if c.array == nil {
			continue
		}
		if !c.ok(c.array) || len(c.array.shape) != 1 {
			return identify.Errorf(identify.Invalid, "file", "The array %q must hold %s in one dimension [N].", c.array.name, c.want)
		}
		if n := c.array.shape[0]; n != z.rows {
			return identify.Errorf(identify.Invalid, "file", "The arrays %q and %q have different numbers of rows: %d and %d.", c.array.name, arrayEmbeddings, n, z.rows)
		}
	}
	return z.readEncoder()
}

func (z *NPZ) readEncoder() error {
	f := z.members[arrayEncoder]
	if f == nil {
		return nil
	}
	a, err := openArray(f, arrayEncoder)
	if err != nil {
		return err
	}
	defer a.close()
	if !a.text() || a.items() != 1 {
		return identify.Errorf(identify.Invalid, "file", "The array %q must hold one text, the encoder's digest.", arrayEncoder)
	}
	raw, err := a.bytes(1)
	if err != nil {
		return err
	}
	text, ok := a.string(raw)
	if !ok {
		return damaged(arrayEncoder, "its text is not valid")
	}
	z.encoder = strings.TrimSpace(text)
	return a.finish()
}
