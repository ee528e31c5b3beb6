// Package exchange writes what was taught in forms that other programs read.
package exchange

import (
	"encoding/csv"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"fieldmark/internal/identify"
)

// Each calls visit for every identification that is to be written, with its
// observation and taxon, until visit returns an error, and returns that.
type Each = func(visit func(identify.Observation, identify.Identification, identify.Taxon) error) error

// column is one column of the CSV form.
type column struct {
	name  string
	value func(o identify.Observation, i identify.Identification, t identify.Taxon) string
}

// columns returns the columns in their order. They are stable: new ones are
// added at the end. Times are RFC 3339; an empty cell means that it is unknown.
func columns() []column {
	type (
		obs = identify.Observation
		idn = identify.Identification
		tax = identify.Taxon
	)
	return []column{
		{"identification_id", func(_ obs, i idn, _ tax) string { return integer(i.ID) }},
		{"observation_id", func(o obs, _ idn, _ tax) string { return integer(o.ID) }},
		{"taxon_id", func(_ obs, i idn, _ tax) string { return integer(i.Taxon) }},
		{"scientific_name", func(_ obs, _ idn, t tax) string { return text(t.ScientificName) }},
		{"english_name", func(_ obs, _ idn, t tax) string { return text(t.EnglishName) }},
		{"rank", func(_ obs, _ idn, t tax) string { return text(string(t.Rank)) }},
		{"group", func(_ obs, _ idn, t tax) string { return text(t.Group) }},
		{"identified_by", func(_ obs, i idn, _ tax) string { return text(i.UserName) }},
		{"identified_at", func(_ obs, i idn, _ tax) string { return moment(&i.CreatedAt) }},
		{"from_suggestion", func(_ obs, i idn, _ tax) string { return strconv.FormatBool(i.FromSuggestion) }},
		{"withdrawn_at", func(_ obs, i idn, _ tax) string { return moment(i.WithdrawnAt) }},
		{"observed_by", func(o obs, _ idn, _ tax) string { return text(o.ObserverName) }},
		{"observed_at", func(o obs, _ idn, _ tax) string { return moment(o.ObservedAt) }},
		{"latitude", func(o obs, _ idn, _ tax) string { return decimal(o.Latitude) }},
		{"longitude", func(o obs, _ idn, _ tax) string { return decimal(o.Longitude) }},
		{"license", func(o obs, _ idn, _ tax) string { return text(o.License) }},
		{"rights_holder", func(o obs, _ idn, _ tax) string { return text(o.RightsHolder) }},
		{"notes", func(o obs, _ idn, _ tax) string { return text(o.Notes) }},
		{"uploaded_at", func(o obs, _ idn, _ tax) string { return moment(&o.CreatedAt) }},
		{"photo_sha256", func(o obs, _ idn, _ tax) string { return text(string(o.Photo.Hash)) }},
		{"photo_media_type", func(o obs, _ idn, _ tax) string { return text(o.Photo.MediaType) }},
		{"photo_width", func(o obs, _ idn, _ tax) string { return strconv.Itoa(o.Photo.Width) }},
		{"photo_height", func(o obs, _ idn, _ tax) string { return strconv.Itoa(o.Photo.Height) }},
		// The likeliest answer when the photo came in, and the memory that gave it.
		{"suggested_label", func(o obs, _ idn, _ tax) string { return text(first(o).Label) }},
		{"suggested_taxon_id", func(o obs, _ idn, _ tax) string { return integer(first(o).Taxon) }},
		{"suggested_probability", func(o obs, _ idn, _ tax) string {
			if len(o.Suggested) == 0 {
				return ""
			}
			return decimal(&o.Suggested[0].Probability)
		}},
		{"suggested_seq", func(o obs, _ idn, _ tax) string {
			if len(o.Suggested) == 0 {
				return ""
			}
			return strconv.FormatInt(int64(o.SuggestedSeq), 10)
		}},
	}
}

// Columns returns the names of the CSV form's columns in their order.
func Columns() []string {
	list := columns()
	names := make([]string, len(list))
	for k, c := range list {
		names[k] = c.name
	}
	return names
}

// WriteCSV writes one row for each identification, withdrawn ones included, as
// RFC 4180 has it: UTF-8, a header, CRLF. Rows go out as they come. A text that
// a spreadsheet would take for a formula gets an apostrophe before it.
func WriteCSV(w io.Writer, each Each) error {
	list, row := columns(), Columns()
	out := csv.NewWriter(w)
	out.UseCRLF = true
	if err := out.Write(row); err != nil {
		return fmt.Errorf("writing CSV: %w", err)
	}
	err := each(func(o identify.Observation, i identify.Identification, t identify.Taxon) error {
		for k, c := range list {
			row[k] = c.value(o, i, t)
		}
		return out.Write(row)
	})
	if err != nil {
		return fmt.Errorf("writing CSV: %w", err)
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("writing CSV: %w", err)
	}
	return nil
}

func first(o identify.Observation) identify.Suggestion {
	if len(o.Suggested) == 0 {
		return identify.Suggestion{}
	}
	return o.Suggested[0]
}

// integer is an id; 0 stands for none.
func integer[T ~int64](n T) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(int64(n), 10)
}

func decimal(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'f', -1, 64)
}

func moment(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.Format(time.RFC3339)
}

var plainNumber = regexp.MustCompile(`^[+-]?[0-9]+([.][0-9]+)?$`)

// text makes what people typed harmless to a spreadsheet.
func text(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if s != "" && strings.ContainsRune("=+-@\t\r\n", rune(s[0])) && !plainNumber.MatchString(s) {
		return "'" + s
	}
	return s
}
