package store

import (
	"context"
	"database/sql"
	"encoding/json"

	"fieldmark/internal/identify"
)

// SamplePhotos draws observations to ask about: up to named that someone other than
// a source named, and up to unnamed others, each photo once. They are spread by a
// hash of their ids, so that the same log gives the same ones.
func (s *Store) SamplePhotos(ctx context.Context, encoder string, of identify.Source, named, unnamed int) ([]identify.SampledPhoto, error) {
	condition, id := sourceOf(of)
	var list []identify.SampledPhoto
	err := s.view(ctx, func(tx *sql.Tx) error {
		for _, part := range []struct {
			known bool
			limit int
		}{{true, named}, {false, unnamed}} {
			// 2654435761 is Knuth's multiplier: 2³² divided by the golden ratio.
			rows, err := tx.QueryContext(ctx, `
				WITH ofsource AS MATERIALIZED (SELECT i.id AS id FROM identifications i WHERE `+condition+`),
				photos_named AS (
					SELECT o.id AS id, o.photo_hash AS photo_hash,
						(SELECT `+goesBy+` FROM identifications i WHERE i.observation_id = o.id AND i.withdrawn_at IS NULL
							AND i.id NOT IN (SELECT id FROM ofsource) ORDER BY i.id DESC LIMIT 1) AS truth
					FROM observations o WHERE EXISTS (SELECT 1 FROM embeddings m WHERE m.photo_hash = o.photo_hash AND m.encoder = ?))
				SELECT min(n.id), n.photo_hash, p.bytes > 0, coalesce(n.truth, 0), m.vector,
					(SELECT json_group_array(i.id) FROM observations o JOIN identifications i ON i.observation_id = o.id
						WHERE o.photo_hash = n.photo_hash AND i.withdrawn_at IS NULL)
				FROM photos_named n JOIN photos p ON p.hash = n.photo_hash JOIN embeddings m ON m.photo_hash = n.photo_hash AND m.encoder = ?
				WHERE (n.truth IS NOT NULL) = ? GROUP BY n.photo_hash ORDER BY (n.id * 2654435761) % 4294967296, n.id LIMIT ?`,
				id, encoder, encoder, part.known, part.limit)
			found, err := collect(rows, err, scanSampled)
			if err != nil {
				return err
			}
			list = append(list, found...)
		}
		return nil
	})
	return list, err
}

func scanSampled(rows *sql.Rows) (identify.SampledPhoto, error) {
	var x identify.SampledPhoto
	var whole []byte
	var lessons string
	err := rows.Scan(&x.Observation, &x.Photo, &x.File, &x.Truth, &whole, &lessons)
	if err != nil {
		return x, err
	}
	if x.Vector, err = vector(whole); err == nil {
		err = json.Unmarshal([]byte(lessons), &x.Lessons)
	}
	return x, err
}
