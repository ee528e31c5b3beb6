package exchange

import (
	"context"
	"io"
	"path"
	"slices"
	"strings"

	"fieldmark/internal/identify"
)

const (
	// maxPhotos is how many photos one import may have.
	maxPhotos = 200_000
	// maxPhotoBytes is the most that is read of a photo; what may be taken is for
	// the domain to say.
	maxPhotoBytes = 64 << 20
)

// PhotoSet is an identify.PhotoSet of a zip archive, a folder, or a table of
// labels with what that names.
type PhotoSet struct {
	rows    []identify.PhotoRow
	read    []readPhoto // of each row; nil where the row has a problem
	leftOut leftOut
}

var _ identify.PhotoSet = (*PhotoSet)(nil)

// readPhoto opens a photo.
type readPhoto func(ctx context.Context) (io.ReadCloser, error)

// Rows implements identify.ImportFile.
func (s *PhotoSet) Rows() int { return len(s.rows) }

// Row implements identify.PhotoSet.
func (s *PhotoSet) Row(i int) identify.PhotoRow { return s.rows[i] }

// Photo implements identify.PhotoSet.
func (s *PhotoSet) Photo(ctx context.Context, i int) ([]byte, error) {
	if s.read[i] == nil {
		return nil, s.rows[i].Problem
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	in, err := s.read[i](ctx)
	if err != nil {
		return nil, unreadable(ctx, err)
	}
	data, err := io.ReadAll(io.LimitReader(in, maxPhotoBytes+1))
	if closed := in.Close(); err == nil {
		err = closed
	}
	switch {
	case len(data) > maxPhotoBytes:
		return nil, identify.Errorf(identify.TooLarge, "file", "It has more than %d MB.", maxPhotoBytes>>20)
	case err != nil:
		return nil, unreadable(ctx, err)
	}
	return data, nil
}

// unreadable is an error of one photo.
func unreadable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if identify.KindOf(err) != "" {
		return err
	}
	return identify.Errorf(identify.Invalid, "file", "It cannot be read (%v).", err).Because(err)
}

// LeftOut implements identify.PhotoSet.
func (s *PhotoSet) LeftOut() identify.Notice { return s.leftOut.notice() }

// add adds a photo.
func (s *PhotoSet) add(row identify.PhotoRow, read readPhoto) error {
	if len(s.rows) == maxPhotos {
		return identify.Errorf(identify.Invalid, "file", "There are more than %d photos here. Split them.", maxPhotos)
	}
	if row.Problem != nil {
		read = nil
	}
	s.rows, s.read = append(s.rows, row), append(s.read, read)
	return nil
}

// byClass adds a photo that lies in a folder named after what it shows: the last
// one of its path.
func (s *PhotoSet) byClass(name string, read readPhoto) error {
	row := identify.PhotoRow{Name: identify.PlainNotice(name)}
	folder := path.Dir(name)
	if folder == "." {
		row.Problem = badRow("it lies in no folder that is named after what it shows")
	} else {
		row.Label = className(path.Base(folder))
	}
	return s.add(row, read)
}

// className is the name that a folder stands for. Many data sets write underscores
// for spaces.
func className(folder string) string {
	if strings.ContainsRune(folder, ' ') {
		return folder
	}
	return strings.ReplaceAll(folder, "_", " ")
}

var errNoPhotos = identify.Errorf(identify.Invalid, "file",
	"There are no photos here. Put each into a folder that is named after what it shows, such as \"Luna Moth/1.jpg\".")

// hasProblem gives a row that has none yet a problem.
func hasProblem(row *identify.PhotoRow, format string, args ...any) {
	if row.Problem == nil {
		row.Problem = badRow(format, args...)
	}
}

// badRow says in what follows "row 7: " why a row cannot be taken.
func badRow(format string, args ...any) *identify.Error {
	return identify.Errorf(identify.Invalid, "row", format, args...)
}

// leftOut counts the files that are not looked at.
type leftOut struct {
	hidden, others int
	example        string
}

// notice says so in a sentence, nothing if there are none.
func (l leftOut) notice() identify.Notice {
	hidden := identify.Noticef("%d hidden files and files of the system", l.hidden)
	others := identify.Noticef("%d files that are no photos (%s)", l.others, l.example)
	switch {
	case l.hidden > 0 && l.others > 0:
		return identify.Noticef("Not looked at: %s, %s.", hidden, others)
	case l.hidden > 0:
		return identify.Noticef("Not looked at: %s.", hidden)
	case l.others > 0:
		return identify.Noticef("Not looked at: %s.", others)
	}
	return identify.Notice{}
}

// skips reports whether a file is not looked at, and counts it. Within a folder of
// photos everything is: what is none there is amiss.
func (l *leftOut) skips(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") || strings.EqualFold(part, "__MACOSX") {
			l.hidden++
			return true
		}
	}
	base := strings.ToLower(path.Base(name))
	if slices.Contains([]string{"thumbs.db", "desktop.ini", "ehthumbs.db"}, base) {
		l.hidden++
		return true
	}
	if !strings.Contains(name, "/") && !namedAsPhoto(base) {
		if l.others++; l.example == "" {
			l.example = name
		}
		return true
	}
	return false
}

// namedAsPhoto reports whether a file's name says that it is a picture.
func namedAsPhoto(name string) bool {
	return slices.Contains([]string{".jpg", ".jpeg", ".jpe", ".png", ".gif", ".webp", ".heic", ".heif", ".avif", ".tif", ".tiff", ".bmp"},
		strings.ToLower(path.Ext(name)))
}

// isTable reports whether a file's name says that it is a table.
func isTable(name string) bool {
	return slices.Contains([]string{".csv", ".tsv"}, strings.ToLower(path.Ext(name)))
}
