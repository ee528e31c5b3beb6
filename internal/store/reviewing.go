package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"fieldmark/internal/identify"
)

// waits is what an observation o meets while it waits to be named.
const waits = `o.current_taxon_id IS NULL AND o.photoless = 0 AND o.set_aside = 0`

// Waiting lists what waits, by id, with when user put it off.
func (s *Store) Waiting(ctx context.Context, user identify.UserID) ([]identify.Waiting, error) {
	var list []identify.Waiting
	err := s.view(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `
			SELECT o.id, o.observer_id, coalesce(o.observed_at, o.created_at), o.latitude, o.longitude, `+sensitive+`,
				r.taxon_id, r.label, r.chance, r.second, r.seq, iif(r.seq IS NULL, o.suggested, NULL), o.suggested_seq,
				(SELECT max(d.at) FROM decision_items i JOIN decisions d ON d.id = i.decision_id
				WHERE i.observation_id = o.id AND i.undone_at IS NULL AND d.kind = 'skipped' AND d.user_id = ?)
			FROM observations o LEFT JOIN readings r ON r.observation_id = o.id
			WHERE `+waits+` ORDER BY o.id`, user)
		list, err = collect(rows, err, scanWaiting)
		return err
	})
	return list, err
}

func scanWaiting(rows *sql.Rows) (identify.Waiting, error) {
	var w identify.Waiting
	var at int64
	var taxon, seq, skipped sql.NullInt64
	var label sql.NullString
	var chance, second sql.NullFloat64
	var suggested []byte
	var suggestedSeq identify.Seq
	err := rows.Scan(&w.Observation, &w.Observer, &at, &w.Latitude, &w.Longitude, &w.Sensitive,
		&taxon, &label, &chance, &second, &seq, &suggested, &suggestedSeq, &skipped)
	if err != nil {
		return w, err
	}
	w.At, w.Skipped = instant(at), optional(skipped)
	if seq.Valid {
		w.Reading = identify.Reading{Taxon: identify.TaxonID(taxon.Int64), Label: label.String, Chance: chance.Float64,
			Second: second.Float64, Seq: identify.Seq(seq.Int64)}
		return w, nil
	}
	w.Reading, err = firstReading(suggested, suggestedSeq)
	return w, err
}

// firstReading is the answer that was given when the photo came in.
func firstReading(suggested []byte, seq identify.Seq) (identify.Reading, error) {
	var list []identify.Suggestion
	if err := json.Unmarshal(suggested, &list); err != nil {
		return identify.Reading{}, fmt.Errorf("suggestions: %w", err)
	}
	return asReading(list, seq), nil
}

// asReading is an answer in short.
func asReading(list []identify.Suggestion, seq identify.Seq) identify.Reading {
	r := identify.Reading{Seq: seq}
	if len(list) > 0 {
		r.Taxon, r.Label, r.Chance = list[0].Taxon, list[0].Label, list[0].Probability
	}
	if len(list) > 1 {
		r.Second = list[1].Probability
	}
	return r
}

// WaitingVectors visits the embeddings of what waits under an encoder, by id, until
// visit returns an error. One at a time is in memory: all that wait may be many.
func (s *Store) WaitingVectors(ctx context.Context, encoder string, visit func(identify.WaitingVector) error) error {
	return s.view(ctx, func(tx *sql.Tx) error {
		return waitingVectors(ctx, tx, visit, `
			SELECT o.id, m.vector FROM observations o
				JOIN embeddings m ON m.photo_hash = o.photo_hash AND m.encoder = ?1
			WHERE `+waits+` ORDER BY o.id`, encoder)
	})
}

func waitingVectors(ctx context.Context, tx *sql.Tx, visit func(identify.WaitingVector) error, query string, args ...any) error {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var w identify.WaitingVector
		var blob sql.RawBytes
		if err := rows.Scan(&w.Observation, &blob); err != nil {
			return err
		}
		if w.Vector, err = vector(blob); err != nil {
			return err
		}
		if err := visit(w); err != nil {
			return err
		}
	}
	return rows.Err()
}

// StaleReadings returns up to limit of what waits and was not read by an encoder
// with the memory of seq: half of them those in most doubt, the others those that
// were read longest ago, so that neither waits for ever for the other.
func (s *Store) StaleReadings(ctx context.Context, encoder string, seq identify.Seq, limit int) ([]identify.WaitingVector, error) {
	var list []identify.WaitingVector
	err := s.view(ctx, func(tx *sql.Tx) error {
		seen := map[identify.ObservationID]bool{}
		for _, order := range []string{`r.chance - r.second, o.id`, `r.seq, o.id`} {
			err := waitingVectors(ctx, tx, func(w identify.WaitingVector) error {
				if !seen[w.Observation] {
					seen[w.Observation], list = true, append(list, w)
				}
				return nil
			}, staleReadings(order), encoder, seq, max(1, limit/2))
			if err != nil {
				return err
			}
		}
		return nil
	})
	return list, err
}

// staleReadings chooses what is read anew before it goes for vectors: SQLite, left to
// itself, would begin with every embedding there is, which CROSS JOIN forbids.
func staleReadings(order string) string {
	return `
		SELECT s.id, m.vector FROM (
			SELECT o.id AS id, o.photo_hash AS photo_hash FROM observations o
				CROSS JOIN embeddings m ON m.photo_hash = o.photo_hash AND m.encoder = ?1
				LEFT JOIN readings r ON r.observation_id = o.id
			WHERE ` + waits + ` AND (r.seq IS NULL OR r.seq < ?2 OR r.encoder != ?1) ORDER BY ` + order + ` LIMIT ?3) s
		CROSS JOIN embeddings m ON m.photo_hash = s.photo_hash AND m.encoder = ?1`
}

// SaveReadings stores readings. One by the same encoder with a newer memory stays.
func (s *Store) SaveReadings(ctx context.Context, encoder string, list []identify.ObservationReading) error {
	return s.update(ctx, func(tx *sql.Tx) error {
		put, err := tx.PrepareContext(ctx, `
			INSERT INTO readings (observation_id, encoder, seq, taxon_id, label, chance, second) VALUES (?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (observation_id) DO UPDATE SET encoder = excluded.encoder, seq = excluded.seq, taxon_id = excluded.taxon_id,
				label = excluded.label, chance = excluded.chance, second = excluded.second
			WHERE encoder != excluded.encoder OR seq <= excluded.seq`)
		if err != nil {
			return err
		}
		defer put.Close()
		for _, r := range list {
			if _, err := put.ExecContext(ctx, r.Observation, encoder, r.Seq, r.Taxon, r.Label, r.Chance, r.Second); err != nil {
				return err
			}
		}
		return nil
	})
}
