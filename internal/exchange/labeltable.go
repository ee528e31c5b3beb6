package exchange

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"fieldmark/internal/identify"
)

// maxTable is how many bytes a table of labels may have.
const maxTable = 256 << 20

// tableRow is a row of a table, and where its photo is.
type tableRow struct {
	identify.PhotoRow
	photo string // path or address, as it is written
}

// labelColumns are the numbers of a table's columns, -1 for those that it lacks.
type labelColumns struct {
	photo, label, taxon, observed, latitude, longitude, license, holder, notes, ref int
}

// tableColumns finds columns by their heads. Of several heads for the same the
// first of our list is taken.
func tableColumns(heads []string) (c labelColumns, err error) {
	plain := make([]string, len(heads))
	for i, h := range heads {
		plain[i] = strings.ToLower(strings.NewReplacer(" ", "", "_", "", "-", "").Replace(strings.TrimSpace(h)))
	}
	at := func(names ...string) int {
		for _, n := range names {
			if i := slices.Index(plain, n); i >= 0 {
				return i
			}
		}
		return -1
	}
	c = labelColumns{
		photo:    at("file", "path", "filename", "filepath", "image", "photo", "imagepath", "url", "imageurl", "photourl", "identifier"),
		label:    at("label", "scientificname", "species", "taxon", "class", "name", "commonname"),
		taxon:    at("taxonid"),
		observed: at("observedat", "eventdate", "observedon", "takenat", "datetime", "date"),
		latitude: at("latitude", "decimallatitude", "lat"), longitude: at("longitude", "decimallongitude", "lon", "lng", "long"),
		license: at("license", "licence"), holder: at("rightsholder"), notes: at("notes", "note", "remarks", "occurrenceremarks"),
		ref: at("observationid", "occurrenceid"),
	}
	switch {
	case c.photo < 0:
		return c, identify.Errorf(identify.Invalid, "file", "This table has no column of photos. Its first line must name one: file, path or url.")
	case c.label < 0 && c.taxon < 0:
		return c, identify.Errorf(identify.Invalid, "file", "This table does not say what its photos show. Its first line must name a column for that: label, species, scientific_name or taxon_id.")
	}
	return c, nil
}

// separatorOf is what parts the columns of a table whose first line is given.
func separatorOf(line string) rune {
	best, most := ',', strings.Count(line, ",")
	for _, r := range ";\t" {
		if n := strings.Count(line, string(r)); n > most {
			best, most = r, n
		}
	}
	return best
}

// splitHeader splits the first line of a table.
func splitHeader(line string) []string {
	line = strings.TrimPrefix(strings.TrimRight(line, "\r\n"), "\ufeff")
	r := csv.NewReader(strings.NewReader(line))
	r.Comma = separatorOf(line)
	heads, err := r.Read()
	if err != nil {
		return nil
	}
	return heads
}

// readTable reads a table of labels. Rows that cannot be taken have a problem; a
// table that is no such table is refused.
func readTable(in io.Reader) ([]tableRow, error) {
	data, err := io.ReadAll(io.LimitReader(in, maxTable+1))
	switch {
	case err != nil:
		return nil, err
	case len(data) > maxTable:
		return nil, identify.Errorf(identify.TooLarge, "file", "This table has more than %d MB. Split it.", maxTable>>20)
	case !utf8.Valid(data):
		return nil, identify.Errorf(identify.Invalid, "file", "This table is not in UTF-8. Save it as “CSV UTF-8”.")
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	first, _, _ := strings.Cut(text, "\n")
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.FieldsPerRecord, r.ReuseRecord = separatorOf(first), -1, true
	heads, err := r.Read()
	if err != nil {
		return nil, tableError(err)
	}
	c, err := tableColumns(heads)
	if err != nil {
		return nil, err
	}
	width := len(heads)
	var rows []tableRow
	for {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, tableError(err)
		}
		line, _ := r.FieldPos(0)
		if len(rows) == maxPhotos {
			return nil, identify.Errorf(identify.Invalid, "file", "This table has more than %d rows. Split it.", maxPhotos)
		}
		row := c.row(fields)
		if row.Name = identify.Noticef("line %s", strconv.Itoa(line)); len(fields) != width {
			row.Problem = badRow("it has %d columns, and the first line has %d", len(fields), width)
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil, identify.Errorf(identify.Invalid, "file", "This table has no rows below its first line.")
	}
	return rows, nil
}

func tableError(err error) error {
	if at := (*csv.ParseError)(nil); errors.As(err, &at) {
		return identify.Errorf(identify.Invalid, "file", "This table cannot be read: line %s: %v.", strconv.Itoa(at.Line), at.Err).Because(err)
	} else if errors.Is(err, io.EOF) {
		return identify.Errorf(identify.Invalid, "file", "This table is empty.").Because(err)
	}
	return identify.Errorf(identify.Invalid, "file", "This table cannot be read.").Because(err)
}

// row reads one row.
func (c labelColumns) row(fields []string) tableRow {
	get := func(i int) string {
		if i < 0 || i >= len(fields) {
			return ""
		}
		return strings.Clone(strings.TrimSpace(fields[i]))
	}
	x := tableRow{photo: get(c.photo)}
	x.Label, x.License, x.RightsHolder, x.Notes, x.Ref = get(c.label), get(c.license), get(c.holder), get(c.notes), get(c.ref)
	if x.photo == "" {
		x.Problem = badRow("it names no photo")
	}
	if text := get(c.taxon); text != "" {
		id, err := strconv.ParseInt(text, 10, 64)
		if x.Taxon = identify.TaxonID(id); err != nil || id < 1 {
			hasProblem(&x.PhotoRow, "its taxon_id is no whole number above 0")
		}
	}
	x.Latitude, x.Longitude = degrees(&x.PhotoRow, get(c.latitude)), degrees(&x.PhotoRow, get(c.longitude))
	if text := get(c.observed); text != "" {
		at, ok := parseMoment(text)
		if x.ObservedAt = &at; !ok {
			x.ObservedAt = nil
			hasProblem(&x.PhotoRow, "its date %s cannot be read: write it as 2026-06-30 or 2026-06-30T14:05:00+02:00", quoteName(text))
		}
	}
	return x
}

func degrees(row *identify.PhotoRow, text string) *float64 {
	if text == "" {
		return nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		hasProblem(row, "%s is no number of degrees, such as 52.5163", quoteName(text))
		return nil
	}
	return &v
}

// parseMoment reads a date as ISO 8601 has it, with a time or without; without an
// offset it is the clock on the wall.
func parseMoment(text string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// isURL reports whether a photo is named by a web address.
func isURL(text string) bool {
	scheme, _, is := strings.Cut(text, "://")
	return is && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}
