package exchange

import (
	"bufio"
	"encoding/xml"
	"io"
	"strconv"
	"time"

	"fieldmark/internal/identify"
)

// writeMeta writes the descriptor: which file has what, and which column is
// which term.
func writeMeta(w *bufio.Writer) error {
	zero := &metaIndex{"0"}
	core := describe(occurrenceFile, rowOccurrence, occurrenceTerms(), 0)
	core.ID = zero
	multimedia := describe(multimediaFile, rowMultimedia, multimediaTerms(), 1)
	multimedia.CoreID = zero
	history := describe(identificationFile, rowIdentification, identificationTerms(), 1)
	history.CoreID = zero
	return writeXML(w, metaXML{Metadata: emlFile, Core: core, Extensions: []metaTable{multimedia, history}})
}

func describe[T any](file, rowType string, terms []term[T], first int) metaTable {
	t := metaTable{Encoding: "UTF-8", Terminated: ",", Lines: `\n`, Enclosed: `"`, Header: "1", RowType: rowType, Location: []string{file}}
	for k, x := range terms {
		t.Fields = append(t.Fields, metaField{Index: strconv.Itoa(first + k), Term: x.uri})
	}
	return t
}

func writeXML(w io.Writer, x any) error {
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(x); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// coverage is where and when the records of an archive were made, as the archive
// tells it.
type coverage struct {
	placed                   bool
	west, east, north, south float64
	from, to                 *time.Time
}

func (c *coverage) add(r identify.Record) {
	if t := r.ObservedAt; t != nil {
		if c.from == nil || t.Before(*c.from) {
			c.from = t
		}
		if c.to == nil || t.After(*c.to) {
			c.to = t
		}
	}
	if r.Latitude == nil || r.Longitude == nil {
		return
	}
	lat, lon := *r.Latitude, *r.Longitude
	if !c.placed {
		c.placed, c.west, c.east, c.north, c.south = true, lon, lon, lat, lat
	}
	c.west, c.east = min(c.west, lon), max(c.east, lon)
	c.south, c.north = min(c.south, lat), max(c.north, lat)
}
