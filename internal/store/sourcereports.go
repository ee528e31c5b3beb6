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
		list, err = sources(ctx, tx)
		return err
	})
	return list, err
}

// Source is one of Sources.
func (s *Store) Source(ctx context.Context, of identify.Source) (identify.SourceReport, error) {
	list, err := s.Sources(ctx)
	if err != nil {
		return identify.SourceReport{}, err
	}
	for _, r := range list {
		if r.Source == of {
			return r, nil
		}
	}
	return identify.SourceReport{}, identify.Errorf(identify.NotFound, "", "Nothing was ever taught by this source.")
}

// sources reads the log once. A lesson that does not stand is in quarantine, or
// was taken back by whoever gave it or with its import as a whole, or overruled.
func sources(ctx context.Context, tx *sql.Tx) ([]identify.SourceReport, error) {
	rows, err := tx.QueryContext(ctx, `
		WITH lessons AS (
			SELECT e.import_id AS import_id, iif(e.import_id IS NULL, e.user_id, NULL) AS user_id, e.at AS at,
				i.withdrawn_at IS NULL AS standing, i.quarantine_id IS NOT NULL AS waiting,
				i.withdrawn_at IS NOT NULL AND i.quarantine_id IS NULL
					AND (w.user_id = e.user_id AND w.quarantine_id IS NULL OR w.import_id IS NOT NULL) AS taken_back,
				i.withdrawn_at IS NULL AND EXISTS (SELECT 1 FROM identifications x WHERE x.observation_id = i.observation_id
					AND x.id > i.id AND x.user_id <> i.user_id AND x.taxon_id <> i.taxon_id AND x.withdrawn_at IS NULL) AS disputed
			FROM events e JOIN identifications i ON i.id = e.identification_id
				LEFT JOIN events w ON w.identification_id = i.id AND w.kind = 'withdrawn'
			WHERE e.kind IN ('taught', 'held'))
		SELECT coalesce(l.user_id, 0), coalesce(l.import_id, 0),
			coalesce((SELECT name FROM users WHERE id = l.user_id), (SELECT name FROM imports WHERE id = l.import_id)),
			coalesce((SELECT u.name FROM imports m JOIN users u ON u.id = m.user_id WHERE m.id = l.import_id), ''),
			count(*), sum(l.standing), sum(l.waiting), sum(l.taken_back), sum(l.disputed), min(l.at), max(l.at)
		FROM lessons l GROUP BY l.user_id, l.import_id ORDER BY max(l.at) DESC, l.user_id, l.import_id`)
	list, err := collect(rows, err, func(rows *sql.Rows) (identify.SourceReport, error) {
		var r identify.SourceReport
		var first, last int64
		err := rows.Scan(&r.User, &r.Import, &r.Name, &r.By, &r.Taught, &r.Standing, &r.Waiting, &r.TakenBack, &r.Disputed, &first, &last)
		r.Overruled = r.Taught - r.Standing - r.Waiting - r.TakenBack
		r.FirstAt, r.LastAt = instant(first), instant(last)
		return r, err
	})
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
