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
	text, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	var list []identify.Observation
	err = s.view(ctx, func(tx *sql.Tx) (err error) {
		list, err = observations(ctx, tx, `WHERE o.id IN (SELECT value FROM json_each(?)) ORDER BY o.id DESC`, string(text))
		return err
	})
	return list, err
}

// ExportSummary counts what matches; Exemplars are those of the encoder.
func (s *Store) ExportSummary(ctx context.Context, encoder string, f identify.ObservationFilter) (identify.ExportSummary, error) {
	f.Before = 0
	var x identify.ExportSummary
	err := s.view(ctx, func(tx *sql.Tx) error {
		clause, args := where(f)
		selected := `(SELECT o.id FROM observations o ` + clause + `)`
		var said conditions
		identified(&said, f)
		for _, q := range []struct {
			query string
			args  []any
			into  []any
		}{
			{`SELECT count(*) FROM ` + selected, args, []any{&x.Observations}},
			{`SELECT count(*) FROM identifications i WHERE i.observation_id IN ` + selected + said.clause(` AND`),
				append(args[:len(args):len(args)], said.args...), []any{&x.Identifications}},
			{`SELECT count(*) FROM identifications i JOIN observations o ON o.id = i.observation_id
				JOIN embeddings m ON m.photo_hash = o.photo_hash AND m.encoder = ?
				WHERE i.withdrawn_at IS NULL AND i.observation_id IN ` + selected + said.clause(` AND`),
				append(append([]any{encoder}, args...), said.args...), []any{&x.Exemplars}},
			{`SELECT count(*), coalesce(sum(p.bytes), 0) FROM photos p WHERE p.bytes > 0
				AND p.hash IN (SELECT o.photo_hash FROM observations o ` + clause + `)`, args, []any{&x.Photos, &x.PhotoBytes}},
			{`SELECT count(*) FROM observations o WHERE o.id IN ` + selected + ` AND ` + sensitive, args, []any{&x.Sensitive}},
		} {
			if err := tx.QueryRowContext(ctx, q.query, q.args...).Scan(q.into...); err != nil {
				return err
			}
		}
		var at sql.NullInt64
		if err := tx.QueryRowContext(ctx, `SELECT e.seq, e.at FROM events e ORDER BY e.seq DESC LIMIT 1`).Scan(&x.Seq, &at); err != nil && err != sql.ErrNoRows {
			return err
		}
		if at.Valid {
			x.Changed = instant(at.Int64)
		}
		rows, err := tx.QueryContext(ctx, `SELECT DISTINCT o.license FROM observations o `+clause+` ORDER BY o.license`, args...)
		x.Licenses, err = collect(rows, err, scanText)
		return err
	})
	return x, err
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
