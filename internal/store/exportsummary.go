package store

import (
	"context"
	"database/sql"
	"errors"

	"fieldmark/internal/identify"
)

// ExportSummary counts what matches; Exemplars are those of the encoder.
func (s *Store) ExportSummary(ctx context.Context, encoder string, f identify.ObservationFilter) (identify.ExportSummary, error) {
	f.Before = 0
	var x identify.ExportSummary
	err := s.view(ctx, func(tx *sql.Tx) error {
		c := newCounting(tx, f)
		if err := errors.Join(c.lessons(ctx, encoder, &x), c.photos(ctx, &x), c.sensitive(ctx, &x)); err != nil {
			return err
		}
		var at sql.NullInt64
		err := tx.QueryRowContext(ctx, `SELECT e.seq, e.at FROM events e ORDER BY e.seq DESC LIMIT 1`).Scan(&x.Seq, &at)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if at.Valid {
			x.Changed = instant(at.Int64)
		}
		rows, err := tx.QueryContext(ctx, `SELECT DISTINCT o.license FROM observations o `+c.clause+` ORDER BY o.license`, c.args...)
		x.Licenses, err = collect(rows, err, scanText)
		return err
	})
	return x, err
}

// counting counts what a filter selects, of which there may be much: the observations
// are selected once for each question, in the order of their ids, and hashes, which
// lie anywhere, are looked up only where there is no other way.
type counting struct {
	tx     *sql.Tx
	clause string
	args   []any
	said   conditions // what identifications meet; "" unless there is a clause
}

func newCounting(tx *sql.Tx, f identify.ObservationFilter) *counting {
	c := &counting{tx: tx}
	c.clause, c.args = where(f)
	identified(&c.said, f)
	return c
}

// one asks for one row.
func (c *counting) one(ctx context.Context, query string, args []any, into ...any) error {
	return c.tx.QueryRowContext(ctx, query, args...).Scan(into...)
}

// selected names the ids of what is selected. MATERIALIZED has them selected once.
func (c *counting) selected() string {
	return `WITH selected (id) AS MATERIALIZED (SELECT o.id FROM observations o ` + c.clause + `) `
}

// with are the arguments of selected, and those that follow.
func (c *counting) with(args ...any) []any { return append(c.args[:len(c.args):len(c.args)], args...) }

// lessons counts observations, identifications and exemplars.
func (c *counting) lessons(ctx context.Context, encoder string, x *identify.ExportSummary) error {
	var all bool // photos are embedded: then every identification that stands is an exemplar
	err := c.one(ctx, `SELECT (SELECT count(*) FROM embeddings WHERE encoder = ?) = (SELECT count(*) FROM photos)`, []any{encoder}, &all)
	if err != nil {
		return err
	}
	if c.clause == "" && all {
		return c.one(ctx, `SELECT (SELECT count(*) FROM observations), (SELECT count(*) FROM identifications),
			(SELECT count(*) FROM identifications WHERE withdrawn_at IS NULL)`, nil, &x.Observations, &x.Identifications, &x.Exemplars)
	}
	said, embedded := c.said.clause(` AND`), ``
	args := c.with(append(c.said.args[:len(c.said.args):len(c.said.args)], c.said.args...)...)
	if !all {
		embedded = ` AND EXISTS (SELECT 1 FROM observations o JOIN embeddings m ON m.photo_hash = o.photo_hash AND m.encoder = ? WHERE o.id = s.id)`
		args = append(args, encoder)
	}
	return c.one(ctx, c.selected()+`SELECT (SELECT count(*) FROM selected),
		(SELECT count(*) FROM selected s JOIN identifications i ON i.observation_id = s.id`+said+`),
		(SELECT count(*) FROM selected s JOIN identifications i ON i.observation_id = s.id AND i.withdrawn_at IS NULL`+said+embedded+`)`,
		args, &x.Observations, &x.Identifications, &x.Exemplars)
}

// mostly is the share of all observations from which the photos of the selected ones
// are found faster by reading the index of all, in the order of the photos.
const mostly = 8

// photos counts the files; no photo is without an observation. It goes after lessons.
func (c *counting) photos(ctx context.Context, x *identify.ExportSummary) error {
	if c.clause == "" {
		return c.one(ctx, `SELECT count(*), coalesce(sum(bytes), 0) FROM photos WHERE bytes > 0`, nil, &x.Photos, &x.PhotoBytes)
	}
	var last int
	if err := c.one(ctx, `SELECT coalesce(max(id), 0) FROM observations`, nil, &last); err != nil {
		return err
	}
	hashes := `SELECT DISTINCT o.photo_hash FROM selected s CROSS JOIN observations o ON o.id = s.id`
	if x.Observations >= last/mostly {
		hashes = `SELECT DISTINCT o.photo_hash FROM observations o INDEXED BY observations_photo WHERE o.id IN selected`
	}
	return c.one(ctx, c.selected()+`SELECT count(*), coalesce(sum(p.bytes), 0) FROM (`+hashes+`) h CROSS JOIN photos p ON p.hash = h.photo_hash WHERE p.bytes > 0`,
		c.args, &x.Photos, &x.PhotoBytes)
}

// sensitive counts the observations whose places are not told exactly. They are looked
// for among those that somebody gave such a name and those that nobody has named.
func (c *counting) sensitive(ctx context.Context, x *identify.ExportSummary) error {
	var any bool
	if err := c.one(ctx, `SELECT EXISTS (SELECT 1 FROM sensitive_taxa)`, nil, &any); err != nil || !any {
		return err
	}
	return c.one(ctx, c.selected()+`SELECT count(*) FROM observations o WHERE o.id IN selected AND `+sensitive+` AND o.id IN (
		SELECT n.observation_id FROM identifications n WHERE n.taxon_id IN `+secret+` UNION SELECT u.id FROM observations u WHERE u.current_taxon_id IS NULL)`,
		c.args, &x.Sensitive)
}
