package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"sync"

	"fieldmark/internal/identify"
)

// trialCache remembers the trials of one encoder, some 250 bytes each, as of an event:
// to read all of them takes long, and a lesson changes those of its observation alone.
// It is a fold of the log, and nothing but a shortcut.
type trialCache struct {
	mu      sync.Mutex
	encoder string
	seq     identify.Seq
	taxa    taxaStamp
	list    []trialOf // by lesson
}

// trialOf is a trial with the observation whose name decides whether it was right.
type trialOf struct {
	identify.TrialRecord
	observation identify.ObservationID
}

// taxaStamp changes whenever trials may be read otherwise though no lesson came.
type taxaStamp struct{ edited, synonymies int64 }

// maxTouched is after how many events all trials are read anew instead.
const maxTouched = 2000

// as brings the trials up to what a transaction sees, which must have begun after mu
// was taken: time does not go backwards for those who wait.
func (c *trialCache) as(ctx context.Context, tx *sql.Tx, encoder string) error {
	seq, err := lastEvent(ctx, tx)
	if err != nil {
		return err
	}
	var taxa taxaStamp
	err = tx.QueryRowContext(ctx, `SELECT (SELECT coalesce(max(edited_at), 0) FROM taxa), (SELECT count(*) + count(undone_at) FROM synonymies)`).
		Scan(&taxa.edited, &taxa.synonymies)
	if err != nil {
		return err
	}
	if encoder != c.encoder || taxa != c.taxa || seq < c.seq || seq-c.seq > maxTouched {
		list, err := trialsOf(ctx, tx, `t.encoder = ?`, encoder)
		if err == nil {
			c.encoder, c.taxa, c.seq, c.list = encoder, taxa, seq, list
		}
		return err
	}
	if seq == c.seq {
		return nil
	}
	if err := c.touch(ctx, tx, encoder); err != nil {
		return err
	}
	c.seq = seq
	return nil
}

// touch reads the trials anew that are about observations which events after seq are
// about.
func (c *trialCache) touch(ctx context.Context, tx *sql.Tx, encoder string) error {
	rows, err := tx.QueryContext(ctx, `SELECT DISTINCT observation_id FROM events WHERE seq > ?`, c.seq)
	ids, err := collect(rows, err, func(rows *sql.Rows) (o identify.ObservationID, err error) { return o, rows.Scan(&o) })
	if err != nil {
		return err
	}
	text, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	changed, err := trialsOf(ctx, tx, `t.encoder = ? AND t.seq IN (SELECT g.seq FROM json_each(?) j CROSS JOIN identifications i ON i.observation_id = j.value
		CROSS JOIN events g ON g.identification_id = i.id)`, encoder, string(text))
	if err != nil {
		return err
	}
	touched := make(map[identify.ObservationID]bool, len(ids))
	for _, o := range ids {
		touched[o] = true
	}
	list := slices.DeleteFunc(c.list, func(t trialOf) bool { return touched[t.observation] })
	list = append(list, changed...)
	slices.SortFunc(list, func(a, b trialOf) int { return cmp.Compare(a.Lesson, b.Lesson) })
	c.list = list
	return nil
}

// records are copies of the trials.
func (c *trialCache) records() []identify.TrialRecord {
	list := make([]identify.TrialRecord, len(c.list))
	for i, t := range c.list {
		list[i] = t.TrialRecord
	}
	return list
}
