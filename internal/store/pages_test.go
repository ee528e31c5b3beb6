package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

// walk does at random what people do: they upload, teach with and without a trial,
// change their minds, withdraw one another's lessons, quarantine, import with and
// without photos, take imports back, set aside, put back, and photos come for what had
// none.
type walk struct {
	*testing.T
	s      *Store
	r      *rand.Rand
	users  []identify.User
	photos int
	last   identify.ObservationID // there are observations up to this
	at     time.Time
}

func newWalk(t *testing.T, seed uint64) *walk {
	w := &walk{T: t, s: fresh(t), r: rand.New(rand.NewPCG(seed, 1)), at: noon}
	for i := range 4 {
		w.users = append(w.users, user(t, w.s, fmt.Sprintf("person %d", i)))
	}
	w.upload(w.users[0])
	return w
}

func (w *walk) user() identify.User { return w.users[w.r.IntN(len(w.users))] }

func (w *walk) taxon() identify.TaxonID { return identify.TaxonID(3 + w.r.IntN(4)) }

func (w *walk) some() identify.ObservationID {
	return 1 + identify.ObservationID(w.r.Int64N(int64(w.last)))
}

// tried reports an error that nobody may see; what a person is refused is part of the walk.
func (w *walk) tried(err error) {
	w.Helper()
	if err != nil && identify.KindOf(err) == "" {
		w.Fatal(err)
	}
}

func (w *walk) step() {
	w.Helper()
	w.at = w.at.Add(time.Second)
	ctx, s, u := w.Context(), w.s, w.user()
	switch w.r.IntN(10) {
	case 0, 1:
		w.upload(u)
	case 2, 3, 4:
		n := identify.NewIdentification{Observation: w.some(), Taxon: w.taxon(), User: u.ID, At: w.at}
		if w.r.IntN(3) > 0 {
			n.Trial = &identify.Trial{Encoder: encoder.Digest, Rule: "near", Candidates: 4, Known: true,
				Fused: identify.Opinion{Taxon: w.taxon(), Probability: w.r.Float64()}, ZeroShot: identify.Opinion{Taxon: w.taxon()}}
		}
		_, _, err := s.Teach(ctx, n)
		w.tried(err)
	case 5:
		if o, err := s.Observation(ctx, w.some()); err == nil && len(o.Identifications) > 0 {
			_, _, err := s.Withdraw(ctx, o.ID, o.Identifications[w.r.IntN(len(o.Identifications))].ID, u.ID, w.at)
			w.tried(err)
		}
	case 6:
		of := identify.Source{User: w.user().ID}
		if w.r.IntN(2) == 0 {
			of = identify.Source{Import: identify.ImportID(1 + w.r.IntN(5))}
		}
		if _, _, err := s.BeginQuarantine(ctx, of, "", u.ID, w.at); err != nil {
			w.tried(err)
			_, _, err = s.EndQuarantine(ctx, of, []identify.QuarantineOutcome{identify.Restored, identify.Removed}[w.r.IntN(2)], u.ID, w.at)
			w.tried(err)
		}
	case 7:
		w.importSome(u)
	case 8:
		kind := []identify.DecisionKind{identify.DecidedSetAside, identify.DecidedSkipped}[w.r.IntN(2)]
		_, _, err := s.Decide(ctx, identify.NewDecision{Kind: kind, User: u.ID, At: w.at, Items: []identify.NewIdentification{{Observation: w.some()}}})
		w.tried(err)
	case 9:
		if d, err := s.LastDecision(ctx, u.ID); err == nil {
			_, _, err := s.UndoDecision(ctx, d.ID, 0, u.ID, w.at)
			w.tried(err)
		}
		w.tried(s.SaveReadings(ctx, encoder.Digest, []identify.ObservationReading{{Observation: w.some(),
			Reading: identify.Reading{Taxon: 4, Label: "x", Chance: w.r.Float64(), Second: w.r.Float64() / 4, Seq: 1}}}))
	}
}

// upload adds an observation, of a new photo or one that is known: the file of an
// embedding that came alone may be among those.
func (w *walk) upload(u identify.User) {
	w.photos++
	hash := photoHash(fmt.Sprint(1 + w.r.IntN(w.photos)))
	if bare := w.hashes(`SELECT hash FROM photos WHERE bytes = 0 ORDER BY hash`); len(bare) > 0 && w.r.IntN(4) == 0 {
		hash = bare[w.r.IntN(len(bare))]
	}
	o := observe(w.T, w.s, u, "", func(n *identify.NewObservation) {
		n.Photo.Hash, n.At = hash, w.at
		for i := range w.r.IntN(3) {
			n.Suggested = append(n.Suggested, identify.Suggestion{Taxon: 4, Label: "y", Probability: w.r.Float64() / float64(i+1)})
		}
	})
	w.last = max(w.last, o.ID)
}

func (w *walk) hashes(query string) []identify.PhotoHash {
	rows, err := w.s.read.Query(query)
	list, err := collect(rows, err, func(rows *sql.Rows) (h identify.PhotoHash, err error) { return h, rows.Scan(&h) })
	if err != nil {
		w.Fatal(err)
	}
	return list
}

// importSome begins an import of two rows and takes in one or both, or takes one back.
func (w *walk) importSome(u identify.User) {
	ctx, s := w.Context(), w.s
	m, err := s.BeginImport(ctx, identify.ImportSource{Kind: "npz", Name: "a", Digest: fmt.Sprint(w.r.IntN(5)), Encoder: encoder.Digest, Total: 2}, u.ID, nil, w.at)
	if err != nil {
		w.tried(err)
		_, _, err := s.WithdrawImported(ctx, identify.ImportID(1+w.r.IntN(5)), u.ID, 1, w.at)
		w.tried(err)
		return
	}
	rows := []identify.ImportedExemplar{row(w.taxon(), 1, float32(w.r.IntN(9)), 0), row(w.taxon(), float32(1+w.r.IntN(9)), 0, 1)}
	_, _, err = s.TeachImported(ctx, m.ID, 0, rows[:1+w.r.IntN(2)], w.at)
	w.tried(err)
	if err := s.read.QueryRow(`SELECT max(id) FROM observations`).Scan(&w.last); err != nil {
		w.Fatal(err)
	}
}

// What pages read fast is what the plain queries, which read the log, say.
func TestFastReadsAgreeWithPlainOnes(t *testing.T) {
	for seed := range uint64(4) {
		w := newWalk(t, seed)
		for i := range 250 {
			w.step()
			if i%10 == 9 {
				w.compare()
			}
		}
		check(t, w.s)
	}
}

func (w *walk) compare() {
	w.Helper()
	ctx, s := w.Context(), w.s
	for _, x := range []struct {
		what  string
		fast  func() (any, error)
		plain func(tx *sql.Tx) (any, error)
	}{
		{"sources", func() (any, error) { return s.Sources(ctx) }, func(tx *sql.Tx) (any, error) { return plainSources(ctx, tx) }},
		{"trials", func() (any, error) { return s.Trials(ctx, encoder.Digest) },
			func(tx *sql.Tx) (any, error) { return noneAsEmpty(trials(ctx, tx, `t.encoder = ?`, encoder.Digest)) }},
		{"trial counts", func() (any, error) { return s.TrialCounts(ctx, encoder.Digest) }, func(tx *sql.Tx) (any, error) { return plainTrialCounts(ctx, tx, encoder.Digest) }},
		{"photoless", func() (any, error) { return sorted(s.Photoless(ctx)) },
			func(tx *sql.Tx) (any, error) { return plainIDs(ctx, tx, plainPhotoless) }},
		{"waiting", func() (any, error) { return w.waiting() }, func(tx *sql.Tx) (any, error) { return plainIDs(ctx, tx, plainWaiting) }},
	} {
		fast, err := x.fast()
		if err != nil {
			w.Fatalf("%s: %v", x.what, err)
		}
		var plain any
		if err := s.view(ctx, func(tx *sql.Tx) (err error) { plain, err = x.plain(tx); return err }); err != nil {
			w.Fatalf("%s, plainly: %v", x.what, err)
		}
		if !reflect.DeepEqual(fast, plain) {
			w.Fatalf("%s:\n%+v\nplainly:\n%+v", x.what, fast, plain)
		}
	}
}

// The plain queries of what has no photo, and of what waits.
const (
	plainPhotoless = `SELECT o.id FROM photos p JOIN observations o ON o.photo_hash = p.hash WHERE p.bytes = 0 ORDER BY o.id`
	plainWaiting   = `SELECT o.id FROM observations o JOIN photos p ON p.hash = o.photo_hash
		WHERE o.current_taxon_id IS NULL AND p.bytes > 0 AND NOT EXISTS (SELECT 1 FROM decision_items i JOIN decisions d ON d.id = i.decision_id
			WHERE i.observation_id = o.id AND i.undone_at IS NULL AND d.kind = 'set-aside') ORDER BY o.id`
)

func noneAsEmpty[T any](list []T, err error) ([]T, error) { return append([]T{}, list...), err }

func sorted(ids []identify.ObservationID, err error) ([]identify.ObservationID, error) {
	slices.Sort(ids)
	return append([]identify.ObservationID{}, ids...), err
}

// waiting is what waits, by id. It fails if a queue is in another order than what it
// is ordered by says.
func (w *walk) waiting() ([]identify.ObservationID, error) {
	ids := []identify.ObservationID{}
	for _, by := range []struct {
		order   identify.ReviewOrder
		compare func(a, b identify.Waiting) int
	}{
		{identify.ByDoubt, func(a, b identify.Waiting) int { return cmp.Compare(b.Reading.Doubt(), a.Reading.Doubt()) }},
		{identify.ByTime, func(a, b identify.Waiting) int { return a.At.Compare(b.At) }},
	} {
		queue, err := w.s.Queued(w.Context(), by.order)
		if err != nil {
			return nil, err
		}
		ids = ids[:0]
		for _, x := range queue {
			ids = append(ids, x.Observation)
		}
		list, err := w.s.Waiting(w.Context(), ids)
		if err != nil || len(list) != len(ids) {
			w.Fatalf("%d of %d are described (%v)", len(list), len(ids), err)
		}
		inOrder := func(a, b identify.Waiting) int {
			return cmp.Or(by.compare(a, b), cmp.Compare(a.Observation, b.Observation))
		}
		if !slices.IsSortedFunc(list, inOrder) {
			w.Fatalf("by %s: %+v", by.order, list)
		}
		for i, x := range list {
			if x.Observer != queue[i].Observer {
				w.Fatalf("%+v was observed by %d", x, queue[i].Observer)
			}
		}
		w.putOff(ids)
	}
	return sorted(ids, nil)
}

// putOff fails if what a person put off is not what decisions that stand say.
func (w *walk) putOff(waiting []identify.ObservationID) {
	for _, u := range w.users {
		fast, err := w.s.PutOff(w.Context(), u.ID)
		if err != nil {
			w.Fatal(err)
		}
		rows, err := w.s.read.Query(`SELECT i.observation_id FROM decision_items i JOIN decisions d ON d.id = i.decision_id
			WHERE d.kind = 'skipped' AND i.undone_at IS NULL AND d.user_id = ? GROUP BY 1 ORDER BY max(d.at), 1`, u.ID)
		plain, err := collect(rows, err, func(rows *sql.Rows) (o identify.ObservationID, err error) { return o, rows.Scan(&o) })
		plain = slices.DeleteFunc(plain, func(o identify.ObservationID) bool { return !slices.Contains(waiting, o) })
		if err != nil || !slices.Equal(fast, plain) {
			w.Fatalf("put off %v, plainly %v (%v)", fast, plain, err)
		}
	}
}

func plainIDs(ctx context.Context, tx *sql.Tx, query string) ([]identify.ObservationID, error) {
	rows, err := tx.QueryContext(ctx, query)
	return noneAsEmpty(collect(rows, err, func(rows *sql.Rows) (o identify.ObservationID, err error) { return o, rows.Scan(&o) }))
}

// plainSources counts by the log alone: whose event gave a lesson, and which withdrew it.
func plainSources(ctx context.Context, tx *sql.Tx) ([]identify.SourceReport, error) {
	rows, err := tx.QueryContext(ctx, `
		WITH lessons AS (
			SELECT e.import_id AS import_id, iif(e.import_id IS NULL, e.user_id, NULL) AS user_id, e.at AS at,
				i.withdrawn_at IS NULL AS standing, i.quarantine_id IS NOT NULL AS waiting,
				i.withdrawn_at IS NOT NULL AND i.quarantine_id IS NULL
					AND (w.user_id = e.user_id AND w.quarantine_id IS NULL OR w.import_id IS NOT NULL) AS taken_back,
				i.withdrawn_at IS NULL AND EXISTS (SELECT 1 FROM identifications x WHERE x.observation_id = i.observation_id
					AND x.id > i.id AND x.user_id <> i.user_id AND x.taxon_id <> i.taxon_id AND x.withdrawn_at IS NULL) AS disputed
			FROM events e JOIN identifications i ON i.id = e.identification_id
				LEFT JOIN events w ON w.identification_id = i.id AND w.kind = 'withdrawn'
			WHERE e.kind IN ('taught', 'held'))
		SELECT coalesce(l.user_id, 0), coalesce(l.import_id, 0),
			coalesce((SELECT name FROM users WHERE id = l.user_id), (SELECT name FROM imports WHERE id = l.import_id)),
			coalesce((SELECT u.name FROM imports m JOIN users u ON u.id = m.user_id WHERE m.id = l.import_id), ''),
			count(*), sum(l.standing), sum(l.waiting), sum(l.taken_back), sum(l.disputed), min(l.at), max(l.at)
		FROM lessons l GROUP BY l.user_id, l.import_id ORDER BY max(l.at) DESC, l.user_id, l.import_id`)
	list, err := collect(rows, err, scanSource)
	if err != nil {
		return nil, err
	}
	open, err := quarantines(ctx, tx, `WHERE q.outcome IS NULL ORDER BY q.id`)
	for _, q := range open {
		if list, err = withQuarantine(ctx, tx, list, q); err != nil {
			return nil, err
		}
	}
	return list, err
}

func plainTrialCounts(ctx context.Context, tx *sql.Tx, encoder string) (c identify.TrialCounts, err error) {
	return c, tx.QueryRowContext(ctx, `
		SELECT count(*), coalesce(sum(e.import_id IS NOT NULL), 0),
			coalesce(sum(e.import_id IS NULL AND t.seq IS NOT NULL AND NOT t.first), 0),
			coalesce(sum(e.import_id IS NULL AND t.first AND o.current_taxon_id IS NULL), 0),
			coalesce(sum(e.import_id IS NULL AND t.seq IS NULL), 0)
		FROM events e JOIN observations o ON o.id = e.observation_id
			LEFT JOIN trials t ON t.seq = e.seq AND t.encoder = ?
		WHERE e.kind IN ('taught', 'held')`, encoder).Scan(&c.Lessons, &c.Imported, &c.Repeated, &c.Unnamed, &c.Untested)
}
