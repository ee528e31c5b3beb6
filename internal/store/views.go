package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"fieldmark/internal/identify"
)

// AddViews stores the raw vectors of photos' views under an encoder, which must be
// registered, in one transaction. A photo that has those of the present scheme, or
// is known to have none, keeps what it has.
func (s *Store) AddViews(ctx context.Context, encoder string, list []identify.PhotoViews, at time.Time) error {
	return s.update(ctx, func(tx *sql.Tx) error {
		dim, err := dimOf(ctx, tx, encoder)
		if err != nil {
			return err
		}
		for _, p := range list {
			if err := insertViews(ctx, tx, encoder, dim, p, micros(at)); err != nil {
				return fmt.Errorf("photo %s: %w", p.Photo, err)
			}
		}
		return nil
	})
}

func insertViews(ctx context.Context, tx *sql.Tx, encoder string, dim int, p identify.PhotoViews, at int64) error {
	blob := []byte{}
	for i, v := range p.Vectors {
		if _, err := normOf(v, dim); err != nil {
			return fmt.Errorf("view %d: %w", i, err)
		}
		blob = append(blob, bytesOf(v)...)
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO view_embeddings (photo_hash, encoder, scheme, vectors, created_at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (photo_hash, encoder) DO UPDATE SET scheme = excluded.scheme, vectors = excluded.vectors, created_at = excluded.created_at
		WHERE scheme <> excluded.scheme`, p.Photo, encoder, identify.ViewScheme, blob, at)
	return err
}

// HasViews reports whether a photo has its views under an encoder, or is known to
// have none.
func (s *Store) HasViews(ctx context.Context, encoder string, photo identify.PhotoHash) (has bool, err error) {
	err = s.view(ctx, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM view_embeddings WHERE photo_hash = ? AND encoder = ? AND scheme = ?)`,
			photo, encoder, identify.ViewScheme).Scan(&has)
	})
	return has, err
}

// Unviewed lists up to limit photos by hash, from the first after a hash, that were
// ever taught and have an embedding under an encoder, but not their views. What
// came without a photo is none.
func (s *Store) Unviewed(ctx context.Context, encoder string, after identify.PhotoHash, limit int) ([]identify.PhotoHash, error) {
	var list []identify.PhotoHash
	err := s.view(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `
			SELECT p.hash FROM photos p
			WHERE p.hash > ?1 AND p.bytes > 0 AND EXISTS (SELECT 1 FROM events e WHERE e.photo_hash = p.hash)
				AND EXISTS (SELECT 1 FROM embeddings m WHERE m.photo_hash = p.hash AND m.encoder = ?2)
				AND NOT EXISTS (SELECT 1 FROM view_embeddings w WHERE w.photo_hash = p.hash AND w.encoder = ?2 AND w.scheme = ?3)
			ORDER BY p.hash LIMIT ?4`, after, encoder, identify.ViewScheme, limit)
		list, err = collect(rows, err, func(rows *sql.Rows) (h identify.PhotoHash, err error) { return h, rows.Scan(&h) })
		return err
	})
	return list, err
}

// ViewedLessons counts the events up to seq that add an exemplar and whose photo has views under an
// encoder.
func (s *Store) ViewedLessons(ctx context.Context, encoder string, seq identify.Seq) (n int, err error) {
	err = s.view(ctx, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, `
			SELECT count(*) FROM view_embeddings w JOIN embeddings m ON m.photo_hash = w.photo_hash AND m.encoder = w.encoder
				JOIN events e ON e.photo_hash = w.photo_hash
			WHERE w.encoder = ? AND w.scheme = ? AND length(w.vectors) > 0 AND e.kind IN ('taught', 'held') AND e.seq <= ?`,
			encoder, identify.ViewScheme, seq).Scan(&n)
	})
	return n, err
}

// forgetViewless lets photos that could not be read for their views be tried again;
// which says whose.
func forgetViewless(ctx context.Context, tx *sql.Tx, which string, arg any) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM view_embeddings WHERE length(vectors) = 0 AND `+which, arg)
	return err
}

// viewsOf cuts the stored views of a photo into vectors.
func viewsOf(blob []byte, dim int) ([][]float32, error) {
	all, err := vector(blob)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	if dim == 0 || len(all)%dim != 0 {
		return nil, fmt.Errorf("stored views have %d numbers, which is no multiple of %d", len(all), dim)
	}
	list := make([][]float32, 0, len(all)/dim)
	for ; len(all) > 0; all = all[dim:] {
		list = append(list, all[:dim:dim])
	}
	return list, nil
}
