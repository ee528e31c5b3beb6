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
	var list []identify.TrialRecord
	err := s.view(ctx, func(tx *sql.Tx) (err error) {
		list, err = trials(ctx, tx, `t.encoder = ?`, encoder)
		return err
	})
	return list, err
}

// trials are those of Trials, under any encoder, of which a condition is true. The
// rows keep what was answered at the time; here a name that is a synonym since counts
// as what it is a synonym of, or lessons that were right would turn wrong, and wrong
// ones stay so, when two names are found to mean the same.
func trials(ctx context.Context, tx *sql.Tx, condition string, args ...any) ([]identify.TrialRecord, error) {
	rows, err := tx.QueryContext(ctx, `
		SELECT t.seq, e.at, o.current_taxon_id, x.group_key, t.encoder, t.memory_seq, t.rule, t.candidates, t.known,
			coalesce(f.accepted_id, f.id), t.fused_p, t.fused_truth_p, coalesce(z.accepted_id, z.id), t.zero_p, t.zero_truth_p
		FROM trials t JOIN taxa f ON f.id = t.fused_taxon JOIN taxa z ON z.id = t.zero_taxon JOIN events e ON e.seq = t.seq JOIN observations o ON o.id = e.observation_id
			JOIN taxa x ON x.id = o.current_taxon_id
		WHERE `+condition+` AND t.first ORDER BY t.seq`, args...)
	return collect(rows, err, func(rows *sql.Rows) (identify.TrialRecord, error) {
		var t identify.TrialRecord
		var at int64
		err := rows.Scan(&t.Lesson, &at, &t.Truth, &t.Group, &t.Encoder, &t.Seq, &t.Rule, &t.Candidates, &t.Known,
			&t.Fused.Taxon, &t.Fused.Probability, &t.Fused.Taught, &t.ZeroShot.Taxon, &t.ZeroShot.Probability, &t.ZeroShot.Taught)
		t.At = instant(at)
		return t, err
	})
}

// TrialCounts says what became of all lessons ever given.
func (s *Store) TrialCounts(ctx context.Context, encoder string) (identify.TrialCounts, error) {
	var c identify.TrialCounts
	err := s.view(ctx, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, `
			SELECT count(*), coalesce(sum(e.import_id IS NOT NULL), 0),
				coalesce(sum(e.import_id IS NULL AND t.seq IS NOT NULL AND NOT t.first), 0),
				coalesce(sum(e.import_id IS NULL AND t.first AND o.current_taxon_id IS NULL), 0),
				coalesce(sum(e.import_id IS NULL AND t.seq IS NULL), 0)
			FROM events e JOIN observations o ON o.id = e.observation_id
				LEFT JOIN trials t ON t.seq = e.seq AND t.encoder = ?
			WHERE e.kind IN ('taught', 'held')`, encoder).Scan(&c.Lessons, &c.Imported, &c.Repeated, &c.Unnamed, &c.Untested)
	})
	return c, err
}
