package exchange

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/parquet-go/parquet-go"

	"fieldmark/internal/identify"
)

// endless makes n records as they are asked for, and keeps none. Their notes do
// not compress.
type endless struct {
	fakeSource
	n     int
	after func(k int) // told after each record
}

func (e endless) Each(_ context.Context, visit func(identify.Record) error) error {
	rnd := rand.New(rand.NewPCG(3, 3))
	var noise [60]byte
	for k := range e.n {
		for i := range noise {
			noise[i] = byte(rnd.Uint32())
		}
		r := e.records[0]
		r.ID, r.Notes = identify.ObservationID(e.n-k), hex.EncodeToString(noise[:])
		said := *r.Current
		said.UserName, r.RightsHolder = r.Notes, r.Notes
		r.Current, r.Identifications = &said, []identify.Identification{said}
		r.Photo.Hash = identify.PhotoHash(fmt.Sprintf("%064x", e.n-k))
		if err := visit(r); err != nil {
			return err
		}
		if e.after != nil {
			e.after(k)
		}
	}
	return nil
}

// sink counts what it is given.
type sink struct{ n int64 }

func (s *sink) Write(p []byte) (int, error) {
	s.n += int64(len(p))
	return len(p), nil
}

// A list of any length goes out as it comes: while it is read, what was made of
// it is written, but for what a compressor and a buffer hold.
func TestLongListsStream(t *testing.T) {
	const records, step = 8_000, 2_000
	for name, write := range map[string]func(io.Writer, Source) error{
		"csv":      func(w io.Writer, src Source) error { return WriteCSV(t.Context(), w, src) },
		"dwca":     func(w io.Writer, src Source) error { return WriteDwCA(t.Context(), w, src, someDataset(false)) },
		"coco":     func(w io.Writer, src Source) error { return WriteCOCO(t.Context(), w, src, someDataset(false)) },
		"fiftyone": func(w io.Writer, src Source) error { return WriteFiftyOne(t.Context(), w, src, someDataset(false)) },
	} {
		var out sink
		var before int64
		stuck := 0
		src := endless{fakeSource: someRecords(), n: records, after: func(k int) {
			if k%step == 0 {
				if k > 0 && out.n == before {
					stuck++
				}
				before = out.n
			}
		}}
		if err := write(&out, src); err != nil || stuck > 0 {
			t.Errorf("%s: %v; nothing was written during %d stretches of %d records", name, err, stuck, step)
		}
	}
}

// teaching is a store of exemplars.
type teaching struct {
	identify.ExportReader
	events []identify.Event
	most   int // that were read at once
}

func (s *teaching) Taxa(context.Context) ([]identify.Taxon, error) {
	return []identify.Taxon{{ID: 4, ScientificName: "Passer domesticus", EnglishName: "House Sparrow"}}, nil
}

func (s *teaching) Exemplars(context.Context, string, identify.ObservationFilter) ([]identify.ExemplarRef, error) {
	var list []identify.ExemplarRef
	for _, e := range s.events {
		list = append(list, identify.ExemplarRef{Seq: e.Seq, Observation: e.Observation, Taxon: e.Taxon})
	}
	return list, nil
}

func (s *teaching) TaughtBySeq(_ context.Context, _ string, seqs []identify.Seq) ([]identify.Event, error) {
	s.most = max(s.most, len(seqs))
	var list []identify.Event
	for _, q := range seqs {
		list = append(list, s.events[q-1])
	}
	return list, nil
}

func TestWriteParquet(t *testing.T) {
	src := someRecords()
	at := src.records[0].CreatedAt
	st := &teaching{}
	const n = 1200
	for k := range n {
		st.events = append(st.events, identify.Event{Seq: identify.Seq(k + 1), Observation: identify.ObservationID(k + 7), Taxon: 4, User: 1,
			UserName: "ann@example.org", At: at, Photo: "abc", Vector: []float32{float32(k), -0.5, 1e-30}})
	}
	e, err := identify.ExemplarsOf(t.Context(), st, identify.EncoderInfo{Digest: "sha256:x", Dim: 3}, identify.ObservationFilter{})
	if err != nil {
		t.Fatal(err)
	}
	data := written(t, func(w io.Writer) error { return WriteParquet(t.Context(), w, src, e) })
	if st.most > 500 {
		t.Errorf("%d vectors were held at once", st.most)
	}
	// Read by the file's own schema, not by the type it was written from.
	type row struct {
		ObservationID int64     `parquet:"observation_id"`
		Label         string    `parquet:"label"`
		TaughtBy      string    `parquet:"taught_by"`
		TaughtAt      int64     `parquet:"taught_at"`
		Encoder       string    `parquet:"encoder"`
		Embedding     []float32 `parquet:"embedding,list"`
	}
	rows, err := parquet.Read[row](bytes.NewReader(data), int64(len(data)))
	if err != nil || len(rows) != n {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	if r := rows[1000]; r.ObservationID != 1007 || r.Label != "House Sparrow" || r.TaughtBy != "person 1" || r.TaughtAt != at.UnixMicro() ||
		r.Encoder != "sha256:x" || len(r.Embedding) != 3 || r.Embedding[0] != 1000 || r.Embedding[2] != 1e-30 {
		t.Errorf("%+v", r)
	}
	// The format's magic stands at both ends, the length of the footer before the
	// last one.
	if footer := binary.LittleEndian.Uint32(data[len(data)-8:]); string(data[:4]) != "PAR1" || string(data[len(data)-4:]) != "PAR1" || int(footer) > len(data) {
		t.Errorf("it begins %q and ends %q", data[:4], data[len(data)-4:])
	}
}

// Rows a second and bytes a second of the writers alone, with records that cost
// nothing to make: `go test -bench WriteRows ./internal/exchange`.
func BenchmarkWriteRows(b *testing.B) {
	const n, dim = 10_000, 512
	src := endless{fakeSource: someRecords(), n: n}
	vector := make([]float32, dim)
	npz := Exemplars{Dim: dim, Encoder: "e", Labels: make([]string, n), Taxa: make([]int64, n), Observations: make([]int64, n),
		Vectors: func(visit func([]float32) error) error {
			for range n {
				if err := visit(vector); err != nil {
					return err
				}
			}
			return nil
		}}
	for _, f := range []struct {
		name  string
		write func(w io.Writer) error
	}{
		{"csv", func(w io.Writer) error { return WriteCSV(b.Context(), w, src) }},
		{"npz", func(w io.Writer) error { return WriteNPZ(w, npz) }},
		{"dwca", func(w io.Writer) error { return WriteDwCA(b.Context(), w, src, someDataset(false)) }},
	} {
		b.Run(f.name, func(b *testing.B) {
			var out sink
			for b.Loop() {
				out = sink{}
				if err := f.write(&out); err != nil {
					b.Fatal(err)
				}
			}
			b.SetBytes(out.n)
			b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
