package store

import (
	"context"
	"crypto/ed25519"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"fieldmark/internal/identify"
)

// Site returns who this Fieldmark is to others, with a key that becomes its own if it
// has none yet.
func (s *Store) Site(ctx context.Context, key ed25519.PrivateKey, at time.Time) (identify.Site, error) {
	var site identify.Site
	err := s.update(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO site (id, name, seed, created_at) VALUES (1, '', ?, ?) ON CONFLICT DO NOTHING`, key.Seed(), micros(at))
		if err != nil {
			return err
		}
		var seed []byte
		err = tx.QueryRowContext(ctx, `SELECT replace(i.uuid, '-', ''), s.name, s.seed FROM instance i, site s`).Scan(&site.ID, &site.Name, &seed)
		if err == nil {
			site.Key = ed25519.NewKeyFromSeed(seed)
		}
		return err
	})
	return site, err
}

// RenameSite changes what this Fieldmark is called.
func (s *Store) RenameSite(ctx context.Context, name string) error {
	return s.update(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE site SET name = ?`, name)
		return err
	})
}

// Signers lists the known keys by name.
func (s *Store) Signers(ctx context.Context) ([]identify.Signer, error) {
	var list []identify.Signer
	err := s.view(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `SELECT s.public_key, s.name, u.name, s.at FROM signers s JOIN users u ON u.id = s.user_id ORDER BY s.name, s.public_key`)
		list, err = collect(rows, err, func(rows *sql.Rows) (x identify.Signer, err error) {
			var key []byte
			var at int64
			err = rows.Scan(&key, &x.Name, &x.ByName, &at)
			x.Key, x.At = key, instant(at)
			return x, err
		})
		return err
	})
	return list, err
}

// KnowSigner adds a known key, or names it anew.
func (s *Store) KnowSigner(ctx context.Context, key ed25519.PublicKey, name string, by identify.UserID, at time.Time) error {
	return s.update(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO signers (public_key, name, user_id, at) VALUES (?, ?, ?, ?)
			ON CONFLICT (public_key) DO UPDATE SET name = excluded.name, user_id = excluded.user_id, at = excluded.at`, []byte(key), name, by, micros(at))
		return err
	})
}

// ForgetSigner takes a key off those that are known.
func (s *Store) ForgetSigner(ctx context.Context, key ed25519.PublicKey) error {
	return s.update(ctx, func(tx *sql.Tx) error {
		r, err := tx.ExecContext(ctx, `DELETE FROM signers WHERE public_key = ?`, []byte(key))
		if err != nil {
			return err
		}
		if n, err := r.RowsAffected(); err != nil || n > 0 {
			return err
		}
		return identify.Errorf(identify.NotFound, "", "This key is not among those that are known.")
	})
}

// LessonRefs lists the lessons of a stretch of the log that have an embedding under
// the encoder, of the observations that match, in order.
func (s *Store) LessonRefs(ctx context.Context, encoder string, f identify.ObservationFilter, span identify.LessonSpan) ([]identify.ExemplarRef, error) {
	clause, args := observed(f)
	var list []identify.ExemplarRef
	err := s.survey(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `
			SELECT e.seq, e.observation_id, `+goesBy+`
			FROM events e JOIN identifications i ON i.id = e.identification_id AND (? OR i.withdrawn_at IS NULL)
				JOIN embeddings m ON m.photo_hash = e.photo_hash AND m.encoder = ?
			WHERE e.kind IN ('taught', 'held') AND e.seq >= ? AND (? = 0 OR e.seq <= ?)
				AND (? = 0 OR e.seq IN (`+workshopLessons+`)) `+clause+`
			ORDER BY e.seq`, append([]any{span.Withdrawn, encoder, span.From, span.To, span.To, span.Workshop, span.Workshop}, args...)...)
		list, err = collect(rows, err, func(rows *sql.Rows) (x identify.ExemplarRef, err error) {
			return x, rows.Scan(&x.Seq, &x.Observation, &x.Taxon)
		})
		return err
	})
	return list, err
}

// LessonRecords returns the lessons with some numbers, which must ascend.
func (s *Store) LessonRecords(ctx context.Context, encoder string, seqs []identify.Seq) ([]identify.Lesson, error) {
	text, err := json.Marshal(seqs)
	if err != nil {
		return nil, err
	}
	var list []identify.Lesson
	err = s.survey(ctx, func(tx *sql.Tx) error {
		dim, err := dimOf(ctx, tx, encoder)
		if err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, `
			SELECT e.seq, `+goesBy+`, u.name, e.at, i.withdrawn_at, o.id, ou.name, o.observed_at, o.observed_offset, o.latitude, o.longitude,
				o.license, o.rights_holder, o.notes, p.hash, p.media_type, p.bytes, p.glimpse, p.width, p.height, p.taken_at, p.taken_offset,
				coalesce(length(w.vectors), 0) / ?1, x.instance, x.foreign_id, x.observer, iif(e.import_id IS NULL, '', x.taught_by), x.taught_at,
				`+sensitive+`
			FROM json_each(?4) j CROSS JOIN events e ON e.seq = j.value JOIN identifications i ON i.id = e.identification_id JOIN observations o ON o.id = e.observation_id
				JOIN photos p ON p.hash = e.photo_hash JOIN users u ON u.id = e.user_id JOIN users ou ON ou.id = o.observer_id
				LEFT JOIN view_embeddings w ON w.photo_hash = e.photo_hash AND w.encoder = ?2 AND w.scheme = ?3
				LEFT JOIN observation_origins x ON x.observation_id = o.id
			ORDER BY j.key`, 4*dim, encoder, identify.ViewScheme, string(text))
		list, err = collect(rows, err, scanLesson)
		return err
	})
	if err == nil && len(list) != len(seqs) {
		err = fmt.Errorf("%d of %d lessons are in the log", len(list), len(seqs))
	}
	return list, err
}

func scanLesson(rows *sql.Rows) (identify.Lesson, error) {
	var l identify.Lesson
	var at int64
	var withdrawn, foreign, taughtAt sql.NullInt64
	var instance, observer, taughtBy sql.NullString
	var observed, taken wallTime
	p := &l.Photo
	err := rows.Scan(&l.Seq, &l.Taxon, &l.TaughtBy, &at, &withdrawn, &l.Observation, &l.Observer, &observed.at, &observed.offset,
		&l.Latitude, &l.Longitude, &l.License, &l.RightsHolder, &l.Notes, &p.Hash, &p.MediaType, &p.Bytes, &p.Glimpse, &p.Width, &p.Height,
		&taken.at, &taken.offset, &l.Views, &instance, &foreign, &observer, &taughtBy, &taughtAt, &l.Sensitive)
	l.At, l.WithdrawnAt, l.ObservedAt, p.TakenAt = instant(at), optional(withdrawn), observed.time(), taken.time()
	if instance.Valid {
		l.Origin = &identify.LessonOrigin{Instance: instance.String, Observation: foreign.Int64, Observer: observer.String,
			TaughtBy: taughtBy.String, TaughtAt: instant(taughtAt.Int64)}
	}
	return l, err
}

// LessonViews returns the raw vectors of the views of each lesson's photo, none
// where there are none.
func (s *Store) LessonViews(ctx context.Context, encoder string, seqs []identify.Seq) ([][][]float32, error) {
	text, err := json.Marshal(seqs)
	if err != nil {
		return nil, err
	}
	var list [][][]float32
	err = s.survey(ctx, func(tx *sql.Tx) error {
		dim, err := dimOf(ctx, tx, encoder)
		if err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, `
			SELECT w.vectors FROM json_each(?3) j CROSS JOIN events e ON e.seq = j.value
				LEFT JOIN view_embeddings w ON w.photo_hash = e.photo_hash AND w.encoder = ?1 AND w.scheme = ?2
			ORDER BY j.key`, encoder, identify.ViewScheme, string(text))
		list, err = collect(rows, err, func(rows *sql.Rows) ([][]float32, error) {
			var blob []byte
			if err := rows.Scan(&blob); err != nil {
				return nil, err
			}
			return viewsOf(blob, dim)
		})
		return err
	})
	return list, err
}

// TaxonOrigins lists which taxa here local taxa of other sites are.
func (s *Store) TaxonOrigins(ctx context.Context) ([]identify.TaxonOrigin, error) {
	var list []identify.TaxonOrigin
	err := s.view(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `SELECT instance, foreign_id, taxon_id FROM taxon_origins ORDER BY taxon_id, instance, foreign_id`)
		list, err = collect(rows, err, func(rows *sql.Rows) (x identify.TaxonOrigin, err error) {
			return x, rows.Scan(&x.Instance, &x.ID, &x.Taxon)
		})
		return err
	})
	return list, err
}
