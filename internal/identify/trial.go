package identify

import (
	"context"
	"time"

	"fieldmark/internal/fusion"
)

// Trial is what the memory answered about a photo just before it was taught it:
// the test before the lesson, by the default rule over the default candidates. It
// is stored with the lesson, in one transaction.
type Trial struct {
	Encoder    string // digest
	Seq        Seq    // memory that was asked
	Rule       fusion.Rule
	Candidates int
	Known      bool // what was taught was a candidate
	Fused      Opinion
	ZeroShot   Opinion
}

// Opinion is the likeliest of all candidates, and what was left for what was taught.
type Opinion struct {
	Taxon       TaxonID
	Probability float64
	Taught      float64 // probability of what was taught; 0 if it was no candidate
}

// TrialRecord is a trial with what is known now of the photo. Truth is the name that
// its observation goes by today, whoever gave it.
type TrialRecord struct {
	Trial
	Lesson Seq // of the event that followed
	At     time.Time
	Truth  TaxonID
	Group  string // of Truth; "" none
}

// Right reports whether an opinion named what the observation goes by today.
func (t *TrialRecord) Right(o Opinion) bool { return o.Taxon == t.Truth }

// TrialStore keeps trials; Teach adds them.
type TrialStore interface {
	// Trials lists those under an encoder, in the order of the log, that precede
	// the first lesson about a photo, of observations that go by a name today.
	Trials(ctx context.Context, encoder string) ([]TrialRecord, error)
	// TrialCounts says how many lessons have no such trial, and why.
	TrialCounts(ctx context.Context, encoder string) (TrialCounts, error)
}

// TrialCounts says what became of all lessons ever given in the learning curve.
type TrialCounts struct {
	Lessons  int // ever given
	Imported int // of those, came with an import: not asked before
	Repeated int // the photo had been taught before: no test
	Unnamed  int // nothing stands at its observation today
	Untested int // the memory was not asked, or another encoder was
}

// trial asks a memory about a photo that is about to be taught as a taxon.
func (e *engine) trial(ctx context.Context, m *memory, vector []float32, taught TaxonID) (Trial, error) {
	var q Question
	if err := e.settle(&q); err != nil {
		return Trial{}, err
	}
	c, err := e.candidates(ctx, m, q)
	if err != nil {
		return Trial{}, err
	}
	a, err := e.ask(ctx, m, vector, q, c)
	if err != nil {
		return Trial{}, err
	}
	t := Trial{Encoder: e.info.Digest, Seq: m.seq, Rule: q.Rule, Candidates: len(c.taxa)}
	at := -1
	for y, x := range c.taxa {
		if x.ID == taught && taught != 0 {
			at, t.Known = y, true
		}
	}
	t.Fused, t.ZeroShot = opinion(c, a.result.P, at), opinion(c, a.result.ZeroShot, at)
	return t, nil
}

// opinion reads probabilities p over candidates; taught is the number of the one
// that is about to be taught, or −1.
func opinion(c candidateSet, p []float64, taught int) Opinion {
	best := 0
	for y := range p {
		if p[y] > p[best] {
			best = y
		}
	}
	o := Opinion{Taxon: c.taxa[best].ID, Probability: p[best]}
	if taught >= 0 {
		o.Taught = p[taught]
	}
	return o
}

// testFirst adds to an identification what the memory says before it is taught. A
// lesson does not fail for want of its test.
func (e *engine) testFirst(ctx context.Context, m *memory, vector []float32, n *NewIdentification) {
	taxon := n.Taxon
	if n.Local != "" {
		if t, err := e.Store.TaxonByName(ctx, n.Local); err == nil {
			taxon = t.ID
		}
	}
	t, err := e.trial(ctx, m, vector, taxon)
	if err != nil {
		e.Log.Warn("a lesson is not tested before it is taught", "observation", n.Observation, "error", err)
		return
	}
	n.Trial = &t
}
