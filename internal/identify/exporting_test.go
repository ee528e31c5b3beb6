package identify_test

import (
	"context"
	"image/color"
	"strings"
	"testing"

	"fieldmark/internal/identify"
)

// seeAt stores a photo of one colour that was taken somewhere.
func (f *fixture) seeAt(t *testing.T, c color.RGBA, lat, lon float64, change func(*identify.Upload)) identify.Observation {
	t.Helper()
	up := identify.Upload{Photo: paint(t, c), Latitude: &lat, Longitude: &lon}
	if change != nil {
		change(&up)
	}
	o, _, err := f.Observe(context.Background(), f.Owner, up, identify.Question{})
	must(t, err)
	return o
}

func (f *fixture) export(t *testing.T, r identify.ExportRequest) (records []identify.Record, e *identify.Export) {
	t.Helper()
	e, err := f.Export(context.Background(), f.Owner, r)
	must(t, err)
	must(t, e.Each(context.Background(), func(r identify.Record) error {
		records = append(records, r)
		return nil
	}))
	return records, e
}

// What an import named first is called so in an export, and in what is at odds with a
// bundle, though nobody has looked at that taxon since.
func TestATaxonOfAnImportHasItsName(t *testing.T) {
	f, other := newFixture(t), newFixture(t)
	f.take(t, "d", labelled("Velvet Moss"))
	f.settled(t)
	records, e := f.export(t, identify.ExportRequest{})
	if got := e.Taxon(records[0].Current.Taxon).ScientificName; got != "Velvet Moss" {
		t.Errorf("the export calls it %q", got)
	}
	other.take(t, "d", labelled("Far Moss"))
	plan, err := f.planned(other.bundled(t, identify.BundleRequest{}), identify.MergeDecisions{})
	must(t, err)
	if len(plan.Groups) != 1 || plan.Groups[0].Ours != "Velvet Moss" || plan.Groups[0].Theirs != "Far Moss" {
		t.Errorf("%+v", plan.Groups)
	}
}

// Whatever is below a sensitive taxon, or was ever said to be, is given by the
// middle of its square of 0.1 degrees, unless exact places are asked for.
func TestSensitiveTaxaAreGeneralised(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	family := f.seeAt(t, red, 48.13743, 11.57549, nil)
	_, err := f.Identify(ctx, f.Owner, family.ID, identify.Answer{Taxon: 3}, identify.Question{}) // of the family 2
	must(t, err)
	undone := f.seeAt(t, green, -33.86, 151.21, nil)
	c, err := f.Identify(ctx, f.Owner, undone.ID, identify.Answer{Taxon: 4}, identify.Question{})
	must(t, err)
	_, err = f.Withdraw(ctx, f.Owner, undone.ID, c.Identification.ID, identify.Question{})
	must(t, err)
	other := f.seeAt(t, color.RGBA{0, 0, 250, 255}, 48.13743, 11.57549, nil)
	_, err = f.Identify(ctx, f.Owner, other.ID, identify.Answer{Label: "Wall Rocket"}, identify.Question{})
	must(t, err)
	must(t, f.AddSensitiveTaxon(ctx, f.Owner, 2))

	records, e := f.export(t, identify.ExportRequest{})
	want := map[identify.ObservationID][2]float64{family.ID: {48.15, 11.55}, undone.ID: {-33.85, 151.25}, other.ID: {48.13743, 11.57549}}
	for _, r := range records {
		if w := want[r.ID]; *r.Latitude != w[0] || *r.Longitude != w[1] {
			t.Errorf("observation %d is at %v, %v; want %v", r.ID, *r.Latitude, *r.Longitude, w)
		}
		data, mediaType, err := e.Photo(ctx, r)
		must(t, err)
		sensitive := r.ID != other.ID
		if r.Withheld != sensitive || r.Sensitive != sensitive || r.Generalised() != sensitive || (mediaType == "image/jpeg") != sensitive || len(data) == 0 {
			t.Errorf("observation %d: sensitive %v, uncertain by %v, photo %s", r.ID, r.Sensitive, r.Uncertainty, mediaType)
		}
	}
	exact, _ := f.export(t, identify.ExportRequest{ExactPlaces: true})
	for _, r := range exact {
		if r.Withheld || *r.Latitude == want[family.ID][0] {
			t.Errorf("observation %d is generalised, though exact places were asked for", r.ID)
		}
	}
	must(t, f.RemoveSensitiveTaxon(ctx, f.Owner, 2))
	if plain, _ := f.export(t, identify.ExportRequest{}); plain[2].Sensitive {
		t.Error("a taxon that was taken out of the list is sensitive still")
	}
}

func TestGeneralise(t *testing.T) {
	for _, x := range []struct{ lat, lon, wantLat, wantLon, metres float64 }{
		// The corner at 48.1° north is 0.05° south and 0.05° east: 5,560 m and
		// 5,560 m · cos 48.1° = 3,713 m, together 6,685 m.
		{48.13743, 11.57549, 48.15, 11.55, 6685},
		{-48.13743, -11.57549, -48.15, -11.55, 6685},
		// At the equator both are 5,560 m: 7,863 m.
		{0.01, 0.01, 0.05, 0.05, 7863},
		{90, 180, 89.95, 179.95, 5561},
		{-90, -180, -89.95, -179.95, 5561},
	} {
		lat, lon, metres := identify.Generalise(x.lat, x.lon)
		if lat != x.wantLat || lon != x.wantLon || metres < x.metres-2 || metres > x.metres+2 {
			t.Errorf("%v, %v became %v, %v, within %v m; want %v, %v, %v", x.lat, x.lon, lat, lon, metres, x.wantLat, x.wantLon, x.metres)
		}
		if d := 1000 * identify.Kilometres(x.lat, x.lon, lat, lon); d > metres {
			t.Errorf("%v, %v is %v m from its square's middle, which says %v", x.lat, x.lon, d, metres)
		}
	}
}

// No e-mail address leaves, wherever it was written.
func TestAddressesDoNotLeave(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	o := f.seeAt(t, red, 1, 1, func(up *identify.Upload) {
		up.RightsHolder, up.Notes = "Ann Other <ann.other@museum.example.org>", "ask bob@example.com or call; 3 m @ the gate"
	})
	_, err := f.Identify(ctx, f.Owner, o.ID, identify.Answer{Label: "moss of eve@example.org"}, identify.Question{})
	must(t, err)
	records, e := f.export(t, identify.ExportRequest{})
	r := records[0]
	if r.RightsHolder != "Ann Other" || r.Notes != "ask  or call; 3 m @ the gate" {
		t.Errorf("%q, %q", r.RightsHolder, r.Notes)
	}
	if i := r.Identifications[0]; strings.Contains(i.TaxonLabel+i.ScientificName, "@") {
		t.Errorf("%+v", i)
	}
	if name := e.Taxon(r.Current.Taxon).ScientificName; name != "moss of" {
		t.Errorf("the taxon is called %q", name)
	}
}

// A record has the identifications that are asked for, and knows the one that
// stands all the same.
func TestRecordsHaveWhatIsAskedFor(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	o := f.see(t, red)
	for _, taxon := range []identify.TaxonID{3, 4} { // the second withdraws the first
		_, err := f.Identify(ctx, f.Owner, o.ID, identify.Answer{Taxon: taxon}, identify.Question{})
		must(t, err)
	}
	for state, want := range map[string]int{"": 2, identify.StateStanding: 1, identify.StateWithdrawn: 1} {
		records, e := f.export(t, identify.ExportRequest{Filter: identify.ObservationFilter{Said: identify.IdentificationFilter{State: state}}})
		if len(records) != 1 || len(records[0].Identifications) != want || records[0].Current.Taxon != 4 || e.Identifications != want {
			t.Errorf("%q: %+v", state, records)
		}
	}
	// What is taught after an export was made is not in it.
	_, e := f.export(t, identify.ExportRequest{})
	f.see(t, green)
	n := 0
	must(t, e.Each(ctx, func(identify.Record) error { n++; return nil }))
	if n != 1 {
		t.Errorf("%d records of one observation", n)
	}
	expert := identify.User{ID: 9, Role: identify.Expert}
	_, err1 := f.ExportSummary(ctx, expert, identify.ObservationFilter{})
	_, err2 := f.SensitiveTaxa(ctx, expert)
	err3 := f.AddSensitiveTaxon(ctx, expert, 3)
	for _, err := range []error{err1, err2, err3} {
		if identify.KindOf(err) != identify.Forbidden {
			t.Errorf("an expert: %v", err)
		}
	}
}
