package exchange

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"fieldmark/internal/identify"
)

const (
	// maxRatio is how many times its own size an archive of photos may unpack to;
	// photos hardly shrink.
	maxRatio = 50
	// maxUnpacked is what it may unpack to.
	maxUnpacked = 256 << 30
)

// OpenPhotoZip opens a zip archive of photos by class, or of photos with one table
// of labels, and says what an import of it is made of. The file must stay open.
func OpenPhotoZip(f *os.File) (*PhotoSet, identify.ImportSource, error) {
	source := identify.ImportSource{Kind: "photos", Name: filepath.Base(f.Name())}
	stat, err := f.Stat()
	if err != nil {
		return nil, source, err
	}
	set, err := NewPhotoZip(f, stat.Size())
	if err != nil {
		return nil, source, err
	}
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(f, 0, stat.Size())); err != nil {
		return nil, source, err
	}
	source.Digest = hex.EncodeToString(h.Sum(nil))
	return set, source, nil
}

// NewPhotoZip is OpenPhotoZip for the archive of size bytes behind r. Nothing is
// ever written to disk: names only say which photo is which. An archive that lies,
// of its sizes or by names that lead elsewhere, is refused whole.
func NewPhotoZip(r io.ReaderAt, size int64) (*PhotoSet, error) {
	archive, err := listZip(r, size)
	if err != nil {
		return nil, err
	}
	members, err := zipMembers(archive, size)
	if err != nil {
		return nil, err
	}
	table, err := tableOf(members)
	if err != nil {
		return nil, err
	}
	set := &PhotoSet{}
	if table != nil {
		return set, set.fromZippedTable(table, members)
	}
	for _, f := range members {
		if set.leftOut.skips(f.Name) {
			continue
		}
		if err := set.byClass(f.Name, zipped(f)); err != nil {
			return nil, err
		}
	}
	if len(set.rows) == 0 {
		return nil, errNoPhotos
	}
	return set, nil
}

// zipMembers are the files of an archive, once all that could be a lie is looked at.
func zipMembers(archive *zip.Reader, size int64) ([]*zip.File, error) {
	var list []*zip.File
	var packed, unpacked uint64
	seen := map[string]bool{}
	for _, f := range archive.File {
		if strings.HasSuffix(f.Name, "/") && f.UncompressedSize64 == 0 {
			continue // a folder
		}
		if reason := lies(f, seen[f.Name]); reason != "" {
			return nil, identify.Errorf(identify.Invalid, "file", "This archive is not taken: %s. Pack it anew.", reason)
		}
		seen[f.Name] = true
		packed, unpacked = packed+f.CompressedSize64, unpacked+f.UncompressedSize64
		// Compared in turn, so that no sum overflows.
		if packed > uint64(size) {
			return nil, identify.Errorf(identify.Invalid, "file", "This archive is not taken: its files are said to be larger, packed, than the archive itself. Pack it anew.")
		}
		if unpacked > maxUnpacked || unpacked > maxRatio*uint64(size) {
			return nil, identify.Errorf(identify.Invalid, "file",
				"This archive is not taken: it would unpack to more than %d times its size or %d GB, which photos do not. Leave out what is no photo, or split it.", maxRatio, maxUnpacked>>30)
		}
		list = append(list, f)
	}
	return list, nil
}

// lies says why an archive with such a file is refused, "" if it is not for that.
func lies(f *zip.File, twice bool) string {
	name := quoteName(f.Name)
	switch {
	case !utf8.ValidString(f.Name) || strings.ContainsFunc(f.Name, func(r rune) bool { return r < ' ' || r == 0x7f || r == utf8.RuneError }):
		return "the name of its file " + name + " is not readable text"
	case strings.HasPrefix(f.Name, "/") || strings.Contains(f.Name, "\\") || len(f.Name) > 1 && f.Name[1] == ':':
		return "its file " + name + " has an absolute name or one of another system"
	case !fs.ValidPath(f.Name):
		return "the name of its file " + name + " leads out of the archive"
	case twice:
		return "it has two files named " + name
	case f.Flags&1 != 0:
		return "its file " + name + " is encrypted"
	case f.Mode().Type() != 0:
		return "its entry " + name + " is a link or no regular file"
	case f.UncompressedSize64 > maxUnpacked || f.CompressedSize64 > maxUnpacked:
		return "its file " + name + " is said to be impossibly large"
	}
	return ""
}

// quoteName shows a name within a sentence.
func quoteName(name string) string {
	if len(name) > 80 {
		name = name[:80] + "…"
	}
	return "“" + strings.ToValidUTF8(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, name), "?") + "”"
}

// zipped reads a file of an archive. Its length and checksum must be those that
// the archive says.
func zipped(f *zip.File) readPhoto {
	return func(context.Context) (io.ReadCloser, error) {
		if f.UncompressedSize64 > maxPhotoBytes {
			return nil, identify.Errorf(identify.TooLarge, "file", "It has more than %d MB.", maxPhotoBytes>>20)
		}
		in, err := f.Open()
		if err == io.EOF {
			err = io.ErrUnexpectedEOF // the archive ends where the file should begin
		}
		if err != nil {
			return nil, zipError(err)
		}
		return &checkedFile{in}, nil
	}
}

// checkedFile words the errors of a file of an archive.
type checkedFile struct{ io.ReadCloser }

func (c *checkedFile) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	return n, zipError(err)
}

func zipError(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	if errors.Is(err, zip.ErrAlgorithm) {
		return identify.Errorf(identify.Invalid, "file", "It is packed in a way that is not read: pack the archive as a plain zip.").Because(err)
	}
	return identify.Errorf(identify.Invalid, "file", "It is damaged within the archive: pack it anew.").Because(err)
}

// tableOf finds the table of labels of an archive, nil if there is none. Tables
// whose columns name no photos are none.
func tableOf(members []*zip.File) (*zip.File, error) {
	var found *zip.File
	var hidden leftOut
	for _, f := range members {
		if !isTable(f.Name) || hidden.skips("x/"+f.Name) {
			continue
		}
		head, err := headOf(f)
		if err != nil {
			return nil, err
		}
		if !looksLikeTable(head) {
			continue
		}
		if found != nil {
			return nil, identify.Errorf(identify.Invalid, "file", "There are two tables of labels here, %s and %s. Leave one.", quoteName(found.Name), quoteName(f.Name))
		}
		found = f
	}
	return found, nil
}

func headOf(f *zip.File) ([]byte, error) {
	in, err := zipped(f)(context.Background())
	if err != nil {
		return nil, err
	}
	defer in.Close()
	head, err := io.ReadAll(io.LimitReader(in, 4096))
	return head, err
}

// fromZippedTable reads a table whose photos lie beside it in the archive.
func (s *PhotoSet) fromZippedTable(table *zip.File, members []*zip.File) error {
	in, err := zipped(table)(context.Background())
	if err != nil {
		return err
	}
	defer in.Close()
	rows, err := readTable(in)
	if err != nil {
		return err
	}
	files := map[string]*zip.File{}
	for _, f := range members {
		files[f.Name] = f
	}
	for _, row := range rows {
		var read readPhoto
		name := path.Join(path.Dir(table.Name), path.Clean(strings.ReplaceAll(row.photo, "\\", "/")))
		switch f := files[name]; {
		case isURL(row.photo):
			hasProblem(&row.PhotoRow, "it is a web address, and photos are only fetched by \"webapp import --fetch\"")
		case f == nil:
			hasProblem(&row.PhotoRow, "the archive has no file %s", quoteName(row.photo))
		default:
			read = zipped(f)
		}
		if err := s.add(row.PhotoRow, read); err != nil {
			return err
		}
	}
	return nil
}
