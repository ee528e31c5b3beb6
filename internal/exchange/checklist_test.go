package exchange

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"reflect"
	"strings"
	"testing"

	"fieldmark/internal/identify"
)

func checklistOf(t testing.TB, data []byte) (identify.Checklist, error) {
	t.Helper()
	return ReadChecklist(bytes.NewReader(data), int64(len(data)), "dir/list.csv")
}

func TestReadChecklistTable(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []identify.ChecklistRow
	}{
		"names alone": {"\ufeffscientific_name;english name\nParus major;Great Tit\n\nParus ater\n", []identify.ChecklistRow{
			{Line: 2, Key: "Parus major", Name: "Parus major", English: "Great Tit"},
			{Line: 4, Key: "Parus ater", Name: "Parus ater"}}},
		"ids, synonyms and authors": {"taxonID,parentNameUsageID,acceptedNameUsageID,scientificName,scientificNameAuthorship,taxonRank,taxonomicStatus\n" +
			"g,,,Parus,,Genus,accepted\n1,g,1,\"Parus major Linnaeus, 1758\",\"Linnaeus, 1758\",sp.,accepted\n2,,1,Parus maior,,species,synonym\n3,,,Parus lost,,species,Synonym\n,,,,,,\n", []identify.ChecklistRow{
			{Line: 2, Key: "g", Name: "Parus", Rank: "genus"},
			{Line: 3, Key: "1", ParentKey: "g", AcceptedKey: "1", Name: "Parus major", Rank: "species"},
			{Line: 4, Key: "2", AcceptedKey: "1", Name: "Parus maior", Rank: "species"},
			{Line: 5, Key: "3", Name: "Parus lost", Rank: "species", Problem: errSynonymOfNothing},
			{Line: 6, Problem: identify.Errorf(identify.Invalid, "row", "it has no scientific name")}}},
		"ranks above, other languages": {"species\tfamily\tkingdom\tvernacularName\tlanguage\tsynonyms\nParus major\tParidae\tAnimalia\tKohlmeise\tde\tParus maior | Parus m.\n", []identify.ChecklistRow{
			{Line: 2, Key: "Parus major", Name: "Parus major", Higher: []identify.HigherTaxon{{Rank: "kingdom", Name: "Animalia"}, {Rank: "family", Name: "Paridae"}},
				Vernacular: []identify.VernacularName{{Language: "de", Name: "Kohlmeise"}}, Synonyms: []string{"Parus maior", "Parus m."}}}},
		"parents by name": {"name,parent\nParus major,Parus\nParus,Paridae\n", []identify.ChecklistRow{
			{Line: 2, Key: "Parus major", ParentKey: "Parus", Name: "Parus major"},
			{Line: 3, Key: "Parus", Name: "Parus", Higher: []identify.HigherTaxon{{Name: "Paridae"}}}}},
	} {
		got, err := checklistOf(t, []byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !reflect.DeepEqual(got.Rows, c.want) || got.Name != "list.csv" {
			t.Errorf("%s (%s):\n%+v, want\n%+v", name, got.Name, got.Rows, c.want)
		}
	}
	for text, want := range map[string]string{
		"":                            "empty",
		"colour,size\nred,1\n":        "does not name taxa",
		"scientificName\n":            "no rows",
		"scientificName\xff\nParus\n": "UTF-8",
		"PK\x03\x04 not really a zip": "zip file",
	} {
		if _, err := checklistOf(t, []byte(text)); identify.KindOf(err) != identify.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// taxonMeta describes an archive as GBIF's checklists are: tab-separated, nothing enclosed.
const taxonMeta = `<archive xmlns="http://rs.tdwg.org/dwc/text/" metadata="eml.xml">
<core encoding="UTF-8" fieldsTerminatedBy="\t" linesTerminatedBy="\n" fieldsEnclosedBy="" ignoreHeaderLines="1" rowType="http://rs.tdwg.org/dwc/terms/Taxon">
<files><location>taxon.txt</location></files><id index="0"/>
<field index="1" term="http://rs.tdwg.org/dwc/terms/parentNameUsageID"/><field index="2" term="http://rs.tdwg.org/dwc/terms/acceptedNameUsageID"/>
<field index="3" term="http://rs.tdwg.org/dwc/terms/scientificName"/><field index="4" term="http://rs.tdwg.org/dwc/terms/taxonRank"/>
<field term="http://rs.tdwg.org/dwc/terms/kingdom" default="Animalia"/></core>
<extension encoding="UTF-8" fieldsTerminatedBy="," linesTerminatedBy="\n" fieldsEnclosedBy='"' ignoreHeaderLines="0" rowType="http://rs.gbif.org/terms/1.0/VernacularName">
<files><location>vernacular.txt</location></files><coreid index="0"/>
<field index="1" term="http://rs.tdwg.org/dwc/terms/vernacularName"/><field index="2" term="http://purl.org/dc/terms/language"/></extension>
</archive>`

func packedTaxa(t testing.TB, members ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(members); i += 2 {
		f, err := w.Create(members[i])
		if err == nil {
			_, err = f.Write([]byte(members[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const someTaxa = "id\tparent\taccepted\tname\trank\nf\t\t\tParidae\tfamily\nm\tf\tm\tParus major\tspecies\ns\t\tm\tParus \"maior\tspecies\n"

func TestReadTaxonArchive(t *testing.T) {
	data := packedTaxa(t, "x/meta.xml", taxonMeta, "x/taxon.txt", someTaxa, "x/vernacular.txt", "m,\"Tit, Great\",en\nm,Kohlmeise,de\nm,Great Titmouse,eng\nnobody,x,de\n")
	got, err := checklistOf(t, data)
	if err != nil {
		t.Fatal(err)
	}
	above := []identify.HigherTaxon{{Rank: "kingdom", Name: "Animalia"}}
	want := []identify.ChecklistRow{
		{Line: 2, Key: "f", Name: "Paridae", Rank: "family", Higher: above},
		{Line: 3, Key: "m", ParentKey: "f", AcceptedKey: "m", Name: "Parus major", Rank: "species", Higher: above, English: "Tit, Great",
			Vernacular: []identify.VernacularName{{Language: "de", Name: "Kohlmeise"}}, Synonyms: []string{"Great Titmouse"}},
		{Line: 4, Key: "s", AcceptedKey: "m", Name: `Parus "maior`, Rank: "species", Higher: above},
	}
	if !reflect.DeepEqual(got.Rows, want) {
		t.Errorf("%+v, want\n%+v", got.Rows, want)
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"no meta":      {packedTaxa(t, "taxon.txt", someTaxa), "no meta.xml"},
		"no table":     {packedTaxa(t, "meta.xml", taxonMeta), "lacks its file"},
		"occurrences":  {packedTaxa(t, "meta.xml", strings.Replace(taxonMeta, "dwc/terms/Taxon", "dwc/terms/Occurrence", 1), "taxon.txt", someTaxa), "of Occurrence, not of taxa"},
		"latin 1":      {packedTaxa(t, "meta.xml", strings.Replace(taxonMeta, "UTF-8", "ISO-8859-1", 1), "taxon.txt", someTaxa), "ISO-8859-1"},
		"broken meta":  {packedTaxa(t, "meta.xml", taxonMeta[:300], "taxon.txt", someTaxa), "meta.xml"},
		"outside":      {packedTaxa(t, "../meta.xml", taxonMeta), "leads out"},
		"wrong number": {packedTaxa(t, "meta.xml", strings.Replace(taxonMeta, `index="3"`, `index="-3"`, 1), "taxon.txt", someTaxa), "numbers a column"},
		"no taxa":      {packedTaxa(t, "meta.xml", taxonMeta, "taxon.txt", "id\n"), "no taxa"},
	} {
		if _, err := checklistOf(t, c.data); identify.KindOf(err) != identify.Invalid || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// Whatever the bytes, a reader ends, and what it refuses it refuses with words.
func FuzzReadChecklist(f *testing.F) {
	f.Add([]byte("scientificName;rank\nParus major;species\n"))
	f.Add([]byte("\ufeffname\tparent\n\"Parus\tx\n"))
	f.Add(packedTaxa(f, "meta.xml", taxonMeta, "taxon.txt", someTaxa, "vernacular.txt", "m,x,de\n"))
	f.Add([]byte("PK\x03\x04"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := checklistOf(t, data)
		if err != nil {
			if identify.KindOf(err) != identify.Invalid {
				t.Errorf("%v is of no kind that a person could mend", err)
			}
			return
		}
		for _, row := range c.Rows {
			if row.Line < 1 || row.Problem == nil && row.Name == "" {
				t.Errorf("%+v", row)
			}
		}
	})
}

// Archives of taxa that lie are refused whole, with the reason.
func TestTaxonArchivesThatLie(t *testing.T) {
	good := packedTaxa(t, "meta.xml", taxonMeta, "taxon.txt", strings.Repeat("x", 80)+"\n"+someTaxa, "vernacular.txt", "m,x,de\n")
	with := func(change func(*zip.FileHeader)) []byte {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		for name, data := range map[string]string{"meta.xml": taxonMeta, "vernacular.txt": "m,x,de\n", "taxon.txt": someTaxa} {
			h := &zip.FileHeader{Name: name, Method: zip.Store}
			if name == "taxon.txt" {
				change(h)
			}
			f, err := w.CreateHeader(h)
			if err == nil {
				_, err = f.Write([]byte(data))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	located := func(at string) []byte {
		return packedTaxa(t, "meta.xml", strings.Replace(taxonMeta, "<location>taxon.txt", "<location>"+at, 1), "taxon.txt", someTaxa, "vernacular.txt", "m,x,de\n")
	}
	damaged := with(func(*zip.FileHeader) {})
	damaged[bytes.Index(damaged, []byte("Paridae"))] ^= 1
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"up and out":         {with(func(h *zip.FileHeader) { h.Name = "../taxon.txt" }), "leads out of the archive"},
		"absolute":           {with(func(h *zip.FileHeader) { h.Name = "/etc/taxon.txt" }), "absolute name"},
		"a link":             {with(func(h *zip.FileHeader) { h.SetMode(fs.ModeSymlink | 0o777) }), "a link"},
		"a location outside": {located("../../etc/passwd"), "lacks its file"},
		"a bomb":             {packedTaxa(t, "meta.xml", taxonMeta, "taxon.txt", strings.Repeat("\x00", 64<<20)), "unpack"},
		"encrypted":          {patched(good, 8, 1, "PK\x01\x02"), "is encrypted"},
		"larger sizes":       {patched(good, 20, 200, "PK\x01\x02"), "larger, packed, than the archive"},
		"cut short":          {good[:len(good)-30], "not copied whole"},
		"a wrong CRC":        {damaged, "checksum"},
	} {
		if got, err := checklistOf(t, c.data); identify.KindOf(err) != identify.Invalid || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v (%d rows), want %q", name, err, len(got.Rows), c.want)
		}
	}
}
