package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/mattn/go-sqlite3"

	"fieldmark/internal/identify"
)

// BeginImport adds an import, and a local taxon for each name that no taxon has.
func (s *Store) BeginImport(ctx context.Context, source identify.ImportSource, by identify.UserID, locals []string, at time.Time) (identify.Import, error) {
	var added identify.Import
	err := s.update(ctx, func(tx *sql.Tx) error {
		if err := mayImport(ctx, tx, by); err != nil {
			return err
		}
		for _, name := range locals {
			if _, err := taxonByName(ctx, tx, name); identify.KindOf(err) != identify.NotFound {
				if err != nil {
					return err
				}
				continue
			}
			if _, err := addLocal(ctx, tx, name, at); err != nil {
				return err
			}
		}
		var id identify.ImportID
		err := tx.QueryRowContext(ctx, `
			INSERT INTO imports (kind, name, digest, encoder, total, done, known, withdrawn, user_id, began_at)
			VALUES (?, ?, ?, ?, ?, 0, 0, 0, ?, ?) RETURNING id`,
			source.Kind, source.Name, source.Digest, source.Encoder, source.Total, by, micros(at)).Scan(&id)
		if unique := (sqlite3.Error{}); errors.As(err, &unique) && unique.ExtendedCode == sqlite3.ErrConstraintUnique {
			return identify.Errorf(identify.Conflict, "file", "This file is being imported already.")
		} else if err != nil {
			return err
		}
		added, err = importByID(ctx, tx, id)
		return err
	})
	return added, err
}

// mayImport refuses an import by someone whose lessons are in quarantine: as a source
// of its own it would get round that.
func mayImport(ctx context.Context, tx *sql.Tx, by identify.UserID) error {
	q, err := quarantineOf(ctx, tx, identify.Source{User: by})
	if err == nil && q != 0 {
		err = identify.Errorf(identify.Conflict, "", "Your lessons are in quarantine, so you cannot import any. Ask a curator to release them.")
	}
	return err
}

// Imports lists all imports, newest first.
func (s *Store) Imports(ctx context.Context) ([]identify.Import, error) {
	var list []identify.Import
	err := s.view(ctx, func(tx *sql.Tx) (err error) {
		list, err = imports(ctx, tx, `ORDER BY m.id DESC`)
		return err
	})
	return list, err
}

// ImportOf returns the import of a file under an encoder that stands; KindOf
// NotFound if there is none.
func (s *Store) ImportOf(ctx context.Context, digest, encoder string) (identify.Import, error) {
	var found identify.Import
	err := s.view(ctx, func(tx *sql.Tx) error {
		list, err := imports(ctx, tx, `WHERE m.digest = ? AND m.encoder = ? AND m.withdrawn_at IS NULL`, digest, encoder)
		if err == nil && len(list) == 0 {
			return identify.Errorf(identify.NotFound, "", "This file was not imported.")
		} else if err == nil {
			found = list[0]
		}
		return err
	})
	return found, err
}

func importByID(ctx context.Context, tx *sql.Tx, id identify.ImportID) (identify.Import, error) {
	list, err := imports(ctx, tx, `WHERE m.id = ?`, id)
	if err != nil {
		return identify.Import{}, err
	}
	if len(list) == 0 {
		return identify.Import{}, identify.Errorf(identify.NotFound, "", "There is no import with the id %d.", id)
	}
	return list[0], nil
}

func imports(ctx context.Context, tx *sql.Tx, clause string, args ...any) ([]identify.Import, error) {
	rows, err := tx.QueryContext(ctx, `
		SELECT m.id, m.kind, m.name, m.digest, m.encoder, m.total, m.done, m.known, m.skipped, m.withdrawn,
			m.user_id, u.name, m.began_at, m.ended_at, m.withdrawn_at
		FROM imports m JOIN users u ON u.id = m.user_id `+clause, args...)
	return collect(rows, err, func(rows *sql.Rows) (identify.Import, error) {
		var m identify.Import
		var began int64
		var ended, withdrawn sql.NullInt64
		err := rows.Scan(&m.ID, &m.Kind, &m.Name, &m.Digest, &m.Encoder, &m.Total, &m.Done, &m.Known, &m.Skipped, &m.Withdrawn,
			&m.User, &m.UserName, &began, &ended, &withdrawn)
		m.BeganAt, m.EndedAt, m.WithdrawnAt = instant(began), optional(ended), optional(withdrawn)
		return m, err
	})
}

// WithdrawImported takes back what the next limit rows of an import taught. An
// identification that someone made of such an observation since then stays.
func (s *Store) WithdrawImported(ctx context.Context, id identify.ImportID, by identify.UserID, limit int, at time.Time) (identify.Import, identify.Seq, error) {
	var after identify.Import
	var seq identify.Seq
	err := s.update(ctx, func(tx *sql.Tx) error {
		m, err := importByID(ctx, tx, id)
		if err != nil {
			return err
		}
		if m.WithdrawnAt != nil && !m.HalfWithdrawn() {
			return identify.Errorf(identify.Conflict, "", "This import has been withdrawn already.")
		}
		end := min(m.Withdrawn+limit, m.Done)
		if err := withdrawRows(ctx, tx, id, m.Withdrawn, end, by, at); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE imports SET withdrawn = ?, withdrawn_at = coalesce(withdrawn_at, ?) WHERE id = ?`, end, micros(at), id)
		if err == nil {
			after, err = importByID(ctx, tx, id)
		}
		if err == nil && !after.HalfWithdrawn() {
			err = endEmptied(ctx, tx, id, by, at)
		}
		if err == nil {
			seq, err = lastEvent(ctx, tx)
		}
		return err
	})
	return after, seq, err
}

// withdrawRows withdraws what rows from one to before another taught and was not
// withdrawn yet.
func withdrawRows(ctx context.Context, tx *sql.Tx, id identify.ImportID, from, to int, by identify.UserID, at time.Time) error {
	var list string
	err := tx.QueryRowContext(ctx, `
		SELECT json_group_array(i.id) FROM observations o CROSS JOIN identifications i ON i.observation_id = o.id AND i.import_id = o.import_id
		WHERE o.import_id = ? AND o.import_row >= ? AND o.import_row < ? AND (i.withdrawn_at IS NULL OR i.quarantine_id IS NOT NULL)`, id, from, to).Scan(&list)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE identifications SET withdrawn_at = ?, quarantine_id = NULL, taken_back = 1 WHERE id IN (SELECT value FROM json_each(?))`, micros(at), list)
	if err != nil {
		return err
	}
	if err := appendAll(ctx, tx, list, identify.Withdrawn, by, at, whole{imported: id}); err != nil {
		return err
	}
	return refreshAll(ctx, tx, list)
}

// endEmptied ends the quarantine, if there is one, of an import that was taken back
// as a whole.
func endEmptied(ctx context.Context, tx *sql.Tx, id identify.ImportID, by identify.UserID, at time.Time) error {
	q, err := quarantineOf(ctx, tx, identify.Source{Import: id})
	if err != nil || q == 0 {
		return err
	}
	return closeQuarantine(ctx, tx, q, identify.Removed, by, at)
}
