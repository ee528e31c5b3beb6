package exchange

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/xml"
	"io"
	"strings"

	"fieldmark/internal/identify"
)

// The members of an archive.
const (
	metaFile           = "meta.xml"
	emlFile            = "eml.xml"
	occurrenceFile     = "occurrence.txt"
	multimediaFile     = "multimedia.txt"
	identificationFile = "identification.txt"
)

// WriteDwCA writes a Darwin Core Archive as its text guide has it
// (http://rs.tdwg.org/dwc/terms/guides/text/): a core of occurrences, one for each
// observation, with the extensions Simple Multimedia and Identification History,
// and an EML document. What is no organism is left out.
func WriteDwCA(ctx context.Context, w io.Writer, src Source, d Dataset) error {
	out, a := newZipOut(w), dwcRows{src: src, dataset: d}
	if err := out.text(metaFile, writeMeta); err != nil {
		return err
	}
	var covered coverage
	for _, f := range []struct {
		name  string
		write func(w *bufio.Writer) error
	}{
		{occurrenceFile, func(w *bufio.Writer) error {
			return table(w, occurrenceTerms(), false, func(row func(string, star) error) error {
				return a.each(ctx, func(x star) error {
					covered.add(x.Record)
					return row(x.id, x)
				})
			})
		}},
		{multimediaFile, func(w *bufio.Writer) error {
			return table(w, multimediaTerms(), true, func(row func(string, star) error) error {
				return a.each(ctx, func(x star) error {
					if !x.Photo.HasFile() {
						return nil
					}
					return row(x.id, x)
				})
			})
		}},
		{identificationFile, func(w *bufio.Writer) error { return a.history(ctx, w) }},
		{emlFile, func(w *bufio.Writer) error { return writeEML(w, d, covered) }},
	} {
		if err := out.text(f.name, f.write); err != nil {
			return err
		}
	}
	if d.Photos {
		err := out.photos(ctx, src, func(r identify.Record) string { return given(dwcaPhoto(r), !a.inorganic(r)) })
		if err != nil {
			return err
		}
	}
	return out.close()
}

func dwcaPhoto(r identify.Record) string { return "photos/" + photoName(r) }

// dwcRows makes the rows of an archive.
type dwcRows struct {
	src     Source
	dataset Dataset
}

// inorganic reports whether a record is known to be of no organism.
func (a dwcRows) inorganic(r identify.Record) bool {
	return r.Current != nil && a.src.Taxon(r.Current.Taxon).Rank == identify.RankNone
}

func (a dwcRows) each(ctx context.Context, visit func(star) error) error {
	ids := identifiers{a.dataset.Instance}
	return a.src.Each(ctx, func(r identify.Record) error {
		if a.inorganic(r) {
			return nil
		}
		id, err := ids.of("observation", int64(r.ID))
		if err != nil {
			return err
		}
		return visit(star{Record: r, id: id, dataset: a.dataset, src: a.src})
	})
}

func (a dwcRows) history(ctx context.Context, w *bufio.Writer) error {
	ids := identifiers{a.dataset.Instance}
	return table(w, identificationTerms(), true, func(row func(string, said) error) error {
		return a.each(ctx, func(x star) error {
			for _, i := range x.Identifications {
				id, err := ids.of("identification", int64(i.ID))
				if err != nil {
					return err
				}
				if err := row(x.id, said{star: x, Identification: i, id: id}); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// table writes the rows that each gives of one file: comma-separated, with a
// line of headings. The core's id comes first; an extension has a column of its
// own for it.
func table[T any](w io.Writer, terms []term[T], extension bool, each func(row func(coreID string, x T) error) error) error {
	out := csv.NewWriter(w)
	var cells []string
	if extension {
		cells = append(cells, "coreid")
	}
	for _, t := range terms {
		cells = append(cells, t.name())
	}
	if err := out.Write(cells); err != nil {
		return err
	}
	err := each(func(coreID string, x T) error {
		cells = cells[:0]
		if extension {
			cells = append(cells, coreID)
		}
		for _, t := range terms {
			cells = append(cells, oneLine(t.value(x)))
		}
		return out.Write(cells)
	})
	if err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

// oneLine puts a text on one line: many readers of archives take each line for a
// row, quoted or not.
func oneLine(s string) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
}

// metaXML is the descriptor of an archive.
type metaXML struct {
	XMLName    xml.Name    `xml:"http://rs.tdwg.org/dwc/text/ archive"`
	Metadata   string      `xml:"metadata,attr"`
	Core       metaTable   `xml:"core"`
	Extensions []metaTable `xml:"extension"`
}

// metaTable describes one of its files.
type metaTable struct {
	Encoding   string      `xml:"encoding,attr"`
	Terminated string      `xml:"fieldsTerminatedBy,attr"`
	Lines      string      `xml:"linesTerminatedBy,attr"`
	Enclosed   string      `xml:"fieldsEnclosedBy,attr"`
	Header     string      `xml:"ignoreHeaderLines,attr"`
	RowType    string      `xml:"rowType,attr"`
	Location   []string    `xml:"files>location"`
	ID         *metaIndex  `xml:"id"`
	CoreID     *metaIndex  `xml:"coreid"`
	Fields     []metaField `xml:"field"`
}

type metaIndex struct {
	Index string `xml:"index,attr"`
}

type metaField struct {
	Index   string `xml:"index,attr,omitempty"`
	Term    string `xml:"term,attr"`
	Default string `xml:"default,attr,omitempty"`
}
