package exchange

import (
	"archive/zip"
	"bytes"
	"io"
	"path"
	"slices"
	"strings"

	"fieldmark/internal/identify"
)

// ReadChecklist reads a list of taxa of size bytes: a table (CSV, TSV) whose first
// line names its columns as Darwin Core does or nearly, or a Darwin Core Archive with
// a core of taxa (http://rs.tdwg.org/dwc/terms/guides/text/), whose vernacular names
// it takes too. Rows that cannot be taken have a problem; a file that is no checklist
// is refused with an *identify.Error.
func ReadChecklist(r io.ReaderAt, size int64, name string) (identify.Checklist, error) {
	c := identify.Checklist{Name: path.Base(strings.ReplaceAll(name, "\\", "/"))}
	head := make([]byte, 4)
	if n, err := r.ReadAt(head, 0); err != nil && err != io.EOF {
		return c, err
	} else if bytes.HasPrefix(head[:n], []byte("PK\x03\x04")) {
		archive, err := zip.NewReader(r, size)
		if err != nil {
			return c, identify.Errorf(identify.Invalid, "file", "This archive cannot be opened: it is no zip file, or was not copied whole.").Because(err)
		}
		c.Rows, err = readTaxonArchive(archive, size)
		return c, err
	}
	var err error
	c.Rows, err = readTaxonTable(io.NewSectionReader(r, 0, size))
	return c, err
}

// maxChecklistRows bounds the rows of one table of a checklist.
const maxChecklistRows = 200_000

func tooManyRows() error {
	return identify.Errorf(identify.Invalid, "file", "This checklist has more than %d rows. Split it.", maxChecklistRows)
}

// taxonColumns are the numbers of a table's columns by what they hold.
type taxonColumns map[string]int

// taxonHeads are the heads of a table of taxa, plain (plainHead), by what they mean.
// Of several for the same the first is taken.
var taxonHeads = map[string][]string{
	"name":       {"scientificname", "acceptednameusage", "canonicalname", "latinname", "species", "taxon", "name"},
	"authorship": {"scientificnameauthorship", "author", "authorship"},
	"id":         {"taxonid", "id"},
	"parentID":   {"parentnameusageid", "parentid"},
	"parent":     {"parentnameusage", "parent"},
	"acceptedID": {"acceptednameusageid", "acceptedid"},
	"accepted":   {"acceptednameusage", "acceptedname"},
	"status":     {"taxonomicstatus", "status"},
	"rank":       {"taxonrank", "rank"},
	"vernacular": {"vernacularname", "englishname", "commonname", "english"},
	"language":   {"language", "vernacularlanguage"},
	"synonyms":   {"synonyms", "synonym"},
	"kingdom":    {"kingdom"}, "phylum": {"phylum"}, "class": {"class"}, "order": {"order"}, "family": {"family"}, "genus": {"genus"},
}

func plainHead(h string) string {
	h = strings.TrimSpace(h)
	if i := strings.LastIndexAny(h, "/:#"); i >= 0 { // a term with its namespace
		h = h[i+1:]
	}
	return strings.ToLower(strings.NewReplacer(" ", "", "_", "", "-", "").Replace(h))
}

func taxonColumnsOf(heads []string) (taxonColumns, error) {
	plain := make([]string, len(heads))
	for i, h := range heads {
		plain[i] = plainHead(h)
	}
	c := taxonColumns{}
	for what, names := range taxonHeads {
		for _, n := range names {
			if i := slices.Index(plain, n); i >= 0 {
				c[what] = i
				break
			}
		}
	}
	if _, named := c["name"]; !named {
		return nil, identify.Errorf(identify.Invalid, "file", "This table does not name taxa. Its first line must have a column scientificName (or scientific_name, species, name).")
	}
	return c, nil
}

// checklistRow makes a row of what get says of each meaning, "" for nothing.
func checklistRow(line int, get func(what string) string) identify.ChecklistRow {
	row := identify.ChecklistRow{Line: line, Key: get("id"), ParentKey: get("parentID"), AcceptedKey: get("acceptedID"), Rank: checklistRank(get("rank"))}
	row.Name = withoutAuthors(get("name"), get("authorship"))
	for _, rank := range []identify.Rank{"kingdom", "phylum", "class", "order", "family", "genus"} {
		if name := get(string(rank)); name != "" && rank != row.Rank && name != row.Name {
			row.Higher = append(row.Higher, identify.HigherTaxon{Rank: rank, Name: name})
		}
	}
	switch language := get("language"); {
	case get("vernacular") == "":
	case language == "" || isEnglish(language):
		row.English = get("vernacular")
	default:
		row.Vernacular = []identify.VernacularName{{Language: language, Name: get("vernacular")}}
	}
	for s := range strings.FieldsFuncSeq(get("synonyms"), func(r rune) bool { return r == '|' || r == ';' }) {
		if s = strings.TrimSpace(s); s != "" {
			row.Synonyms = append(row.Synonyms, s)
		}
	}
	if row.Name == "" {
		row.Problem = identify.Errorf(identify.Invalid, "row", "it has no scientific name")
	}
	if row.AcceptedKey == "" && strings.Contains(strings.ToLower(get("status")), "synonym") {
		row.Problem = errSynonymOfNothing
	}
	return row
}

// errSynonymOfNothing is what is wrong with a row that does not say what it is a
// synonym of.
var errSynonymOfNothing = identify.Errorf(identify.Invalid, "row", "it is a synonym, and its row does not say of what: acceptedNameUsageID is empty")

// isEnglish reports whether a language, as a code or by name, is English.
func isEnglish(language string) bool {
	l := strings.ToLower(strings.TrimSpace(language))
	return l == "en" || l == "eng" || l == "english" || strings.HasPrefix(l, "en-")
}

// checklistRank is a rank as we name it, "" if we have none for it.
func checklistRank(text string) identify.Rank {
	r := identify.Rank(strings.ToLower(strings.TrimSpace(strings.TrimSuffix(text, "."))))
	switch r {
	case "sp":
		return "species"
	case "ssp", "subsp":
		return "subspecies"
	case "division":
		return "phylum"
	}
	if slices.Contains(identify.Ranks(), r) {
		return r
	}
	if r != "" {
		return identify.RankUnranked
	}
	return ""
}

// withoutAuthors takes from the end of a scientific name who described it: what its
// own column says.
func withoutAuthors(name, authors string) string {
	name = strings.Join(strings.Fields(name), " ")
	if cut, ok := strings.CutSuffix(name, " "+strings.Join(strings.Fields(authors), " ")); ok && authors != "" {
		return cut
	}
	return name
}
