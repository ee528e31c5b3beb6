package store

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"fieldmark/internal/identify"
	"fieldmark/migrations"
)

// rowsOf are rows as a Fieldmark of each schema left them, in its own columns: by the
// number of the migration after which they can be there. The first are two lessons of
// two people about one photo, the second withdrawn.
func rowsOf(version int) string {
	return map[int]string{
		1: `INSERT INTO encoders VALUES ('sha256:test', 'test', 3, 1);
			INSERT INTO users (id, name, role, owner, created_at) VALUES (1, 'Owner', 'admin', 1, 1);
			INSERT INTO users (id, name, role, token_hash, created_at) VALUES (2, 'Ann', 'expert', randomblob(32), 2), (3, 'Bo', 'expert', randomblob(32), 2);
			INSERT INTO sessions (hash, user_id, created_at, expires_at) VALUES (randomblob(32), 2, 3, 4000000000000000);
			INSERT INTO taxa VALUES (4, 'Passer domesticus', 'House Sparrow', 'species', 'birds', NULL, 0, 1), (900000000, '', 'Brown Thing', '', '', NULL, 1, 1);
			INSERT INTO taxon_names (taxon_id, kind, name, folded, words) VALUES (4, 2, 'House Sparrow', 'house sparrow', ' house sparrow'), (900000000, 2, 'Brown Thing', 'brown thing', ' brown thing');
			INSERT INTO photos VALUES ('` + string(photoHash("a")) + `', 'image/jpeg', 1000, 640, 480, NULL, NULL, NULL, NULL, 5);
			INSERT INTO embeddings VALUES ('` + string(photoHash("a")) + `', 'sha256:test', x'0000803f0000004000000040', 3.0, 5);
			INSERT INTO observations (id, photo_hash, observer_id, license, rights_holder, notes, folded_notes, created_at, suggested, suggested_seq, folded_suggestion)
				VALUES (1, '` + string(photoHash("a")) + `', 2, '', '', 'By the pond', 'by the pond', 6, '[]', 0, '');
			INSERT INTO identifications (id, observation_id, taxon_id, user_id, from_suggestion, created_at, withdrawn_at) VALUES (1, 1, 4, 2, 0, 7, NULL), (2, 1, 900000000, 3, 0, 8, 9);
			UPDATE observations SET current_id = 1, current_taxon_id = 4;
			INSERT INTO events (kind, identification_id, observation_id, photo_hash, taxon_id, user_id, at) VALUES
				('taught', 1, 1, '` + string(photoHash("a")) + `', 4, 2, 7), ('taught', 2, 1, '` + string(photoHash("a")) + `', 900000000, 3, 8), ('withdrawn', 2, 1, '` + string(photoHash("a")) + `', 900000000, 3, 9);`,
		3: `INSERT INTO imports (id, kind, name, digest, encoder, total, done, known, withdrawn, user_id, began_at, ended_at) VALUES (1, 'npz', 'old.npz', 'd', 'sha256:test', 1, 1, 0, 0, 1, 10, 11);
			INSERT INTO photos VALUES ('` + string(photoHash("b")) + `', '', 0, 0, 0, NULL, NULL, NULL, NULL, 10);
			INSERT INTO embeddings VALUES ('` + string(photoHash("b")) + `', 'sha256:test', x'0000803f0000004000000040', 3.0, 10);
			INSERT INTO observations (id, photo_hash, observer_id, license, rights_holder, notes, folded_notes, created_at, suggested, suggested_seq, folded_suggestion, import_id, import_row)
				VALUES (2, '` + string(photoHash("b")) + `', 1, '', '', '', '', 10, '[]', 0, '', 1, 0);
			INSERT INTO identifications (id, observation_id, taxon_id, user_id, from_suggestion, created_at) VALUES (3, 2, 4, 1, 0, 10);
			UPDATE observations SET current_id = 3, current_taxon_id = 4 WHERE id = 2;
			INSERT INTO events (kind, identification_id, observation_id, photo_hash, taxon_id, user_id, at) VALUES ('taught', 3, 2, '` + string(photoHash("b")) + `', 4, 1, 10);`,
		4: `INSERT INTO view_embeddings VALUES ('` + string(photoHash("a")) + `', 'sha256:test', 1, x'', 12);`,
		5: `INSERT INTO observation_edits (observation_id, user_id, at, field, before, after) VALUES (1, 2, 13, 'notes', '', 'By the pond');`,
		6: `INSERT INTO quarantines (user_id, reason, lessons, by_id, began_at, outcome, ended_by, ended_at) VALUES (3, 'why', 0, 1, 14, 'released', 1, 15);
			INSERT INTO audit (at, user_id, kind, subject, detail) VALUES (15, 1, 'label-set', 'birds', '');`,
		9: `INSERT INTO invitations (hash, role, name, guest, uses, created_at, created_by, expires_at) VALUES (randomblob(32), 'expert', '', 0, 3, 16, 1, 4000000000000000);
			INSERT INTO tokens (hash, user_id, name, role, created_at) VALUES (randomblob(32), 2, 'a script', 'expert', 16);`,
	}[version]
}

// leftBy makes a database as the Fieldmark of a schema left it, and returns its path.
func leftBy(t *testing.T, version int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "old.db")
	steps, err := migrations.All()
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connect(dsn(path, "_journal_mode=WAL")))
	defer db.Close()
	db.SetMaxOpenConns(1)
	for k := 1; k <= version; k++ {
		if err := migrateTo(t.Context(), db, steps[:k]); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(rowsOf(k)); err != nil {
			t.Fatalf("rows of schema %d: %v", k, err)
		}
	}
	return path
}

// A database of every schema that ever was, with rows in it, is brought up to date: its
// log says what it said, its people get in, and it goes on from there.
func TestEverySchemaIsBroughtUpToDate(t *testing.T) {
	steps, err := migrations.All()
	if err != nil {
		t.Fatal(err)
	}
	for version := 1; version <= len(steps); version++ {
		t.Run(fmt.Sprintf("%04d_%s", version, steps[version-1].Name), func(t *testing.T) {
			s := open(t, leftBy(t, version))
			check(t, s)
			wantOldRows(t, s, version)
			if err := s.RegisterEncoder(t.Context(), encoder); err != nil {
				t.Fatal(err)
			}
			if err := s.SeedTaxa(t.Context(), tree(), "1"); err != nil {
				t.Fatal(err)
			}
			o := observe(t, s, user(t, s, "cy"), "c")
			teach(t, s, user(t, s, "di"), o.ID, 5)
			check(t, s)
		})
	}
}

func wantOldRows(t *testing.T, s *Store, version int) {
	t.Helper()
	want := "taught:4 taught:900000000 withdrawn:900000000"
	if version >= 3 {
		want += " taught:4"
	}
	events, err := s.Events(t.Context(), encoder.Digest, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range events {
		got = append(got, fmt.Sprintf("%s:%d", e.Kind, e.Taxon))
		if e.Kind == identify.Taught && len(e.Vector) != 3 {
			t.Errorf("event %d has lost its embedding: %v", e.Seq, e.Vector)
		}
	}
	if said := strings.Join(got, " "); said != want {
		t.Errorf("the log says %q, want %q", said, want)
	}
	o, err := s.Observation(t.Context(), 1)
	if err != nil || o.Notes != "By the pond" || len(o.Identifications) != 2 {
		t.Errorf("%+v, %v", o, err)
	}
	var tokens, sessions int
	if err := s.read.QueryRow(`SELECT (SELECT count(*) FROM tokens), (SELECT count(*) FROM sessions)`).Scan(&tokens, &sessions); err != nil || tokens < 2 || sessions != 1 {
		t.Errorf("%d tokens, %d sessions, %v", tokens, sessions, err)
	}
}

// The Fieldmark of an older schema refuses a newer database, with words, and changes
// nothing in it.
func TestAnOlderFieldmarkRefusesANewerDatabase(t *testing.T) {
	steps, err := migrations.All()
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, leftBy(t, len(steps)))
	for k := range len(steps) - 1 {
		err := migrateTo(context.Background(), s.write, steps[:k+1])
		if err == nil || !strings.Contains(err.Error(), "a newer Fieldmark wrote it") || !strings.Contains(err.Error(), "restore an older backup") {
			t.Errorf("schema %d: %v", k+1, err)
		}
	}
	check(t, s)
}
