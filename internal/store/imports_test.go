package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/migrations"
)

func beginImport(t testing.TB, s *Store, u identify.User, digest string, total int, locals ...string) identify.Import {
	t.Helper()
	m, err := s.BeginImport(t.Context(), identify.ImportSource{Kind: "npz", Name: "a.npz", Digest: digest, Encoder: encoder.Digest, Total: total}, u.ID, locals, noon)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func takeIn(t testing.TB, s *Store, m identify.Import, rows ...identify.ImportedExemplar) identify.Import {
	t.Helper()
	m, _, err := s.TeachImported(t.Context(), m.ID, m.Done, rows, noon)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func row(taxon identify.TaxonID, v ...float32) identify.ImportedExemplar {
	return identify.ImportedExemplar{Embedding: v, Taxon: taxon, Ref: "obs-7"}
}

func TestImport(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	u := user(t, s, "ann")
	m := beginImport(t, s, u, "d", 3, "Grey thing", "house sparrow")
	if m.Done != 0 || m.Total != 3 || !m.Unfinished() || m.UserName != "ann" {
		t.Errorf("%+v", m)
	}
	local, err := s.TaxonByName(ctx, "grey thing")
	if err != nil || !local.Local {
		t.Fatalf("%+v, %v; want the new name, and none for the sparrow", local, err)
	}
	if taxa, err := s.Taxa(ctx); err != nil || len(taxa) != 8 {
		t.Errorf("%d taxa, %v", len(taxa), err)
	}
	m = takeIn(t, s, m, row(4, 1, 2, 3), row(local.ID, 4, 5, 6))
	if m.Done != 2 || !m.Unfinished() || m.Taught() != 2 {
		t.Errorf("%+v", m)
	}
	if m = takeIn(t, s, m, row(5, 1, 2, 3)); m.Unfinished() || m.Taught() != 3 {
		t.Errorf("%+v", m)
	}
	events, err := s.Events(ctx, encoder.Digest, 0, 10)
	if err != nil || len(events) != 3 || !slices.Equal(events[0].Vector, []float32{1, 2, 3}) || events[1].Taxon != local.ID || events[2].Photo != events[0].Photo {
		t.Errorf("%+v, %v", events, err)
	}
	o, err := s.Observation(ctx, events[1].Observation)
	if err != nil || o.Import == nil || *o.Import != (identify.ImportOrigin{Import: m.ID, Name: "a.npz", Row: 1, Ref: "obs-7"}) || o.Photo.HasFile() {
		t.Errorf("%+v, %v", o, err)
	}
	sum := sha256.Sum256(bytesOf([]float32{4, 5, 6}))
	if current, is := o.Current(); !is || current.Taxon != local.ID || o.Photo.Hash != identify.PhotoHash(hex.EncodeToString(sum[:])) {
		t.Errorf("%+v", o)
	}
	if list, _, err := s.Observations(ctx, identify.ObservationFilter{Import: m.ID, Taxon: 4}); err != nil || len(list) != 1 {
		t.Errorf("%d observations, %v", len(list), err)
	}
	check(t, s)
}

func TestImportConflicts(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	u := user(t, s, "ann")
	m := beginImport(t, s, u, "d", 2)
	_, err := s.BeginImport(ctx, m.ImportSource, u.ID, nil, noon)
	wantKind(t, err, identify.Conflict, "file")
	takeIn(t, s, m, row(4, 1, 2, 3))
	_, _, err = s.TeachImported(ctx, m.ID, 0, []identify.ImportedExemplar{row(4, 1, 2, 3)}, noon)
	wantKind(t, err, identify.Conflict, "")
	_, _, err = s.TeachImported(ctx, m.ID, 1, []identify.ImportedExemplar{row(4, 1, 2, 3), row(4, 1, 2, 3)}, noon)
	wantKind(t, err, identify.Conflict, "")
	_, _, err = s.TeachImported(ctx, 99, 0, nil, noon)
	wantKind(t, err, identify.NotFound, "")
	if _, _, err = s.TeachImported(ctx, m.ID, 1, []identify.ImportedExemplar{row(4, 1, 2)}, noon); err == nil {
		t.Error("two numbers were taken for three")
	}
	if _, _, err = s.TeachImported(ctx, m.ID, 1, []identify.ImportedExemplar{row(77, 1, 2, 9)}, noon); err == nil {
		t.Error("a taxon that is not there was taken")
	}
	if c, err := s.Counts(ctx); err != nil || c.Observations != 1 || c.Photos != 1 {
		t.Errorf("%+v, %v; want nothing left of what failed", c, err)
	}
	check(t, s)
}

// What stands already, whoever taught it and however it came, is not taught
// twice; the same embedding under another name is.
func TestImportKnowsWhatStands(t *testing.T) {
	s := fresh(t)
	u := user(t, s, "ann")
	o := observe(t, s, u, "a") // embedding 1, 2, 2
	taught, _ := teach(t, s, u, o.ID, 4)
	first := takeIn(t, s, beginImport(t, s, u, "d1", 3), row(4, 1, 2, 2), row(5, 1, 2, 2), row(6, 9, 9, 9))
	if first.Known != 1 {
		t.Errorf("%+v", first)
	}
	second := takeIn(t, s, beginImport(t, s, u, "d2", 3), row(6, 9, 9, 9), row(6, 8, 8, 8), row(6, 8, 8, 8))
	if second.Known != 1 || second.Taught() != 2 {
		t.Errorf("%+v; want only the row of the other import known", second)
	}
	events, err := s.Events(t.Context(), encoder.Digest, 0, 10)
	if err != nil || events[1].Photo != o.Photo.Hash {
		t.Errorf("%+v, %v; want the photo that has the embedding", events, err)
	}
	if _, _, err := s.Withdraw(t.Context(), o.ID, taught.ID, u.ID, noon); err != nil {
		t.Fatal(err)
	}
	if third := takeIn(t, s, beginImport(t, s, u, "d3", 1), row(4, 1, 2, 2)); third.Known != 0 {
		t.Errorf("%+v; what was withdrawn does not stand", third)
	}
	check(t, s)
}

func TestWithdrawImport(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	ann, bob := user(t, s, "ann"), user(t, s, "bob")
	m := beginImport(t, s, ann, "d", 6)
	m = takeIn(t, s, m, row(4, 1, 0, 0), row(4, 2, 0, 0), row(4, 3, 0, 0), row(4, 4, 0, 0), row(4, 5, 0, 0))
	teach(t, s, bob, 1, 5)                                            // another opinion, which stays
	teach(t, s, ann, 2, 5)                                            // ann's own correction, which stays too
	if _, _, err := s.Withdraw(ctx, 3, 3, ann.ID, noon); err != nil { // withdrawn by itself before
		t.Fatal(err)
	}
	for i, want := range []int{2, 4, 5} {
		var err error
		if m, _, err = s.WithdrawImported(ctx, m.ID, bob.ID, 2, noon.Add(time.Duration(i)*time.Hour)); err != nil || m.Withdrawn != want || m.HalfWithdrawn() != (i < 2) {
			t.Fatalf("%+v, %v", m, err)
		}
		check(t, s)
	}
	if !m.WithdrawnAt.Equal(noon) || m.Unfinished() {
		t.Errorf("%+v", m)
	}
	standing := map[identify.ObservationID]identify.TaxonID{}
	list, _, err := s.Observations(ctx, identify.ObservationFilter{})
	for _, o := range list {
		if current, is := o.Current(); is {
			standing[o.ID] = current.Taxon
		}
	}
	if err != nil || len(standing) != 2 || standing[1] != 5 || standing[2] != 5 {
		t.Errorf("%v stand, %v", standing, err)
	}
	_, _, err = s.WithdrawImported(ctx, m.ID, bob.ID, 2, noon)
	wantKind(t, err, identify.Conflict, "")
	_, _, err = s.TeachImported(ctx, m.ID, 5, []identify.ImportedExemplar{row(4, 6, 0, 0)}, noon)
	wantKind(t, err, identify.Conflict, "")
	_, err = s.ImportOf(ctx, "d", encoder.Digest)
	wantKind(t, err, identify.NotFound, "")
	if again := takeIn(t, s, beginImport(t, s, ann, "d", 1), row(4, 1, 0, 0)); again.Known != 0 {
		t.Errorf("%+v", again)
	}
	if all, err := s.Imports(ctx); err != nil || len(all) != 2 || all[1].ID != m.ID {
		t.Errorf("%+v, %v", all, err)
	}
	check(t, s)
}

func TestExemplars(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	u := user(t, s, "ann")
	takeIn(t, s, beginImport(t, s, u, "d", 3), row(4, 1, 0, 0), row(5, 2, 0, 0), row(6, 3, 0, 0))
	if _, _, err := s.Withdraw(ctx, 2, 2, u.ID, noon); err != nil {
		t.Fatal(err)
	}
	list, err := s.Exemplars(ctx, encoder.Digest, identify.ObservationFilter{})
	if err != nil || !slices.Equal(list, []identify.ExemplarRef{{Seq: 1, Observation: 1, Taxon: 4}, {Seq: 3, Observation: 3, Taxon: 6}}) {
		t.Errorf("%+v, %v", list, err)
	}
	vectors, err := s.Vectors(ctx, encoder.Digest, []identify.Seq{1, 3})
	if err != nil || len(vectors) != 2 || vectors[1][0] != 3 {
		t.Errorf("%v, %v", vectors, err)
	}
	if below, err := s.Exemplars(ctx, encoder.Digest, identify.ObservationFilter{Taxon: 2}); err != nil || len(below) != 1 {
		t.Errorf("%+v, %v", below, err)
	}
	if none, err := s.Exemplars(ctx, "another", identify.ObservationFilter{}); err != nil || len(none) != 0 {
		t.Errorf("%+v, %v", none, err)
	}
	if _, err := s.Vectors(ctx, "another", []identify.Seq{1}); err == nil {
		t.Error("vectors that are not there were returned")
	}
}

// A database of the schema before imports is brought up to date with what it
// holds.
func TestMigrationOfADatabaseBeforeImports(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old.db")
	steps, err := migrations.All()
	if err != nil {
		t.Fatal(err)
	}
	openOld(t, path, steps[:1]) // as it was released
	s := open(t, path)
	list, _, err := s.Observations(t.Context(), identify.ObservationFilter{})
	if err != nil || len(list) != 1 || list[0].Import != nil || list[0].Photo.Width != 640 {
		t.Errorf("%+v, %v", list, err)
	}
	u, err := s.Owner(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if m := takeIn(t, s, beginImport(t, s, u, "d", 1), row(4, 1, 2, 3)); m.Unfinished() {
		t.Errorf("%+v", m)
	}
	check(t, s)
}

// openOld makes a database of an older schema with one observation.
func openOld(t *testing.T, path string, steps []migrations.Migration) {
	t.Helper()
	old := sql.OpenDB(connect(dsn(path, "_journal_mode=WAL")))
	defer old.Close()
	if err := migrateTo(t.Context(), old, steps); err != nil {
		t.Fatal(err)
	}
	_, err := old.Exec(`
		INSERT INTO encoders (digest, name, dim, registered_at) VALUES ('sha256:test', 'test', 3, 0);
		INSERT INTO users (name, role, owner, created_at) VALUES ('Owner', 'admin', 1, 0);
		INSERT INTO taxa (id, scientific_name, english_name, rank, group_key, local, created_at) VALUES (4, 'Passer domesticus', '', 'species', '', 0, 0);
		INSERT INTO photos (hash, media_type, bytes, width, height, created_at) VALUES ('p', 'image/jpeg', 1000, 640, 480, 0);
		INSERT INTO embeddings (photo_hash, encoder, vector, norm, created_at) VALUES ('p', 'sha256:test', x'0000803f0000004000000040', 3, 0);
		INSERT INTO observations (photo_hash, observer_id, license, rights_holder, notes, folded_notes, created_at, suggested, suggested_seq, folded_suggestion)
			VALUES ('p', 1, '', '', '', '', 0, '[]', 0, '');`)
	if err != nil {
		t.Fatal(err)
	}
}

// BenchmarkTeachImported compares the rows per second of an import with those of
// lessons that come one by one.
func BenchmarkTeachImported(b *testing.B) {
	wide := encoder
	wide.Digest, wide.Dim = "sha256:wide", 512
	rng := rand.New(rand.NewPCG(1, 2))
	vectors := make([]identify.ImportedExemplar, 1000)
	draw := func() {
		for i := range vectors {
			vectors[i] = identify.ImportedExemplar{Embedding: make([]float32, wide.Dim), Taxon: identify.TaxonID(4 + i%3)}
			for d := range vectors[i].Embedding {
				vectors[i].Embedding[d] = float32(rng.NormFloat64())
			}
		}
	}
	register := func(b *testing.B) (*Store, identify.User) {
		s := fresh(b)
		if err := s.RegisterEncoder(context.Background(), wide); err != nil {
			b.Fatal(err)
		}
		return s, user(b, s, "ann")
	}
	b.Run("1000 at once", func(b *testing.B) {
		s, u := register(b)
		m, err := s.BeginImport(b.Context(), identify.ImportSource{Kind: "npz", Digest: "d", Encoder: wide.Digest, Total: 1 << 40}, u.ID, nil, noon)
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			b.StopTimer()
			draw()
			b.StartTimer()
			m = takeIn(b, s, m, vectors...)
		}
		b.ReportMetric(float64(m.Done)/b.Elapsed().Seconds(), "rows/s")
	})
	b.Run("one by one", func(b *testing.B) {
		s, u := register(b)
		draw()
		n := 0
		for b.Loop() {
			x := vectors[n%len(vectors)]
			n++
			o := observe(b, s, u, hex.EncodeToString([]byte{byte(n >> 16), byte(n >> 8), byte(n)}), func(o *identify.NewObservation) {
				o.Embedding, o.Encoder = x.Embedding, wide.Digest
			})
			teach(b, s, u, o.ID, x.Taxon)
		}
		b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "rows/s")
	})
}
