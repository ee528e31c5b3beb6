package identify

import (
	"sync"
	"time"
)

// HappeningKind says what came to be.
type HappeningKind string

// The kinds of happenings.
const (
	PhotoCame       HappeningKind = "photo"
	LessonGiven     HappeningKind = "lesson"
	LessonTaken     HappeningKind = "withdrawn"
	PersonJoined    HappeningKind = "joined"
	MemoryChanged   HappeningKind = "memory"   // many lessons at once: a quarantine, its end
	WorkshopChanged HappeningKind = "workshop" // one was extended, or ended
)

// Happening is something that just came to be, and is durable.
type Happening struct {
	N           int64 // counts on from the microsecond in which the process began: none of another one is the same
	Kind        HappeningKind
	At          time.Time
	User        UserID
	UserName    string
	Observation ObservationID // 0: none
	Workshop    WorkshopID    // that was extended or ended; 0: none
	Before      TaxonName     // what the photo was likeliest before a lesson
	After       TaxonName     // what it was answered, or taught
}

const (
	// happeningsKept is how many are told again to a listener that comes back.
	happeningsKept = 64
	// happeningsAhead is how many a listener may lag behind.
	happeningsAhead = 2 * happeningsKept
)

// Feed tells listeners what happens. It never waits for them: one that lags behind is
// dropped, and may come back. Its methods are safe for concurrent use, and it starts no
// goroutine.
type Feed struct {
	mu        sync.Mutex
	n         int64
	last      []Happening
	listeners map[*Listener]bool
	closed    bool
}

// Listener hears of what happens. C is closed when it was dropped, or the feed ended.
type Listener struct {
	C    <-chan Happening
	c    chan Happening
	feed *Feed
}

func newFeed(began time.Time) *Feed {
	return &Feed{n: began.UnixMicro(), listeners: map[*Listener]bool{}}
}

// tell is called after what happened is durable.
func (f *Feed) tell(h Happening) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n++
	h.N = f.n
	if f.last = append(f.last, h); len(f.last) > happeningsKept {
		f.last = append(f.last[:0:0], f.last[1:]...)
	}
	for l := range f.listeners {
		select {
		case l.c <- h:
		default:
			f.drop(l)
		}
	}
}

// Listen begins to listen to what follows happening number after; 0: to what happens
// from now on. Missed says that not all of it is known any more, so that the listener
// had better look at everything anew. Close what it returns.
func (f *Feed) Listen(after int64) (l *Listener, missed bool) {
	c := make(chan Happening, happeningsAhead)
	l = &Listener{C: c, c: c, feed: f}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		close(c)
		return l, false
	}
	f.listeners[l] = true
	if after == 0 {
		return l, false
	}
	for _, h := range f.last {
		if h.N > after {
			c <- h // fits: happeningsKept < happeningsAhead
		}
	}
	return l, after > f.n || after < f.n-int64(len(f.last))
}

// Last is the number of the last happening.
func (f *Feed) Last() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.n
}

// Close ends all listening.
func (f *Feed) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	for l := range f.listeners {
		f.drop(l)
	}
}

func (f *Feed) drop(l *Listener) {
	if f.listeners[l] {
		delete(f.listeners, l)
		close(l.c)
	}
}

// Close ends listening.
func (l *Listener) Close() {
	l.feed.mu.Lock()
	defer l.feed.mu.Unlock()
	l.feed.drop(l)
}

// Feed tells what happens here. It ends with the Service, or before.
func (s *Service) Feed() *Feed { return s.feed }

// came tells of a photo.
func (s *Service) came(o Observation, p Prediction) {
	h := Happening{Kind: PhotoCame, At: o.CreatedAt, User: o.Observer, UserName: o.ObserverName, Observation: o.ID}
	if len(p.Candidates) > 0 {
		h.After = p.Candidates[0].name()
	}
	s.feed.tell(h)
}

// gave tells of a lesson, or that one was taken back by u.
func (s *Service) gave(kind HappeningKind, u User, i Identification, before Prediction) {
	h := Happening{Kind: kind, At: s.Now(), User: u.ID, UserName: u.Name, Observation: i.Observation, After: TaxonName{i.Taxon, i.TaxonLabel}}
	if len(before.Candidates) > 0 {
		h.Before = before.Candidates[0].name()
	}
	s.feed.tell(h)
}

func (c Candidate) name() TaxonName { return TaxonName{c.Taxon, c.Label} }

// gaveMany tells of a decision about several photos.
func (s *Service) gaveMany(kind HappeningKind, u User, d Decision) {
	for _, item := range d.Items {
		if item.Identification.ID != 0 {
			s.gave(kind, u, item.Identification, Prediction{})
		}
	}
}
