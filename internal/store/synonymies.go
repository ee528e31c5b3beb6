package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"fieldmark/internal/identify"
)

// acceptedBySynonymies is of what a taxon t is a synonym by the synonymies that stand,
// by way of others too; NULL if it is none. They make no circle: what is a synonym
// becomes nobody's accepted name, and its own synonymy outlasts those that it was
// accepted in before.
const acceptedBySynonymies = `(WITH RECURSIVE up (id, height) AS (
	SELECT s.accepted_id, 1 FROM synonymies s WHERE s.synonym_id = t.id AND s.undone_at IS NULL
	UNION ALL
	SELECT s.accepted_id, up.height + 1 FROM up JOIN synonymies s ON s.synonym_id = up.id AND s.undone_at IS NULL)
	SELECT id FROM up ORDER BY height DESC LIMIT 1)`

// unended is a condition on an identification i: it stands, or waits in quarantine.
const unended = `(i.withdrawn_at IS NULL OR i.quarantine_id IS NOT NULL)`

// MergeTaxa makes a taxon a synonym of another, with one event for each of its lessons.
func (s *Store) MergeTaxa(ctx context.Context, synonym, accepted identify.TaxonID, by identify.UserID, at time.Time) (identify.Synonymy, []identify.Taxon, identify.Seq, error) {
	return s.changeNames(ctx, func(tx *sql.Tx) (identify.SynonymyID, []identify.TaxonID, error) {
		from, into, err := mergeable(ctx, tx, synonym, accepted)
		if err != nil {
			return 0, nil, err
		}
		m, err := move(ctx, tx, from, into, by, at)
		if err != nil {
			return 0, nil, err
		}
		text, err := json.Marshal(m)
		if err != nil {
			return 0, nil, err
		}
		var id identify.SynonymyID
		err = tx.QueryRowContext(ctx, `INSERT INTO synonymies (synonym_id, accepted_id, lessons, moved, by_id, at) VALUES (?, ?, 0, ?, ?, ?) RETURNING id`,
			synonym, accepted, string(text), by, micros(at)).Scan(&id)
		if err != nil {
			return 0, nil, err
		}
		n, err := relabel(ctx, tx, id, accepted, by, at, `SELECT i.id FROM identifications i WHERE i.taxon_id = ? AND `+unended, synonym)
		if err != nil {
			return 0, nil, err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE synonymies SET lessons = ? WHERE id = ?`, n, id); err != nil {
			return 0, nil, err
		}
		err = noteTaxa(ctx, tx, identify.DidMergeTaxa, from.Label(), identify.Noticef("now %s: %s", into.Name(), lessonsOf(n)), from.ID, by, at)
		return id, append(m.Children, synonym, accepted), err
	})
}

// UndoSynonymy gives the lessons that a synonymy moved, and that have not ended since,
// their name back, and all else that it took along.
func (s *Store) UndoSynonymy(ctx context.Context, id identify.SynonymyID, by identify.UserID, at time.Time) (identify.Synonymy, []identify.Taxon, identify.Seq, error) {
	return s.changeNames(ctx, func(tx *sql.Tx) (identify.SynonymyID, []identify.TaxonID, error) {
		y, err := synonymy(ctx, tx, id)
		if err != nil {
			return 0, nil, err
		}
		from, into, err := bothTaxa(ctx, tx, y.Synonym, y.Accepted)
		if err != nil {
			return 0, nil, err
		}
		if err := y.Undoable(into); err != nil {
			return 0, nil, err
		}
		m, err := moveBack(ctx, tx, y)
		if err != nil {
			return 0, nil, err
		}
		n, err := relabel(ctx, tx, id, from.ID, by, at, `SELECT e.identification_id FROM events e JOIN identifications i ON i.id = e.identification_id
			WHERE e.synonymy_id = ? AND i.taxon_id = ? AND `+unended, id, into.ID)
		if err != nil {
			return 0, nil, err
		}
		_, err = tx.ExecContext(ctx, `UPDATE synonymies SET returned = ?, undone_by = ?, undone_at = ? WHERE id = ?`, n, by, micros(at), id)
		if err != nil {
			return 0, nil, err
		}
		err = noteTaxa(ctx, tx, identify.DidUnmergeTaxa, from.Label(), identify.Noticef("no longer %s: %s", into.Name(), lessonsOf(n)), from.ID, by, at)
		return id, append(m.Children, from.ID, into.ID), err
	})
}

// changeNames lets do write or undo a synonymy and returns that, the taxa that it
// changed, those that are its synonyms by way of others included, and the number of the
// last event.
func (s *Store) changeNames(ctx context.Context, do func(tx *sql.Tx) (identify.SynonymyID, []identify.TaxonID, error)) (y identify.Synonymy, taxa []identify.Taxon, seq identify.Seq, err error) {
	err = s.update(ctx, func(tx *sql.Tx) error {
		id, changed, err := do(tx)
		if err != nil {
			return err
		}
		if y, err = synonymy(ctx, tx, id); err != nil {
			return err
		}
		const synonyms = `WITH RECURSIVE below (id) AS (SELECT ?1 UNION SELECT s.synonym_id FROM below b JOIN synonymies s ON s.accepted_id = b.id) `
		_, err = tx.ExecContext(ctx, synonyms+`UPDATE taxa AS t SET accepted_id = `+acceptedBySynonymies+` WHERE t.id IN (SELECT id FROM below)`, y.Accepted)
		if err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, synonyms+`SELECT id FROM below`, y.Synonym)
		others, err := collect(rows, err, func(rows *sql.Rows) (t identify.TaxonID, err error) { return t, rows.Scan(&t) })
		if err != nil {
			return err
		}
		for _, id := range append(changed, others...) {
			t, err := taxon(ctx, tx, id)
			if err != nil {
				return err
			}
			taxa = append(taxa, t)
		}
		seq, err = lastEvent(ctx, tx)
		return err
	})
	return y, taxa, seq, err
}

// relabel gives the lessons that a query selects another taxon, each with an event, in
// the order in which they were given, and returns how many there were.
func relabel(ctx context.Context, tx *sql.Tx, of identify.SynonymyID, taxon identify.TaxonID, by identify.UserID, at time.Time, which string, args ...any) (int64, error) {
	before, err := lastEvent(ctx, tx)
	if err != nil {
		return 0, err
	}
	r, err := tx.ExecContext(ctx, `
		INSERT INTO events (kind, identification_id, observation_id, photo_hash, taxon_id, user_id, at, synonymy_id)
		SELECT 'relabelled', i.id, i.observation_id, o.photo_hash, ?, ?, ?, ? FROM identifications i JOIN observations o ON o.id = i.observation_id
		WHERE i.id IN (`+which+`) ORDER BY i.id`, append([]any{taxon, by, micros(at), of}, args...)...)
	if err != nil {
		return 0, err
	}
	n, err := r.RowsAffected()
	if err != nil {
		return 0, err
	}
	_, err = tx.ExecContext(ctx, `UPDATE identifications SET taxon_id = ? WHERE id IN (SELECT identification_id FROM events WHERE synonymy_id = ? AND seq > ?)`,
		taxon, of, before)
	if err != nil {
		return 0, err
	}
	return n, refreshCurrentOf(ctx, tx, `id IN (SELECT e.observation_id FROM events e WHERE e.synonymy_id = ? AND e.seq > ?)`, of, before)
}

// mergeable reads two taxa, unless the one cannot become a synonym of the other.
func mergeable(ctx context.Context, tx *sql.Tx, synonym, accepted identify.TaxonID) (from, into identify.Taxon, err error) {
	if from, into, err = bothTaxa(ctx, tx, synonym, accepted); err != nil {
		return from, into, err
	}
	var below bool
	err = tx.QueryRowContext(ctx, belowAll+`SELECT EXISTS (SELECT 1 FROM below WHERE id = ?2)`, synonym, accepted).Scan(&below)
	if err != nil {
		return from, into, err
	}
	return from, into, identify.MayMerge(from, into, below)
}

func bothTaxa(ctx context.Context, tx *sql.Tx, synonym, accepted identify.TaxonID) (from, into identify.Taxon, err error) {
	if from, err = taxon(ctx, tx, synonym); err == nil {
		into, err = taxon(ctx, tx, accepted)
	}
	return from, into, err
}

// acceptedFor is a taxon, or what it is a synonym of.
func acceptedFor(ctx context.Context, tx *sql.Tx, id identify.TaxonID) (accepted identify.TaxonID, err error) {
	err = tx.QueryRowContext(ctx, `SELECT coalesce(accepted_id, id) FROM taxa WHERE id = ?`, id).Scan(&accepted)
	if errors.Is(err, sql.ErrNoRows) {
		return id, nil // whoever uses it finds that there is none
	}
	return accepted, err
}
