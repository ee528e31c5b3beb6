package store

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

// scattered stores n observations of all kinds: two people, places around the
// world, licences, days; named by one, by two, by nobody, or named and undone.
func scattered(t *testing.T, s *Store, n int) []identify.Observation {
	t.Helper()
	rnd := rand.New(rand.NewPCG(8, 8))
	people := []identify.User{user(t, s, "ann"), user(t, s, "bob")}
	for k := range n {
		o := observe(t, s, people[rnd.IntN(2)], fmt.Sprintf("%d", k), func(x *identify.NewObservation) {
			x.License = []string{"", "CC-BY-4.0", "CC0-1.0"}[rnd.IntN(3)]
			day := noon.AddDate(0, 0, rnd.IntN(20))
			x.ObservedAt = &day
			if rnd.IntN(4) > 0 {
				lat, lon := rnd.Float64()*180-90, rnd.Float64()*360-180
				x.Latitude, x.Longitude = &lat, &lon
			}
		})
		for _, by := range people[:rnd.IntN(3)] {
			at := noon.AddDate(0, 0, 20+rnd.IntN(20))
			i, _, err := s.Teach(t.Context(), identify.NewIdentification{Observation: o.ID, Taxon: identify.TaxonID(4 + rnd.IntN(3)), User: by.ID, At: at})
			if err != nil {
				t.Fatal(err)
			}
			if rnd.IntN(3) == 0 {
				if _, _, err := s.Withdraw(t.Context(), o.ID, i.ID, by.ID, at); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	ids, err := s.Selection(t.Context(), identify.ObservationFilter{})
	if err != nil || len(ids) != n {
		t.Fatalf("%d of %d observations, %v", len(ids), n, err)
	}
	all, err := s.ObservationsByID(t.Context(), ids)
	if err != nil || len(all) != n || all[0].ID != ids[0] {
		t.Fatalf("%d of %d observations, %v", len(all), n, err)
	}
	return all
}

// A filter finds what looking at every observation finds, and the summary counts
// it.
func TestSelectionIsWhatMatches(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	all := scattered(t, s, 200)
	set, err := s.AddLabelSet(ctx, "Sparrows and oaks", []identify.TaxonID{5, 6}, noon)
	if err != nil {
		t.Fatal(err)
	}
	by := all[0].Observer
	from, to := noon.AddDate(0, 0, 25), noon.AddDate(0, 0, 32)
	named := func(o identify.Observation, taxa ...identify.TaxonID) bool {
		i, is := o.Current()
		return is && slices.Contains(taxa, i.Taxon)
	}
	inBox := func(o identify.Observation, south, north float64, lon func(float64) bool) bool {
		return o.Latitude != nil && *o.Latitude >= south && *o.Latitude <= north && lon(*o.Longitude)
	}
	within := func(c identify.Circle) func(identify.Observation) bool {
		return func(o identify.Observation) bool {
			return o.Latitude != nil && identify.Kilometres(*o.Latitude, *o.Longitude, c.Latitude, c.Longitude) <= c.Km
		}
	}
	circles := map[string]identify.Circle{"near": {Latitude: 48, Longitude: 11, Km: 3000}, "near the antimeridian": {Latitude: -10, Longitude: 179, Km: 4000},
		"near a pole": {Latitude: 85, Longitude: 0, Km: 2500}, "nearly everywhere": {Latitude: 0, Longitude: 0, Km: 19_000}}
	cases := map[string]struct {
		f    identify.ObservationFilter
		want func(o identify.Observation) bool
	}{
		"all":          {identify.ObservationFilter{}, func(identify.Observation) bool { return true }},
		"birds":        {identify.ObservationFilter{Taxon: 2}, func(o identify.Observation) bool { return named(o, 4, 5) }},
		"a label set":  {identify.ObservationFilter{LabelSet: set.ID}, func(o identify.Observation) bool { return named(o, 5, 6) }},
		"no licence":   {identify.ObservationFilter{License: identify.NoLicense}, func(o identify.Observation) bool { return o.License == "" }},
		"a licence":    {identify.ObservationFilter{License: "CC0-1.0"}, func(o identify.Observation) bool { return o.License == "CC0-1.0" }},
		"unidentified": {identify.ObservationFilter{Status: "unidentified"}, func(o identify.Observation) bool { _, is := o.Current(); return !is }},
		"a box": {identify.ObservationFilter{Box: &identify.Box{West: -30, South: -40, East: 60, North: 50}},
			func(o identify.Observation) bool {
				return inBox(o, -40, 50, func(lon float64) bool { return lon >= -30 && lon <= 60 })
			}},
		"over the antimeridian": {identify.ObservationFilter{Box: &identify.Box{West: 100, South: -40, East: -100, North: 50}},
			func(o identify.Observation) bool {
				return inBox(o, -40, 50, func(lon float64) bool { return lon >= 100 || lon <= -100 })
			}},
		"withdrawn oaks": {identify.ObservationFilter{Taxon: 6, Said: identify.IdentificationFilter{State: identify.StateWithdrawn}},
			func(o identify.Observation) bool {
				return slices.ContainsFunc(o.Identifications, func(i identify.Identification) bool { return i.Withdrawn() && i.Taxon == 6 })
			}},
	}
	for name, c := range circles {
		cases[name] = struct {
			f    identify.ObservationFilter
			want func(o identify.Observation) bool
		}{identify.ObservationFilter{Near: &c}, within(c)}
	}
	for name, said := range map[string]identify.IdentificationFilter{"by ann": {By: by}, "withdrawn": {State: identify.StateWithdrawn},
		"standing, by ann": {By: by, State: identify.StateStanding}, "of a week, by ann": {By: by, From: &from, To: &to}, "since": {From: &from}} {
		cases[name] = struct {
			f    identify.ObservationFilter
			want func(o identify.Observation) bool
		}{identify.ObservationFilter{Said: said}, func(o identify.Observation) bool { return slices.ContainsFunc(o.Identifications, said.Matches) }}
	}
	for name, c := range cases {
		got, err := s.Selection(ctx, c.f)
		var want []identify.ObservationID
		identifications := 0
		for _, o := range all {
			if !c.want(o) {
				continue
			}
			want = append(want, o.ID)
			for _, i := range o.Identifications {
				if c.f.Said.Matches(i) && (c.f.Taxon != 6 || i.Taxon == 6) {
					identifications++
				}
			}
		}
		if err != nil || !slices.Equal(got, want) || len(want) == 0 || name != "all" && len(want) == len(all) {
			t.Errorf("%s: %v (%v), want %v", name, got, err, want)
		}
		x, err := s.ExportSummary(ctx, encoder.Digest, c.f)
		if err != nil || x.Observations != len(want) || x.Photos != len(want) || x.PhotoBytes != 1000*int64(len(want)) || x.Identifications != identifications {
			t.Errorf("%s: %+v (%v), want %d observations, %d identifications", name, x, err, len(want), identifications)
		}
		if refs, err := s.Exemplars(ctx, encoder.Digest, c.f); err != nil || len(refs) != x.Exemplars {
			t.Errorf("%s: %d exemplars, the summary has %d (%v)", name, len(refs), x.Exemplars, err)
		}
	}
}

// plainSummary asks for each figure of a summary by a query that says what it is.
func plainSummary(ctx context.Context, tx *sql.Tx, encoder string, f identify.ObservationFilter) (x identify.ExportSummary, err error) {
	clause, args := where(f)
	selected := `(SELECT o.id FROM observations o ` + clause + `)`
	var said conditions
	identified(&said, f)
	for _, q := range []struct {
		query string
		args  []any
		into  []any
	}{
		{`SELECT count(*) FROM ` + selected, args, []any{&x.Observations}},
		{`SELECT count(*) FROM identifications i WHERE i.observation_id IN ` + selected + said.clause(` AND`),
			slices.Concat(args, said.args), []any{&x.Identifications}},
		{`SELECT count(*) FROM identifications i JOIN observations o ON o.id = i.observation_id
			JOIN embeddings m ON m.photo_hash = o.photo_hash AND m.encoder = ?
			WHERE i.withdrawn_at IS NULL AND i.observation_id IN ` + selected + said.clause(` AND`),
			slices.Concat([]any{encoder}, args, said.args), []any{&x.Exemplars}},
		{`SELECT count(*), coalesce(sum(p.bytes), 0) FROM photos p WHERE p.bytes > 0
			AND p.hash IN (SELECT o.photo_hash FROM observations o ` + clause + `)`, args, []any{&x.Photos, &x.PhotoBytes}},
		{`SELECT count(*) FROM observations o WHERE o.id IN ` + selected + ` AND ` + sensitive, args, []any{&x.Sensitive}},
	} {
		if err := tx.QueryRowContext(ctx, q.query, q.args...).Scan(q.into...); err != nil {
			return x, err
		}
	}
	return x, nil
}

// A summary counts what the plain queries count, whatever people did: with photos that
// are not embedded, or not here, photos that several observations share, and taxa
// whose places are not told, for selections of a few and of nearly all.
func TestSummariesCountWhatPlainQueriesCount(t *testing.T) {
	w := newWalk(t, 5)
	for range 400 {
		w.step()
	}
	check := func(when string) {
		t.Helper()
		day := noon.Add(2 * time.Minute)
		for _, f := range []identify.ObservationFilter{{}, {Taxon: 2}, {Taxon: 5}, {Taxon: 99}, {Status: "unidentified"}, {Status: "identified"}, {Observer: w.users[0].ID}, {Import: 1},
			{Said: identify.IdentificationFilter{By: w.users[1].ID}}, {Said: identify.IdentificationFilter{State: identify.StateWithdrawn}, Taxon: 4},
			{Said: identify.IdentificationFilter{State: identify.StateStanding, From: &day}}} {
			for _, digest := range []string{encoder.Digest, "none"} {
				got, err := w.s.ExportSummary(t.Context(), digest, f)
				if err != nil {
					t.Fatal(err)
				}
				var want identify.ExportSummary
				err = w.s.view(t.Context(), func(tx *sql.Tx) (err error) {
					want, err = plainSummary(t.Context(), tx, digest, f)
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
				want.Seq, want.Changed, want.Licenses = got.Seq, got.Changed, got.Licenses
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s, %+v, %s: %+v, want %+v", when, f, digest, got, want)
				}
			}
		}
	}
	check("all embedded")
	w.s.must(t, `DELETE FROM embeddings WHERE photo_hash IN (SELECT hash FROM photos ORDER BY hash LIMIT 5)`)
	if err := w.s.AddSensitiveTaxon(t.Context(), 3, w.users[0].ID, noon); err != nil {
		t.Fatal(err)
	}
	check("with some that are not, and sensitive taxa")
}

func TestTaughtBySeq(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	scattered(t, s, 20)
	refs, err := s.Exemplars(ctx, encoder.Digest, identify.ObservationFilter{})
	if err != nil || len(refs) < 4 {
		t.Fatalf("%d exemplars, %v", len(refs), err)
	}
	list, err := s.TaughtBySeq(ctx, encoder.Digest, []identify.Seq{refs[1].Seq, refs[3].Seq})
	if err != nil || len(list) != 2 || list[1].Seq != refs[3].Seq || list[1].Taxon != refs[3].Taxon || !slices.Equal(list[1].Vector, []float32{1, 2, 2}) {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := s.TaughtBySeq(ctx, "another", []identify.Seq{refs[1].Seq}); err == nil {
		t.Error("vectors of another encoder were found")
	}
}

func TestInstanceIsMadeOnce(t *testing.T) {
	a, b := fresh(t), fresh(t)
	first, err := a.Instance(t.Context())
	again, err2 := a.Instance(t.Context())
	other, err3 := b.Instance(t.Context())
	if err != nil || err2 != nil || err3 != nil || first != again || first == other {
		t.Errorf("%q, again %q, another %q; %v %v %v", first, again, other, err, err2, err3)
	}
	if !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(first) {
		t.Errorf("%q is no UUID of version 4", first)
	}
}

func TestSensitiveTaxa(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	u := user(t, s, "ann")
	for range 2 { // a second time changes nothing
		if err := s.AddSensitiveTaxon(ctx, 3, u.ID, noon.Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	o := observe(t, s, u, "a")
	teach(t, s, u, o.ID, 5) // a sparrow, below Passer
	list, err := s.SensitiveTaxa(ctx)
	if err != nil || len(list) != 1 || list[0].Taxon != 3 || list[0].Label != "Sparrows" || list[0].Name != "Passer" || list[0].AddedBy != "ann" {
		t.Errorf("%+v, %v", list, err)
	}
	if x, err := s.ExportSummary(ctx, encoder.Digest, identify.ObservationFilter{}); err != nil || x.Sensitive != 1 || x.Seq != 1 || !x.Changed.Equal(noon) {
		t.Errorf("%+v, %v", x, err)
	}
	wantKind(t, s.AddSensitiveTaxon(ctx, 99, u.ID, noon), identify.Invalid, "taxon_id")
	if err := s.RemoveSensitiveTaxon(ctx, 3); err != nil {
		t.Error(err)
	}
	wantKind(t, s.RemoveSensitiveTaxon(ctx, 3), identify.NotFound, "taxon_id")
}

func TestExportChoices(t *testing.T) {
	s := fresh(t)
	if c, err := s.ExportChoices(t.Context()); err != nil || c.People != nil || c.Licenses != nil {
		t.Errorf("%+v, %v", c, err)
	}
	scattered(t, s, 60)
	c, err := s.ExportChoices(t.Context())
	if err != nil || len(c.People) != 2 || c.People[0].Name != "ann" || !slices.Equal(c.Licenses, []string{"CC-BY-4.0", "CC0-1.0"}) {
		t.Errorf("%+v, %v", c, err)
	}
}
