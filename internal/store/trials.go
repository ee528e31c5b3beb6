package store

import (
	"context"
	"database/sql"

	"fieldmark/internal/identify"
)

// addTrial stores what was answered before the lesson of an event, and whether
// that is the first about its photo.
func addTrial(ctx context.Context, tx *sql.Tx, seq identify.Seq, photo identify.PhotoHash, t identify.Trial) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO trials (seq, encoder, memory_seq, rule, candidates, known, first,
			fused_taxon, fused_p, fused_truth_p, zero_taxon, zero_p, zero_truth_p)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6,
			NOT EXISTS (SELECT 1 FROM events e WHERE e.photo_hash = ?7 AND e.kind IN ('taught', 'held') AND e.seq < ?1),
			?8, ?9, ?10, ?11, ?12, ?13)`,
		seq, t.Encoder, t.Seq, t.Rule, t.Candidates, t.Known, photo,
		t.Fused.Taxon, t.Fused.Probability, t.Fused.Taught, t.ZeroShot.Taxon, t.ZeroShot.Probability, t.ZeroShot.Taught)
	return err
}

// Trials lists the trials under an encoder that precede the first lesson about a
// photo, of observations that go by a name today, in the order of the log.
func (s *Store) Trials(ctx context.Context, encoder string) ([]identify.TrialRecord, error) {
	s.trials.mu.Lock()
	defer s.trials.mu.Unlock()
	err := s.view(ctx, func(tx *sql.Tx) error { return s.trials.as(ctx, tx, encoder) })
	if err != nil {
		return nil, err
	}
	return s.trials.records(), nil
}

// trials are those of Trials, under any encoder, of which a condition is true. The
// rows keep what was answered at the time; here a name that is a synonym since counts
// as what it is a synonym of, or lessons that were right would turn wrong, and wrong
// ones stay so, when two names are found to mean the same.
func trials(ctx context.Context, tx *sql.Tx, condition string, args ...any) ([]identify.TrialRecord, error) {
	list, err := trialsOf(ctx, tx, condition, args...)
	c := trialCache{list: list}
	return c.records(), err
}

// trialsOf are trials with the observations that they are about.
func trialsOf(ctx context.Context, tx *sql.Tx, condition string, args ...any) ([]trialOf, error) {
	rows, err := tx.QueryContext(ctx, `
		SELECT o.id, t.seq, e.at, x.id, x.group_key, t.encoder, t.memory_seq, t.rule, t.candidates, t.known,
			coalesce(f.accepted_id, f.id), t.fused_p, t.fused_truth_p, coalesce(z.accepted_id, z.id), t.zero_p, t.zero_truth_p
		FROM trials t JOIN taxa f ON f.id = t.fused_taxon JOIN taxa z ON z.id = t.zero_taxon JOIN events e ON e.seq = t.seq JOIN observations o ON o.id = e.observation_id
			JOIN taxa x ON x.id = (SELECT coalesce(own.accepted_id, own.id) FROM taxa own WHERE own.id = o.current_taxon_id)
		WHERE `+condition+` AND t.first ORDER BY t.seq`, args...)
	return collect(rows, err, func(rows *sql.Rows) (trialOf, error) {
		var t trialOf
		var at int64
		err := rows.Scan(&t.observation, &t.Lesson, &at, &t.Truth, &t.Group, &t.Encoder, &t.Seq, &t.Rule, &t.Candidates, &t.Known,
			&t.Fused.Taxon, &t.Fused.Probability, &t.Fused.Taught, &t.ZeroShot.Taxon, &t.ZeroShot.Probability, &t.ZeroShot.Taught)
		t.At = instant(at)
		return t, err
	})
}

// TrialCounts says what became of all lessons ever given. Of imported ones there are
// no trials; a first one of its photo that Trials has not is of an observation that goes
// by no name.
func (s *Store) TrialCounts(ctx context.Context, encoder string) (identify.TrialCounts, error) {
	var c identify.TrialCounts
	var first int
	s.trials.mu.Lock()
	defer s.trials.mu.Unlock()
	err := s.view(ctx, func(tx *sql.Tx) error {
		if err := s.trials.as(ctx, tx, encoder); err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, `
			SELECT (SELECT count(*) FROM identifications), (SELECT count(*) FROM identifications WHERE import_id IS NOT NULL),
				(SELECT count(*) FROM trials WHERE encoder = ?1 AND first = 0), (SELECT count(*) FROM trials WHERE encoder = ?1 AND first = 1)`, encoder).
			Scan(&c.Lessons, &c.Imported, &c.Repeated, &first)
	})
	c.Unnamed, c.Untested = first-len(s.trials.list), c.Lessons-c.Imported-c.Repeated-first
	return c, err
}
