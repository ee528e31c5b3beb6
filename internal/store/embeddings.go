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

func addEmbedding(ctx context.Context, tx *sql.Tx, photo identify.PhotoHash, encoder string, v []float32, at int64) error {
	var dim int
	err := tx.QueryRowContext(ctx, `SELECT dim FROM encoders WHERE digest = ?`, encoder).Scan(&dim)
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("the encoder %q is not registered", encoder)
	} else if err != nil {
		return err
	}
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	if len(v) != dim || square == 0 || math.IsNaN(square) || math.IsInf(square, 0) {
		return fmt.Errorf("an embedding must have %d finite numbers, not all zero; this one has %d and the squared norm %g", dim, len(v), square)
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO embeddings (photo_hash, encoder, vector, norm, created_at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (photo_hash, encoder) DO NOTHING`, photo, encoder, bytesOf(v), math.Sqrt(square), at)
	return err
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
