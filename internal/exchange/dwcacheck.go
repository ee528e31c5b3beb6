package exchange

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxFaults is how many faults CheckDwCA looks for: one is enough, a few help.
const maxFaults = 20

// CheckDwCA compares an archive of size bytes behind r with the Darwin Core text
// guide, and its rows with what the terms may have. It returns the faults found,
// joined, or nil. Memory grows with the ids of the core.
func CheckDwCA(r io.ReaderAt, size int64) error {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return fmt.Errorf("the archive is no zip: %w", err)
	}
	c := &dwcaCheck{members: map[string]*zip.File{}, ids: map[string]bool{}}
	for _, f := range z.File {
		if c.members[f.Name] != nil {
			c.fault("%s is there twice", f.Name)
		}
		c.members[f.Name] = f
	}
	c.archive()
	return errors.Join(c.faults...)
}

// dwcaCheck gathers the faults of an archive.
type dwcaCheck struct {
	members map[string]*zip.File
	ids     map[string]bool // of the core's rows
	faults  []error
}

func (c *dwcaCheck) fault(format string, args ...any) {
	if len(c.faults) < maxFaults {
		c.faults = append(c.faults, fmt.Errorf(format, args...))
	}
}

func (c *dwcaCheck) archive() {
	var meta metaXML
	if !c.decode(metaFile, &meta) {
		return
	}
	if meta.Metadata == "" {
		c.fault("%s names no metadata", metaFile)
	} else {
		c.eml(meta.Metadata)
	}
	switch {
	case meta.Core.ID == nil && len(meta.Extensions) > 0:
		c.fault("the core has extensions but no id")
	case meta.Core.CoreID != nil:
		c.fault("the core has a coreid, which only extensions have")
	}
	if meta.Core.RowType != rowOccurrence {
		c.fault("the core's rows are %q, not occurrences", meta.Core.RowType)
	}
	c.table(meta.Core, meta.Core.ID, true)
	for _, x := range meta.Extensions {
		if x.CoreID == nil || x.ID != nil {
			c.fault("the extension %s wants a coreid, and no id", x.RowType)
			continue
		}
		c.table(x, x.CoreID, false)
	}
}

// decode reads an XML member.
func (c *dwcaCheck) decode(name string, into any) bool {
	f := c.members[name]
	if f == nil {
		c.fault("there is no %s", name)
		return false
	}
	in, err := f.Open()
	if err != nil {
		c.fault("%s: %v", name, err)
		return false
	}
	defer in.Close()
	if err := xml.NewDecoder(in).Decode(into); err != nil {
		c.fault("%s: %v", name, err)
		return false
	}
	return true
}

// eml checks what the schema of EML 2.2.0 requires of a dataset.
func (c *dwcaCheck) eml(name string) {
	var doc struct {
		XMLName   xml.Name
		PackageID string `xml:"packageId,attr"`
		System    string `xml:"system,attr"`
		Dataset   struct {
			Title   string     `xml:"title"`
			Creator []emlParty `xml:"creator"`
			Contact []emlParty `xml:"contact"`
		} `xml:"dataset"`
	}
	if !c.decode(name, &doc) {
		return
	}
	if doc.XMLName.Space != "https://eml.ecoinformatics.org/eml-2.2.0" || doc.XMLName.Local != "eml" {
		c.fault("%s is %s of %q, not an EML 2.2.0 document", name, doc.XMLName.Local, doc.XMLName.Space)
	}
	if doc.PackageID == "" || doc.System == "" || doc.Dataset.Title == "" || len(doc.Dataset.Creator) == 0 || len(doc.Dataset.Contact) == 0 {
		c.fault("%s lacks a packageId, a system, or its dataset's title, creator or contact", name)
	}
}

// table checks one file against its description.
func (c *dwcaCheck) table(t metaTable, key *metaIndex, core bool) {
	rules, known := tableRules()[t.RowType]
	if !known {
		c.fault("rows of type %q are not known", t.RowType)
		return
	}
	if len(t.Location) != 1 || c.members[t.Location[0]] == nil {
		c.fault("%s: its file %q is not in the archive", t.RowType, t.Location)
		return
	}
	name := t.Location[0]
	if t.Terminated != "," || t.Enclosed != `"` || t.Lines != `\n` || !strings.EqualFold(t.Encoding, "UTF-8") {
		c.fault("%s: fields end in %q, lines in %q, texts stand in %q, in %q; this check reads comma-separated UTF-8", name, t.Terminated, t.Lines, t.Enclosed, t.Encoding)
		return
	}
	header, err := strconv.Atoi(t.Header)
	if err != nil || header < 0 {
		c.fault("%s: ignoreHeaderLines is %q", name, t.Header)
		return
	}
	columns, width := c.columns(t, key, rules)
	if columns == nil {
		return
	}
	for _, required := range rules.required {
		if _, there := columns[required]; !there {
			c.fault("%s has no %s", name, required)
		}
	}
	c.rows(name, header, width, columns, rules, core)
}

// columns gives the column of each term, under "" that of the key, and how many
// columns a row needs to have.
func (c *dwcaCheck) columns(t metaTable, key *metaIndex, rules rules) (columns map[string]int, width int) {
	columns = map[string]int{}
	add := func(term, index string) bool {
		at, err := strconv.Atoi(index)
		if err != nil || at < 0 {
			c.fault("%s: the index %q of %q is not one", t.Location[0], index, term)
			return false
		}
		if _, twice := columns[term]; twice {
			c.fault("%s has %s twice", t.Location[0], term)
		}
		columns[term], width = at, max(width, at+1)
		return true
	}
	if key != nil && !add("", key.Index) {
		return nil, 0
	}
	used := map[string]string{}
	for _, f := range t.Fields {
		if !rules.terms[f.Term] {
			c.fault("%s: %s is no term of %s", t.Location[0], f.Term, t.RowType)
		}
		if f.Index == "" && f.Default != "" {
			continue // the same for all rows
		}
		if other, taken := used[f.Index]; taken {
			c.fault("%s: %s and %s are the same column", t.Location[0], other, f.Term)
		}
		if used[f.Index] = f.Term; !add(f.Term, f.Index) {
			return nil, 0
		}
	}
	return columns, width
}
