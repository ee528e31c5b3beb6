package exchange

import (
	"context"
	"time"

	"fieldmark/internal/identify"
)

// fakeSource is records in memory.
type fakeSource struct {
	records []identify.Record
	taxa    map[identify.TaxonID]identify.Taxon
	photos  map[identify.ObservationID][]byte
}

func (f fakeSource) Each(_ context.Context, visit func(identify.Record) error) error {
	for _, r := range f.records {
		if err := visit(r); err != nil {
			return err
		}
	}
	return nil
}

func (f fakeSource) Taxon(id identify.TaxonID) identify.Taxon { return f.taxa[id] }

func (f fakeSource) Lineage(id identify.TaxonID) []identify.Taxon {
	var up []identify.Taxon
	for t := f.taxa[id]; t.Parent != 0; t = f.taxa[t.Parent] {
		up = append(up, f.taxa[t.Parent])
	}
	return up
}

func (f fakeSource) Photo(_ context.Context, r identify.Record) ([]byte, string, error) {
	return f.photos[r.ID], r.Photo.MediaType, nil
}

func pointer[T any](x T) *T { return &x }

// instance is the UUID of the Fieldmark of these tests.
const instance = "6ba7b810-9dad-41d1-80b4-00c04fd430c8"

// someRecords are, newest first: one of a sparrow that has everything, with a name
// withdrawn, and a note that would be a formula; one of an orchid, which is
// sensitive; one that nobody has named; one that came as an embedding alone; and
// one of a thing that is no organism.
func someRecords() fakeSource {
	at := time.Date(2026, 5, 3, 7, 30, 0, 0, time.FixedZone("", 7200))
	hour := at.Add(time.Hour).UTC()
	taxa := map[identify.TaxonID]identify.Taxon{
		1: {ID: 1, ScientificName: "Animalia", Rank: "kingdom"},
		3: {ID: 3, ScientificName: "Passer", Rank: "genus", Parent: 1},
		4: {ID: 4, ScientificName: "Passer domesticus", EnglishName: "House Sparrow", Rank: "species", Group: "birds", Parent: 3},
		5: {ID: 5, ScientificName: "Passer montanus", EnglishName: "Tree Sparrow", Rank: "species", Group: "birds", Parent: 3},
		8: {ID: 8, ScientificName: "Cypripedium calceolus", Rank: "species", Group: "plants"},
		9: {ID: 9, EnglishName: "Not an Organism", Rank: identify.RankNone},
	}
	local := identify.Taxon{ID: identify.FirstLocalTaxon, ScientificName: "@Möwe", Rank: identify.RankUnranked, Local: true}
	taxa[local.ID] = local
	said := func(id identify.IdentificationID, o identify.ObservationID, t identify.TaxonID, by string) identify.Identification {
		return identify.Identification{ID: id, Observation: o, Taxon: t, TaxonLabel: taxa[t].Label(), ScientificName: taxa[t].ScientificName,
			User: 1, UserName: by, CreatedAt: at.UTC()}
	}
	photo := func(first string) identify.Photo {
		const rest = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
		return identify.Photo{Hash: identify.PhotoHash(first + rest[len(first):]), MediaType: "image/jpeg", Bytes: 3, Width: 640, Height: 480}
	}
	full := identify.Record{Observation: identify.Observation{
		ID: 7, ObserverName: "Ann", ObservedAt: &at, Latitude: pointer(-12.3), Longitude: pointer(0.000001), CreatedAt: at.UTC(),
		License: "CC-BY-4.0", RightsHolder: `Ann "A." O'Hara, Ltd`, Notes: "=HYPERLINK(\"http://x\")\nsecond line", Photo: photo("aa"),
		Suggested:    []identify.Suggestion{{Taxon: 5, Label: "Tree Sparrow", Probability: 0.25}, {Taxon: 4, Label: "House Sparrow", Probability: 0.2}},
		SuggestedSeq: 3, Import: &identify.ImportOrigin{Import: 2, Name: "birds.zip", Row: 12, Ref: "17"},
	}}
	first, second := said(1, 7, 5, "-Bob"), said(2, 7, 4, "Ann")
	first.WithdrawnAt, second.FromSuggestion = &hour, true
	full.Identifications, full.Current = []identify.Identification{first, second}, &second

	orchid := identify.Record{Observation: identify.Observation{ID: 6, ObserverName: "Ann", CreatedAt: at.UTC(),
		Latitude: pointer(48.15), Longitude: pointer(11.55), Photo: photo("bb"), Sensitive: true, Uncertainty: 6690}, Withheld: true, Leaves: identify.LeavesPreview}
	slipper := said(3, 6, 8, "Ann")
	orchid.Identifications, orchid.Current = []identify.Identification{slipper}, &slipper

	unnamed := identify.Record{Observation: identify.Observation{ID: 5, CreatedAt: at.UTC(), Photo: photo("cc"), License: "CC0-1.0"}}

	vector := identify.Record{Observation: identify.Observation{ID: 1, CreatedAt: at.UTC(), Photo: identify.Photo{Hash: photo("dd").Hash}}}
	gull := said(4, 1, local.ID, "")
	gull.Given, gull.GivenLabel = 5, "Tree Sparrow" // which is a synonym of it since
	vector.Identifications, vector.Current = []identify.Identification{gull}, &gull

	pot := identify.Record{Observation: identify.Observation{ID: 2, CreatedAt: at.UTC(), Photo: photo("ee")}}
	nothing := said(5, 2, 9, "Ann")
	pot.Identifications, pot.Current = []identify.Identification{nothing}, &nothing

	return fakeSource{records: []identify.Record{full, orchid, unnamed, pot, vector}, taxa: taxa,
		photos: map[identify.ObservationID][]byte{7: []byte("jpg"), 6: preview(), 5: []byte("two"), 2: []byte("pot")}}
}

func someDataset(photos bool) Dataset {
	return Dataset{Instance: instance, Version: "42", Changed: time.Date(2026, 5, 4, 1, 2, 3, 0, time.UTC), Title: "Birds & orchids",
		Creator: "Natural History Society", Photos: photos, Licenses: []string{"", "CC-BY-4.0", "CC0-1.0"}}
}
