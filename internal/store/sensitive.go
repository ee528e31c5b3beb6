package store

import (
	"context"
	"database/sql"
	"time"

	"fieldmark/internal/identify"
)

// secret selects the ids of the sensitive taxa, of all below them, and of what became
// a synonym of one of these.
const secret = `(WITH RECURSIVE below (id) AS (
	SELECT coalesce(t.accepted_id, t.id) FROM sensitive_taxa x JOIN taxa t ON t.id = x.taxon_id UNION SELECT t.id FROM taxa t JOIN below ON t.parent_id = below.id)
	SELECT id FROM below UNION ALL SELECT s.id FROM below b JOIN taxa s ON s.accepted_id = b.id)`

// sensitive is what an observation o meets that is identify.Observation.Sensitive.
const sensitive = `(EXISTS (SELECT 1 FROM identifications n WHERE n.observation_id = o.id AND n.taxon_id IN ` + secret + `)
	OR NOT EXISTS (SELECT 1 FROM identifications n WHERE n.observation_id = o.id)
		AND (coalesce(o.suggested_taxon_id, 0) IN ` + secret + ` OR EXISTS (SELECT 1 FROM readings n WHERE n.observation_id = o.id AND n.taxon_id IN ` + secret + `)))`

// SensitiveTaxa lists the taxa whose places are generalised, by name.
func (s *Store) SensitiveTaxa(ctx context.Context) ([]identify.SensitiveTaxon, error) {
	var list []identify.SensitiveTaxon
	err := s.view(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `
			SELECT x.taxon_id, t.english_name, t.scientific_name, u.name, x.added_at
			FROM sensitive_taxa x JOIN taxa t ON t.id = x.taxon_id JOIN users u ON u.id = x.user_id
			ORDER BY t.scientific_name, x.taxon_id`)
		list, err = collect(rows, err, func(rows *sql.Rows) (x identify.SensitiveTaxon, err error) {
			var t identify.Taxon
			var at int64
			err = rows.Scan(&x.Taxon, &t.EnglishName, &t.ScientificName, &x.AddedBy, &at)
			x.Label, x.Name, x.AddedAt = t.Label(), t.ScientificName, instant(at)
			return x, err
		})
		return err
	})
	return list, err
}

// AddSensitiveTaxon adds a taxon; one that is there already stays as it is.
func (s *Store) AddSensitiveTaxon(ctx context.Context, t identify.TaxonID, by identify.UserID, at time.Time) error {
	return s.update(ctx, func(tx *sql.Tx) error {
		if err := taxonExists(ctx, tx, t, "taxon_id"); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO sensitive_taxa (taxon_id, user_id, added_at) VALUES (?, ?, ?) ON CONFLICT (taxon_id) DO NOTHING`,
			t, by, micros(at))
		return err
	})
}

// RemoveSensitiveTaxon takes a taxon out of the list; KindOf NotFound if it is
// not there.
func (s *Store) RemoveSensitiveTaxon(ctx context.Context, t identify.TaxonID) error {
	return s.update(ctx, func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, `DELETE FROM sensitive_taxa WHERE taxon_id = ?`, t)
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil || n > 0 {
			return err
		}
		return identify.Errorf(identify.NotFound, "taxon_id", "The taxon %d is not among the sensitive ones.", t)
	})
}
