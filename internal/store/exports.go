package store

import (
	"context"
	"database/sql"
	"encoding/json"

	"fieldmark/internal/identify"
)

// Selection lists the ids of all observations that match, newest first.
func (s *Store) Selection(ctx context.Context, f identify.ObservationFilter) ([]identify.ObservationID, error) {
	f.Before = 0
	clause, args := where(f)
	var list []identify.ObservationID
	err := s.view(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `SELECT o.id FROM observations o `+clause+` ORDER BY o.id DESC`, args...)
		list, err = collect(rows, err, func(rows *sql.Rows) (id identify.ObservationID, err error) {
			return id, rows.Scan(&id)
		})
		return err
	})
	return list, err
}

// ObservationsByID returns those of ids that there are, newest first.
func (s *Store) ObservationsByID(ctx context.Context, ids []identify.ObservationID) ([]identify.Observation, error) {
	var list []identify.Observation
	err := s.view(ctx, func(tx *sql.Tx) (err error) {
		list, err = observationsByID(ctx, tx, ids)
		return err
	})
	return list, err
}

func observationsByID(ctx context.Context, tx *sql.Tx, ids []identify.ObservationID) ([]identify.Observation, error) {
	text, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	return observations(ctx, tx, `WHERE o.id IN (SELECT value FROM json_each(?)) ORDER BY o.id DESC`, string(text))
}

func scanText(rows *sql.Rows) (text string, err error) { return text, rows.Scan(&text) }

// ExportChoices lists who has identified anything, and the licences in use.
func (s *Store) ExportChoices(ctx context.Context) (identify.ExportChoices, error) {
	var c identify.ExportChoices
	err := s.view(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `
			SELECT u.id, u.name, u.role FROM users u
			WHERE EXISTS (SELECT 1 FROM identifications i WHERE i.user_id = u.id) ORDER BY u.name, u.id`)
		c.People, err = collect(rows, err, func(rows *sql.Rows) (u identify.User, err error) {
			return u, rows.Scan(&u.ID, &u.Name, &u.Role)
		})
		if err != nil {
			return err
		}
		rows, err = tx.QueryContext(ctx, `SELECT DISTINCT license FROM observations WHERE license <> '' ORDER BY license`)
		c.Licenses, err = collect(rows, err, scanText)
		return err
	})
	return c, err
}

// Instance is the UUID of this Fieldmark, made once.
func (s *Store) Instance(ctx context.Context) (uuid string, err error) {
	return uuid, s.view(ctx, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, `SELECT uuid FROM instance`).Scan(&uuid)
	})
}
