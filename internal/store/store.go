// Package store keeps everything but the photos' bytes in one SQLite database.
// It implements identify.Store.
//
// One exported method is one transaction, durable when it returns; its helpers
// take the transaction. There is one writing connection, so writers queue up
// in this process and wait for those of others (busy_timeout); readers have a
// pool of their own and, in WAL mode, never wait. What reads most of the database has
// connections with a larger cache, which are closed when they are idle.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/mattn/go-sqlite3"

	"fieldmark/internal/identify"
)

// readers is how many queries may run at once.
const readers = 4

// What an export reads comes in the order of the log, and is found by hashes, which are in
// no order: a cache that has room for an index of 300,000 hashes spares a system call for
// each. It is taken while somebody exports, and once for each of two.
const (
	exporters   = 2
	exportCache = 64 << 10 // KB
	exportIdle  = 10 * time.Second
)

// Store is an open database. Its methods are safe for concurrent use.
type Store struct {
	write  *sql.DB // one connection
	read   *sql.DB
	export *sql.DB // reads, too

	trials trialCache
}

// Open opens the database file at path, which is made if it is not there, with
// its folder, for their owner alone, and brings its schema up to date. A file
// that a newer Fieldmark wrote is refused.
func Open(ctx context.Context, path string) (*Store, error) {
	if err := prepare(path); err != nil {
		return nil, err
	}
	// Secure deletion overwrites what is deleted: people who left are not to be read in the file.
	write := sql.OpenDB(connect(dsn(path, "_journal_mode=WAL&_synchronous=FULL&_txlock=immediate&_recursive_triggers=1&_secure_delete=fast")))
	write.SetMaxOpenConns(1)
	s := &Store{write: write}
	if err := migrate(ctx, write); err != nil {
		return nil, errors.Join(opening(path, err), s.Close())
	}
	s.read = sql.OpenDB(connect(dsn(path, "_query_only=1&_txlock=deferred")))
	s.read.SetMaxOpenConns(readers)
	s.read.SetMaxIdleConns(readers)
	s.export = sql.OpenDB(connect(dsn(path, fmt.Sprintf("_query_only=1&_txlock=deferred&_cache_size=-%d", exportCache))))
	s.export.SetMaxOpenConns(exporters)
	s.export.SetConnMaxIdleTime(exportIdle)
	return s, nil
}

// dsn names the file with the pragmas of every connection. recursive_triggers
// makes the log's triggers see what REPLACE would delete. SQLite need not lock a
// connection for each value that is read: database/sql uses it from one goroutine
// at a time.
func dsn(path, pragmas string) string {
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?_foreign_keys=1&_mutex=no&_busy_timeout=10000&" + pragmas
}

// Close waits for what is under way and closes the database.
func (s *Store) Close() error {
	var err error
	if s.read != nil {
		err = errors.Join(s.read.Close(), s.export.Close())
	}
	return errors.Join(err, s.write.Close())
}

// update runs do in a transaction that is durable when update returns nil, and
// has left no trace otherwise.
func (s *Store) update(ctx context.Context, do func(tx *sql.Tx) error) error {
	return transact(ctx, s.write, do)
}

// view runs do on one consistent state of the database.
func (s *Store) view(ctx context.Context, do func(tx *sql.Tx) error) error {
	return transact(ctx, s.read, do)
}

// survey is view for what reads much of the database.
func (s *Store) survey(ctx context.Context, do func(tx *sql.Tx) error) error {
	return transact(ctx, s.export, do)
}

func transact(ctx context.Context, db *sql.DB, do func(tx *sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return unwritten(fmt.Errorf("database: %w", err))
	}
	defer tx.Rollback() // does nothing once committed
	if err := do(tx); err != nil {
		return unwritten(err)
	}
	return unwritten(tx.Commit())
}

// unwritten words the error of a disk that takes nothing, and of another process
// that writes for longer than we wait; others stay as they are.
func unwritten(err error) error {
	var e sqlite3.Error
	switch {
	case !errors.As(err, &e):
		return err
	case e.Code == sqlite3.ErrFull:
		return identify.DiskFull(err)
	case e.Code == sqlite3.ErrReadonly:
		return identify.DiskReadOnly(err)
	case e.Code == sqlite3.ErrBusy:
		return identify.Errorf(identify.Busy, "", "Another program is writing much to the data of this Fieldmark at this moment, so nothing of this was kept. Try again in a few seconds.").Because(err)
	}
	return err
}

// collect reads all rows of a query with scan.
func collect[T any](rows *sql.Rows, err error, scan func(rows *sql.Rows) (T, error)) ([]T, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []T
	for rows.Next() {
		x, err := scan(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	return list, rows.Err()
}
