package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// PhotoBytes is the size of all photos that are kept.
func (s *Store) PhotoBytes(ctx context.Context) (n int64, err error) {
	return n, s.view(ctx, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, `SELECT coalesce(sum(bytes), 0) FROM photos`).Scan(&n)
	})
}

// writableWithin is how long Writable waits for its turn.
const writableWithin = 2 * time.Second

// Writable returns why nothing can be written to the database, nil if it can, by
// writing: its application id to what it is. A database that is only busy, as in
// the middle of a long import, is writable.
func (s *Store) Writable(ctx context.Context) error {
	within, cancel := context.WithTimeout(ctx, writableWithin)
	defer cancel()
	err := s.update(within, func(tx *sql.Tx) error {
		var id int64
		if err := tx.QueryRowContext(within, `PRAGMA application_id`).Scan(&id); err != nil {
			return err
		}
		_, err := tx.ExecContext(within, fmt.Sprintf(`PRAGMA application_id = %d`, id)) // a pragma takes no parameter
		return err
	})
	if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}
