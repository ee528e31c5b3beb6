package store

import (
	"context"
	"database/sql"
	"fmt"

	"fieldmark/internal/identify"
)

// CopyTo writes the database, as it is at one moment, to a new file at path, while
// others go on reading and writing.
func (s *Store) CopyTo(ctx context.Context, path string) error {
	var file string
	if err := s.read.QueryRowContext(ctx, `SELECT file FROM pragma_database_list WHERE name = 'main'`).Scan(&file); err != nil {
		return fmt.Errorf("copying the database: %w", err)
	}
	// The readers' connections are query_only, and the writer's must not be held
	// for so long.
	db, err := sql.Open("sqlite3", dsn(file, "_txlock=deferred"))
	if err != nil {
		return fmt.Errorf("copying the database: %w", err)
	}
	_, err = db.ExecContext(ctx, `VACUUM INTO ?`, path)
	if closed := db.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("copying the database: %w", err)
	}
	return nil
}

// EachPhotoFile visits the hash of every photo that has a file, or a glimpse in place
// of it.
func (s *Store) EachPhotoFile(ctx context.Context, visit func(h identify.PhotoHash, glimpse bool) error) error {
	const page = 1000
	for after := identify.PhotoHash(""); ; {
		var list []identify.Photo
		err := s.view(ctx, func(tx *sql.Tx) error {
			rows, err := tx.QueryContext(ctx, `SELECT hash, bytes FROM photos WHERE (bytes > 0 OR glimpse = 1) AND hash > ? ORDER BY hash LIMIT ?`, after, page)
			list, err = collect(rows, err, func(rows *sql.Rows) (p identify.Photo, err error) { return p, rows.Scan(&p.Hash, &p.Bytes) })
			return err
		})
		if err != nil {
			return err
		}
		for _, p := range list {
			if err := visit(p.Hash, !p.HasFile()); err != nil {
				return err
			}
		}
		if len(list) < page {
			return nil
		}
		after = list[len(list)-1].Hash
	}
}
