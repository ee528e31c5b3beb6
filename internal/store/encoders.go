package store

import (
	"context"
	"database/sql"
	"time"

	"fieldmark/internal/identify"
)

// EncoderChoice returns which encoder serves and which is to.
func (s *Store) EncoderChoice(ctx context.Context) (identify.EncoderChoice, error) {
	var c identify.EncoderChoice
	err := s.view(ctx, func(tx *sql.Tx) (err error) {
		c, err = encoderChoice(ctx, tx)
		return err
	})
	return c, err
}

func encoderChoice(ctx context.Context, tx *sql.Tx) (identify.EncoderChoice, error) {
	var c identify.EncoderChoice
	var problem string
	err := tx.QueryRowContext(ctx, `SELECT serving, coalesce(serving_digest, ''), wanted, paused, problem, wishes, revision FROM encoder_choice`).
		Scan(&c.Serving, &c.Digest, &c.Wanted, &c.Paused, &problem, &c.Wishes, &c.Revision)
	c.Problem = identify.ParseNotice(problem)
	return c, err
}

// WantEncoder asks for an encoder to serve, "" for the one that does. A problem
// and a pause end with it.
func (s *Store) WantEncoder(ctx context.Context, model string) (identify.EncoderChoice, error) {
	var c identify.EncoderChoice
	err := s.update(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE encoder_choice SET wanted = ?, paused = 0, problem = '', wishes = wishes + 1, revision = revision + 1`, model)
		if err == nil {
			c, err = encoderChoice(ctx, tx)
		}
		return err
	})
	return c, err
}

// PauseEmbedding pauses or resumes the work in the background; a problem that
// stopped it is tried again.
func (s *Store) PauseEmbedding(ctx context.Context, paused bool) error {
	return s.choose(ctx, `paused = ?, problem = '', revision = revision + 1`, paused)
}

// ServeEncoder makes an encoder, which must be registered, the one that serves;
// it is not wanted any more.
func (s *Store) ServeEncoder(ctx context.Context, model, digest string) error {
	return s.choose(ctx, `serving = ?1, serving_digest = ?2, problem = '', wanted = CASE WHEN wanted = ?1 THEN '' ELSE wanted END`, model, digest)
}

// EncoderProblem notes what stopped the work in the background; zero ends that.
func (s *Store) EncoderProblem(ctx context.Context, problem identify.Notice) error {
	return s.choose(ctx, `problem = ?`, problem.Text())
}

// Reconsider lets a server look again for photos to be embedded.
func (s *Store) Reconsider(ctx context.Context) error {
	return s.choose(ctx, `problem = '', revision = revision + 1`)
}

func (s *Store) choose(ctx context.Context, set string, args ...any) error {
	return s.update(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE encoder_choice SET `+set, args...)
		return err
	})
}

// LostLessons lists up to limit identifications that stand and whose photo the
// encoder cannot be shown, newest observation first; total counts them all.
func (s *Store) LostLessons(ctx context.Context, encoder string, limit int) (list []identify.LostLesson, total int, err error) {
	const from = ` FROM embedding_failures f JOIN observations o ON o.photo_hash = f.photo_hash
		JOIN identifications i ON i.observation_id = o.id AND i.withdrawn_at IS NULL
		WHERE f.encoder = ?`
	err = s.view(ctx, func(tx *sql.Tx) error {
		if err := tx.QueryRowContext(ctx, `SELECT count(*)`+from, encoder).Scan(&total); err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, `
			SELECT o.id, `+goesBy+`, (SELECT coalesce(nullif(t.english_name, ''), t.scientific_name) FROM taxa t WHERE t.id = `+goesBy+`),
				(SELECT u.name FROM users u WHERE u.id = i.user_id), f.reason`+from+` ORDER BY o.id DESC, i.id LIMIT ?`, encoder, limit)
		list, err = collect(rows, err, func(rows *sql.Rows) (l identify.LostLesson, err error) {
			var reason string
			err = rows.Scan(&l.Observation, &l.Taxon, &l.Label, &l.TaughtBy, &reason)
			l.Reason = identify.ParseNotice(reason)
			return l, err
		})
		return err
	})
	return list, total, err
}

// AddEmbeddingFailure notes that an encoder cannot be shown a photo.
func (s *Store) AddEmbeddingFailure(ctx context.Context, encoder string, photo identify.PhotoHash, reason identify.Notice, at time.Time) error {
	return s.update(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO embedding_failures (encoder, photo_hash, reason, at) VALUES (?, ?, ?, ?)
			ON CONFLICT (encoder, photo_hash) DO UPDATE SET reason = excluded.reason, at = excluded.at`, encoder, photo, reason.Text(), micros(at))
		return err
	})
}

// ForgetEmbeddingFailures lets an encoder be shown those photos again.
func (s *Store) ForgetEmbeddingFailures(ctx context.Context, encoder string) error {
	return s.update(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM embedding_failures WHERE encoder = ?`, encoder); err != nil {
			return err
		}
		return forgetViewless(ctx, tx, `encoder = ?`, encoder)
	})
}
