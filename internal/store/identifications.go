package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"fieldmark/internal/identify"
)

// Teach adds an identification and its Taught event, and returns the Seq of
// that. An identification of the same observation by the same user that still
// stands is withdrawn first, with an event of its own. To teach what already
// stands is a Conflict.
func (s *Store) Teach(ctx context.Context, n identify.NewIdentification) (identify.Identification, identify.Seq, error) {
	var added identify.Identification
	var seq identify.Seq
	err := s.update(ctx, func(tx *sql.Tx) (err error) {
		added, seq, err = teachOne(ctx, tx, n)
		return err
	})
	return added, seq, err
}

// teachOne is Teach within a transaction.
func teachOne(ctx context.Context, tx *sql.Tx, n identify.NewIdentification) (added identify.Identification, seq identify.Seq, err error) {
	photo, err := photoOf(ctx, tx, n.Observation)
	if err != nil {
		return added, 0, err
	}
	if n.Taxon, err = taught(ctx, tx, n); err != nil {
		return added, 0, err
	}
	if err := replaceStanding(ctx, tx, n, photo); err != nil {
		return added, 0, err
	}
	id, seq, err := give(ctx, tx, n, photo)
	if err == nil && n.Trial != nil {
		err = addTrial(ctx, tx, seq, photo, *n.Trial)
	}
	if err == nil {
		err = refreshCurrent(ctx, tx, n.Observation)
	}
	if err == nil {
		added, err = identification(ctx, tx, n.Observation, id)
	}
	return added, seq, err
}

// Withdraw ends an identification and appends its Withdrawn event. One that is
// withdrawn already is a Conflict; one of another observation is NotFound.
func (s *Store) Withdraw(ctx context.Context, o identify.ObservationID, i identify.IdentificationID, by identify.UserID, at time.Time) (identify.Identification, identify.Seq, error) {
	var ended identify.Identification
	var seq identify.Seq
	err := s.update(ctx, func(tx *sql.Tx) error {
		photo, err := photoOf(ctx, tx, o)
		if err != nil {
			return err
		}
		if ended, err = identification(ctx, tx, o, i); err != nil {
			return err
		}
		if ended.Withdrawn() && !ended.Quarantined {
			return identify.Errorf(identify.Conflict, "", "This identification has been withdrawn already.")
		}
		if seq, err = withdraw(ctx, tx, ended, photo, by, at); err != nil {
			return err
		}
		if err := refreshCurrent(ctx, tx, o); err != nil {
			return err
		}
		ended, err = identification(ctx, tx, o, i)
		return err
	})
	return ended, seq, err
}

// give adds an identification and the event that gives its lesson: it waits if its
// teacher is in quarantine.
func give(ctx context.Context, tx *sql.Tx, n identify.NewIdentification, photo identify.PhotoHash) (id identify.IdentificationID, seq identify.Seq, err error) {
	held, err := quarantineOf(ctx, tx, identify.Source{User: n.User})
	if err != nil {
		return 0, 0, err
	}
	kind, since := identify.Taught, sql.NullInt64{}
	if held != 0 {
		kind, since = identify.Held, sql.NullInt64{Int64: micros(n.At), Valid: true}
	}
	err = tx.QueryRowContext(ctx, `
		INSERT INTO identifications (observation_id, taxon_id, user_id, from_suggestion, created_at, withdrawn_at, quarantine_id)
		VALUES (?, ?, ?, ?, ?, ?, nullif(?, 0)) RETURNING id`,
		n.Observation, n.Taxon, n.User, n.FromSuggestion, micros(n.At), since, held).Scan(&id)
	if err != nil {
		return 0, 0, err
	}
	seq, err = appendEvent(ctx, tx, identify.Event{Kind: kind, Identification: id, Observation: n.Observation,
		Photo: photo, Taxon: n.Taxon, User: n.User, At: n.At})
	return id, seq, err
}

// taught is the taxon that an identification names: the one given, or what that is a
// synonym of; the one that has the name; or a new local one.
func taught(ctx context.Context, tx *sql.Tx, n identify.NewIdentification) (identify.TaxonID, error) {
	if n.Local == "" {
		if err := taxonExists(ctx, tx, n.Taxon, "taxon_id"); err != nil {
			return 0, err
		}
		return acceptedFor(ctx, tx, n.Taxon)
	}
	t, err := taxonByName(ctx, tx, n.Local)
	if identify.KindOf(err) == identify.NotFound {
		return addLocal(ctx, tx, n.Local, n.At)
	}
	return t.ID, err
}

// replaceStanding withdraws what the same user said of the observation before, and
// what of that is in quarantine.
func replaceStanding(ctx context.Context, tx *sql.Tx, n identify.NewIdentification, photo identify.PhotoHash) error {
	list, err := identifications(ctx, tx, standingOf, n.Observation, n.User)
	if err != nil {
		return err
	}
	for _, standing := range list {
		if standing.Taxon == n.Taxon {
			return identify.Errorf(identify.Conflict, "label", "You have identified this observation as %s already.", brief(standing.TaxonLabel))
		}
		if _, err := withdraw(ctx, tx, standing, photo, n.User, n.At); err != nil {
			return err
		}
	}
	return nil
}

func withdraw(ctx context.Context, tx *sql.Tx, i identify.Identification, photo identify.PhotoHash, by identify.UserID, at time.Time) (identify.Seq, error) {
	return withdrawOf(ctx, tx, i, photo, by, at, whole{})
}

func withdrawOf(ctx context.Context, tx *sql.Tx, i identify.Identification, photo identify.PhotoHash, by identify.UserID, at time.Time, of whole) (identify.Seq, error) {
	takenBack := of.imported != 0 || by == i.User && of.quarantine == 0
	_, err := tx.ExecContext(ctx, `UPDATE identifications SET withdrawn_at = ?, quarantine_id = NULL, taken_back = ? WHERE id = ?`, micros(at), takenBack, i.ID)
	if err != nil {
		return 0, err
	}
	return appendEventOf(ctx, tx, identify.Event{Kind: identify.Withdrawn, Identification: i.ID, Observation: i.Observation,
		Photo: photo, Taxon: i.Taxon, User: by, At: at}, of)
}

// refreshCurrent notes which identification of an observation stands, and whether
// those that do disagree.
func refreshCurrent(ctx context.Context, tx *sql.Tx, o identify.ObservationID) error {
	return refreshCurrentOf(ctx, tx, `id = ?`, o)
}

func refreshCurrentOf(ctx context.Context, tx *sql.Tx, which string, args ...any) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE observations SET (current_id, current_taxon_id) = (
			SELECT i.id, i.taxon_id FROM identifications i
			WHERE i.observation_id = observations.id AND i.withdrawn_at IS NULL ORDER BY i.id DESC LIMIT 1)
		WHERE `+which, args...)
	if err != nil {
		return err
	}
	return refreshDisputesOf(ctx, tx, which, args...)
}

func photoOf(ctx context.Context, tx *sql.Tx, o identify.ObservationID) (identify.PhotoHash, error) {
	var hash identify.PhotoHash
	err := tx.QueryRowContext(ctx, `SELECT photo_hash FROM observations WHERE id = ?`, o).Scan(&hash)
	if errors.Is(err, sql.ErrNoRows) {
		return "", identify.Errorf(identify.NotFound, "", "There is no observation with the id %d.", o)
	}
	return hash, err
}

func identification(ctx context.Context, tx *sql.Tx, o identify.ObservationID, id identify.IdentificationID) (identify.Identification, error) {
	list, err := identifications(ctx, tx, `WHERE i.id = ? AND i.observation_id = ?`, id, o)
	if err != nil {
		return identify.Identification{}, err
	}
	if len(list) == 0 {
		return identify.Identification{}, identify.Errorf(identify.NotFound, "", "Observation %d has no identification with the id %d.", o, id)
	}
	return list[0], nil
}

// addIdentifications fills in those of each observation, oldest first.
func addIdentifications(ctx context.Context, tx *sql.Tx, list []identify.Observation) error {
	at := make(map[identify.ObservationID]int, len(list))
	ids := make([]identify.ObservationID, len(list))
	for i, o := range list {
		at[o.ID], ids[i] = i, o.ID
	}
	text, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	found, err := identifications(ctx, tx, `WHERE i.observation_id IN (SELECT value FROM json_each(?)) ORDER BY i.id`, string(text))
	for _, x := range found {
		o := &list[at[x.Observation]]
		o.Identifications = append(o.Identifications, x)
	}
	return err
}

func identifications(ctx context.Context, tx *sql.Tx, clause string, args ...any) ([]identify.Identification, error) {
	rows, err := tx.QueryContext(ctx, identificationRows+clause, args...)
	return collect(rows, err, func(rows *sql.Rows) (identify.Identification, error) {
		var i identify.Identification
		var created int64
		var withdrawn sql.NullInt64
		err := rows.Scan(&i.ID, &i.Observation, &i.Taxon, &i.TaxonLabel, &i.ScientificName, &i.Given, &i.GivenLabel,
			&i.User, &i.UserName, &i.FromSuggestion, &created, &withdrawn, &i.Quarantined)
		i.CreatedAt, i.WithdrawnAt = instant(created), optional(withdrawn)
		return i, err
	})
}

// standingOf is what a person says of an observation, be it in quarantine. The plus
// keeps SQLite from reading all that the person ever taught, by the index of that:
// without statistics it takes one index for as good as another.
const standingOf = `WHERE i.observation_id = ? AND +i.user_id = ?
		AND (i.withdrawn_at IS NULL OR i.quarantine_id IS NOT NULL)`

const identificationRows = `
		SELECT i.id, i.observation_id, t.id, coalesce(nullif(t.english_name, ''), t.scientific_name), t.scientific_name,
			coalesce(before.id, 0), coalesce(nullif(before.english_name, ''), before.scientific_name, ''),
			i.user_id, u.name, i.from_suggestion, i.created_at, i.withdrawn_at, i.quarantine_id IS NOT NULL
		FROM identifications i JOIN taxa t ON t.id = ` + goesBy + ` JOIN users u ON u.id = i.user_id
			LEFT JOIN events said ON said.identification_id = i.id AND said.kind IN ('taught', 'held') AND said.taxon_id <> t.id
			LEFT JOIN taxa before ON before.id = said.taxon_id `
