package store

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"fieldmark/internal/identify"
)

// fill stores n observations, nine of ten of them identified, of many days.
func fill(t testing.TB, s *Store, n int) {
	t.Helper()
	observe(t, s, user(t, s, "filler"), "fill")
	_, err := s.write.Exec(fmt.Sprintf(`
		INSERT INTO observations (photo_hash, observer_id, observed_at, observed_offset, license, rights_holder, notes, folded_notes,
			created_at, suggested, suggested_seq, suggested_taxon_id, folded_suggestion, current_taxon_id)
		WITH RECURSIVE i (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM i WHERE n < %d)
		SELECT photo_hash, observer_id, n * 86400000000, 0, license, rights_holder, 'note ' || n, 'note ' || n,
			created_at, suggested, 0, 5, '', iif(n %% 10 = 0, NULL, 4 + n %% 3)
		FROM i, observations`, n))
	if err != nil {
		t.Fatal(err)
	}
}

// plan returns the steps by which a list finds its page.
func plan(t *testing.T, s *Store, f identify.ObservationFilter) []string {
	t.Helper()
	clause, args := where(f)
	return planOf(t, s, `SELECT o.id FROM observations o `+clause+` ORDER BY o.id DESC LIMIT 51`, args...)
}

func planOf(t *testing.T, s *Store, query string, args ...any) []string {
	t.Helper()
	rows, err := s.read.Query(`EXPLAIN QUERY PLAN `+query, args...)
	steps, err := collect(rows, err, func(rows *sql.Rows) (step string, err error) {
		var id, parent, unused int
		err = rows.Scan(&id, &parent, &unused, &step)
		return step, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return steps
}

// A list finds its page by an index: either of what it filters by, or of the
// ids, newest first, where it ends once the page is full.
func TestListsUseAnIndex(t *testing.T) {
	s := fresh(t)
	fill(t, s, 2000)
	day := noon
	for name, c := range map[string]struct {
		f    identify.ObservationFilter
		step string // that must be among the steps
	}{
		"all":            {identify.ObservationFilter{}, "SCAN o"},
		"older":          {identify.ObservationFilter{Before: 1000}, "SEARCH o USING"},
		"a species":      {identify.ObservationFilter{Taxon: 4}, "SEARCH o USING COVERING INDEX observations_taxon (current_taxon_id=?)"},
		"a class, older": {identify.ObservationFilter{Taxon: 2, Before: 1000}, "SEARCH o USING COVERING INDEX observations_taxon (current_taxon_id=? AND id<?)"},
		"unidentified":   {identify.ObservationFilter{Status: "unidentified"}, "SEARCH o USING COVERING INDEX observations_taxon (current_taxon_id=?)"},
		"an observer":    {identify.ObservationFilter{Observer: 1}, "SEARCH o USING COVERING INDEX observations_observer (observer_id=?)"},
		"since a day":    {identify.ObservationFilter{From: &day}, "SCAN o"},
		"a week":         {identify.ObservationFilter{From: &day, To: &day}, "SEARCH o USING COVERING INDEX observations_time (observed_at>? AND observed_at<?)"},
		"children":       {identify.ObservationFilter{Taxon: 2}, "SEARCH t USING COVERING INDEX taxa_parent (parent_id=?)"},
		"a licence":      {identify.ObservationFilter{License: "CC0-1.0"}, "SEARCH o USING COVERING INDEX observations_license (license=?)"},
		"a box":          {identify.ObservationFilter{Box: &identify.Box{West: 11, South: 48, East: 12, North: 49}}, "SEARCH o USING COVERING INDEX observations_place (latitude>? AND latitude<?)"},
		"near":           {identify.ObservationFilter{Near: &identify.Circle{Latitude: 48, Longitude: 11, Km: 5}}, "SEARCH o USING COVERING INDEX observations_place (latitude>? AND latitude<?)"},
		"by a person":    {identify.ObservationFilter{Said: identify.IdentificationFilter{By: 1}}, "SEARCH i USING"},
		"of a week":      {identify.ObservationFilter{Said: identify.IdentificationFilter{From: &day, To: &day}}, "SEARCH i USING COVERING INDEX identifications_time (created_at>? AND created_at<?)"},
		"a label set":    {identify.ObservationFilter{LabelSet: 1}, "SEARCH o USING COVERING INDEX observations_taxon (current_taxon_id=?)"},
	} {
		steps := plan(t, s, c.f)
		if !slices.ContainsFunc(steps, func(step string) bool { return strings.HasPrefix(step, c.step) }) {
			t.Errorf("%s: %q, want %q", name, steps, c.step)
		}
		if slices.Contains(steps, "SCAN o") && len(steps) != 1 {
			t.Errorf("%s: %q sorts all observations", name, steps)
		}
	}
}

func BenchmarkObservations(b *testing.B) {
	s := fresh(b)
	fill(b, s, 100_000)
	for name, f := range map[string]identify.ObservationFilter{
		"all": {}, "class": {Taxon: 2}, "unidentified": {Status: "unidentified"}, "frequent text": {Query: "sparrow"}, "rare text": {Query: "note 77777"},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, _, err := s.Observations(b.Context(), f); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkTeach(b *testing.B) {
	s := fresh(b)
	u := user(b, s, "ann")
	o := observe(b, s, u, "a")
	for i := 0; b.Loop(); i++ {
		teach(b, s, u, o.ID, identify.TaxonID(4+i%2))
	}
}

// The background asks what to read anew again and again while someone reviews: it
// begins with what waits, never with all embeddings.
func TestStaleReadingsBeginWithWhatWaits(t *testing.T) {
	s := fresh(t)
	for _, order := range []string{`r.chance - r.second, o.id`, `r.seq, o.id`} {
		steps := planOf(t, s, staleReadings(order), encoder.Digest, 1, 32)
		if !slices.Contains(steps, "SEARCH o USING INDEX observations_taxon (current_taxon_id=?)") ||
			slices.ContainsFunc(steps, func(step string) bool { return strings.Contains(step, "embeddings_encoder") }) {
			t.Errorf("by %s: %q", order, steps)
		}
	}
}

// A lesson asks what its teacher said of the observation before, not what they ever
// taught: with a million lessons by one person that took 50 ms.
func TestALessonReadsOneObservation(t *testing.T) {
	steps := planOf(t, fresh(t), identificationRows+standingOf, 1, 1)
	if want := "SEARCH i USING INDEX identifications_observation (observation_id=?)"; !slices.Contains(steps, want) {
		t.Errorf("%q is not among %q", want, steps)
	}
}
