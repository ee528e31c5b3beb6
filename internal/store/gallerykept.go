package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"fieldmark/internal/identify"
)

// KeptDoubts lists the exemplars that were in doubt, were found right and still
// stand.
func (s *Store) KeptDoubts(ctx context.Context) ([]identify.KeptDoubt, error) {
	var list []identify.KeptDoubt
	err := s.view(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `
			SELECT k.identification_id, i.observation_id, t.id, coalesce(nullif(t.english_name, ''), t.scientific_name), k.user_id, u.name, k.at, k.evidence
			FROM kept_doubts k JOIN users u ON u.id = k.user_id JOIN identifications i ON i.id = k.identification_id JOIN taxa t ON t.id = `+goesBy+`
			WHERE i.withdrawn_at IS NULL ORDER BY k.at DESC, k.identification_id DESC`)
		list, err = collect(rows, err, func(rows *sql.Rows) (identify.KeptDoubt, error) {
			var k identify.KeptDoubt
			var at int64
			var evidence []byte
			if err := rows.Scan(&k.Identification, &k.Observation, &k.Taxon, &k.Label, &k.User, &k.UserName, &at, &evidence); err != nil {
				return k, err
			}
			k.At = instant(at)
			if err := json.Unmarshal(evidence, &k.Evidence); err != nil {
				return k, fmt.Errorf("evidence about identification %d: %w", k.Identification, err)
			}
			return k, nil
		})
		return err
	})
	return list, err
}

// KeepDoubt notes that an exemplar was found right, instead of an earlier note.
func (s *Store) KeepDoubt(ctx context.Context, k identify.KeptDoubt) error {
	evidence, err := json.Marshal(append([]string{}, k.Evidence...))
	if err != nil {
		return err
	}
	return s.update(ctx, func(tx *sql.Tx) error {
		if _, err := standing(ctx, tx, k.Identification); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `
			INSERT INTO kept_doubts (identification_id, user_id, at, evidence) VALUES (?, ?, ?, ?)
			ON CONFLICT (identification_id) DO UPDATE SET user_id = excluded.user_id, at = excluded.at, evidence = excluded.evidence`,
			k.Identification, k.User, micros(k.At), string(evidence))
		return err
	})
}

// ForgetKept takes back a note that an exemplar was found right; NotFound if there
// is none.
func (s *Store) ForgetKept(ctx context.Context, id identify.IdentificationID) error {
	return s.update(ctx, func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, `DELETE FROM kept_doubts WHERE identification_id = ?`, id)
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil || n > 0 {
			return err
		}
		return identify.Errorf(identify.NotFound, "", "Nobody has said that identification %d is right.", id)
	})
}

// Rename withdraws an identification and teaches another name for its observation.
// Where the same user teaches that name already, it only withdraws.
func (s *Store) Rename(ctx context.Context, wrong identify.IdentificationID, n identify.NewIdentification) (identify.Identification, identify.Seq, error) {
	var now identify.Identification
	var seq identify.Seq
	err := s.update(ctx, func(tx *sql.Tx) error {
		ended, err := standing(ctx, tx, wrong)
		if err != nil {
			return err
		}
		if n.Taxon, err = taught(ctx, tx, n); err != nil {
			return err
		}
		n.Local = ""
		if n.Taxon == ended.Taxon {
			return identify.Errorf(identify.Conflict, "label", "It is taught as %s already. Keep it, or give it another name.", brief(ended.TaxonLabel))
		}
		n.Observation = ended.Observation
		photo, err := photoOf(ctx, tx, n.Observation)
		if err != nil {
			return err
		}
		if seq, err = withdraw(ctx, tx, ended, photo, n.User, n.At); err != nil {
			return err
		}
		same, err := identifications(ctx, tx, `WHERE i.observation_id = ? AND i.user_id = ? AND `+goesBy+` = ? AND i.withdrawn_at IS NULL`,
			n.Observation, n.User, n.Taxon)
		if err != nil {
			return err
		}
		if len(same) > 0 {
			now = same[0]
			return refreshCurrent(ctx, tx, n.Observation)
		}
		now, seq, err = teachOne(ctx, tx, n)
		return err
	})
	return now, seq, err
}

// standing is an identification that is not withdrawn.
func standing(ctx context.Context, tx *sql.Tx, id identify.IdentificationID) (identify.Identification, error) {
	list, err := identifications(ctx, tx, `WHERE i.id = ?`, id)
	switch {
	case err != nil:
		return identify.Identification{}, err
	case len(list) == 0:
		return identify.Identification{}, identify.Errorf(identify.NotFound, "identification", "There is no identification %d.", id)
	case list[0].Withdrawn():
		return identify.Identification{}, identify.Errorf(identify.Conflict, "identification", "This identification does not stand any more: somebody has seen to it.")
	}
	return list[0], nil
}
