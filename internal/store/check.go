package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Check looks for damage: in the file, in its references, in the numbering of
// the log, and between the log and what is derived from it. It returns every
// fault that it finds.
func (s *Store) Check(ctx context.Context) error {
	return s.view(ctx, func(tx *sql.Tx) error {
		faults := intact(ctx, tx)
		for _, c := range []struct{ what, query string }{
			{"references that lead nowhere", `SELECT count(*) FROM pragma_foreign_key_check`},
			{"gaps in the numbers of the log", `SELECT coalesce(max(seq), 0) - count(*) FROM events`},
			{"identifications without the event that gave them", `SELECT count(*) FROM identifications i
				WHERE NOT EXISTS (SELECT 1 FROM events e WHERE e.identification_id = i.id AND e.kind IN ('taught', 'held')
					AND e.observation_id = i.observation_id)`},
			{"identifications of another taxon than the log gave them last", `SELECT count(*) FROM identifications i
				WHERE i.taxon_id IS NOT (SELECT e.taxon_id FROM events e WHERE e.identification_id = i.id
					AND e.kind IN ('taught', 'held', 'relabelled') ORDER BY e.seq DESC LIMIT 1)`},
			{"taxa that are synonyms of others than the synonymies say", `SELECT count(*) FROM taxa t WHERE t.accepted_id IS NOT ` + acceptedBySynonymies},
			{"lessons of a taxon that is a synonym", `SELECT count(*) FROM identifications i JOIN taxa t ON t.id = i.taxon_id
				WHERE t.accepted_id IS NOT NULL AND (i.withdrawn_at IS NULL OR i.quarantine_id IS NOT NULL)
					AND NOT EXISTS (SELECT 1 FROM synonymies y WHERE y.synonym_id = t.id AND y.under_way IS NOT NULL)`},
			{"synonymies that were undone and are under way", `SELECT count(*) FROM synonymies WHERE undone_at IS NOT NULL AND under_way IS NOT NULL`},
			{"identifications whose withdrawal and log disagree", `SELECT count(*) FROM identifications i
				WHERE (i.withdrawn_at IS NOT NULL AND i.quarantine_id IS NULL) <> EXISTS (SELECT 1 FROM events e WHERE e.identification_id = i.id AND e.kind = 'withdrawn')`},
			{"identifications whose quarantine and log disagree", `SELECT count(*) FROM identifications i
				WHERE (i.quarantine_id IS NOT NULL) <> ((SELECT e.kind FROM events e WHERE e.identification_id = i.id AND e.kind <> 'relabelled' ORDER BY e.seq DESC LIMIT 1) IN ('held', 'quarantined'))
				OR i.quarantine_id IS NOT NULL AND i.withdrawn_at IS NULL`},
			{"identifications in a quarantine that has ended", `SELECT count(*) FROM identifications i
				JOIN quarantines q ON q.id = i.quarantine_id WHERE q.outcome IS NOT NULL`},
			{"quarantines that have ended and are under way", `SELECT count(*) FROM quarantines WHERE outcome IS NOT NULL AND under_way IS NOT NULL`},
			{"observations that name another identification than the latest that stands", `SELECT count(*) FROM observations o
				WHERE o.current_id IS NOT (SELECT max(i.id) FROM identifications i WHERE i.observation_id = o.id AND i.withdrawn_at IS NULL)
				OR o.current_taxon_id IS NOT (SELECT i.taxon_id FROM identifications i WHERE i.id = o.current_id)`},
			{"identifications of another import than the log says", `SELECT count(*) FROM identifications i
				WHERE i.import_id IS NOT (SELECT e.import_id FROM events e WHERE e.identification_id = i.id AND e.kind IN ('taught', 'held'))`},
			{"identifications that were taken back, or not, otherwise than the log says", `SELECT count(*) FROM identifications i WHERE i.taken_back <> EXISTS (
				SELECT 1 FROM events w WHERE w.identification_id = i.id AND w.kind = 'withdrawn'
					AND (w.import_id IS NOT NULL OR w.user_id = i.user_id AND w.quarantine_id IS NULL))`},
			{"observations that have a photo, or none, against their word", `SELECT count(*) FROM observations o
				WHERE o.photoless <> (SELECT p.bytes = 0 FROM photos p WHERE p.hash = o.photo_hash)`},
			{"observations that are set aside, or not, against the decisions", `SELECT count(*) FROM observations o WHERE o.set_aside <> EXISTS (
				SELECT 1 FROM decision_items i JOIN decisions d ON d.id = i.decision_id
				WHERE i.observation_id = o.id AND i.undone_at IS NULL AND d.kind = 'set-aside')`},
			{"imports that count other rows than they have", `SELECT count(*) FROM imports m
				WHERE m.done - m.known - m.skipped <> (SELECT count(*) FROM observations o WHERE o.import_id = m.id)`},
			{"parts of a checklist that nobody takes in", `SELECT ((SELECT count(*) FROM checklist_parts) + (SELECT count(*) FROM checklist_taxa)) * NOT EXISTS (SELECT 1 FROM checklist)`},
			{"names that are not found as they are spelled", `SELECT count(*) FROM taxon_names n WHERE n.words <> spaced_words(n.folded)
				OR (SELECT count(*) FROM taxon_words w WHERE w.name_id = n.id) <> json_array_length(search_index(n.folded))`},
			{"embeddings of another length than their encoder's", `SELECT count(*) FROM embeddings m JOIN encoders e ON e.digest = m.encoder
				WHERE length(m.vector) <> 4 * e.dim`},
			{"embeddings of views that are of another length", `SELECT count(*) FROM view_embeddings w JOIN encoders e ON e.digest = w.encoder
				WHERE length(w.vectors) % (4 * e.dim) <> 0`},
		} {
			var n int
			if err := tx.QueryRowContext(ctx, c.query).Scan(&n); err != nil {
				return errors.Join(faults, err)
			}
			if n != 0 {
				faults = errors.Join(faults, fmt.Errorf("%d %s", n, c.what))
			}
		}
		return faults
	})
}

// intact runs SQLite's own check of the file.
func intact(ctx context.Context, tx *sql.Tx) error {
	rows, err := tx.QueryContext(ctx, `PRAGMA integrity_check`)
	list, err := collect(rows, err, func(rows *sql.Rows) (line string, err error) {
		err = rows.Scan(&line)
		return line, err
	})
	if err != nil || len(list) == 1 && list[0] == "ok" {
		return err
	}
	for _, line := range list {
		err = errors.Join(err, errors.New(line))
	}
	return err
}
