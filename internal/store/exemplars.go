package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"fieldmark/internal/identify"
)

// Exemplars lists the exemplars that stand and have an embedding under the
// encoder, of the observations that match, in the order of the log.
func (s *Store) Exemplars(ctx context.Context, encoder string, f identify.ObservationFilter) ([]identify.ExemplarRef, error) {
	f.Before = 0
	clause, args := observed(f)
	var said conditions
	identified(&said, f)
	var list []identify.ExemplarRef
	err := s.survey(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `
			SELECT e.seq, e.observation_id, `+goesBy+`
			FROM events e JOIN identifications i ON i.id = e.identification_id AND i.withdrawn_at IS NULL
				JOIN embeddings m ON m.photo_hash = e.photo_hash AND m.encoder = ?
			WHERE e.kind IN ('taught', 'held') `+clause+` `+said.clause(`AND`)+`
			ORDER BY e.seq`, append(append([]any{encoder}, args...), said.args...)...)
		list, err = collect(rows, err, func(rows *sql.Rows) (x identify.ExemplarRef, err error) {
			return x, rows.Scan(&x.Seq, &x.Observation, &x.Taxon)
		})
		return err
	})
	return list, err
}

// Vectors returns the raw vectors of taught events under the encoder, in the
// order of their numbers, which must ascend.
func (s *Store) Vectors(ctx context.Context, encoder string, seqs []identify.Seq) ([][]float32, error) {
	text, err := json.Marshal(seqs)
	if err != nil {
		return nil, err
	}
	var list [][]float32
	err = s.survey(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `
			SELECT m.vector FROM events e JOIN embeddings m ON m.photo_hash = e.photo_hash AND m.encoder = ?
			WHERE e.seq IN (SELECT value FROM json_each(?)) ORDER BY e.seq`, encoder, string(text))
		var blob sql.RawBytes // not kept
		list, err = collect(rows, err, func(rows *sql.Rows) ([]float32, error) {
			if err := rows.Scan(&blob); err != nil {
				return nil, err
			}
			return vector(blob)
		})
		return err
	})
	if err == nil && len(list) != len(seqs) {
		err = fmt.Errorf("%d of %d exemplars have an embedding under the encoder %s", len(list), len(seqs), encoder)
	}
	return list, err
}

// TaughtBySeq returns taught events with their vectors under the encoder, in the
// order of their numbers, which must ascend.
func (s *Store) TaughtBySeq(ctx context.Context, encoder string, seqs []identify.Seq) ([]identify.Event, error) {
	text, err := json.Marshal(seqs)
	if err != nil {
		return nil, err
	}
	var list []identify.Event
	err = s.survey(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `
			SELECT e.seq, e.kind, e.identification_id, e.observation_id, e.photo_hash, e.taxon_id, e.user_id, u.name, e.at, m.vector, NULL
			FROM events e JOIN users u ON u.id = e.user_id
				JOIN embeddings m ON m.photo_hash = e.photo_hash AND m.encoder = ?
			WHERE e.kind IN ('taught', 'held') AND e.seq IN (SELECT value FROM json_each(?)) ORDER BY e.seq`, encoder, string(text))
		list, err = collect(rows, err, scanEvent)
		return err
	})
	if err == nil && len(list) != len(seqs) {
		err = fmt.Errorf("%d of %d exemplars have an embedding under the encoder %s", len(list), len(seqs), encoder)
	}
	return list, err
}
