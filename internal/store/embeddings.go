package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"fieldmark/internal/identify"
)

// RegisterEncoder makes an encoder known, so that embeddings can be stored
// under its digest.
func (s *Store) RegisterEncoder(ctx context.Context, e identify.EncoderInfo) error {
	return s.update(ctx, func(tx *sql.Tx) error {
		var dim int
		err := tx.QueryRowContext(ctx, `
			INSERT INTO encoders (digest, name, dim, registered_at) VALUES (?, ?, ?, ?)
			ON CONFLICT (digest) DO UPDATE SET name = excluded.name
			RETURNING dim`, e.Digest, e.Name, e.Dim, micros(time.Now())).Scan(&dim)
		if err == nil && dim != e.Dim {
			return fmt.Errorf("encoder %s has %d dimensions, but its stored embeddings have %d", e.Name, e.Dim, dim)
		}
		return err
	})
}

// Embedding returns the stored raw vector of a photo; KindOf NotFound if there
// is none under that encoder.
func (s *Store) Embedding(ctx context.Context, encoder string, photo identify.PhotoHash) ([]float32, error) {
	var v []float32
	err := s.view(ctx, func(tx *sql.Tx) error {
		var blob []byte
		err := tx.QueryRowContext(ctx, `SELECT vector FROM embeddings WHERE photo_hash = ? AND encoder = ?`, photo, encoder).Scan(&blob)
		if errors.Is(err, sql.ErrNoRows) {
			return identify.Errorf(identify.NotFound, "", "The present encoder has not read this photo yet.")
		} else if err != nil {
			return err
		}
		v, err = vector(blob)
		return err
	})
	return v, err
}

// AddEmbeddings stores raw vectors under an encoder, which must be registered,
// in one transaction. A photo that has one keeps it, and is no failure any more.
func (s *Store) AddEmbeddings(ctx context.Context, encoder string, list []identify.PhotoEmbedding, at time.Time) error {
	return s.update(ctx, func(tx *sql.Tx) error {
		for _, e := range list {
			if err := addEmbedding(ctx, tx, e.Photo, encoder, e.Vector, micros(at)); err != nil {
				return fmt.Errorf("photo %s: %w", e.Photo, err)
			}
			if _, err := tx.ExecContext(ctx, `DELETE FROM embedding_failures WHERE encoder = ? AND photo_hash = ?`, encoder, e.Photo); err != nil {
				return err
			}
		}
		return nil
	})
}

// Unembedded lists up to limit photos by hash, from the first after a hash,
// that have neither an embedding nor a failure under an encoder: those that were
// ever taught, or those that never were. What came without a photo is none.
func (s *Store) Unembedded(ctx context.Context, encoder string, taught bool, after identify.PhotoHash, limit int) ([]identify.PhotoHash, error) {
	var list []identify.PhotoHash
	err := s.view(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `
			SELECT p.hash FROM photos p
			WHERE p.hash > ? AND p.bytes > 0 AND ? = EXISTS (SELECT 1 FROM events e WHERE e.photo_hash = p.hash)
				AND NOT EXISTS (SELECT 1 FROM embeddings m WHERE m.photo_hash = p.hash AND m.encoder = ?)
				AND NOT EXISTS (SELECT 1 FROM embedding_failures f WHERE f.photo_hash = p.hash AND f.encoder = ?)
			ORDER BY p.hash LIMIT ?`, after, taught, encoder, encoder, limit)
		list, err = collect(rows, err, func(rows *sql.Rows) (h identify.PhotoHash, err error) { return h, rows.Scan(&h) })
		return err
	})
	return list, err
}

// FailPhotoless notes, with the same reason, that what came without a photo
// cannot be embedded under an encoder that has no embedding of it.
func (s *Store) FailPhotoless(ctx context.Context, encoder string, reason identify.Notice, at time.Time) error {
	return s.update(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO embedding_failures (encoder, photo_hash, reason, at)
			SELECT ?1, p.hash, ?2, ?3 FROM photos p
			WHERE p.bytes = 0 AND NOT EXISTS (SELECT 1 FROM embeddings m WHERE m.photo_hash = p.hash AND m.encoder = ?1)
			ON CONFLICT (encoder, photo_hash) DO NOTHING`, encoder, reason.Text(), micros(at))
		return err
	})
}

// EmbeddingCounts says how far the photos are embedded under an encoder.
func (s *Store) EmbeddingCounts(ctx context.Context, encoder string) (identify.EmbeddingCounts, error) {
	var c identify.EmbeddingCounts
	err := s.view(ctx, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, `
			SELECT (SELECT count(*) FROM photos), (SELECT count(*) FROM embeddings WHERE encoder = ?1),
				(SELECT count(*) FROM embedding_failures WHERE encoder = ?1)`, encoder).Scan(&c.Photos, &c.Embedded, &c.Failed)
	})
	return c, err
}

// Learnable counts the events up to seq that add an exemplar and whose photo has an embedding
// under an encoder.
func (s *Store) Learnable(ctx context.Context, encoder string, seq identify.Seq) (int, error) {
	var n int
	err := s.view(ctx, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, `
			SELECT count(*) FROM events e JOIN embeddings m ON m.photo_hash = e.photo_hash AND m.encoder = ?
			WHERE e.kind IN ('taught', 'held') AND e.seq <= ?`, encoder, seq).Scan(&n)
	})
	return n, err
}

func addEmbedding(ctx context.Context, tx *sql.Tx, photo identify.PhotoHash, encoder string, v []float32, at int64) error {
	dim, err := dimOf(ctx, tx, encoder)
	if err != nil {
		return err
	}
	norm, err := normOf(v, dim)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO embeddings (photo_hash, encoder, vector, norm, created_at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (photo_hash, encoder) DO NOTHING`, photo, encoder, bytesOf(v), norm, at)
	return err
}

// dimOf is the number of elements of an encoder's embeddings.
func dimOf(ctx context.Context, tx *sql.Tx, encoder string) (dim int, err error) {
	err = tx.QueryRowContext(ctx, `SELECT dim FROM encoders WHERE digest = ?`, encoder).Scan(&dim)
	if errors.Is(err, sql.ErrNoRows) {
		err = fmt.Errorf("the encoder %q is not registered", encoder)
	}
	return dim, err
}

// normOf is the length of an embedding, which must have dim finite numbers, not
// all zero.
func normOf(v []float32, dim int) (float64, error) {
	var square float64
	for _, x := range v {
		square += float64(float64(x) * float64(x)) // rounded, so that every machine gets the same
	}
	if len(v) != dim || square == 0 || math.IsNaN(square) || math.IsInf(square, 0) {
		return 0, fmt.Errorf("an embedding must have %d finite numbers, not all zero; this one has %d and the squared norm %g", dim, len(v), square)
	}
	return math.Sqrt(square), nil
}

// bytesOf is how a vector is stored: float32, little-endian.
func bytesOf(v []float32) []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

func vector(b []byte) ([]float32, error) {
	if len(b)%4 != 0 {
		return nil, fmt.Errorf("a stored embedding has %d bytes, which is no number of float32", len(b))
	}
	v := make([]float32, len(b)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v, nil
}
