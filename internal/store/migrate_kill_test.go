package store

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/mattn/go-sqlite3"

	"fieldmark/migrations"
)

// killedMigration names the database to the child process of TestKilledMigration, and
// the migration that it is killed in.
const killedMigration = "FIELDMARK_TEST_KILLED_MIGRATION"

// A process that brings a database of the first schema up to date is killed (SIGKILL)
// in each migration: before its last statement, and when only its commit is missing.
// The database is then of the schema before, whole, with all that was in it; and the
// next process brings it up to date.
func TestKilledMigration(t *testing.T) {
	if said := os.Getenv(killedMigration); said != "" {
		migrateUntilKilled(t, said)
		return
	}
	steps, err := migrations.All()
	if err != nil {
		t.Fatal(err)
	}
	old, err := os.ReadFile(leftBy(t, 1))
	if err != nil {
		t.Fatal(err)
	}
	for version := 2; version <= len(steps); version++ {
		t.Run(fmt.Sprintf("%04d_%s", version, steps[version-1].Name), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "killed.db")
			if err := os.WriteFile(path, old, 0o600); err != nil {
				t.Fatal(err)
			}
			for _, last := range []int{1, 0} {
				killInMigration(t, path, version, last)
				if got := schemaOf(t, path); got != version-1 {
					t.Fatalf("killed in migration %d, the database is of schema %d", version, got)
				}
			}
			s := open(t, path)
			check(t, s)
			wantOldRows(t, s, 1)
			if got := schemaOf(t, path); got != len(steps) {
				t.Errorf("the next start leaves schema %d of %d", got, len(steps))
			}
		})
	}
}

// killInMigration lets a child be killed before the last statements of a migration.
func killInMigration(t *testing.T, path string, version, last int) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledMigration$", "-test.timeout=1m")
	child.Env = append(os.Environ(), fmt.Sprintf("%s=%d %d %s", killedMigration, version, last, path))
	said, err := child.CombinedOutput()
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.Exited() {
		t.Fatalf("the child was not killed: %v\n%s", err, said)
	}
}

// schemaOf is the newest migration that a database says it has.
func schemaOf(t *testing.T, path string) (version int) {
	t.Helper()
	db, err := sql.Open("sqlite3", dsn(path, ""))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRow(`SELECT max(version) FROM schema_migrations`).Scan(&version); err != nil {
		t.Fatal(err)
	}
	return version
}

// migrateUntilKilled brings a database up to date with migrations of which one has
// another statement, before its last ones, that ends the process.
func migrateUntilKilled(t *testing.T, said string) {
	var version, last int
	var path string
	if _, err := fmt.Sscan(said, &version, &last, &path); err != nil {
		t.Fatal(err)
	}
	sql.Register("mortal", &sqlite3.SQLiteDriver{ConnectHook: func(c *sqlite3.SQLiteConn) error {
		return errors.Join(teachFunctions(c), c.RegisterFunc("be_killed", func() int {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // until it is
		}, false))
	}})
	db, err := sql.Open("mortal", dsn(path, "_journal_mode=WAL"))
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	steps, err := migrations.All()
	if err != nil {
		t.Fatal(err)
	}
	statements := strings.SplitAfter(strings.TrimSpace(steps[version-1].SQL), ";\n")
	at := max(0, len(statements)-last)
	steps[version-1].SQL = strings.Join(statements[:at], "") + "\n;SELECT be_killed();\n" + strings.Join(statements[at:], "")
	t.Fatal("it came to its end: ", migrateTo(t.Context(), db, steps))
}
