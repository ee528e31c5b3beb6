package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"fieldmark/internal/identify"
)

// AddObservation stores an observation with its photo and embedding. A photo
// that is known already is not stored again. The encoder must be registered. An
// upload that is repeated gets the observation that it made.
func (s *Store) AddObservation(ctx context.Context, n identify.NewObservation) (identify.Observation, error) {
	var o identify.Observation
	err := s.update(ctx, func(tx *sql.Tx) error {
		if err := addPhoto(ctx, tx, n.Photo); err != nil {
			return err
		}
		if err := addEmbedding(ctx, tx, n.Photo.Hash, n.Encoder, n.Embedding, micros(n.At)); err != nil {
			return err
		}
		// Its file is there again if it was lost: every encoder may try anew.
		if _, err := tx.ExecContext(ctx, `DELETE FROM embedding_failures WHERE photo_hash = ?`, n.Photo.Hash); err != nil {
			return err
		}
		if err := forgetViewless(ctx, tx, `photo_hash = ?`, n.Photo.Hash); err != nil {
			return err
		}
		known, err := uploaded(ctx, tx, n.Observer, n.Key)
		if identify.KindOf(err) != identify.NotFound {
			known.Repeat = true
			o = known
			return err
		}
		id, err := addObservation(ctx, tx, n)
		if err == nil {
			o, err = observation(ctx, tx, id)
		}
		return err
	})
	return o, err
}

// addPhoto stores what is known of a photo, unless it is known already. One of which
// only the embedding came, with a bundle, has its file now.
func addPhoto(ctx context.Context, tx *sql.Tx, p identify.Photo) error {
	taken := wall(p.TakenAt)
	_, err := tx.ExecContext(ctx, `
		INSERT INTO photos (hash, media_type, bytes, width, height, taken_at, taken_offset, latitude, longitude, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) 
		ON CONFLICT (hash) DO UPDATE SET media_type = excluded.media_type, bytes = excluded.bytes, width = excluded.width, height = excluded.height,
			taken_at = excluded.taken_at, taken_offset = excluded.taken_offset, latitude = excluded.latitude, longitude = excluded.longitude
		WHERE bytes = 0 AND excluded.bytes > 0`,
		p.Hash, p.MediaType, p.Bytes, p.Width, p.Height, taken.at, taken.offset, p.Latitude, p.Longitude, micros(p.CreatedAt))
	return err
}

func addObservation(ctx context.Context, tx *sql.Tx, n identify.NewObservation) (identify.ObservationID, error) {
	suggested := n.Suggested
	if suggested == nil {
		suggested = []identify.Suggestion{}
	}
	text, err := json.Marshal(suggested)
	if err != nil {
		return 0, fmt.Errorf("suggestions: %w", err)
	}
	var first identify.Suggestion
	if len(suggested) > 0 {
		first = suggested[0]
	}
	observed := wall(n.ObservedAt)
	var id identify.ObservationID
	err = tx.QueryRowContext(ctx, `
		INSERT INTO observations (photo_hash, observer_id, observed_at, observed_offset, latitude, longitude,
			license, rights_holder, notes, folded_notes, created_at,
			suggested, suggested_seq, suggested_taxon_id, folded_suggestion, doubt, upload_key)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
		n.Photo.Hash, n.Observer, observed.at, observed.offset, n.Latitude, n.Longitude,
		n.License, n.RightsHolder, n.Notes, searched(n.Notes), micros(n.At),
		string(text), n.SuggestedSeq, number(first.Taxon), searched(first.Label), asReading(suggested, n.SuggestedSeq).Doubt(),
		sql.NullString{String: n.Key, Valid: n.Key != ""}).Scan(&id)
	return id, err
}

// Observation returns one observation with all its identifications, oldest
// first; KindOf NotFound if there is none.
func (s *Store) Observation(ctx context.Context, id identify.ObservationID) (identify.Observation, error) {
	var o identify.Observation
	err := s.view(ctx, func(tx *sql.Tx) (err error) {
		o, err = observation(ctx, tx, id)
		return err
	})
	return o, err
}

func observation(ctx context.Context, tx *sql.Tx, id identify.ObservationID) (identify.Observation, error) {
	list, err := observations(ctx, tx, `WHERE o.id = ?`, id)
	if err != nil {
		return identify.Observation{}, err
	}
	if len(list) == 0 {
		return identify.Observation{}, identify.Errorf(identify.NotFound, "", "There is no observation with the id %d.", id)
	}
	return list[0], nil
}

// observations returns those that a clause selects, with their identifications.
func observations(ctx context.Context, tx *sql.Tx, clause string, args ...any) ([]identify.Observation, error) {
	rows, err := tx.QueryContext(ctx, `
		SELECT o.id, o.observer_id, u.name, o.observed_at, o.observed_offset, o.latitude, o.longitude,
			o.license, o.rights_holder, o.notes, o.created_at, o.suggested, o.suggested_seq,
			p.hash, p.media_type, p.bytes, p.glimpse, p.width, p.height, p.taken_at, p.taken_offset,
			p.latitude, p.longitude, p.created_at, o.import_id, im.name, o.import_row, o.import_ref, `+sensitive+`
		FROM observations o JOIN photos p ON p.hash = o.photo_hash JOIN users u ON u.id = o.observer_id
			LEFT JOIN imports im ON im.id = o.import_id `+clause, args...)
	list, err := collect(rows, err, scanObservation)
	if err != nil {
		return nil, err
	}
	return list, addIdentifications(ctx, tx, list)
}

func scanObservation(rows *sql.Rows) (identify.Observation, error) {
	var o identify.Observation
	var observed, taken wallTime
	var created, photoCreated int64
	var suggested []byte
	var origin importOrigin
	p := &o.Photo
	err := rows.Scan(&o.ID, &o.Observer, &o.ObserverName, &observed.at, &observed.offset, &o.Latitude, &o.Longitude,
		&o.License, &o.RightsHolder, &o.Notes, &created, &suggested, &o.SuggestedSeq,
		&p.Hash, &p.MediaType, &p.Bytes, &p.Glimpse, &p.Width, &p.Height, &taken.at, &taken.offset,
		&p.Latitude, &p.Longitude, &photoCreated, &origin.id, &origin.name, &origin.row, &origin.ref, &o.Sensitive)
	if err != nil {
		return o, err
	}
	o.ObservedAt, o.CreatedAt = observed.time(), instant(created)
	p.TakenAt, p.CreatedAt = taken.time(), instant(photoCreated)
	o.Import = origin.origin()
	if err := json.Unmarshal(suggested, &o.Suggested); err != nil {
		return o, fmt.Errorf("observation %d: suggestions: %w", o.ID, err)
	}
	return o, nil
}

// importOrigin is what an imported observation came with, as it is stored.
type importOrigin struct {
	id, row   sql.NullInt64
	name, ref sql.NullString
}

func (x importOrigin) origin() *identify.ImportOrigin {
	if !x.id.Valid {
		return nil
	}
	return &identify.ImportOrigin{Import: identify.ImportID(x.id.Int64), Name: x.name.String, Row: int(x.row.Int64), Ref: x.ref.String}
}
