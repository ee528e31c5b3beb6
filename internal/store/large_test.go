package store

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"fieldmark/internal/identify"
)

// largeDim is the length of the embeddings of a large database, that of CLIP.
const largeDim = 512

// largeEncoder is the one whose embeddings they are.
var largeEncoder = identify.EncoderInfo{Name: "large", Digest: "sha256:large", Dim: largeDim}

// large opens a database of n observations, in the shares of an institute's: of ten,
// two photos wait to be named (every other one was read anew since), three came
// without a photo by one of three imports, and five were named by one of a hundred
// people, with a trial before the lesson. One in twenty of those was named otherwise
// by somebody else since, and one in fifty withdrawn. It is filled by SQL alone,
// with no more than what pages read: a hundred thousand take some seconds.
func large(t testing.TB, n int) *Store {
	t.Helper()
	s := open(t, filepath.Join(t.TempDir(), "large.db"))
	if err := s.RegisterEncoder(t.Context(), largeEncoder); err != nil {
		t.Fatal(err)
	}
	if err := s.SeedTaxa(t.Context(), largeTree(), "1"); err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		user(t, s, fmt.Sprintf("person %d", i+1))
	}
	enlarge(t, s, 1, n)
	return s
}

// largeTree is a kingdom, fifty families and a thousand species of theirs, from 100 on.
func largeTree() []identify.Taxon {
	list := []identify.Taxon{{ID: 1, ScientificName: "Animalia", Rank: "kingdom"}}
	for i := range 50 {
		list = append(list, identify.Taxon{ID: identify.TaxonID(2 + i), ScientificName: fmt.Sprintf("Familia %d", i), EnglishName: fmt.Sprintf("Family %d", i), Rank: "family", Parent: 1, Group: "animals"})
	}
	for i := range 1000 {
		list = append(list, identify.Taxon{ID: identify.TaxonID(100 + i), ScientificName: fmt.Sprintf("Genus species%d", i), EnglishName: fmt.Sprintf("Common Warbler %d", i),
			Rank: "species", Parent: identify.TaxonID(2 + i%50), Group: "animals"})
	}
	return list
}

// suggestions is the answer that a photo came in with, as it is stored.
func suggestions(t testing.TB) string {
	t.Helper()
	var list []identify.Suggestion
	for i := range 5 {
		list = append(list, identify.Suggestion{Taxon: identify.TaxonID(100 + 7*i), Label: fmt.Sprintf("Common Warbler %d", 7*i), Probability: 0.5 / float64(i+1)})
	}
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// enlarge adds the observations from first to last. The columns x and y of i are
// two numbers that look random.
func enlarge(t testing.TB, s *Store, first, last int) {
	t.Helper()
	numbers := fmt.Sprintf(`WITH RECURSIVE c (n) AS (VALUES (%d) UNION ALL SELECT n + 1 FROM c WHERE n < %d),
		i (n, hash, person, taxon, x, y) AS (SELECT n, printf('%%08x%%056x', n * 2654435761 %% 4294967296, n), 1 + n * 48271 %% 100, 100 + n * 69621 %% 1000,
			n * 2654435761 %% 4294967296 / 4294967296.0, n * 40503 %% 65536 / 65536.0 FROM c) `, first, last)
	s.must(t, `PRAGMA foreign_keys = OFF`) // what is put in here refers to what is put in next
	defer s.must(t, `PRAGMA foreign_keys = ON`)
	tx, err := s.write.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	for _, q := range []string{
		`INSERT INTO imports (id, kind, name, digest, encoder, total, done, known, withdrawn, user_id, began_at)
			SELECT column1, 'npz', 'file ' || column1, 'd' || column1, 'sha256:large', 10000000, 0, 0, 0, 1, 0 FROM (VALUES (1), (2), (3)) WHERE true ON CONFLICT DO NOTHING`,
		numbers + `INSERT INTO photos (hash, media_type, bytes, width, height, created_at)
			SELECT hash, 'image/jpeg', iif(n % 10 IN (2, 3, 4), 0, 2000000 + n), 4000, 3000, n * 1000000 FROM i`,
		numbers + `INSERT INTO embeddings (photo_hash, encoder, vector, norm, created_at)
			SELECT hash, 'sha256:large', CAST(zeroblob(2044) || x'0000803f' AS BLOB), 1 + x, n * 1000000 FROM i`,
		numbers + `INSERT INTO observations (id, photo_hash, observer_id, observed_at, observed_offset, latitude, longitude, license, rights_holder, notes, folded_notes,
				created_at, suggested, suggested_seq, suggested_taxon_id, folded_suggestion, doubt, import_id, import_row)
			SELECT n, hash, person, n * 1000000, 0, iif(n % 3, 40 + 15 * x, NULL), iif(n % 3, 20 * y, NULL), iif(n % 4, 'CC-BY-4.0', ''), '',
				iif(n % 10 IN (2, 3, 4), '', 'Seen near the pond on walk ' || n), iif(n % 10 IN (2, 3, 4), '', 'seen near the pond on walk ' || n),
				n * 1000000, iif(n % 10 IN (2, 3, 4), '[]', '` + suggestions(t) + `'), 0, iif(n % 10 IN (2, 3, 4), NULL, 100), iif(n % 10 IN (2, 3, 4), '', 'common warbler 0'), iif(n % 10 IN (2, 3, 4), 1, 0.75),
				iif(n % 10 IN (2, 3, 4), n % 10 - 1, NULL), iif(n % 10 IN (2, 3, 4), n / 10, NULL) FROM i`,
		numbers + `INSERT INTO identifications (id, observation_id, taxon_id, user_id, from_suggestion, created_at, withdrawn_at, taken_back, import_id)
			SELECT 2 * n, n, taxon, iif(n % 10 < 5, 1, person), 0, n * 1000000, iif(n % 50 = 6, n * 1000000 + 5, NULL), n % 100 = 6 OR n % 50 = 6 AND person = 1, iif(n % 10 < 5, n % 10 - 1, NULL) FROM i WHERE n % 10 >= 2`,
		numbers + `INSERT INTO events (kind, identification_id, observation_id, photo_hash, taxon_id, user_id, at, import_id)
			SELECT 'taught', 2 * n, n, hash, taxon, iif(n % 10 < 5, 1, person), n * 1000000, iif(n % 10 < 5, n % 10 - 1, NULL) FROM i WHERE n % 10 >= 2 ORDER BY n`,
		numbers + `INSERT INTO trials (seq, encoder, memory_seq, rule, candidates, known, first, fused_taxon, fused_p, fused_truth_p, zero_taxon, zero_p, zero_truth_p)
			SELECT (SELECT seq FROM events WHERE identification_id = 2 * n), 'sha256:large', 0, 'near', 1000, 1, n % 11 > 0, iif(x < 0.7, taxon, 100 + n % 1000), y, y, 100, 0.5, 0.1 FROM i WHERE n % 10 >= 5`,
		numbers + `INSERT INTO events (kind, identification_id, observation_id, photo_hash, taxon_id, user_id, at)
			SELECT 'withdrawn', 2 * n, n, hash, taxon, iif(n % 100 = 6, person, 1), n * 1000000 + 5 FROM i WHERE n % 50 = 6 ORDER BY n`,
		numbers + `INSERT INTO identifications (id, observation_id, taxon_id, user_id, from_suggestion, created_at)
			SELECT 2 * n + 1, n, 100 + (taxon + 1) % 1000, 1 + person % 100, 0, n * 1000000 + 9 FROM i WHERE n % 20 = 7`,
		numbers + `INSERT INTO events (kind, identification_id, observation_id, photo_hash, taxon_id, user_id, at)
			SELECT 'taught', 2 * n + 1, n, hash, 100 + (taxon + 1) % 1000, 1 + person % 100, n * 1000000 + 9 FROM i WHERE n % 20 = 7 ORDER BY n`,
		numbers + `INSERT INTO readings (observation_id, encoder, seq, taxon_id, label, chance, second)
			SELECT n, 'sha256:large', 1, 100, 'Common Warbler 0', 0.5 + x / 2, y / 2 FROM i WHERE n % 20 = 0`,
		`INSERT INTO invitations (id, hash, role, name, guest, uses, used, created_at, created_by, expires_at)
			SELECT column1, CAST(printf('%032d', column1) AS BLOB), 'expert', '', 1, 1000, 20, column1 * 10000000000, 1, column1 * 10000000000 + 3600000000
			FROM (VALUES (1), (2), (3), (4), (5)) WHERE true ON CONFLICT DO NOTHING`,
		`INSERT INTO workshops (id, title, invitation_id, code, start_seq, started_at, host_id, ends_at)
			SELECT i.id, 'Workshop ' || i.id, i.id, 'code', (SELECT coalesce(max(seq), 0) FROM events WHERE at < i.created_at), i.created_at, 1, i.expires_at
			FROM invitations i WHERE true ON CONFLICT DO NOTHING`,
		`UPDATE users SET invitation_id = 1 + id % 5, guest = 1 WHERE id > 1`,
		`UPDATE imports SET done = (SELECT count(*) FROM observations o WHERE o.import_id = imports.id)`,
	} {
		if _, err := tx.Exec(q); err != nil {
			t.Fatalf("%v\n%s", err, q)
		}
	}
	if err := refreshCurrentOf(t.Context(), tx, `id BETWEEN ? AND ?`, first, last); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

// must runs a statement.
func (s *Store) must(t testing.TB, query string, args ...any) {
	t.Helper()
	if _, err := s.write.Exec(query, args...); err != nil {
		t.Fatalf("%v\n%s", err, query)
	}
}
