package store

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

// Another process holds the database for longer than a writer waits: the writer is
// told to try again, and is served once it is free.
func TestAnotherProcessWritesLong(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	st, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	// Waiting the product's ten seconds would say no more.
	if _, err := st.write.ExecContext(t.Context(), `PRAGMA busy_timeout = 50`); err != nil {
		t.Fatal(err)
	}
	other, err := sql.Open("sqlite3", "file:"+path+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	long, err := other.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	add := func() error {
		_, err := st.AddLabelSet(context.Background(), "Reserve", nil, time.Unix(1, 0))
		return err
	}
	if err := add(); identify.KindOf(err) != identify.Busy {
		t.Errorf("while another process writes: %v, want an error of kind Busy", err)
	}
	if err := long.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := add(); err != nil {
		t.Errorf("once it is free: %v", err)
	}
}
