package exchange

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode"

	"fieldmark/internal/identify"
)

// No archive brings the checker down, whatever it says of itself.
func FuzzCheckDwCA(f *testing.F) {
	var whole bytes.Buffer
	if err := WriteDwCA(f.Context(), &whole, someRecords(), someDataset(false)); err != nil {
		f.Fatal(err)
	}
	f.Add(whole.Bytes())
	f.Add(packedTaxa(f, "meta.xml", taxonMeta, "taxon.txt", someTaxa, "vernacular.txt", "m,x,de\n"))
	f.Add(packedTaxa(f, "meta.xml", `<archive><core fieldsTerminatedBy="" rowType="x"><files><location>../a</location></files><id index="-1"/></core></archive>`, "../a", "x"))
	f.Fuzz(func(t *testing.T, data []byte) {
		err := CheckDwCA(bytes.NewReader(data), int64(len(data)))
		if list, many := err.(interface{ Unwrap() []error }); many && len(list.Unwrap()) > maxFaults {
			t.Errorf("%d faults", len(list.Unwrap()))
		}
	})
}

// Whatever people write in their notes and call themselves and things, the archive of
// it has no fault.
func FuzzWriteDwCA(f *testing.F) {
	f.Add("by the pond", "Ann", "CC0-1.0", "Passer domesticus", 52.5, 13.4, int64(1_780_000_000))
	f.Add("=1\t\"a\"\r\nb\x00", "\u2028", "", "@Möwe", -90.0, 180.0, int64(-1))
	f.Add("\xff\xfe", "x,y", "\"", "x\xff", 0.0, 0.0, int64(1<<33))
	f.Fuzz(func(t *testing.T, notes, name, rights, taxon string, lat, lon float64, at int64) {
		when := time.Unix(at, 0).UTC()
		if !(lat >= -90 && lat <= 90 && lon >= -180 && lon <= 180) || when.Year() < 1 || when.Year() > 9999 || !strings.ContainsFunc(taxon, unicode.IsLetter) {
			t.Skip("the domain takes no such place, time or name")
		}
		if strings.Contains(name+rights, "@") {
			t.Skip("who writes an address of theirs publishes it, and the checker says so")
		}
		said := identify.Identification{ID: 1, Observation: 1, Taxon: 1, TaxonLabel: taxon, ScientificName: taxon, User: 1, UserName: name, CreatedAt: when}
		source := fakeSource{
			records: []identify.Record{{Observation: identify.Observation{ID: 1, ObserverName: name, ObservedAt: &when, Latitude: &lat, Longitude: &lon, CreatedAt: when,
				License: "CC-BY-4.0", RightsHolder: rights, Notes: notes, Photo: identify.Photo{Hash: "aa", MediaType: "image/jpeg"},
				Identifications: []identify.Identification{said}}, Current: &said}},
			taxa: map[identify.TaxonID]identify.Taxon{1: {ID: 1, ScientificName: taxon, Rank: "species"}},
		}
		var out bytes.Buffer
		if err := WriteDwCA(t.Context(), &out, source, someDataset(false)); err != nil {
			t.Fatal(err)
		}
		if err := CheckDwCA(bytes.NewReader(out.Bytes()), int64(out.Len())); err != nil {
			t.Error(err)
		}
	})
}
