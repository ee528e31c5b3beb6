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

// goesBy is the taxon that a lesson i goes by: its own, or what that is a synonym of, as
// long as a merge of names, or its undoing, has not come to the lesson. What was withdrawn
// for good keeps its own.
const goesBy = `(SELECT iif(i.withdrawn_at IS NULL OR i.quarantine_id IS NOT NULL, coalesce(own.accepted_id, own.id), own.id) FROM taxa own WHERE own.id = i.taxon_id)`

// MergeTaxa makes a taxon a synonym of another, which everybody reads from then on, and
// gives the first stretch of its lessons the other, each with an event; GoOnSynonymy does
// so with the rest.
func (s *Store) MergeTaxa(ctx context.Context, synonym, accepted identify.TaxonID, by identify.UserID, at time.Time) (identify.Synonymy, []identify.Taxon, identify.Seq, error) {
	return s.changeNames(ctx, func(tx *sql.Tx) (identify.SynonymyID, []identify.TaxonID, error) {
		return mergeNames(ctx, tx, synonym, accepted, by, stretch, at)
	})
}

// mergeNames is MergeTaxa within a transaction, of up to limit lessons.
func mergeNames(ctx context.Context, tx *sql.Tx, synonym, accepted identify.TaxonID, by identify.UserID, limit int, at time.Time) (id identify.SynonymyID, changed []identify.TaxonID, err error) {
	if err := noneUnderWay(ctx, tx); err != nil {
		return 0, nil, err
	}
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
	err = tx.QueryRowContext(ctx, `INSERT INTO synonymies (synonym_id, accepted_id, lessons, moved, by_id, at, under_way, under_way_by, under_way_at)
		VALUES (?1, ?2, 0, ?3, ?4, ?5, 'merged', ?4, ?5) RETURNING id`, synonym, accepted, string(text), by, micros(at)).Scan(&id)
	if err != nil {
		return 0, nil, err
	}
	if err := acceptAgain(ctx, tx, accepted); err != nil {
		return 0, nil, err
	}
	// Who said the one and who said the other agree from now on.
	err = refreshDisputesOf(ctx, tx, `disputed = 1 AND id IN (SELECT observation_id FROM identifications WHERE taxon_id = ?)`, synonym)
	if err != nil {
		return 0, nil, err
	}
	_, err = nextNames(ctx, tx, id, limit)
	return id, append(m.Children, synonym, accepted), err
}

// UndoSynonymy gives the first stretch of the lessons that a synonymy moved, and that have
// not ended since, their name back; GoOnSynonymy does so with the rest. Until the last all
// of them read as the accepted taxon; then all else goes back that it took along.
func (s *Store) UndoSynonymy(ctx context.Context, id identify.SynonymyID, by identify.UserID, at time.Time) (identify.Synonymy, []identify.Taxon, identify.Seq, error) {
	return s.changeNames(ctx, func(tx *sql.Tx) (identify.SynonymyID, []identify.TaxonID, error) {
		return undoNames(ctx, tx, id, by, stretch, at)
	})
}

// undoNames is UndoSynonymy within a transaction, of up to limit lessons.
func undoNames(ctx context.Context, tx *sql.Tx, id identify.SynonymyID, by identify.UserID, limit int, at time.Time) (identify.SynonymyID, []identify.TaxonID, error) {
	y, err := synonymy(ctx, tx, id)
	if err != nil {
		return 0, nil, err
	}
	if err := noneUnderWay(ctx, tx); err != nil {
		return 0, nil, err
	}
	_, into, err := bothTaxa(ctx, tx, y.Synonym, y.Accepted)
	if err != nil {
		return 0, nil, err
	}
	if err := y.Undoable(into); err != nil {
		return 0, nil, err
	}
	_, err = tx.ExecContext(ctx, `UPDATE synonymies SET under_way = 'undone', under_way_by = ?, under_way_at = ?, under_way_after = 0 WHERE id = ?`, by, micros(at), id)
	if err != nil {
		return 0, nil, err
	}
	children, err := nextNames(ctx, tx, id, limit)
	return id, append(children, y.Synonym, y.Accepted), err
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
		rows, err := tx.QueryContext(ctx, synonymsBelow+`SELECT id FROM below`, y.Synonym)
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

// synonymsBelow is a table of a taxon, ?1, and all that ever were synonyms of it.
const synonymsBelow = `WITH RECURSIVE below (id) AS (SELECT ?1 UNION SELECT s.synonym_id FROM below b JOIN synonymies s ON s.accepted_id = b.id) `

// acceptAgain notes of what a taxon, and all that ever were synonyms of it, are synonyms
// now.
func acceptAgain(ctx context.Context, tx *sql.Tx, id identify.TaxonID) error {
	_, err := tx.ExecContext(ctx, synonymsBelow+`UPDATE taxa AS t SET accepted_id = `+acceptedBySynonymies+` WHERE t.id IN (SELECT id FROM below)`, id)
	return err
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
