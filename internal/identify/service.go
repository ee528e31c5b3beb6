package identify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"fieldmark/internal/fusion"
	"fieldmark/internal/photo"
)

// Config is what a Service works with. Store, Photos and Embedder are required;
// they must outlive the Service.
type Config struct {
	Store  Store
	Photos PhotoFiles
	// Renditions keeps photos in further sizes; nil: they are made each time.
	Renditions Renditions
	Embedder   Embedder // serves at first

	Model     string   // what Installed knows Embedder by
	Installed Encoders // what can be chosen from; nil if nothing can
	Pinned    bool     // Embedder was asked for: an earlier wish for another one does not count

	Memory     MemoryConfig
	DefaultSet LabelSetID       // candidates where a question names none; a built-in set
	Rule       fusion.Rule      // default rule; "" means fusion.Near
	Psi        int              // most exemplars a leaf takes; 0 means 50,000
	K          int              // nearest exemplars that are asked; 0 means 9
	Workers    int              // goroutines that one fit or scan may use; 0 means 1
	Limits     photo.Limits     // of uploads
	JPEG       photo.ScaledJPEG // decodes JPEG photos at a scale; nil: Go's decoder does, in full
	HEIC       photo.Sandbox    // decodes HEIC photos; nil: they are refused
	AVIF       photo.Sandbox    // decodes AVIF photos; nil: they are refused
	Admission  Admission        // how many photos may be read at once
	Now        func() time.Time // the clock; nil means time.Now
	Log        *slog.Logger     // nil means slog.Default
	Meter      Meter            // nil: nothing is measured
	Farewell   time.Duration    // longest that Close writes a snapshot; 0 means 30 s
}

// withDefaults fills in what was left out.
func (c Config) withDefaults() Config {
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
	c.Admission = c.Admission.withDefaults()
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Farewell == 0 {
		c.Farewell = 30 * time.Second
	}
	if c.Meter == nil {
		c.Meter = unmeasured{}
	}
	return c
}

// Service answers and learns. Its methods are safe for concurrent use.
type Service struct {
	*shared
	first   *encoder // Config.Embedder
	lineup  atomic.Pointer[lineup]
	change  sync.Mutex // held by whoever puts another lineup up
	listing sync.Mutex // held by whoever takes a checklist in
	naming  sync.Mutex // held by whoever merges names, or takes them apart
	leaving sync.Mutex // held by whoever withdraws what leavers took back
	work    atomic.Pointer[EncoderWork]
	lost    atomic.Bool // some photos cannot be shown to the encoder that serves

	previewing sync.Mutex // held by whoever looks at a quarantine before it begins

	turns      turns
	feed       *Feed
	developing *developing
	rereads    *rereading
	likenesses likenesses

	wake       chan struct{}   // there may be photos to be embedded, or another choice
	working    context.Context // of what is done in the background; ends with Close
	stop       context.CancelFunc
	background sync.WaitGroup
	ending     sync.Mutex // held while something joins background, and while Close begins
}

// New returns a service whose memory is folded from the whole log. Close it.
func New(ctx context.Context, c Config) (*Service, error) {
	first := openedEncoder(c.Model, c.Embedder, nil)
	sh, err := newShared(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := c.Store.RegisterEncoder(ctx, first.info); err != nil {
		return nil, err
	}
	if err := c.Store.RefreshDisputes(ctx); err != nil {
		return nil, err
	}
	e, err := newEngine(ctx, sh, first)
	if err != nil {
		return nil, err
	}
	s := &Service{shared: sh, first: first, wake: make(chan struct{}, 1), rereads: newRereading(), developing: newDeveloping(sh.Workers), feed: newFeed(time.Now())}
	s.lineup.Store(&lineup{serving: e})
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.working, s.stop = background, stop
	changes, err := newChanger(background, s)
	if err != nil {
		stop()
		e.learner.stop()
		return nil, err
	}
	s.background.Go(func() { changes.run(background) })
	s.background.Go(func() { s.viewAhead(background) })
	s.background.Go(func() { s.rereadBehind(background) })
	s.background.Go(func() { s.recall.run(background, recallPause, s.Meter) })
	s.background.Go(func() {
		if err := s.goOnWithQuarantines(background); err != nil && background.Err() == nil {
			s.Log.Error("a quarantine that was broken off could not go on", "error", err)
		}
		s.withdrawLeavers()
	})
	s.background.Go(s.goOnWithChecklist)
	s.background.Go(s.goOnWithNames)
	return s, nil
}

// newShared reads what all engines need.
func newShared(ctx context.Context, c Config) (*shared, error) {
	c = c.withDefaults()
	c.Embedder = nil
	taxa, err := c.Store.Taxa(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the taxa: %w", err)
	}
	s := &shared{Config: c, taxonomy: newTaxonomy(taxa), gate: newGate(2*c.Workers, c.Admission.Memory), viewing: newViewing(), recall: newRecall()}
	if c.DefaultSet != 0 {
		set, err := c.Store.LabelSet(ctx, c.DefaultSet)
		if err != nil {
			return nil, fmt.Errorf("reading the default label set: %w", err)
		}
		s.defaults = set.Taxa
	}
	return s, nil
}

// enter counts its caller among what Close waits for, which says background.Done in the
// end; false means that Close has begun.
func (s *Service) enter() bool {
	s.ending.Lock()
	defer s.ending.Unlock()
	if s.working.Err() != nil {
		return false
	}
	s.background.Add(1)
	return true
}

// Close stops learning and whatever is done in the background. What was
// acknowledged is in the log and is learned from there at the next start; what
// was embedded need not be embedded again.
func (s *Service) Close() error {
	s.ending.Lock()
	s.stop()
	s.ending.Unlock()
	s.feed.Close()
	s.background.Wait()
	s.change.Lock()
	defer s.change.Unlock()
	l := s.lineup.Load()
	var errs []error
	for _, e := range l.engines() {
		e.learner.stop()
	}
	for _, e := range l.encoders() {
		errs = append(errs, e.close())
	}
	return errors.Join(errs...)
}

// Ready reports why the service cannot answer, nil if it can.
func (s *Service) Ready() error { return s.serving().learner.err() }

// Stats describes the service at this moment.
func (s *Service) Stats(ctx context.Context) (Stats, error) {
	counts, err := s.Store.Counts(ctx)
	if err != nil {
		return Stats{}, err
	}
	e := s.serving()
	m := e.learner.memory()
	return Stats{
		Seq: m.seq, Exemplars: m.tree.Live(), Labels: m.tree.Known(), Leaves: m.tree.Stats().Leaves,
		Pending: m.pending, Observations: counts.Observations, Photos: counts.Photos,
		Taxa: counts.Taxa, Users: counts.Users, Encoder: e.info, Work: s.EncoderWork(),
	}, nil
}

// allow returns an error unless u's role includes need.
func allow(u User, need Role, what string) error {
	if u.Role.Allows(need) {
		return nil
	}
	return Errorf(Forbidden, "", "Your role is %q; to %s takes the role %q. Ask who runs this Fieldmark.", u.Role, Noticef(what), need)
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
