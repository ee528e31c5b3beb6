package store

import (
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/migrations"
)

// The one encoder of these tests.
var encoder = identify.EncoderInfo{Name: "test", Digest: "sha256:test", Dim: 3}

// noon is when everything in these tests happens, unless they say otherwise.
var noon = time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC)

func open(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// fresh opens a new database with the encoder and a small tree: Animalia (1) >
// Aves (2) > Passer (3) > house sparrow (4), tree sparrow (5); Quercus robur (6).
func fresh(t testing.TB) *Store {
	t.Helper()
	s := open(t, filepath.Join(t.TempDir(), "a ?%#folder", "fieldmark.db"))
	if err := s.RegisterEncoder(t.Context(), encoder); err != nil {
		t.Fatal(err)
	}
	if err := s.SeedTaxa(t.Context(), tree(), "1"); err != nil {
		t.Fatal(err)
	}
	return s
}

func tree() []identify.Taxon {
	return []identify.Taxon{
		{ID: 4, ScientificName: "Passer domesticus", EnglishName: "House Sparrow", Rank: "species", Group: "birds", Parent: 3, Synonyms: []string{"English Sparrow"}},
		{ID: 5, ScientificName: "Passer montanus", EnglishName: "Eurasian Tree Sparrow", Rank: "species", Group: "birds", Parent: 3},
		{ID: 1, ScientificName: "Animalia", Rank: "kingdom"},
		{ID: 2, ScientificName: "Aves", EnglishName: "Birds", Rank: "class", Group: "birds", Parent: 1},
		{ID: 3, ScientificName: "Passer", EnglishName: "Sparrows", Rank: "genus", Group: "birds", Parent: 2},
		{ID: 6, ScientificName: "Quercus robur", EnglishName: "Wilson's Oak", Rank: "species", Group: "plants"},
		{ID: 7, EnglishName: "Not an Organism", Rank: identify.RankNone},
	}
}

func user(t testing.TB, s *Store, name string) identify.User {
	t.Helper()
	u, err := s.AddProgram(t.Context(), hashOf(name), identify.Token{Name: name, Role: identify.Expert, CreatedAt: noon})
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func hashOf(name string) []byte { return []byte((name + strings.Repeat(".", 32))[:32]) }

func photoHash(name string) identify.PhotoHash {
	return identify.PhotoHash(strings.Repeat("0", 64-len(name)) + name)
}

// observe stores an observation of the photo of that name.
func observe(t testing.TB, s *Store, u identify.User, photo string, change ...func(*identify.NewObservation)) identify.Observation {
	t.Helper()
	n := identify.NewObservation{
		Photo:     identify.Photo{Hash: photoHash(photo), MediaType: "image/jpeg", Bytes: 1000, Width: 640, Height: 480, CreatedAt: noon},
		Embedding: []float32{1, 2, 2}, Encoder: encoder.Digest, Observer: u.ID, At: noon,
	}
	for _, c := range change {
		c(&n)
	}
	o, err := s.AddObservation(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// teach identifies an observation as a taxon and returns the event's number.
func teach(t testing.TB, s *Store, u identify.User, o identify.ObservationID, taxon identify.TaxonID) (identify.Identification, identify.Seq) {
	t.Helper()
	i, seq, err := s.Teach(t.Context(), identify.NewIdentification{Observation: o, Taxon: taxon, User: u.ID, At: noon})
	if err != nil {
		t.Fatal(err)
	}
	return i, seq
}

func check(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// wantKind fails unless err is an error of that kind about that field.
func wantKind(t testing.TB, err error, kind identify.ErrorKind, field string) {
	t.Helper()
	e, _ := err.(*identify.Error)
	if e == nil || e.Kind != kind || e.Field != field || e.Message == "" {
		t.Errorf("error %v, want one of kind %q about %q", err, kind, field)
	}
}

func TestPragmas(t *testing.T) {
	s := fresh(t)
	for name, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "recursive_triggers": "1", "busy_timeout": "10000"} {
		var got string
		if err := s.write.QueryRow("PRAGMA " + name).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %q (%v), want %q", name, got, err, want)
		}
	}
	if _, err := s.read.Exec("DELETE FROM taxa"); err == nil {
		t.Error("the readers' connections can write")
	}
}

func TestMigrations(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	s := open(t, path)
	steps, err := migrations.All()
	if err != nil {
		t.Fatal(err)
	}
	var applied int
	if err := s.write.QueryRow("SELECT count(*) FROM schema_migrations").Scan(&applied); err != nil || applied != len(steps) {
		t.Errorf("%d migrations applied (%v), want %d", applied, err, len(steps))
	}
	open(t, path) // a second time changes nothing

	broken := append(steps, migrations.Migration{Version: len(steps) + 1, Name: "broken", SQL: "CREATE TABLE half (x); SELECT nonsense;", Digest: "b"})
	if err := migrateTo(t.Context(), s.write, broken); err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("a broken step: %v", err)
	}
	if _, err := s.write.Exec("SELECT * FROM half"); err == nil {
		t.Error("a broken step was left half done")
	}

	changed := append([]migrations.Migration{}, steps...)
	changed[0].Digest = "another"
	if err := migrateTo(t.Context(), s.write, changed); err == nil || !strings.Contains(err.Error(), "changed after") {
		t.Errorf("a changed step: %v", err)
	}

	if _, err := s.write.Exec("INSERT INTO schema_migrations VALUES (9999, 'future', 'd', 0)"); err != nil {
		t.Fatal(err)
	}
	if again, err := Open(t.Context(), path); err == nil || !strings.Contains(err.Error(), "newer Fieldmark") {
		t.Errorf("a newer schema: %v, %v", again, err)
	}
}

// Several processes may start on a new data folder at once.
func TestOpenAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	var group sync.WaitGroup
	for range 6 {
		group.Go(func() {
			s, err := Open(t.Context(), path)
			if err != nil {
				t.Error(err)
				return
			}
			if err := errors.Join(s.SeedTaxa(t.Context(), tree(), "1"), s.Close()); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

func TestCheckFindsDamage(t *testing.T) {
	s := fresh(t)
	u := user(t, s, "ann")
	o := observe(t, s, u, "a")
	teach(t, s, u, o.ID, 4)
	check(t, s)
	for _, c := range []struct{ damage, repair string }{
		{"UPDATE observations SET current_taxon_id = 5", "UPDATE observations SET current_taxon_id = 4"},
		{"UPDATE identifications SET withdrawn_at = 1", "UPDATE identifications SET withdrawn_at = NULL"},
		{"UPDATE embeddings SET vector = x'0000'", "UPDATE embeddings SET vector = x'000000000000000000000000'"},
		{"UPDATE identifications SET taxon_id = 5", "UPDATE identifications SET taxon_id = 4"},
		{"UPDATE sqlite_sequence SET seq = 7 WHERE name = 'events'; " +
			"INSERT INTO events (kind, identification_id, observation_id, photo_hash, taxon_id, user_id, at) " +
			"SELECT 'withdrawn', identification_id, observation_id, photo_hash, taxon_id, user_id, at FROM events", ""},
	} {
		if _, err := s.write.Exec(c.damage); err != nil {
			t.Fatal(err)
		}
		if err := s.Check(t.Context()); err == nil {
			t.Errorf("not found: %s", c.damage)
		}
		if c.repair == "" {
			continue
		}
		if _, err := s.write.Exec(c.repair); err != nil {
			t.Fatal(err)
		}
		check(t, s)
	}
}
