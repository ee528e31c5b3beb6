package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"strings"

	"fieldmark/internal/identify"
)

const galleryLimit = 48

// GalleryPage lists the exemplars that stand and match, the last taught first, at
// most f.Limit; more says that earlier ones match.
func (s *Store) GalleryPage(ctx context.Context, f identify.GalleryFilter) (list []identify.GalleryExemplar, more bool, err error) {
	if f.Limit <= 0 {
		f.Limit = galleryLimit
	}
	clause, args := galleryWhere(f)
	err = s.view(ctx, func(tx *sql.Tx) (err error) {
		// The page is chosen before anything is joined to it.
		list, err = galleryExemplars(ctx, tx, `WHERE i.id IN (SELECT i.id FROM identifications i `+clause+` ORDER BY i.id DESC LIMIT ?)
			ORDER BY i.id DESC`, append(args, f.Limit+1)...)
		return err
	})
	if len(list) > f.Limit {
		list, more = list[:f.Limit], true
	}
	return list, more, err
}

// galleryWhere turns a filter into a clause over identifications i.
func galleryWhere(f identify.GalleryFilter) (string, []any) {
	conditions := []string{`i.withdrawn_at IS NULL`}
	var args []any
	add := func(condition string, values ...any) {
		conditions, args = append(conditions, condition), append(args, values...)
	}
	if f.Taxon != 0 {
		add(`i.taxon_id IN `+below, f.Taxon)
	}
	if f.Teacher != 0 {
		add(`i.user_id = ?`, f.Teacher)
	}
	if f.Before != 0 {
		add(`i.id < ?`, f.Before)
	}
	switch f.Photo {
	case "with":
		add(`i.observation_id NOT IN (` + photoless + `)`)
	case "without":
		add(`i.observation_id IN (` + photoless + `)`)
	}
	return `WHERE ` + strings.Join(conditions, ` AND `), args
}

// GalleryExemplars describes identifications that stand, in the order given; those
// that do not are left out.
func (s *Store) GalleryExemplars(ctx context.Context, ids []identify.IdentificationID) ([]identify.GalleryExemplar, error) {
	text, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	var list []identify.GalleryExemplar
	err = s.view(ctx, func(tx *sql.Tx) (err error) {
		list, err = galleryExemplars(ctx, tx, `JOIN json_each(?) j ON j.value = i.id WHERE i.withdrawn_at IS NULL ORDER BY j.key`, string(text))
		return err
	})
	return list, err
}

func galleryExemplars(ctx context.Context, tx *sql.Tx, clause string, args ...any) ([]identify.GalleryExemplar, error) {
	rows, err := tx.QueryContext(ctx, `
		SELECT i.id, i.observation_id, t.id, coalesce(nullif(t.english_name, ''), t.scientific_name), t.scientific_name,
			i.user_id, u.name, i.created_at, p.bytes > 0, p.width, p.height
		FROM identifications i JOIN taxa t ON t.id = `+goesBy+` JOIN users u ON u.id = i.user_id
			JOIN observations o ON o.id = i.observation_id JOIN photos p ON p.hash = o.photo_hash `+clause, args...)
	return collect(rows, err, func(rows *sql.Rows) (identify.GalleryExemplar, error) {
		var x identify.GalleryExemplar
		var at int64
		err := rows.Scan(&x.Identification, &x.Observation, &x.Taxon, &x.Label, &x.Scientific,
			&x.Teacher, &x.TeacherName, &at, &x.HasPhoto, &x.Width, &x.Height)
		x.TaughtAt = instant(at)
		return x, err
	})
}

// GalleryPhotos lists for each taxon the observations of the exemplars last taught
// that have a photo or a glimpse of it, at most each of them.
func (s *Store) GalleryPhotos(ctx context.Context, taxa []identify.TaxonID, each int) (map[identify.TaxonID][]identify.ObservationID, error) {
	out := make(map[identify.TaxonID][]identify.ObservationID, len(taxa))
	err := s.view(ctx, func(tx *sql.Tx) error {
		for _, id := range taxa {
			rows, err := tx.QueryContext(ctx, `
				SELECT i.observation_id FROM identifications i JOIN observations o ON o.id = i.observation_id JOIN photos p ON p.hash = o.photo_hash
				WHERE i.taxon_id IN (SELECT id FROM taxa WHERE id = ?1 OR accepted_id = ?1) AND `+goesBy+` = ?1 AND i.withdrawn_at IS NULL AND (p.bytes > 0 OR p.glimpse = 1) ORDER BY i.id DESC LIMIT ?2`, id, each)
			list, err := collect(rows, err, func(rows *sql.Rows) (o identify.ObservationID, err error) { return o, rows.Scan(&o) })
			if err != nil {
				return err
			}
			out[id] = list
		}
		return nil
	})
	return out, err
}

// photoless are the observations whose embedding alone was imported.
const photoless = `SELECT o.id FROM observations o WHERE o.photoless = 1`

// Photoless lists the observations whose embedding alone was imported.
func (s *Store) Photoless(ctx context.Context) ([]identify.ObservationID, error) {
	var list []identify.ObservationID
	err := s.view(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, photoless)
		list, err = collect(rows, err, func(rows *sql.Rows) (o identify.ObservationID, err error) { return o, rows.Scan(&o) })
		return err
	})
	return list, err
}
