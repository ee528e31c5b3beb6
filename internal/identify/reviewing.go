package identify

import (
	"cmp"
	"context"
	"slices"
)

// ReviewOrder is what a review queue is ordered by.
type ReviewOrder string

// The orders. What a person put off comes last in each.
const (
	ByDoubt ReviewOrder = "doubt" // what teaches most first: Reading.Doubt
	ByTime  ReviewOrder = "time"  // oldest first
	ByPlace ReviewOrder = "place" // what is near to one another together
)

// Queue is what waits to be named, in the order in which it is looked at.
type Queue struct {
	List []Waiting
	Mine int // how many the person who asks observed
	All  int
	Seq  Seq // of the memory that answers now
}

// Queue lists what waits to be named: all, or what one person observed. Readings
// in it may be of an older memory; asking for the queue renews them in the
// background.
func (s *Service) Queue(ctx context.Context, u User, observer UserID, order ReviewOrder) (Queue, error) {
	if err := allow(u, Expert, "review"); err != nil {
		return Queue{}, err
	}
	list, err := s.Store.Waiting(ctx, u.ID)
	if err != nil {
		return Queue{}, err
	}
	e, release := s.acquire()
	defer release()
	q := Queue{All: len(list), Seq: e.learner.memory().seq}
	for i, w := range list {
		list[i] = w.shownTo(u)
		list[i].Reading.From = e.sureFrom()
		if list[i].Observer == u.ID {
			q.Mine++
		}
	}
	if observer != 0 {
		list = slices.DeleteFunc(list, func(w Waiting) bool { return w.Observer != observer })
	}
	if err := arrange(list, order); err != nil {
		return Queue{}, err
	}
	q.List = list
	s.renewReadings()
	return q, nil
}

// arrange sorts what waits. Equal ones stay in the order of their ids.
func arrange(list []Waiting, order ReviewOrder) error {
	var compare func(a, b Waiting) int
	switch order {
	case ByDoubt, "":
		compare = func(a, b Waiting) int { return cmp.Compare(b.Reading.Doubt(), a.Reading.Doubt()) }
	case ByTime:
		compare = func(a, b Waiting) int { return a.At.Compare(b.At) }
	case ByPlace:
		along := make(map[ObservationID]uint64, len(list))
		for _, w := range list {
			along[w.Observation] = alongCurve(w.Latitude, w.Longitude)
		}
		compare = func(a, b Waiting) int {
			return cmp.Or(cmp.Compare(along[a.Observation], along[b.Observation]), a.At.Compare(b.At))
		}
	default:
		return Errorf(Invalid, "order", "The queue is ordered by %q, %q or %q.", ByDoubt, ByTime, ByPlace)
	}
	slices.SortStableFunc(list, func(a, b Waiting) int {
		switch {
		case a.Skipped == nil && b.Skipped == nil:
			return compare(a, b)
		case a.Skipped == nil:
			return -1
		case b.Skipped == nil:
			return 1
		}
		return a.Skipped.Compare(*b.Skipped)
	})
	return nil
}

// curveBits is how finely a place is told on the curve: 360° / 2²⁰ is some 40 m.
const curveBits = 20

// alongCurve is how far along Hilbert's curve through longitude and latitude a
// place is: places near to one another on it are near to one another (D. Hilbert,
// Math. Ann. 38, 1891). What has no place comes after all others.
func alongCurve(latitude, longitude *float64) uint64 {
	if latitude == nil || longitude == nil {
		return 1 << (2 * curveBits)
	}
	const side = 1 << curveBits
	x := min(side-1, max(0, (*longitude+180)/360*side))
	y := min(side-1, max(0, (*latitude+90)/180*side))
	return hilbert(uint64(x), uint64(y), curveBits)
}

// hilbert is how far along the curve through a square of 2^bits × 2^bits cells a
// cell is.
func hilbert(x, y uint64, bits int) (d uint64) {
	side := uint64(1) << bits
	for s := side / 2; s > 0; s /= 2 {
		var rx, ry uint64
		if x&s != 0 {
			rx = 1
		}
		if y&s != 0 {
			ry = 1
		}
		d += s * s * ((3 * rx) ^ ry)
		if ry == 0 { // turn the quarter, so that its curve joins the next one's
			if rx == 1 {
				x, y = side-1-x, side-1-y
			}
			x, y = y, x
		}
	}
	return d
}
