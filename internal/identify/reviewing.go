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
	List []Queued
	Mine int // how many the person who asks observed
	All  int
	Seq  Seq // of the memory that answers now
}

// Queue lists what waits to be named: all, or what one person observed. It may be
// ordered by readings of an older memory; asking for the queue renews them in the
// background.
func (s *Service) Queue(ctx context.Context, u User, observer UserID, order ReviewOrder) (Queue, error) {
	if err := allow(u, Expert, "review"); err != nil {
		return Queue{}, err
	}
	list, err := s.queued(ctx, u, order)
	if err != nil {
		return Queue{}, err
	}
	off, err := s.Store.PutOff(ctx, u.ID)
	if err != nil {
		return Queue{}, err
	}
	q := Queue{List: lastly(list, off), All: len(list), Seq: s.serving().learner.memory().seq}
	for _, w := range list {
		if w.Observer == u.ID {
			q.Mine++
		}
	}
	if observer != 0 {
		q.List = slices.DeleteFunc(q.List, func(w Queued) bool { return w.Observer != observer })
	}
	s.renewReadings()
	return q, nil
}

// queued is all that waits, in an order.
func (s *Service) queued(ctx context.Context, u User, order ReviewOrder) ([]Queued, error) {
	switch order {
	case "":
		return s.Store.Queued(ctx, ByDoubt)
	case ByDoubt, ByTime:
		return s.Store.Queued(ctx, order)
	case ByPlace:
		places, err := s.Store.WaitingPlaces(ctx)
		return byPlace(places, u), err
	}
	return nil, Errorf(Invalid, "order", "The queue is ordered by %q, %q or %q.", ByDoubt, ByTime, ByPlace)
}

// byPlace orders what waits along a curve by the places that somebody is shown: by the
// true ones, the order would tell where a sensitive taxon is.
func byPlace(places []Waiting, u User) []Queued {
	type placed struct {
		Queued
		along uint64
	}
	list := make([]placed, 0, len(places))
	for _, w := range places {
		shown := w.shownTo(u)
		list = append(list, placed{Queued{w.Observation, w.Observer}, alongCurve(shown.Latitude, shown.Longitude)})
	}
	slices.SortStableFunc(list, func(a, b placed) int { return cmp.Compare(a.along, b.along) })
	out := make([]Queued, 0, len(list))
	for _, w := range list {
		out = append(out, w.Queued)
	}
	return out
}

// lastly is the list with what was put off at its end.
func lastly(list []Queued, off []ObservationID) []Queued {
	at := make(map[ObservationID]Queued, len(off))
	for _, o := range off {
		at[o] = Queued{}
	}
	out := make([]Queued, 0, len(list))
	for _, w := range list {
		if _, is := at[w.Observation]; is {
			at[w.Observation] = w
		} else {
			out = append(out, w)
		}
	}
	for _, o := range off {
		if at[o].Observation != 0 { // it still waits
			out = append(out, at[o])
		}
	}
	return out
}

// Waiting describes those of ids that wait, in the order of ids.
func (s *Service) Waiting(ctx context.Context, u User, ids []ObservationID) ([]Waiting, error) {
	if err := allow(u, Expert, "review"); err != nil {
		return nil, err
	}
	list, err := s.Store.Waiting(ctx, ids)
	from := s.serving().sureFrom()
	for i, w := range list {
		list[i] = w.shownTo(u)
		list[i].Reading.From = from
	}
	return list, err
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
