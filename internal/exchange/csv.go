// Package exchange writes what was taught in forms that other programs read.
package exchange

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"fieldmark/internal/identify"
)

// column is one column of the CSV form.
type column struct {
	name  string
	value func(o identify.Record, i identify.Identification, t identify.Taxon) string
}

// columns returns the columns in their order. They are stable: new ones are
// added at the end. Times are RFC 3339; an empty cell means that it is unknown.
func columns() []column {
	type (
		obs = identify.Record
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
		// The name that stands now, whoever gave it.
		{"current_taxon_id", func(o obs, _ idn, _ tax) string { return integer(current(o).Taxon) }},
		{"current_scientific_name", func(o obs, _ idn, _ tax) string { return text(current(o).ScientificName) }},
		{"current_label", func(o obs, _ idn, _ tax) string { return text(current(o).TaxonLabel) }},
		{"is_current", func(o obs, i idn, _ tax) string { return strconv.FormatBool(current(o).ID == i.ID) }},
		// How far from the place given, in metres, it may have been, where that is
		// the place of a sensitive taxon.
		{"coordinate_uncertainty_m", func(o obs, _ idn, _ tax) string {
			if !o.Generalised() {
				return ""
			}
			return decimal(&o.Uncertainty)
		}},
		{"sensitive", func(o obs, _ idn, _ tax) string { return strconv.FormatBool(o.Sensitive) }},
		// Which import it came with, and what it was there.
		{"import_id", func(o obs, _ idn, _ tax) string { return integer(origin(o).Import) }},
		{"import_name", func(o obs, _ idn, _ tax) string { return text(origin(o).Name) }},
		{"import_row", func(o obs, _ idn, _ tax) string {
			if o.Import == nil {
				return ""
			}
			return strconv.Itoa(o.Import.Row)
		}},
		{"import_ref", func(o obs, _ idn, _ tax) string { return text(origin(o).Ref) }},
		// What the person said, where that became a synonym of taxon_id since.
		{"given_taxon_id", func(_ obs, i idn, _ tax) string { return integer(i.Given) }},
		{"given_label", func(_ obs, i idn, _ tax) string { return text(i.GivenLabel) }},
	}
}

// Columns returns the names of the CSV form's columns in their order.
func Columns() []string { return namesOf(columns()) }

func namesOf(list []column) []string {
	names := make([]string, len(list))
	for k, c := range list {
		names[k] = c.name
	}
	return names
}

// WriteCSV writes one row for each identification, newest observation first, as
// RFC 4180 has it: UTF-8, a header, CRLF. Rows go out as they come. A text that a
// spreadsheet would take for a formula gets an apostrophe before it.
func WriteCSV(ctx context.Context, w io.Writer, src Source) error {
	return writeRows(ctx, w, src, columns(), func(o identify.Record) []identify.Identification { return o.Identifications })
}

// writeRows writes some columns: a row for each of what of gives of an observation.
func writeRows(ctx context.Context, w io.Writer, src Source, list []column, of func(identify.Record) []identify.Identification) error {
	row := namesOf(list)
	out := csv.NewWriter(w)
	out.UseCRLF = true
	if err := out.Write(row); err != nil {
		return fmt.Errorf("writing CSV: %w", err)
	}
	err := src.Each(ctx, func(o identify.Record) error {
		for _, i := range of(o) {
			t := src.Taxon(i.Taxon)
			for k, c := range list {
				row[k] = c.value(o, i, t)
			}
			if err := out.Write(row); err != nil {
				return err
			}
		}
		return nil
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

func first(o identify.Record) identify.Suggestion {
	if len(o.Suggested) == 0 {
		return identify.Suggestion{}
	}
	return o.Suggested[0]
}

// current is the identification that stands; the zero one if none does.
func current(o identify.Record) identify.Identification {
	if o.Current == nil {
		return identify.Identification{}
	}
	return *o.Current
}

func origin(o identify.Record) identify.ImportOrigin {
	if o.Import == nil {
		return identify.ImportOrigin{}
	}
	return *o.Import
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
	first, _ := utf8.DecodeRuneInString(s)
	if s != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠", first) && !plainNumber.MatchString(s) {
		return "'" + s
	}
	return s
}
