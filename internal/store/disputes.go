package store

import (
	"context"
	"database/sql"

	"fieldmark/internal/identify"
)

// RefreshDisputes notes anew which observations are disputed: the tree of taxa may
// have changed.
func (s *Store) RefreshDisputes(ctx context.Context) error {
	return s.update(ctx, func(tx *sql.Tx) error {
		return refreshDisputesOf(ctx, tx, disputable)
	})
}

// disputable is the condition on an observation that people may disagree about it.
const disputable = `disputed = 1 OR id IN (SELECT observation_id FROM identifications
	WHERE withdrawn_at IS NULL GROUP BY observation_id HAVING count(DISTINCT taxon_id) > 1)`

// refreshDisputesOf does so for the observations that a condition selects.
func refreshDisputesOf(ctx context.Context, tx *sql.Tx, which string, args ...any) error {
	rows, err := tx.QueryContext(ctx, `SELECT id FROM observations WHERE (`+which+`) AND (disputed = 1 OR 1 < (
		SELECT count(DISTINCT `+goesBy+`) FROM identifications i WHERE i.observation_id = observations.id AND i.withdrawn_at IS NULL))`, args...)
	list, err := collect(rows, err, func(rows *sql.Rows) (id identify.ObservationID, err error) { return id, rows.Scan(&id) })
	if err != nil {
		return err
	}
	for _, o := range list {
		if err := refreshDispute(ctx, tx, o); err != nil {
			return err
		}
	}
	return nil
}

// refreshDispute notes whether the people who named an observation disagree, by the
// rule of identify.Community.
func refreshDispute(ctx context.Context, tx *sql.Tx, o identify.ObservationID) error {
	rows, err := tx.QueryContext(ctx, `
		WITH RECURSIVE up (identification, taxon, above, height) AS (
			SELECT i.id, t.id, t.parent_id, 0 FROM identifications i JOIN taxa t ON t.id = `+goesBy+`
			WHERE i.observation_id = ? AND i.withdrawn_at IS NULL
			UNION ALL
			SELECT up.identification, t.id, t.parent_id, height + 1 FROM up JOIN taxa t ON t.id = up.above WHERE height < 40)
		SELECT identification, taxon FROM up ORDER BY identification, height`, o)
	type step struct {
		identification identify.IdentificationID
		taxon          identify.TaxonID
	}
	steps, err := collect(rows, err, func(rows *sql.Rows) (x step, err error) { return x, rows.Scan(&x.identification, &x.taxon) })
	if err != nil {
		return err
	}
	var lines [][]identify.TaxonID
	for i, x := range steps {
		if i == 0 || x.identification != steps[i-1].identification {
			lines = append(lines, nil)
		}
		lines[len(lines)-1] = append(lines[len(lines)-1], x.taxon)
	}
	_, err = tx.ExecContext(ctx, `UPDATE observations SET disputed = ?1 WHERE id = ?2 AND disputed != ?1`, identify.AgreementOf(lines).Disputed, o)
	return err
}
