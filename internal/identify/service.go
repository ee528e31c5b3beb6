package identify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"fieldmark/internal/fusion"
	"fieldmark/internal/photo"
)

// Config is what a Service works with. Store, Photos and Embedder are required;
// they must outlive the Service.
type Config struct {
	Store    Store
	Photos   PhotoFiles
	Embedder Embedder

	DefaultSet LabelSetID       // candidates where a question names none; a built-in set
	Rule       fusion.Rule      // default rule; "" means fusion.Near
	Psi        int              // most exemplars a leaf takes; 0 means 50,000
	K          int              // nearest exemplars that are asked; 0 means 9
	Workers    int              // goroutines that one fit or scan may use; 0 means 1
	Limits     photo.Limits     // of uploads
	Now        func() time.Time // the clock; nil means time.Now
	Log        *slog.Logger     // nil means slog.Default
}

// Service answers and learns. Its methods are safe for concurrent use.
type Service struct {
	Config
	taxonomy *taxonomy
	names    *names
	learner  *learner
	defaults []TaxonID     // taxa of DefaultSet, which cannot change
	decoding chan struct{} // one place for each photo whose pixels may be in memory at once
}

// New returns a service whose memory is folded from the whole log. Close it.
func New(ctx context.Context, c Config) (*Service, error) {
	if c.Rule == "" {
		c.Rule = fusion.Near
	}
	if c.Psi == 0 {
		c.Psi = 50_000
	}
	if c.K == 0 {
		c.K = 9
	}
	c.Workers = max(c.Workers, 1)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	taxa, err := c.Store.Taxa(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the taxa: %w", err)
	}
	s := &Service{Config: c, taxonomy: newTaxonomy(taxa), names: newNames(c.Embedder),
		decoding: make(chan struct{}, 2*c.Workers)}
	if c.DefaultSet != 0 {
		set, err := c.Store.LabelSet(ctx, c.DefaultSet)
		if err != nil {
			return nil, fmt.Errorf("reading the default label set: %w", err)
		}
		s.defaults = set.Taxa
	}
	if s.learner, err = startLearner(ctx, c); err != nil {
		return nil, fmt.Errorf("folding the log: %w", err)
	}
	if err := s.warm(ctx); err != nil {
		s.learner.stop()
		return nil, fmt.Errorf("embedding the names: %w", err)
	}
	return s, nil
}

// warm embeds the names that most questions ask for, so that the first one
// need not wait for them.
func (s *Service) warm(ctx context.Context) error {
	if len(s.defaults) == 0 {
		return nil
	}
	_, err := s.candidates(ctx, s.learner.memory(), Question{})
	return err
}

// Close stops learning. What was acknowledged is in the log and is learned
// from there at the next start.
func (s *Service) Close() error {
	s.learner.stop()
	return nil
}

// Ready reports why the service cannot answer, nil if it can.
func (s *Service) Ready() error { return s.learner.err() }

// Stats describes the service at this moment.
func (s *Service) Stats(ctx context.Context) (Stats, error) {
	counts, err := s.Store.Counts(ctx)
	if err != nil {
		return Stats{}, err
	}
	m := s.learner.memory()
	return Stats{
		Seq: m.seq, Exemplars: m.tree.Live(), Labels: m.tree.Known(), Leaves: m.tree.Stats().Leaves,
		Pending: m.pending, Observations: counts.Observations, Photos: counts.Photos,
		Taxa: counts.Taxa, Users: counts.Users, Encoder: s.Embedder.Info(),
	}, nil
}

// allow returns an error unless u's role includes need.
func allow(u User, need Role, what string) error {
	if u.Role.Allows(need) {
		return nil
	}
	return Errorf(Forbidden, "", "Your role is %q; to %s takes the role %q. Ask who runs this Fieldmark.", u.Role, what, need)
}

// stored turns a failure of the store that a person caused into an error about
// a field, and leaves others as they are.
func stored(err error, field string) error {
	var e *Error
	if errors.As(err, &e) && e.Field == "" {
		with := *e
		with.Field = field
		return &with
	}
	return err
}
