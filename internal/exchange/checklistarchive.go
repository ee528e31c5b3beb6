package exchange

import (
	"archive/zip"
	"bufio"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"fieldmark/internal/identify"
)

const (
	rowTaxon      = dwcNS + "Taxon"
	rowVernacular = "http://rs.gbif.org/terms/1.0/VernacularName"
)

// readTaxonArchive reads a Darwin Core Archive of taxa.
func readTaxonArchive(archive *zip.Reader, size int64) ([]identify.ChecklistRow, error) {
	members, err := zipMembers(archive, size)
	if err != nil {
		return nil, err
	}
	a := taxonArchive{files: map[string]*zip.File{}}
	for _, f := range members {
		if path.Base(f.Name) == metaFile && (a.folder == nil || len(f.Name) < len(a.meta.Name)) {
			folder := strings.TrimSuffix(f.Name, metaFile)
			a.meta, a.folder = f, &folder
		}
		a.files[f.Name] = f
	}
	if a.meta == nil {
		return nil, identify.Errorf(identify.Invalid, "file", "This archive has no meta.xml, so it is no Darwin Core Archive. A table of taxa alone is taken as a CSV file.")
	}
	meta, err := a.description()
	if err != nil {
		return nil, err
	}
	if meta.Core.RowType != rowTaxon {
		return nil, identify.Errorf(identify.Invalid, "file", "The core of this archive is of %s, not of taxa. Ask its makers for their checklist.", path.Base(meta.Core.RowType))
	}
	rows, err := a.taxa(meta.Core)
	if err != nil {
		return nil, err
	}
	for _, e := range meta.Extensions {
		if e.RowType == rowVernacular {
			if err := a.vernacular(e, rows); err != nil {
				return nil, err
			}
		}
	}
	return rows, nil
}

// taxonArchive is an archive with its description.
type taxonArchive struct {
	files  map[string]*zip.File
	meta   *zip.File
	folder *string // that meta.xml is in, with its slash
}

func badArchive(format string, args ...any) error {
	return identify.Errorf(identify.Invalid, "file", "This Darwin Core Archive cannot be read: %s.", identify.Noticef(format, args...))
}

// maxMeta bounds the description of an archive, in bytes.
const maxMeta = 1 << 20

func (a *taxonArchive) description() (m metaXML, err error) {
	f, err := a.meta.Open()
	if err != nil {
		return m, badArchive("its meta.xml is damaged")
	}
	defer f.Close()
	if err := xml.NewDecoder(io.LimitReader(f, maxMeta)).Decode(&m); err != nil {
		return m, badArchive("its meta.xml is not as the standard has it")
	}
	return m, nil
}

// terms finds the columns of a table by the last part of their terms, and the values
// that it gives all rows.
func (t *metaTable) terms() (columns map[string]int, defaults map[string]string, err error) {
	columns, defaults = map[string]int{}, map[string]string{}
	for _, f := range t.Fields {
		name := plainHead(f.Term)
		if f.Default != "" {
			defaults[name] = f.Default
		}
		if f.Index == "" {
			continue
		}
		if columns[name], err = strconv.Atoi(f.Index); err != nil || columns[name] < 0 {
			return nil, nil, badArchive("its meta.xml numbers a column %q", f.Index)
		}
	}
	return columns, defaults, nil
}

// key is the column that ties the tables together.
func (x *metaIndex) column() (int, error) {
	if x == nil {
		return 0, badArchive("its meta.xml does not say which column is the id")
	}
	n, err := strconv.Atoi(x.Index)
	if err != nil || n < 0 {
		return 0, badArchive("its meta.xml numbers a column %q", x.Index)
	}
	return n, nil
}

func (a *taxonArchive) taxa(t metaTable) ([]identify.ChecklistRow, error) {
	columns, defaults, err := t.terms()
	if err != nil {
		return nil, err
	}
	id, err := t.ID.column()
	if err != nil {
		return nil, err
	}
	var rows []identify.ChecklistRow
	err = a.each(t, func(line int, fields []string) error {
		if len(rows) == maxChecklistRows {
			return tooManyRows()
		}
		row := checklistRow(line, func(what string) string {
			for _, head := range taxonHeads[what] {
				if at, there := columns[head]; there && at < len(fields) && strings.TrimSpace(fields[at]) != "" {
					return strings.Clone(strings.TrimSpace(fields[at]))
				}
				if v := defaults[head]; v != "" {
					return v
				}
			}
			return ""
		})
		if id < len(fields) {
			row.Key = strings.Clone(strings.TrimSpace(fields[id]))
		}
		if row.Problem == nil && row.Key == "" {
			row.Problem = identify.Errorf(identify.Invalid, "row", "it has no id")
		}
		rows = append(rows, row)
		return nil
	})
	if err == nil && len(rows) == 0 {
		err = badArchive("it has no taxa")
	}
	return rows, err
}

// vernacular gives the rows the names of an extension: the first English one is the
// English name.
func (a *taxonArchive) vernacular(t metaTable, rows []identify.ChecklistRow) error {
	columns, defaults, err := t.terms()
	if err != nil {
		return err
	}
	id, err := t.CoreID.column()
	if err != nil {
		return err
	}
	byKey := make(map[string]int, len(rows))
	for i := range rows {
		byKey[rows[i].Key] = i
	}
	return a.each(t, func(_ int, fields []string) error {
		get := func(head string) string {
			if at, there := columns[head]; there && at < len(fields) && strings.TrimSpace(fields[at]) != "" {
				return strings.Clone(strings.TrimSpace(fields[at]))
			}
			return defaults[head]
		}
		name, language := get("vernacularname"), get("language")
		if id >= len(fields) || name == "" {
			return nil
		}
		i, there := byKey[strings.TrimSpace(fields[id])]
		switch {
		case !there:
		case isEnglish(language) && rows[i].English == "":
			rows[i].English = name
		case isEnglish(language):
			rows[i].Synonyms = append(rows[i].Synonyms, name)
		default:
			rows[i].Vernacular = append(rows[i].Vernacular, identify.VernacularName{Language: language, Name: name})
		}
		return nil
	})
}

// each reads the rows of a table of an archive.
func (a *taxonArchive) each(t metaTable, visit func(line int, fields []string) error) error {
	if len(t.Location) != 1 {
		return badArchive("its meta.xml names %d files for one table", len(t.Location))
	}
	file := a.files[*a.folder+t.Location[0]]
	if file == nil {
		return badArchive("it lacks its file %s", quoteName(t.Location[0]))
	}
	if e := strings.ToUpper(t.Encoding); e != "" && e != "UTF-8" && e != "UTF8" {
		return badArchive("its tables are in %s, and only UTF-8 is read", t.Encoding)
	}
	open, err := file.Open()
	if err != nil {
		return badArchive("its file %s is damaged", quoteName(file.Name))
	}
	defer open.Close()
	next, err := t.reader(io.LimitReader(open, maxTable))
	if err != nil {
		return err
	}
	header, _ := strconv.Atoi(t.Header) // "" is none
	for n := 1; ; n++ {
		fields, err := next()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return badArchive("line %d of %s: %v", n, quoteName(file.Name), err)
		}
		if n <= header {
			continue
		}
		for _, f := range fields {
			if !utf8.ValidString(f) {
				return badArchive("line %d of %s is not in UTF-8", n, quoteName(file.Name))
			}
		}
		if err := visit(n, fields); err != nil {
			return err
		}
	}
}

// reader splits a table into rows as its description says.
func (t *metaTable) reader(in io.Reader) (func() ([]string, error), error) {
	separator := unescaped(t.Terminated)
	if separator == "" {
		separator = "," // as the standard has it
	}
	if len(separator) != 1 {
		return nil, badArchive("its columns are parted by %q, and one character is read", t.Terminated)
	}
	if t.Enclosed != "" && t.Enclosed != `"` {
		return nil, badArchive("its fields are enclosed in %q, and \" alone is read", t.Enclosed)
	}
	if t.Enclosed != "" {
		r := csv.NewReader(in)
		r.Comma, r.FieldsPerRecord, r.ReuseRecord, r.LazyQuotes = rune(separator[0]), -1, true, true
		return r.Read, nil
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	return func() ([]string, error) {
		if !lines.Scan() {
			if err := lines.Err(); err != nil {
				return nil, err
			}
			return nil, io.EOF
		}
		return strings.Split(strings.TrimSuffix(lines.Text(), "\r"), separator), nil
	}, nil
}

// unescaped reads the escapes of a description.
func unescaped(s string) string {
	return strings.NewReplacer(`\t`, "\t", `\n`, "\n", `\r`, "\r").Replace(s)
}
