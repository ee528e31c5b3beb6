package exchange

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/snappy"

	"fieldmark/internal/identify"
)

// exemplarRow is a row of the Parquet form.
type exemplarRow struct {
	Seq            int64     `parquet:"seq"`
	ObservationID  int64     `parquet:"observation_id"`
	PhotoSHA256    string    `parquet:"photo_sha256"`
	TaxonID        int64     `parquet:"taxon_id"`
	Label          string    `parquet:"label,dict"`
	ScientificName string    `parquet:"scientific_name,dict"`
	TaughtBy       string    `parquet:"taught_by,dict"`
	TaughtAt       time.Time `parquet:"taught_at,timestamp(microsecond)"`
	Encoder        string    `parquet:"encoder,dict"`
	Embedding      []float32 `parquet:"embedding,list"`
}

// parquetGroup is how many rows are gathered before they are written: 20 MB at
// 512 dimensions.
const parquetGroup = 10_000

// WriteParquet writes one row for each exemplar, in the order in which they were
// taught.
func WriteParquet(ctx context.Context, w io.Writer, src Source, e *identify.Exemplars) error {
	out := parquet.NewGenericWriter[exemplarRow](w, parquet.Compression(&snappy.Codec{}), parquet.MaxRowsPerRowGroup(parquetGroup),
		parquet.CreatedBy("fieldmark", "", ""))
	rows := make([]exemplarRow, 1)
	err := e.Taught(ctx, func(x identify.Event) error {
		t := src.Taxon(x.Taxon)
		rows[0] = exemplarRow{Seq: int64(x.Seq), ObservationID: int64(x.Observation), PhotoSHA256: string(x.Photo), TaxonID: int64(x.Taxon),
			Label: t.Label(), ScientificName: t.ScientificName, TaughtBy: x.UserName, TaughtAt: x.At.UTC(), Encoder: e.Encoder.Digest,
			Embedding: x.Vector}
		_, err := out.Write(rows)
		return err
	})
	if err == nil {
		err = out.Close()
	}
	if err != nil {
		return fmt.Errorf("writing Parquet: %w", err)
	}
	return nil
}
