package store

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"fieldmark/internal/identify"
)

// The disk fills up while people teach (SQLite is told that the file may have no more
// pages, which it reports as it does a full disk). The one who is told so has lost
// nothing, what was acknowledged is there, and when there is room it goes on.
func TestTheDiskFillsUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	s := open(t, path)
	if err := s.RegisterEncoder(t.Context(), encoder); err != nil {
		t.Fatal(err)
	}
	if err := s.SeedTaxa(t.Context(), tree(), "1"); err != nil {
		t.Fatal(err)
	}
	ann := user(t, s, "ann")
	limitPages(t, s, "SELECT page_count + 3 FROM pragma_page_count")
	var acknowledged []identify.Seq
	var refused error
	for i := 0; refused == nil; i++ {
		if i == 10_000 {
			t.Fatal("it never was full")
		}
		o, err := s.AddObservation(t.Context(), identify.NewObservation{Observer: ann.ID, At: noon, Encoder: encoder.Digest, Embedding: []float32{1, 2, 2},
			Photo: identify.Photo{Hash: photoHash(fmt.Sprint(i)), MediaType: "image/jpeg", Bytes: 1, Width: 1, Height: 1, CreatedAt: noon}})
		if refused = err; err != nil {
			break
		}
		_, seq, err := s.Teach(t.Context(), identify.NewIdentification{Observation: o.ID, Taxon: 4, User: ann.ID, At: noon})
		if refused = err; err == nil {
			acknowledged = append(acknowledged, seq)
		}
	}
	if identify.KindOf(refused) != identify.Unwritable || !strings.Contains(refused.Error(), "disk of this Fieldmark is full") {
		t.Errorf("%v", refused)
	}
	check(t, s)
	events, err := s.Events(t.Context(), encoder.Digest, 0, 100_000)
	if err != nil || len(events) != len(acknowledged) || len(events) == 0 {
		t.Errorf("%d events for %d acknowledgements, %v", len(events), len(acknowledged), err)
	}
	limitPages(t, s, "SELECT 1073741823")
	o := observe(t, s, ann, "more")
	teach(t, s, ann, o.ID, 5)
	check(t, s)
	again := open(t, path)
	check(t, again)
}

// limitPages sets the most pages that the file may have to what a query gives.
func limitPages(t *testing.T, s *Store, query string) {
	t.Helper()
	var pages int
	if err := s.write.QueryRow(query).Scan(&pages); err != nil {
		t.Fatal(err)
	}
	if _, err := s.write.Exec(fmt.Sprint("PRAGMA max_page_count = ", pages)); err != nil {
		t.Fatal(err)
	}
}

// A file system that becomes read-only under a running server.
func TestTheDiskBecomesReadOnly(t *testing.T) {
	s := fresh(t)
	ann := user(t, s, "ann")
	o := observe(t, s, ann, "a")
	if _, err := s.write.Exec("PRAGMA query_only = 1"); err != nil {
		t.Fatal(err)
	}
	_, _, err := s.Teach(t.Context(), identify.NewIdentification{Observation: o.ID, Taxon: 4, User: ann.ID, At: noon})
	if identify.KindOf(err) != identify.Unwritable || !strings.Contains(err.Error(), "cannot be written to") {
		t.Errorf("%v", err)
	}
	if _, err := s.write.Exec("PRAGMA query_only = 0"); err != nil {
		t.Fatal(err)
	}
	teach(t, s, ann, o.ID, 4)
	check(t, s)
}
