package store

import (
	"context"
	"database/sql"

	"fieldmark/internal/identify"
)

// Sources lists every source that ever gave a lesson or is in quarantine, the
// latest to teach first.
func (s *Store) Sources(ctx context.Context) ([]identify.SourceReport, error) {
	var list []identify.SourceReport
	err := s.view(ctx, func(tx *sql.Tx) (err error) {
		list, err = sources(ctx, tx, `1`)
		return err
	})
	return list, err
}

// Source is one of Sources.
func (s *Store) Source(ctx context.Context, of identify.Source) (identify.SourceReport, error) {
	var list []identify.SourceReport
	condition, id := sourceOf(of)
	err := s.view(ctx, func(tx *sql.Tx) (err error) {
		list, err = sources(ctx, tx, condition, id)
		return err
	})
	if err != nil {
		return identify.SourceReport{}, err
	}
	for _, r := range list {
		if r.Source == of {
			return r, nil
		}
	}
	return identify.SourceReport{}, identify.Errorf(identify.NotFound, "", "Nothing has ever been taught by this source.")
}

// sources counts the lessons i of which a condition is true, by one index in its order,
// and adds every quarantine that lasts. A lesson that does not stand is in quarantine,
// or was taken back by whoever gave it or with its import as a whole, or overruled. It
// is disputed where someone else has named the same photo differently since: only
// observations that were named twice are looked at for that.
func sources(ctx context.Context, tx *sql.Tx, condition string, args ...any) ([]identify.SourceReport, error) {
	rows, err := tx.QueryContext(ctx, `
		WITH disputes AS MATERIALIZED (
			SELECT i.import_id AS import_id, i.user_id AS user_id, count(*) AS n
			FROM (SELECT observation_id FROM identifications WHERE withdrawn_at IS NULL GROUP BY observation_id HAVING count(*) > 1) twice
				CROSS JOIN identifications i ON i.observation_id = twice.observation_id
			WHERE i.withdrawn_at IS NULL AND EXISTS (SELECT 1 FROM identifications x WHERE x.observation_id = i.observation_id
				AND x.id > i.id AND x.user_id <> i.user_id AND (SELECT `+goesBy+` FROM identifications i WHERE i.id = x.id) <> `+goesBy+` AND x.withdrawn_at IS NULL)
			GROUP BY i.import_id, i.user_id)
		SELECT iif(l.import_id IS NULL, l.user_id, 0), coalesce(l.import_id, 0),
			iif(l.import_id IS NULL, (SELECT name FROM users WHERE id = l.user_id), (SELECT name FROM imports WHERE id = l.import_id)),
			iif(l.import_id IS NULL, '', (SELECT name FROM users WHERE id = l.user_id)),
			l.taught, l.standing, l.waiting, l.taken_back, coalesce(d.n, 0), l.first_at, l.last_at
		FROM (
			SELECT i.import_id AS import_id, i.user_id AS user_id, count(*) AS taught, sum(i.withdrawn_at IS NULL) AS standing,
				sum(i.quarantine_id IS NOT NULL) AS waiting, sum(i.taken_back) AS taken_back, min(i.created_at) AS first_at, max(i.created_at) AS last_at
			FROM identifications i WHERE `+condition+` GROUP BY i.import_id, i.user_id) l
			LEFT JOIN disputes d ON d.import_id IS l.import_id AND d.user_id = l.user_id
		ORDER BY l.last_at DESC, iif(l.import_id IS NULL, l.user_id, NULL), l.import_id`, args...)
	list, err := collect(rows, err, scanSource)
	if err != nil {
		return nil, err
	}
	open, err := quarantines(ctx, tx, `WHERE q.outcome IS NULL ORDER BY q.id`)
	if err != nil {
		return nil, err
	}
	for _, q := range open {
		if list, err = withQuarantine(ctx, tx, list, q); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// withQuarantine notes a quarantine at its source; one that never taught is added.
func withQuarantine(ctx context.Context, tx *sql.Tx, list []identify.SourceReport, q identify.Quarantine) ([]identify.SourceReport, error) {
	for i := range list {
		if list[i].Source == q.Source {
			list[i].Quarantine = &q
			return list, nil
		}
	}
	r := identify.SourceReport{Source: q.Source, Quarantine: &q, FirstAt: q.BeganAt, LastAt: q.BeganAt}
	err := tx.QueryRowContext(ctx, `SELECT coalesce((SELECT name FROM users WHERE id = ?), (SELECT name FROM imports WHERE id = ?))`,
		q.Source.User, q.Source.Import).Scan(&r.Name)
	return append(list, r), err
}

func scanSource(rows *sql.Rows) (identify.SourceReport, error) {
	var r identify.SourceReport
	var first, last int64
	err := rows.Scan(&r.User, &r.Import, &r.Name, &r.By, &r.Taught, &r.Standing, &r.Waiting, &r.TakenBack, &r.Disputed, &first, &last)
	r.Overruled = r.Taught - r.Standing - r.Waiting - r.TakenBack
	r.FirstAt, r.LastAt = instant(first), instant(last)
	return r, err
}
