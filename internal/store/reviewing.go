package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"fieldmark/internal/identify"
)

// waits is what an observation o meets while it waits to be named.
const waits = `o.current_taxon_id IS NULL AND o.photoless = 0 AND o.set_aside = 0`

// Queued lists all that waits, by doubt or by time; equal ones are by id. An index has
// them in that order, and SQLite hands them over as two arrays, which takes a tenth of
// the time of as many rows.
func (s *Store) Queued(ctx context.Context, order identify.ReviewOrder) ([]identify.Queued, error) {
	by := `o.doubt DESC`
	if order == identify.ByTime {
		by = `coalesce(o.observed_at, o.created_at)`
	}
	var ids, observers string
	err := s.view(ctx, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, `SELECT json_group_array(id), json_group_array(observer_id) FROM (
			SELECT o.id AS id, o.observer_id AS observer_id FROM observations o WHERE `+waits+` ORDER BY `+by+`, o.id)`).Scan(&ids, &observers)
	})
	if err != nil {
		return nil, err
	}
	var of []identify.ObservationID
	var who []identify.UserID
	if err := errors.Join(json.Unmarshal([]byte(ids), &of), json.Unmarshal([]byte(observers), &who)); err != nil {
		return nil, err
	}
	list := make([]identify.Queued, len(of))
	for i := range list {
		list[i] = identify.Queued{Observation: of[i], Observer: who[i]}
	}
	return list, nil
}

// WaitingPlaces lists all that waits by time, with where that was.
func (s *Store) WaitingPlaces(ctx context.Context) ([]identify.Waiting, error) {
	var list []identify.Waiting
	err := s.view(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `
			SELECT o.id, o.observer_id, o.latitude, o.longitude, iif(o.latitude IS NULL, 0, `+sensitive+`)
			FROM observations o WHERE `+waits+` ORDER BY coalesce(o.observed_at, o.created_at), o.id`)
		list, err = collect(rows, err, func(rows *sql.Rows) (w identify.Waiting, err error) {
			return w, rows.Scan(&w.Observation, &w.Observer, &w.Latitude, &w.Longitude, &w.Sensitive)
		})
		return err
	})
	return list, err
}

// PutOff lists what waits and a person put off, by when they did so last.
func (s *Store) PutOff(ctx context.Context, user identify.UserID) ([]identify.ObservationID, error) {
	var list []identify.ObservationID
	err := s.view(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `
			SELECT o.id FROM decisions d CROSS JOIN decision_items i ON i.decision_id = d.id AND i.undone_at IS NULL CROSS JOIN observations o ON o.id = i.observation_id
			WHERE d.user_id = ? AND d.kind = 'skipped' AND `+waits+` GROUP BY o.id ORDER BY max(d.at), o.id`, user)
		list, err = collect(rows, err, func(rows *sql.Rows) (o identify.ObservationID, err error) { return o, rows.Scan(&o) })
		return err
	})
	return list, err
}

// Waiting describes those of ids that wait, in the order of ids.
func (s *Store) Waiting(ctx context.Context, ids []identify.ObservationID) ([]identify.Waiting, error) {
	text, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	var list []identify.Waiting
	err = s.view(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `
			SELECT o.id, o.observer_id, coalesce(o.observed_at, o.created_at), o.latitude, o.longitude, `+sensitive+`,
				r.taxon_id, r.label, r.chance, r.second, r.seq, iif(r.seq IS NULL, o.suggested, NULL), o.suggested_seq
			FROM json_each(?) j CROSS JOIN observations o ON o.id = j.value LEFT JOIN readings r ON r.observation_id = o.id
			WHERE `+waits+` ORDER BY j.key`, string(text))
		list, err = collect(rows, err, scanWaiting)
		return err
	})
	return list, err
}

func scanWaiting(rows *sql.Rows) (identify.Waiting, error) {
	var w identify.Waiting
	var at int64
	var taxon, seq sql.NullInt64
	var label sql.NullString
	var chance, second sql.NullFloat64
	var suggested []byte
	var suggestedSeq identify.Seq
	err := rows.Scan(&w.Observation, &w.Observer, &at, &w.Latitude, &w.Longitude, &w.Sensitive,
		&taxon, &label, &chance, &second, &seq, &suggested, &suggestedSeq)
	if err != nil {
		return w, err
	}
	w.At = instant(at)
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
