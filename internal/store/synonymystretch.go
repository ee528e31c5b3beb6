package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"fieldmark/internal/identify"
)

// GoOnSynonymy does the next stretch of what is under way of a synonymy, if anything is.
func (s *Store) GoOnSynonymy(ctx context.Context, id identify.SynonymyID) (identify.Synonymy, []identify.Taxon, identify.Seq, error) {
	return s.changeNames(ctx, func(tx *sql.Tx) (identify.SynonymyID, []identify.TaxonID, error) {
		return goOnNames(ctx, tx, id, stretch)
	})
}

// goOnNames is GoOnSynonymy within a transaction, of up to limit lessons.
func goOnNames(ctx context.Context, tx *sql.Tx, id identify.SynonymyID, limit int) (identify.SynonymyID, []identify.TaxonID, error) {
	children, err := nextNames(ctx, tx, id, limit)
	if err != nil {
		return id, nil, err
	}
	y, err := synonymy(ctx, tx, id)
	return id, append(children, y.Synonym, y.Accepted), err
}

// SynonymiesUnderWay lists what was broken off on the way.
func (s *Store) SynonymiesUnderWay(ctx context.Context) ([]identify.Synonymy, error) {
	var list []identify.Synonymy
	err := s.view(ctx, func(tx *sql.Tx) (err error) {
		list, err = synonymies(ctx, tx, `WHERE y.under_way IS NOT NULL ORDER BY y.id`)
		return err
	})
	return list, err
}

// noneUnderWay refuses a second decision about names while a first is under way: it could
// be about the same lessons.
func noneUnderWay(ctx context.Context, tx *sql.Tx) error {
	var under bool
	err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM synonymies WHERE under_way IS NOT NULL)`).Scan(&under)
	if err == nil && under {
		err = identify.Errorf(identify.Conflict, "", "Other names are being merged, or taken apart, at this moment. Try again in a few seconds.")
	}
	return err
}

// names is what is under way of a synonymy.
type names struct {
	id         identify.SynonymyID
	from, into identify.Taxon
	by         identify.UserID
	at         time.Time
	after      identify.Seq // undoing: the last event that was gone through
	limit      int          // how many lessons at most
}

// nextNames moves up to limit lessons, and ends what is under way when there are
// no more. It returns the taxa whose place that changed.
func nextNames(ctx context.Context, tx *sql.Tx, id identify.SynonymyID, limit int) (children []identify.TaxonID, err error) {
	n := names{id: id, limit: limit}
	var step identify.SynonymyStep
	var synonym, accepted identify.TaxonID
	var at int64
	err = tx.QueryRowContext(ctx, `SELECT synonym_id, accepted_id, under_way, under_way_by, under_way_at, under_way_after FROM synonymies WHERE id = ? AND under_way IS NOT NULL`, id).
		Scan(&synonym, &accepted, &step, &n.by, &at, &n.after)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	n.at = instant(at)
	if n.from, n.into, err = bothTaxa(ctx, tx, synonym, accepted); err != nil {
		return nil, err
	}
	if step == identify.Merging {
		return nil, mergeSome(ctx, tx, n)
	}
	return undoSome(ctx, tx, n)
}

// mergeSome gives a synonym's next lessons the accepted taxon.
func mergeSome(ctx context.Context, tx *sql.Tx, n names) error {
	list, count, err := lessonsWhere(ctx, tx, `i.taxon_id = ? AND `+unended, int64(n.from.ID), n.limit)
	if err != nil {
		return err
	}
	if err := relabelAll(ctx, tx, n, n.into.ID, list); err != nil {
		return err
	}
	var lessons int64
	err = tx.QueryRowContext(ctx, `UPDATE synonymies SET lessons = lessons + ?1, under_way = iif(?2, NULL, under_way) WHERE id = ?3 RETURNING lessons`,
		count, count < n.limit, n.id).Scan(&lessons)
	if err != nil || count == n.limit {
		return err
	}
	return noteTaxa(ctx, tx, identify.DidMergeTaxa, n.from.Label(), identify.Noticef("now %s: %s", n.into.Name(), lessonsOf(lessons)), n.from.ID, n.by, n.at)
}

// undoSome gives the next lessons that a synonymy moved their taxon back, and with the
// last of them all else that it took along.
func undoSome(ctx context.Context, tx *sql.Tx, n names) ([]identify.TaxonID, error) {
	var list string
	var count int
	err := tx.QueryRowContext(ctx, `SELECT json_group_array(id), count(*), coalesce(max(seq), 0) FROM (
		SELECT e.identification_id AS id, e.seq AS seq FROM events e JOIN identifications i ON i.id = e.identification_id
		WHERE e.synonymy_id = ?1 AND e.seq > ?2 AND e.taxon_id = ?3 AND i.taxon_id = ?3 AND `+unended+` ORDER BY e.seq LIMIT ?4)`,
		n.id, n.after, n.into.ID, n.limit).Scan(&list, &count, &n.after)
	if err != nil {
		return nil, err
	}
	if err := relabelAll(ctx, tx, n, n.from.ID, list); err != nil {
		return nil, err
	}
	if count == n.limit {
		_, err := tx.ExecContext(ctx, `UPDATE synonymies SET under_way_after = ? WHERE id = ?`, n.after, n.id)
		return nil, err
	}
	y, err := synonymy(ctx, tx, n.id)
	if err != nil {
		return nil, err
	}
	m, err := moveBack(ctx, tx, y)
	if err != nil {
		return nil, err
	}
	var returned int64
	err = tx.QueryRowContext(ctx, `UPDATE synonymies SET returned = (SELECT count(*) FROM events WHERE synonymy_id = ?1 AND taxon_id = ?2),
		undone_by = ?3, undone_at = ?4, under_way = NULL WHERE id = ?1 RETURNING returned`, n.id, n.from.ID, n.by, micros(n.at)).Scan(&returned)
	if err != nil {
		return nil, err
	}
	if err := acceptAgain(ctx, tx, n.into.ID); err != nil {
		return nil, err
	}
	// Who said the one and who said the other disagree again.
	if err := refreshDisputesOf(ctx, tx, `id IN (SELECT observation_id FROM identifications WHERE taxon_id = ? AND withdrawn_at IS NULL)`, n.from.ID); err != nil {
		return nil, err
	}
	err = noteTaxa(ctx, tx, identify.DidUnmergeTaxa, n.from.Label(), identify.Noticef("no longer %s: %s", n.into.Name(), lessonsOf(returned)), n.from.ID, n.by, n.at)
	return m.Children, err
}

// relabelAll gives the lessons of a list another taxon, each with an event, in the order
// in which they were given.
func relabelAll(ctx context.Context, tx *sql.Tx, n names, taxon identify.TaxonID, list string) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO events (kind, identification_id, observation_id, photo_hash, taxon_id, user_id, at, synonymy_id)
		SELECT 'relabelled', i.id, i.observation_id, o.photo_hash, ?, ?, ?, ? FROM identifications i JOIN observations o ON o.id = i.observation_id
		WHERE i.id IN (SELECT value FROM json_each(?)) ORDER BY i.id`, taxon, n.by, micros(n.at), n.id, list)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE identifications SET taxon_id = ? WHERE id IN (SELECT value FROM json_each(?))`, taxon, list); err != nil {
		return err
	}
	return refreshAll(ctx, tx, list)
}
