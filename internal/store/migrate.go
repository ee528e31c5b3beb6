package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"fieldmark/migrations"
)

// migrate applies the steps that are missing, each in its own transaction.
func migrate(ctx context.Context, db *sql.DB) error {
	steps, err := migrations.All()
	if err != nil {
		return err
	}
	return migrateTo(ctx, db, steps)
}

func migrateTo(ctx context.Context, db *sql.DB, steps []migrations.Migration) error {
	_, err := db.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS schema_migrations (
		version    INTEGER PRIMARY KEY,
		name       TEXT NOT NULL,
		digest     TEXT NOT NULL,
		applied_at INTEGER NOT NULL
	) STRICT`)
	if err != nil {
		return err
	}
	var newest int
	if err := db.QueryRowContext(ctx, `SELECT coalesce(max(version), 0) FROM schema_migrations`).Scan(&newest); err != nil {
		return err
	}
	if newest > len(steps) {
		return fmt.Errorf("a newer Fieldmark wrote it (schema %d; this one knows up to %d). Run that version, or restore an older backup", newest, len(steps))
	}
	for _, step := range steps {
		if err := transact(ctx, db, func(tx *sql.Tx) error { return apply(ctx, tx, step) }); err != nil {
			return fmt.Errorf("migration %04d_%s: %w", step.Version, step.Name, err)
		}
	}
	return nil
}

// apply runs one step unless it was run before. Whether it was is asked within
// the transaction: two processes may open a new database at once.
func apply(ctx context.Context, tx *sql.Tx, step migrations.Migration) error {
	var digest string
	switch err := tx.QueryRowContext(ctx, `SELECT digest FROM schema_migrations WHERE version = ?`, step.Version).Scan(&digest); {
	case err == nil && digest != step.Digest:
		return fmt.Errorf("it was changed after it had been applied (digest %s, applied %s)", step.Digest, digest)
	case err == nil:
		return nil
	case err != sql.ErrNoRows:
		return err
	}
	if _, err := tx.ExecContext(ctx, step.SQL); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO schema_migrations (version, name, digest, applied_at) VALUES (?, ?, ?, ?)`,
		step.Version, step.Name, step.Digest, micros(time.Now()))
	return err
}
