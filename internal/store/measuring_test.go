package store

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWritable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fieldmark.db")
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	size := func() int64 {
		info, err := os.Stat(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	before := size()
	if err := s.Writable(t.Context()); err != nil {
		t.Errorf("a new database: %v", err)
	}
	if size() == before && before == 0 {
		t.Error("nothing was written")
	}
	// Someone else is writing: the database is busy, not broken.
	tx, err := s.write.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Writable(t.Context()); err != nil {
		t.Errorf("a busy database: %v", err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.write.Exec(`PRAGMA query_only = 1`); err != nil {
		t.Fatal(err)
	}
	if err := s.Writable(t.Context()); err == nil {
		t.Error("a database that refuses writes is said to be writable")
	}
}

func TestPhotoBytes(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "fieldmark.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if n, err := s.PhotoBytes(t.Context()); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	for hash, bytes := range map[string]int{"a": 3, "b": 40, "c": 0} { // c came as an embedding alone
		if _, err := s.write.Exec(`INSERT INTO photos (hash, media_type, bytes, width, height, created_at) VALUES (?, 'image/jpeg', ?, 1, 1, 0)`, hash, bytes); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := s.PhotoBytes(t.Context()); n != 43 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}
