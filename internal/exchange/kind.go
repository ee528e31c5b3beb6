package exchange

import (
	"archive/zip"
	"bytes"
	"io"
	"math"
	"os"
	"path"
	"strings"
	"unicode/utf8"

	"fieldmark/internal/identify"
)

// Kind is a kind of file that can be imported, told by what is in it: names and
// declared types are not to be trusted.
type Kind string

// The kinds of files.
const (
	KindNPZ    Kind = "npz"    // embeddings with labels
	KindPhotos Kind = "photos" // a zip of photos, by class or with a table of labels
	KindTable  Kind = "csv"    // a table of labels whose photos lie elsewhere
)

// errUnknownKind refuses what is none of them.
var errUnknownKind = identify.Errorf(identify.Invalid, "file",
	"This is no kind of file that can be imported. Choose an npz archive of embeddings, or a zip of photos in folders named after what they show.")

// KindOf looks into the file of size bytes behind r.
func KindOf(r io.ReaderAt, size int64) (Kind, error) {
	head := make([]byte, min(size, 4096))
	if _, err := r.ReadAt(head, 0); err != nil && err != io.EOF {
		return "", err
	}
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return kindOfZip(r, size)
	case looksLikeTable(head):
		return KindTable, nil
	}
	return "", errUnknownKind
}

// kindOfZip tells arrays from photos by the names in the archive.
func kindOfZip(r io.ReaderAt, size int64) (Kind, error) {
	archive, err := listZip(r, size)
	if err != nil {
		return "", err
	}
	for _, f := range archive.File {
		if path.Ext(f.Name) == ".npy" {
			return KindNPZ, nil
		}
	}
	return KindPhotos, nil
}

// maxListing is how much of a zip of photos may be read to list what it holds:
// some 400,000 of them.
const maxListing = 64 << 20

// listZip reads the directory of a zip archive, of which no more than maxListing
// is taken.
func listZip(r io.ReaderAt, size int64) (*zip.Reader, error) {
	budget := &budgetReader{r: r, left: maxListing}
	archive, err := zip.NewReader(budget, size)
	// ErrInsecurePath comes with the archive: names are judged one by one.
	if err != nil && archive == nil {
		return nil, identify.Errorf(identify.Invalid, "file", "This zip archive cannot be read, or it was not copied whole. Copy it again, or pack it anew.").Because(err)
	}
	budget.left = math.MaxInt64
	return archive, nil
}

// looksLikeTable reports whether a file begins with text whose first line names
// columns of labels.
func looksLikeTable(head []byte) bool {
	if len(head) == 4096 { // a character may be cut at the end
		head = head[:len(head)-utf8.UTFMax]
		for len(head) > 0 && !utf8.Valid(head[max(0, len(head)-utf8.UTFMax):]) && head[len(head)-1] >= utf8.RuneSelf {
			head = head[:len(head)-1]
		}
	}
	if !utf8.Valid(head) || bytes.IndexByte(head, 0) >= 0 {
		return false
	}
	line, _, _ := strings.Cut(string(head), "\n")
	columns, err := tableColumns(splitHeader(line))
	return err == nil && columns.photo >= 0
}

// OpenImport opens a file that is imported with identify.Service.PlanImport and
// RunImport, of whatever kind it is, and says what an import of it is made of.
func OpenImport(f *os.File) (identify.ImportFile, identify.ImportSource, error) {
	stat, err := f.Stat()
	if err != nil {
		return nil, identify.ImportSource{}, err
	}
	kind, err := KindOf(f, stat.Size())
	if err != nil {
		return nil, identify.ImportSource{}, err
	}
	switch kind {
	case KindPhotos:
		set, source, err := OpenPhotoZip(f)
		if err != nil {
			return nil, source, err
		}
		return set, source, nil
	case KindTable:
		return nil, identify.ImportSource{}, identify.Errorf(identify.Invalid, "file",
			"This table names photos that are not here. Put it into a zip archive together with them, or import it with \"webapp import\" on the machine where they are.")
	}
	return OpenNPZFile(f)
}
