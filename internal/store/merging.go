package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/mattn/go-sqlite3"

	"fieldmark/internal/identify"
)

// PhotoLessons lists what some photos were named here.
func (s *Store) PhotoLessons(ctx context.Context, photos []identify.PhotoHash) ([]identify.PhotoLessons, error) {
	text, err := json.Marshal(photos)
	if err != nil {
		return nil, err
	}
	var list []identify.PhotoLessons
	err = s.view(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `
			SELECT o.photo_hash, coalesce(t.accepted_id, t.id) AS taxon, max(o.id), sum(i.withdrawn_at IS NULL OR i.quarantine_id IS NOT NULL),
				sum(i.withdrawn_at IS NOT NULL AND i.quarantine_id IS NULL AND m.withdrawn_at IS NULL)
			FROM observations o JOIN identifications i ON i.observation_id = o.id JOIN taxa t ON t.id = i.taxon_id LEFT JOIN imports m ON m.id = o.import_id
			WHERE o.photo_hash IN (SELECT value FROM json_each(?)) GROUP BY o.photo_hash, taxon`, string(text))
		list, err = collect(rows, err, func(rows *sql.Rows) (x identify.PhotoLessons, err error) {
			return x, rows.Scan(&x.Photo, &x.Taxon, &x.Observation, &x.Standing, &x.TakenBack)
		})
		return err
	})
	return list, err
}

// BeginMerge adds an import of a bundle with what was decided about it, and the
// taxa that it needs.
func (s *Store) BeginMerge(ctx context.Context, source identify.ImportSource, by identify.UserID, n identify.NewMerge, at time.Time) (identify.Import, identify.Merge, error) {
	var added identify.Import
	var decided identify.Merge
	err := s.update(ctx, func(tx *sql.Tx) error {
		if err := mayImport(ctx, tx, by); err != nil {
			return err
		}
		taxa := make(map[int64]identify.TaxonID, len(n.Taxa))
		for _, t := range n.Taxa {
			id, err := mergeTaxon(ctx, tx, t, at)
			if err != nil {
				return err
			}
			taxa[t.ID] = id
		}
		text, err := json.Marshal(taxa)
		if err != nil {
			return err
		}
		var id identify.ImportID
		err = tx.QueryRowContext(ctx, `
			INSERT INTO imports (kind, name, digest, encoder, total, done, known, withdrawn, user_id, began_at)
			VALUES (?, ?, ?, ?, ?, 0, 0, 0, ?, ?) RETURNING id`,
			source.Kind, source.Name, source.Digest, source.Encoder, source.Total, by, micros(at)).Scan(&id)
		if unique := (sqlite3.Error{}); errors.As(err, &unique) && unique.ExtendedCode == sqlite3.ErrConstraintUnique {
			return identify.Errorf(identify.Conflict, "file", "This bundle is being taken in already.")
		} else if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO merges (import_id, instance, site, public_key, rows, known, taken, taxa) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
			id, n.From.ID, n.From.Name, []byte(n.Key), n.Rows, n.Known, n.Taken, string(text))
		if err != nil {
			return err
		}
		if added, err = importByID(ctx, tx, id); err == nil {
			decided, err = mergeOf(ctx, tx, id)
		}
		return err
	})
	return added, decided, err
}

// mergeTaxon finds or makes a taxon of a bundle, and remembers where it is from.
func mergeTaxon(ctx context.Context, tx *sql.Tx, t identify.MergedTaxon, at time.Time) (identify.TaxonID, error) {
	id := t.Taxon
	if t.Create != nil {
		var err error
		if id, err = addMerged(ctx, tx, *t.Create, at); err != nil {
			return 0, err
		}
	}
	for _, o := range t.Origins {
		_, err := tx.ExecContext(ctx, `INSERT INTO taxon_origins (instance, foreign_id, taxon_id) VALUES (?, ?, ?)
			ON CONFLICT (instance, foreign_id) DO UPDATE SET taxon_id = excluded.taxon_id`, o.Instance, o.ID, id)
		if err != nil {
			return 0, err
		}
	}
	return id, nil
}

// addMerged makes a local taxon, unless one of its name and rank came meanwhile.
func addMerged(ctx context.Context, tx *sql.Tx, t identify.Taxon, at time.Time) (identify.TaxonID, error) {
	err := tx.QueryRowContext(ctx, `SELECT coalesce(t.accepted_id, t.id) FROM taxa t JOIN taxon_names n ON n.taxon_id = t.id AND n.kind = ? AND n.folded = ?
		WHERE t.rank = ? ORDER BY t.id LIMIT 1`, scientificName, fold(t.ScientificName), t.Rank).Scan(&t.ID)
	if !errors.Is(err, sql.ErrNoRows) {
		return t.ID, err
	}
	if t.ID, err = nextLocal(ctx, tx); err != nil {
		return 0, err
	}
	w, err := newTaxonWriter(ctx, tx, at)
	if err != nil {
		return 0, err
	}
	return t.ID, errors.Join(w.put(ctx, t), w.close())
}

// nextLocal is the number of the next local taxon.
func nextLocal(ctx context.Context, tx *sql.Tx) (id identify.TaxonID, err error) {
	err = tx.QueryRowContext(ctx, `SELECT coalesce(max(id) + 1, ?1) FROM taxa WHERE id >= ?1`, identify.FirstLocalTaxon).Scan(&id)
	return id, err
}

// Merge returns what was decided when an import began.
func (s *Store) Merge(ctx context.Context, id identify.ImportID) (identify.Merge, error) {
	var m identify.Merge
	err := s.view(ctx, func(tx *sql.Tx) (err error) {
		m, err = mergeOf(ctx, tx, id)
		return err
	})
	return m, err
}

func mergeOf(ctx context.Context, tx *sql.Tx, id identify.ImportID) (identify.Merge, error) {
	var m identify.Merge
	var key []byte
	var taxa string
	err := tx.QueryRowContext(ctx, `SELECT instance, site, public_key, rows, known, taken, taxa FROM merges WHERE import_id = ?`, id).
		Scan(&m.From.ID, &m.From.Name, &key, &m.Rows, &m.Known, &m.Taken, &taxa)
	if errors.Is(err, sql.ErrNoRows) {
		return m, identify.Errorf(identify.NotFound, "", "Import %d came with no bundle.", id)
	} else if err != nil {
		return m, err
	}
	m.Key = key
	return m, json.Unmarshal([]byte(taxa), &m.Taxa)
}
