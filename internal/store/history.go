package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"fieldmark/internal/identify"
)

// historyPart is one of the records that the audit trail is put together from: a query
// of (at, key, kind, user_id, subject, taxon_id, detail, observation_id), key a number
// that tells apart what happened at one moment, taxon_id whose name the subject is. What
// the detail, a text, means detailOf says; nil: there is none.
type historyPart struct {
	query    string
	detailOf func(text string) identify.Notice
}

// historyParts are all of them. A feature adds its own at the end: cursors count the
// parts.
var historyParts = [...]historyPart{
	// Lessons and withdrawals one by one; what imports, quarantines and synonymies did is told as a whole.
	{`SELECT e.at AS at, e.seq AS key, e.kind AS kind, e.user_id AS user_id,
		(SELECT coalesce(nullif(t.english_name, ''), t.scientific_name) FROM taxa t WHERE t.id = e.taxon_id) AS subject, e.taxon_id AS taxon_id,
		iif(e.kind = 'withdrawn', (SELECT iif(i.user_id = e.user_id, '', u.name)
			FROM identifications i JOIN users u ON u.id = i.user_id WHERE i.id = e.identification_id), '') AS detail,
		e.observation_id AS observation_id
	FROM events e WHERE e.import_id IS NULL AND e.quarantine_id IS NULL AND e.synonymy_id IS NULL`, taughtBy},
	{`SELECT m.began_at AS at, m.id AS key, 'imported' AS kind, m.user_id AS user_id, m.name AS subject, NULL AS taxon_id,
		m.done - m.known AS detail, NULL AS observation_id FROM imports m`, countOfLessons},
	{`SELECT m.withdrawn_at AS at, m.id AS key, 'import taken back' AS kind,
		(SELECT e.user_id FROM events e WHERE e.import_id = m.id AND e.kind = 'withdrawn' LIMIT 1) AS user_id,
		m.name AS subject, NULL AS taxon_id, '' AS detail, NULL AS observation_id FROM imports m WHERE m.withdrawn_at IS NOT NULL
		AND NOT EXISTS (SELECT 1 FROM quarantines q WHERE q.import_id = m.id AND q.outcome = 'removed' AND q.ended_at = m.withdrawn_at)`, nil},
	{`SELECT q.began_at AS at, q.id AS key, 'quarantined' AS kind, q.by_id AS user_id,
		coalesce((SELECT name FROM users WHERE id = q.user_id), (SELECT name FROM imports WHERE id = q.import_id)) AS subject, NULL AS taxon_id,
		q.lessons || ' ' || q.reason AS detail, NULL AS observation_id FROM quarantines q`, lessonsAndReason},
	{`SELECT q.ended_at AS at, q.id AS key, q.outcome AS kind, q.ended_by AS user_id,
		coalesce((SELECT name FROM users WHERE id = q.user_id), (SELECT name FROM imports WHERE id = q.import_id)) AS subject, NULL AS taxon_id,
		(SELECT count(*) FROM events e WHERE e.quarantine_id = q.id AND e.kind IN ('released', 'withdrawn')) AS detail,
		NULL AS observation_id FROM quarantines q WHERE q.outcome IS NOT NULL`, countOfLessons},
	{`SELECT x.at AS at, x.id AS key, 'edited' AS kind, x.user_id AS user_id, replace(x.field, '_', ' ') AS subject, NULL AS taxon_id,
		json_array(x.before, x.after) AS detail, x.observation_id AS observation_id
	FROM observation_edits x`, beforeAndAfter},
	{`SELECT u.created_at AS at, u.id AS key, 'let in' AS kind, u.created_by AS user_id, u.name AS subject, NULL AS taxon_id, '' AS detail,
		NULL AS observation_id FROM users u WHERE u.owner = 0`, nil},
	{`SELECT u.changed_at AS at, u.id AS key, 'role changed' AS kind, u.changed_by AS user_id, u.name AS subject, NULL AS taxon_id, u.role AS detail,
		NULL AS observation_id FROM users u WHERE u.changed_at IS NOT NULL`, newRole},
	{`SELECT u.revoked_at AS at, u.id AS key, 'access ended' AS kind, u.revoked_by AS user_id, u.name AS subject, NULL AS taxon_id, '' AS detail,
		NULL AS observation_id FROM users u WHERE u.revoked_at IS NOT NULL`, nil},
	{`SELECT l.created_at AS at, l.id AS key, 'label set made' AS kind, NULL AS user_id, l.name AS subject, NULL AS taxon_id, '' AS detail,
		NULL AS observation_id FROM label_sets l WHERE l.key IS NULL`, nil},
	{`SELECT k.at AS at, k.identification_id AS key, 'doubt settled' AS kind, k.user_id AS user_id,
		(SELECT coalesce(nullif(t.english_name, ''), t.scientific_name) FROM taxa t WHERE t.id = i.taxon_id) AS subject, i.taxon_id AS taxon_id, '' AS detail,
		i.observation_id AS observation_id FROM kept_doubts k JOIN identifications i ON i.id = k.identification_id`, keptAsTaught},
	{`SELECT x.added_at AS at, x.taxon_id AS key, 'marked sensitive' AS kind, x.user_id AS user_id,
		(SELECT coalesce(nullif(t.english_name, ''), t.scientific_name) FROM taxa t WHERE t.id = x.taxon_id) AS subject, x.taxon_id AS taxon_id, '' AS detail,
		NULL AS observation_id FROM sensitive_taxa x`, nil},
	{`SELECT a.at AS at, a.id AS key, a.kind AS kind, a.user_id AS user_id, a.subject AS subject, a.taxon_id AS taxon_id, a.detail AS detail,
		a.observation_id AS observation_id FROM audit a`, identify.ParseNotice},
}

// historyAt is where an entry is in the trail: the later part first at one moment.
type historyAt struct {
	at   int64
	part int
	key  int64
}

func (h historyAt) String() string { return fmt.Sprintf("%d.%d.%d", h.at, h.part, h.key) }

func parseHistoryAt(s string) (h historyAt, err error) {
	if s == "" {
		return historyAt{at: math.MaxInt64, part: len(historyParts)}, nil
	}
	n, err := fmt.Sscanf(s, "%d.%d.%d", &h.at, &h.part, &h.key)
	if err != nil || n != 3 || strings.Count(s, ".") != 2 {
		return h, identify.Errorf(identify.Invalid, "before", "%q is no place in the history. Start from its beginning.", brief(s))
	}
	return h, nil
}

// History lists what was done, newest first.
func (s *Store) History(ctx context.Context, f identify.HistoryFilter) (list []identify.HistoryEntry, more bool, err error) {
	after, err := parseHistoryAt(f.Before)
	if err != nil {
		return nil, false, err
	}
	type placed struct {
		historyAt
		identify.HistoryEntry
	}
	var all []placed
	err = s.view(ctx, func(tx *sql.Tx) error {
		for part := range historyParts {
			found, err := historyOf(ctx, tx, part, after, f)
			if err != nil {
				return err
			}
			for _, e := range found {
				at, err := parseHistoryAt(e.Cursor)
				if err != nil {
					return err
				}
				all = append(all, placed{at, e})
			}
		}
		return nil
	})
	slices.SortFunc(all, func(a, b placed) int {
		return cmp.Or(cmp.Compare(b.at, a.at), cmp.Compare(b.part, a.part), cmp.Compare(b.key, a.key))
	})
	more = len(all) > f.Limit
	for _, e := range all[:min(len(all), f.Limit)] {
		list = append(list, e.HistoryEntry)
	}
	return list, more, err
}

// historyOf reads one part: one entry more than are asked for, so that it shows
// whether there is more.
func historyOf(ctx context.Context, tx *sql.Tx, part int, after historyAt, f identify.HistoryFilter) ([]identify.HistoryEntry, error) {
	key := after.key // of the entries at the same moment, those that follow
	switch {
	case part < after.part:
		key = math.MaxInt64
	case part > after.part:
		key = math.MinInt64
	}
	from, to := int64(math.MinInt64), int64(math.MaxInt64)
	if f.From != nil {
		from = micros(*f.From)
	}
	if f.To != nil {
		to = micros(*f.To)
	}
	narrowed := "" // where nothing is asked for nothing is compared, or no index could help
	if f.User != 0 {
		narrowed += ` AND p.user_id = ?5`
	}
	if f.Kind != "" {
		narrowed += ` AND p.kind = ?6`
	}
	rows, err := tx.QueryContext(ctx, `
		SELECT p.at, p.key, p.kind, coalesce(p.user_id, 0), coalesce((SELECT name FROM users WHERE id = p.user_id), ''),
			p.subject, coalesce(p.taxon_id, 0), p.detail, coalesce(p.observation_id, 0)
		FROM (`+historyParts[part].query+`) p
		WHERE (p.at, p.key) < (?1, ?2) AND p.at >= ?3 AND p.at < ?4`+narrowed+`
		ORDER BY p.at DESC, p.key DESC LIMIT ?7`, after.at, key, from, to, f.User, f.Kind, f.Limit+1)
	return collect(rows, err, func(rows *sql.Rows) (identify.HistoryEntry, error) {
		var e identify.HistoryEntry
		at := historyAt{part: part}
		var detail string
		err := rows.Scan(&at.at, &at.key, &e.Kind, &e.User, &e.UserName, &e.Subject, &e.Taxon, &detail, &e.Observation)
		e.At, e.Cursor = instant(at.at), at.String()
		if say := historyParts[part].detailOf; say != nil {
			e.Detail = say(detail)
		}
		return e, err
	})
}

// Doers lists everyone who ever had access, by name.
func (s *Store) Doers(ctx context.Context) ([]identify.User, error) {
	var list []identify.User
	err := s.view(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `SELECT id, name, role FROM users ORDER BY name COLLATE NOCASE, id`)
		list, err = collect(rows, err, func(rows *sql.Rows) (u identify.User, err error) { return u, rows.Scan(&u.ID, &u.Name, &u.Role) })
		return err
	})
	return list, err
}

// noteLabelSet adds to the audit trail what is about to be done to a label set, under
// the name that it has. Who does it is not recorded.
func noteLabelSet(ctx context.Context, tx *sql.Tx, id identify.LabelSetID, kind identify.HistoryKind) error {
	var name string
	var taxa int
	err := tx.QueryRowContext(ctx, `SELECT name, (SELECT count(*) FROM label_set_taxa WHERE label_set_id = l.id) FROM label_sets l WHERE l.id = ?`, id).Scan(&name, &taxa)
	if errors.Is(err, sql.ErrNoRows) {
		return nil // what is about to be done says so
	} else if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO audit (at, kind, subject, detail) VALUES (?, ?, ?, ?)`,
		micros(time.Now()), kind, name, identify.Noticef("%d names before", taxa).Text())
	return err
}
