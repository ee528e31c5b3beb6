package identify

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"fieldmark/internal/vec"
)

const (
	// turnsKept is how many turns are remembered, and turnKept for how long: each
	// keeps a version of the memory alive, which shares most of it with the next.
	turnsKept = 8
	turnKept  = 10 * time.Minute
	// turnLook is how many photos are read again for one turn.
	turnLook = 200
	// turnTaught is how many of the photos that were taught decide which are near.
	turnTaught = 32
)

// turn is the memory on either side of what was taught or withdrawn at once.
type turn struct {
	seq           Seq
	engine        *engine
	before, after *memory
	taught        [][]float32 // raw embeddings [D] of what was
}

// turns are the newest ones.
type turns struct {
	mu   sync.Mutex
	list []turn
}

// keep remembers a turn for a while. The timer knows it by its number alone: it
// outlives the turn's place in the list, and must not keep its memories alive.
func (k *turns) keep(t turn) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.list = append(k.list, t); len(k.list) > turnsKept {
		k.list = slices.Delete(k.list, 0, len(k.list)-turnsKept)
	}
	seq := t.seq
	time.AfterFunc(turnKept, func() { k.forget(seq) })
}

func (k *turns) forget(seq Seq) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.list = slices.DeleteFunc(k.list, func(t turn) bool { return t.seq == seq })
}

func (k *turns) of(seq Seq) (turn, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	i := slices.IndexFunc(k.list, func(t turn) bool { return t.seq == seq })
	if i < 0 {
		return turn{}, false
	}
	return k.list[i], true
}

// Changed is what else a lesson changed: photos that wait to be named and now read
// differently.
type Changed struct {
	Seq     Seq
	Looked  int // photos that were read with the memory before and after
	Waiting int // of so many that wait
	List    []ChangedReading
}

// ChangedReading is one photo, read before and after.
type ChangedReading struct {
	Observation   ObservationID
	Before, After Reading
}

// Changed reads the photos that wait and are nearest to what was taught, or
// withdrawn, at seq, with the memory before that and after. Those whose likeliest
// name is another now come first, then those that it can, or cannot, be said of any
// more without reserve. It is known for some minutes; KindOf NotFound afterwards.
func (s *Service) Changed(ctx context.Context, u User, seq Seq) (Changed, error) {
	if err := allow(u, Expert, "review"); err != nil {
		return Changed{}, err
	}
	t, known := s.turns.of(seq)
	e, release := s.hold(func(l *lineup) *engine {
		if known && slices.Contains(l.engines(), t.engine) {
			return t.engine
		}
		return nil
	})
	if e == nil {
		return Changed{}, Errorf(NotFound, "seq", "What this changed elsewhere is not known any more: that is kept for ten minutes.")
	}
	defer release()
	near := nearestTo(t.taught)
	if err := s.Store.WaitingVectors(ctx, e.info.Digest, near.look); err != nil {
		return Changed{}, err
	}
	c, list := Changed{Seq: seq, Waiting: near.looked}, near.found()
	before, err := e.readAll(ctx, t.before, list)
	if err != nil {
		return c, err
	}
	after, err := e.readAll(ctx, t.after, list)
	if err != nil {
		return c, err
	}
	c.Looked = len(list)
	for i, r := range after {
		if x := (ChangedReading{r.Observation, before[i].Reading, r.Reading}); x.differs() {
			c.List = append(c.List, x)
		}
	}
	slices.SortStableFunc(c.List, func(a, b ChangedReading) int {
		if a.renamed() != b.renamed() {
			if a.renamed() {
				return -1
			}
			return 1
		}
		return cmp.Compare(math.Abs(b.After.Chance-b.Before.Chance), math.Abs(a.After.Chance-a.Before.Chance))
	})
	if e == s.serving() {
		err = s.Store.SaveReadings(ctx, e.info.Digest, after)
	}
	return c, err
}

// differs reports whether the photo reads differently: another likeliest name, or one
// that can, or cannot, be said without reserve any more, and not by a hair.
func (c ChangedReading) differs() bool {
	const hair = 0.05
	return c.renamed() || c.Before.Sure() != c.After.Sure() && math.Abs(c.After.Chance-c.Before.Chance) >= hair
}

// renamed reports whether the likeliest name is another.
func (c ChangedReading) renamed() bool {
	return c.Before.Taxon != c.After.Taxon || c.Before.Taxon == 0 && c.Before.Label != c.After.Label
}

// nearby keeps the turnLook of all that it looks at that are nearest to any of some
// vectors.
type nearby struct {
	about  [][]float32 // of length 1
	looked int
	list   []near
}

type near struct {
	WaitingVector
	cos float32
}

func nearestTo(vectors [][]float32) *nearby {
	n := &nearby{}
	step := max(1, (len(vectors)+turnTaught-1)/turnTaught)
	for i := 0; i < len(vectors); i += step {
		n.about = append(n.about, unit(vectors[i]))
	}
	return n
}

// look looks at one more. Now and then it lets go of those that are not among the
// nearest, so that no more than a few of all that wait are in memory.
func (n *nearby) look(w WaitingVector) error {
	x, v := near{w, -2}, unit(w.Vector)
	for _, a := range n.about {
		if len(a) == len(v) {
			x.cos = max(x.cos, vec.Dot(a, v))
		}
	}
	n.looked++
	if n.list = append(n.list, x); len(n.list) >= 4*turnLook {
		n.cut()
	}
	return nil
}

// cut leaves the nearest, nearest first and equals in the order in which they came.
func (n *nearby) cut() {
	slices.SortStableFunc(n.list, func(a, b near) int { return cmp.Compare(b.cos, a.cos) })
	n.list = n.list[:min(turnLook, len(n.list))]
}

// found are the nearest, nearest first.
func (n *nearby) found() []WaitingVector {
	n.cut()
	out := make([]WaitingVector, 0, len(n.list))
	for _, x := range n.list {
		out = append(out, x.WaitingVector)
	}
	return out
}

// unit is v at length 1.
func unit(v []float32) []float32 {
	norm := vec.Norm(v)
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(float64(x) / norm)
	}
	return out
}
