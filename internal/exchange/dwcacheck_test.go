package exchange

import (
	"archive/zip"
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// archived makes an archive of members.
func archived(t *testing.T, members map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(members[name]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Each fault is made in an archive that has none.
func TestCheckDwCAFindsFaults(t *testing.T) {
	for name, c := range map[string]struct{ file, old, with, want string }{
		"no descriptor":         {"meta.xml", "", "", "there is no meta.xml"},
		"a torn descriptor":     {"meta.xml", "</archive>", "", "meta.xml"},
		"no metadata":           {"meta.xml", ` metadata="eml.xml"`, "", "names no metadata"},
		"no document":           {"eml.xml", "", "", "there is no eml.xml"},
		"an older document":     {"eml.xml", "eml-2.2.0", "eml-2.0.0", "not an EML 2.2.0 document"},
		"no contact":            {"eml.xml", "contact>", "contract>", "lacks"},
		"a core without id":     {"meta.xml", `<id index="0"></id>`, "", "extensions but no id"},
		"another core":          {"meta.xml", `rowType="http://rs.tdwg.org/dwc/terms/Occurrence"`, `rowType="http://rs.tdwg.org/dwc/terms/Taxon"`, "not occurrences"},
		"an unknown extension":  {"meta.xml", "gbif.org/terms/1.0/Multimedia", "gbif.org/terms/1.0/Pictures", "are not known"},
		"a missing file":        {"multimedia.txt", "", "", "is not in the archive"},
		"an unknown term":       {"meta.xml", "terms/recordedBy", "terms/recordedByWhom", "is no term of"},
		"a term of another row": {"meta.xml", "dc/terms/format", "dc/terms/habitat", "is no term of"},
		"a term twice":          {"meta.xml", "terms/recordedBy", "terms/identifiedBy", "twice"},
		"a column twice":        {"meta.xml", `index="6" term="http://rs.tdwg`, `index="5" term="http://rs.tdwg`, "are the same column"},
		"a bad index":           {"meta.xml", `index="29"`, `index="-1"`, "is not one"},
		"an index beyond":       {"meta.xml", `index="29"`, `index="77"`, "fields, the description has 78"},
		"no scientific name":    {"meta.xml", "dwc/terms/scientificName", "dwc/terms/acceptedNameUsage", "has no http://rs.tdwg.org/dwc/terms/scientificName"},
		"a basis":               {"occurrence.txt", "HumanObservation", "A look", "basisOfRecord"},
		"a date":                {"occurrence.txt", "2026-05-03T07:30:00+02:00", "3.5.2026", "eventDate"},
		"a date without offset": {"occurrence.txt", "2026-05-03T07:30:00+02:00", "2026-05-03T07:30:00", "eventDate"},
		"a latitude":            {"occurrence.txt", "48.15", "148.15", "decimalLatitude"},
		"one coordinate":        {"occurrence.txt", ",48.15,", ",,", "one coordinate is there"},
		"no datum":              {"occurrence.txt", "EPSG:4326,6690", ",6690", "geodeticDatum"},
		"how coarse":            {"occurrence.txt", "6690", "", "nothing says how far"},
		"an id that is local":   {"occurrence.txt", "urn:uuid:2ffaacc3-347a-567a-8f5e-dd6b913105a3", "7", "not unique everywhere"},
		"an id twice":           {"occurrence.txt", "urn:uuid:bf54e030-c3ed-54e7-b17a-8ca42dd41d42", "urn:uuid:2ffaacc3-347a-567a-8f5e-dd6b913105a3", "is there already"},
		"an address":            {"occurrence.txt", "Ann,2026", "ann@example.org,2026", "e-mail"},
		"an orphan":             {"identification.txt", "urn:uuid:bf54e030", "urn:uuid:bf54e031", "no row of the core"},
		"a short row":           {"multimedia.txt", ",,,http", ",http", "fields, the description has"},
		"a type of photo":       {"multimedia.txt", "StillImage", "Photo", "StillImage"},
		"no identifier":         {"multimedia.txt", "photos/cc23456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef-stripped.jpg", "", "identifier is empty"},
		"quotes":                {"occurrence.txt", `"=HYPERLINK(`, `=HYPERLINK("`, "occurrence.txt"},
	} {
		members := unzip(t, dwca(t, true))
		if c.old == "" {
			delete(members, c.file)
		} else if changed := strings.Replace(members[c.file], c.old, c.with, 1); changed != members[c.file] {
			members[c.file] = changed
		} else {
			t.Errorf("%s: there is no %q in %s", name, c.old, c.file)
		}
		if name == "no contact" {
			members[c.file] = strings.ReplaceAll(members[c.file], c.old, c.with)
		}
		data := archived(t, members)
		if err := CheckDwCA(bytes.NewReader(data), int64(len(data))); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want a fault with %q", name, err, c.want)
		}
	}
	if err := CheckDwCA(strings.NewReader("no zip"), 6); err == nil {
		t.Error("what is no zip has no fault")
	}
}

// What others wrote for the purpose reads the archive, too, where it is installed.
func TestPythonReaderOpensDwCA(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil || exec.Command(python, "-c", "import dwca").Run() != nil {
		t.Skip("python-dwca-reader is not installed: only our second reader, TestASecondReaderOpensDwCA, has read the archive")
	}
	path := filepath.Join(t.TempDir(), "archive.zip")
	if err := os.WriteFile(path, dwca(t, true), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(python, "-c", `
import sys
from dwca.read import DwCAReader
with DwCAReader(sys.argv[1]) as a:
    rows = a.rows
    print(a.descriptor.core.type, len(rows), len(rows[0].extensions), rows[0].data["http://rs.tdwg.org/dwc/terms/scientificName"])
`, path).CombinedOutput()
	// The sparrow has a photo and two identifications.
	const want = "http://rs.tdwg.org/dwc/terms/Occurrence 4 3 Passer domesticus"
	if err != nil || strings.TrimSpace(string(out)) != want {
		t.Errorf("%v: %s; want %s", err, out, want)
	}
}
