package exchange

import (
	"context"
	"io"
	"strings"

	"fieldmark/internal/identify"
)

// Options are what an export can be told besides what it is of.
type Options struct {
	Photos  bool   // put the photos into the archive
	Title   string // of the dataset; "" for a general one
	Creator string // of the dataset; "" for none but this Fieldmark
}

// Format is one form of export.
type Format struct {
	Name       string // "csv"
	Title      string // as people call it
	About      string // what it has, in a sentence
	MediaType  string
	File       string                               // name to save it by
	Standing   bool                                 // has what stands: what was withdrawn is not in it
	Embeddings bool                                 // has exemplars with their embeddings
	HasPhotos  bool                                 // can have photos
	Photos     bool                                 // has them unless told otherwise
	rows       func(x identify.ExportSummary) int64 // bytes, roughly, without photos
	// Check reads a file that was written, and says what is wrong with it; nil
	// where nothing does.
	Check func(r io.ReaderAt, size int64) error
	write func(ctx context.Context, w io.Writer, e *identify.Export, o Options) error
}

// Bytes is roughly how long the file will be: what rows have taken on the whole,
// and the photos in full.
func (f Format) Bytes(x identify.ExportSummary, photos bool) int64 {
	n := f.rows(x)
	if f.HasPhotos && photos {
		n += x.PhotoBytes
	}
	return n
}

// Write writes an export. Its bytes depend on the state and the request alone.
// Memory does not grow with the rows, but for eight bytes for each observation,
// a few more for each exemplar, and the directory of a zip.
func (f Format) Write(ctx context.Context, w io.Writer, e *identify.Export, o Options) error {
	if f.Standing && e.Request.Filter.Said.State == identify.StateWithdrawn {
		return identify.Errorf(identify.Invalid, "state", "%s has what stands, so nothing that was withdrawn. Leave the state out, or export csv or dwca.", f.Title)
	}
	return f.write(ctx, w, e, o)
}

// Formats lists the forms of export.
func Formats() []Format {
	return []Format{
		{Name: "csv", rows: func(x identify.ExportSummary) int64 { return 300 * int64(x.Identifications) },
			Title: "CSV", MediaType: "text/csv; charset=utf-8; header=present", File: "fieldmark-identifications.csv",
			About: "One row for each identification, withdrawn ones too. Opens in a spreadsheet.",
			write: func(ctx context.Context, w io.Writer, e *identify.Export, _ Options) error {
				return WriteCSV(ctx, w, e)
			}},
		{Name: "dwca", rows: func(x identify.ExportSummary) int64 {
			return 4000 + 60*int64(x.Observations) + 60*int64(x.Identifications)
		},
			Title: "Darwin Core Archive", MediaType: "application/zip", File: "fieldmark-dwca.zip", HasPhotos: true, Check: CheckDwCA,
			About: "Occurrences with their photos' licences and their history of identifications, as GBIF and other aggregators read it.",
			write: func(ctx context.Context, w io.Writer, e *identify.Export, o Options) error {
				return WriteDwCA(ctx, w, e, DatasetOf(e, o))
			}},
		{Name: "coco", rows: func(x identify.ExportSummary) int64 {
			return 1000 + 50*int64(x.Observations) + 30*int64(x.Identifications)
		},
			Title: "COCO Camera Traps", MediaType: "application/zip", File: "fieldmark-coco.zip", Standing: true, HasPhotos: true, Photos: true,
			About: "Photos with a JSON of images, categories and annotations. Names that stand.",
			write: func(ctx context.Context, w io.Writer, e *identify.Export, o Options) error {
				return WriteCOCO(ctx, w, e, DatasetOf(e, o))
			}},
		{Name: "fiftyone", rows: func(x identify.ExportSummary) int64 { return 500 + 50*int64(x.Observations) },
			Title: "FiftyOne", MediaType: "application/zip", File: "fieldmark-fiftyone.zip", Standing: true, HasPhotos: true, Photos: true,
			About: "A folder that FiftyOne opens as an image classification dataset. Photos with the name that stands.",
			write: func(ctx context.Context, w io.Writer, e *identify.Export, o Options) error {
				return WriteFiftyOne(ctx, w, e, DatasetOf(e, o))
			}},
		{Name: "npz", rows: func(x identify.ExportSummary) int64 { return 2000 + int64(x.Exemplars)*int64(4*x.Dim+100) },
			Title: "NumPy npz", MediaType: "application/x-npz", File: "fieldmark-exemplars.npz", Standing: true, Embeddings: true,
			About: "The exemplars' embeddings and labels as arrays. Another Fieldmark can import it.",
			write: func(ctx context.Context, w io.Writer, e *identify.Export, _ Options) error {
				x, err := e.Exemplars(ctx)
				if err != nil {
					return err
				}
				return WriteExemplars(ctx, w, x)
			}},
		{Name: "parquet", rows: func(x identify.ExportSummary) int64 { return 2000 + int64(x.Exemplars)*int64(4*x.Dim+100) },
			Title: "Parquet", MediaType: "application/vnd.apache.parquet", File: "fieldmark-exemplars.parquet", Standing: true, Embeddings: true,
			About: "The exemplars with embeddings, names, people and times, one a row, as pandas, DuckDB and Spark read it.",
			write: func(ctx context.Context, w io.Writer, e *identify.Export, _ Options) error {
				x, err := e.Exemplars(ctx)
				if err != nil {
					return err
				}
				return WriteParquet(ctx, w, e, x)
			}},
	}
}

// FormatNamed is the format of that name.
func FormatNamed(name string) (Format, error) {
	for _, f := range Formats() {
		if f.Name == name {
			return f, nil
		}
	}
	return Format{}, identify.Errorf(identify.Invalid, "format", "There is no export in the format %.40q. The formats are: %s.", name, strings.Join(FormatNames(), ", "))
}

// FormatNames lists the names of Formats.
func FormatNames() []string {
	var names []string
	for _, f := range Formats() {
		names = append(names, f.Name)
	}
	return names
}
