package store

import (
	"context"
	"database/sql"

	"fieldmark/internal/identify"
)

// PreviewSynonymy says what would come of making a taxon a synonym of another.
func (s *Store) PreviewSynonymy(ctx context.Context, synonym, accepted identify.TaxonID) (identify.SynonymyPreview, error) {
	var p identify.SynonymyPreview
	err := s.view(ctx, func(tx *sql.Tx) (err error) {
		if p.Synonym, p.Accepted, err = mergeable(ctx, tx, synonym, accepted); err != nil {
			return err
		}
		err = tx.QueryRowContext(ctx, `SELECT
			(SELECT count(*) FROM identifications WHERE taxon_id = ?1 AND withdrawn_at IS NULL),
			(SELECT count(*) FROM identifications WHERE taxon_id = ?1 AND quarantine_id IS NOT NULL),
			(SELECT count(*) FROM identifications WHERE taxon_id = ?2 AND withdrawn_at IS NULL),
			(SELECT count(*) FROM observations WHERE current_taxon_id = ?1),
			(SELECT count(*) FROM observations o CROSS JOIN photos p ON p.hash = o.photo_hash CROSS JOIN readings r ON r.observation_id = o.id
				WHERE `+waits+` AND r.taxon_id = ?1),
			(SELECT count(*) FROM taxa WHERE parent_id = ?1 AND accepted_id IS NULL)`, synonym, accepted).
			Scan(&p.Lessons, &p.Waiting, &p.Known, &p.Observations, &p.Read, &p.Children)
		if err != nil {
			return err
		}
		m := newNames(p.Synonym, p.Accepted)
		p.Names, p.Vernacular = m.Names, m.Vernacular
		p.Sets, err = setsWith(ctx, tx, synonym)
		return err
	})
	return p, err
}

// Synonymies lists those about a taxon, on either side, or with 0 all, newest first,
// those that were undone included.
func (s *Store) Synonymies(ctx context.Context, about identify.TaxonID) ([]identify.Synonymy, error) {
	var list []identify.Synonymy
	err := s.view(ctx, func(tx *sql.Tx) (err error) {
		list, err = synonymies(ctx, tx, `WHERE ?1 = 0 OR y.synonym_id = ?1 OR y.accepted_id = ?1 ORDER BY y.id DESC`, about)
		return err
	})
	return list, err
}

// synonymy is one of them; KindOf NotFound if there is none.
func synonymy(ctx context.Context, tx *sql.Tx, id identify.SynonymyID) (identify.Synonymy, error) {
	list, err := synonymies(ctx, tx, `WHERE y.id = ?`, id)
	if err != nil {
		return identify.Synonymy{}, err
	}
	if len(list) == 0 {
		return identify.Synonymy{}, identify.Errorf(identify.NotFound, "", "No two names were merged under the number %d.", id)
	}
	return list[0], nil
}

func synonymies(ctx context.Context, tx *sql.Tx, clause string, args ...any) ([]identify.Synonymy, error) {
	rows, err := tx.QueryContext(ctx, `
		SELECT y.id, y.synonym_id, coalesce(nullif(s.english_name, ''), s.scientific_name), s.scientific_name,
			y.accepted_id, coalesce(nullif(a.english_name, ''), a.scientific_name), a.scientific_name,
			y.lessons, u.name, y.at, coalesce(y.returned, 0), coalesce(x.name, ''), y.undone_at, coalesce(y.under_way, '')
		FROM synonymies y JOIN taxa s ON s.id = y.synonym_id JOIN taxa a ON a.id = y.accepted_id
			JOIN users u ON u.id = y.by_id LEFT JOIN users x ON x.id = y.undone_by `+clause, args...)
	return collect(rows, err, func(rows *sql.Rows) (identify.Synonymy, error) {
		var y identify.Synonymy
		var at int64
		var undone sql.NullInt64
		err := rows.Scan(&y.ID, &y.Synonym, &y.SynonymLabel, &y.SynonymName, &y.Accepted, &y.AcceptedLabel, &y.AcceptedName,
			&y.Lessons, &y.ByName, &at, &y.Returned, &y.UndoneBy, &undone, &y.UnderWay)
		y.At, y.UndoneAt = instant(at), optional(undone)
		return y, err
	})
}

// synonyms tells, within one transaction, what each taxon is a synonym of; a taxon
// that is none is itself.
func synonyms(ctx context.Context, tx *sql.Tx) (accepted func(identify.TaxonID) identify.TaxonID, err error) {
	of := map[identify.TaxonID]identify.TaxonID{}
	rows, err := tx.QueryContext(ctx, `SELECT id, accepted_id FROM taxa WHERE accepted_id IS NOT NULL`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id, into identify.TaxonID
		if err := rows.Scan(&id, &into); err != nil {
			return nil, err
		}
		of[id] = into
	}
	return func(id identify.TaxonID) identify.TaxonID {
		if into, is := of[id]; is {
			return into
		}
		return id
	}, rows.Err()
}
