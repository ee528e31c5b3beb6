package store

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"reflect"
	"testing"

	"fieldmark/internal/identify"
)

// A quarantine, its release and its removal that are done in stretches of any length
// lead to what they lead to in one go, and what a stop breaks off between two stretches
// is sound as it is, is known to be under way, and goes on.
func TestAQuarantineInStretches(t *testing.T) {
	for _, outcome := range []identify.QuarantineOutcome{identify.Restored, identify.Removed} {
		for _, limit := range []int{1, 2, 3, 7, 100} {
			t.Run(fmt.Sprint(outcome, limit), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "a.db")
				want := inStretches(t, filepath.Join(t.TempDir(), "b.db"), outcome, 1000, false)
				if got := inStretches(t, path, outcome, limit, true); !reflect.DeepEqual(got, want) {
					t.Errorf("in stretches of %d:\n%+v\nin one go:\n%+v", limit, got, want)
				}
			})
		}
	}
}

// inStretches puts ann in quarantine and ends it, as the outcome says, and returns what
// everything came to after each of the two.
func inStretches(t *testing.T, path string, outcome identify.QuarantineOutcome, limit int, stop bool) (out []any) {
	s := open(t, path)
	if err := s.RegisterEncoder(t.Context(), encoder); err != nil {
		t.Fatal(err)
	}
	if err := s.SeedTaxa(t.Context(), tree(), "1"); err != nil {
		t.Fatal(err)
	}
	ann, bo := user(t, s, "ann"), user(t, s, "bo")
	var last identify.ObservationID
	for i := range 7 {
		o := observe(t, s, ann, fmt.Sprint(i)).ID
		teach(t, s, ann, o, 4)
		if i%2 == 0 {
			teach(t, s, bo, o, 6)
		}
		last = o
	}
	of := identify.Source{User: ann.ID}
	stretches := func(q identify.Quarantine, way identify.QuarantineStep) identify.Quarantine {
		for n := 0; q.UnderWay != identify.NoStep; n++ {
			if q.UnderWay != way {
				t.Fatalf("under way is %q, want %q", q.UnderWay, way)
			}
			check(t, s)
			if stop {
				s = open(t, path) // as after a kill: nothing but what is durable is known
			}
			if list, err := s.QuarantinesUnderWay(t.Context()); err != nil || len(list) != 1 || list[0].ID != q.ID || list[0].UnderWay != q.UnderWay {
				t.Fatalf("under way: %v, %v", list, err)
			}
			if n == 0 && q.Outcome == identify.Lasting {
				wantKind(t, otherwise(t, s, of), identify.Conflict, "")
			}
			var err error
			if q, err = nextOf(t, s, q.ID, limit); err != nil {
				t.Fatal(err)
			}
		}
		return q
	}
	begun, err := firstOf(t, s, of, limit)
	if err != nil {
		t.Fatal(err)
	}
	begun = stretches(begun, identify.TakingOut)
	teach(t, s, ann, observe(t, s, ann, "later").ID, 5) // waits with the others
	out = append(out, begun, state(t, s))
	ended, err := lastOf(t, s, of, outcome, limit)
	if err != nil {
		t.Fatal(err)
	}
	ended = stretches(ended, identify.QuarantineStep(outcome))
	teach(t, s, ann, last, 5)
	check(t, s)
	return append(out, ended, state(t, s))
}

// firstOf, nextOf and lastOf do one stretch of a length.
func firstOf(t *testing.T, s *Store, of identify.Source, limit int) (q identify.Quarantine, err error) {
	return q, s.update(t.Context(), func(tx *sql.Tx) error {
		q, _, err = beginQuarantine(t.Context(), tx, of, "why", 1, limit, noon)
		return err
	})
}

func nextOf(t *testing.T, s *Store, id identify.QuarantineID, limit int) (q identify.Quarantine, err error) {
	return q, s.update(t.Context(), func(tx *sql.Tx) error {
		if err := nextStretch(t.Context(), tx, id, limit, noon); err != nil {
			return err
		}
		q, _, err = decided(t.Context(), tx, id)
		return err
	})
}

func lastOf(t *testing.T, s *Store, of identify.Source, outcome identify.QuarantineOutcome, limit int) (q identify.Quarantine, err error) {
	return q, s.update(t.Context(), func(tx *sql.Tx) error {
		q, _, err = releaseOrRemove(t.Context(), tx, of, outcome, 1, limit, noon)
		return err
	})
}

// otherwise decides about a source something else than what is under way.
func otherwise(t *testing.T, s *Store, of identify.Source) error {
	var under identify.QuarantineOutcome
	if err := s.read.QueryRow(`SELECT under_way FROM quarantines WHERE under_way IS NOT NULL`).Scan(&under); err != nil {
		t.Fatal(err)
	}
	other := identify.Restored
	if under == other {
		other = identify.Removed
	}
	_, _, err := s.EndQuarantine(t.Context(), of, other, 1, noon)
	return err
}

// state is what identifications, observations and the log by kind came to.
func state(t *testing.T, s *Store) []string {
	rows, err := s.read.Query(`
		SELECT 'lesson ' || id || ' ' || taxon_id || ' ' || coalesce(withdrawn_at, '-') || ' ' || coalesce(quarantine_id, '-') || ' ' || taken_back FROM identifications
		UNION ALL SELECT 'observation ' || id || ' ' || coalesce(current_id, '-') || ' ' || disputed FROM observations
		UNION ALL SELECT kind || ' ' || identification_id || ' by ' || user_id FROM events ORDER BY 1`)
	list, err := collect(rows, err, scanText)
	if err != nil {
		t.Fatal(err)
	}
	return list
}
