package web

import (
	"context"
	"slices"
	"time"

	"fieldmark/internal/identify"
)

// fakeReview keeps the contract of the review queue over the observations of a fake:
// what waits, decisions with their undo, and that all are look-alikes.
type fakeReview struct {
	*fake
	decisions []identify.Decision
	changed   identify.Changed
	reads     map[identify.ObservationID]identify.Reading // where it is no Great Tit
}

func (f *fakeReview) away(id identify.ObservationID, kind identify.DecisionKind) bool {
	return slices.ContainsFunc(f.decisions, func(d identify.Decision) bool {
		return d.Kind == kind && slices.ContainsFunc(d.Items, func(i identify.DecisionItem) bool { return i.Observation == id })
	})
}

func (f *fakeReview) Queue(_ context.Context, u identify.User, _ identify.UserID, order identify.ReviewOrder) (identify.Queue, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if order == "size" {
		return identify.Queue{}, identify.Errorf(identify.Invalid, "order", "There is no such order.")
	}
	var q identify.Queue
	for _, skipped := range []bool{false, true} {
		for _, o := range f.list {
			if _, named := o.Current(); named || f.away(o.ID, identify.DecidedSetAside) || f.away(o.ID, identify.DecidedSkipped) != skipped {
				continue
			}
			if o.Observer == u.ID {
				q.Mine++
			}
			q.List = append(q.List, identify.Queued{Observation: o.ID, Observer: o.Observer})
		}
	}
	q.All = len(q.List)
	return q, nil
}

func (f *fakeReview) Waiting(_ context.Context, _ identify.User, ids []identify.ObservationID) (list []identify.Waiting, err error) {
	for _, id := range ids {
		r, other := f.reads[id]
		if !other {
			r = identify.Reading{Label: "Great Tit", Taxon: 1, Chance: 0.5, Second: 0.25}
		}
		list = append(list, identify.Waiting{Observation: id, Reading: r})
	}
	return list, nil
}

// described are those of a queue.
func (f *fakeReview) described(ctx context.Context, u identify.User, list []identify.Queued) ([]identify.Waiting, error) {
	var ids []identify.ObservationID
	for _, w := range list {
		ids = append(ids, w.Observation)
	}
	return f.Waiting(ctx, u, ids)
}

func (f *fakeReview) Groups(ctx context.Context, u identify.User, observer identify.UserID, order identify.ReviewOrder) (identify.Groups, error) {
	q, err := f.Queue(ctx, u, observer, order)
	g := identify.Groups{Looked: len(q.List), Queue: q}
	if len(q.List) > 1 {
		list, err := f.described(ctx, u, q.List)
		g.List = []identify.LookAlikes{{List: list}}
		return g, err
	}
	return g, err
}

func (f *fakeReview) Like(ctx context.Context, u identify.User, id identify.ObservationID) (identify.LookAlikes, error) {
	q, err := f.Queue(ctx, u, 0, "")
	if err != nil {
		return identify.LookAlikes{}, err
	}
	i := slices.IndexFunc(q.List, func(w identify.Queued) bool { return w.Observation == id })
	if i < 0 {
		return identify.LookAlikes{}, identify.Errorf(identify.NotFound, "with", "It does not wait.")
	}
	list, err := f.described(ctx, u, q.List[i:])
	return identify.LookAlikes{List: list}, err
}

func (f *fakeReview) TeachMany(ctx context.Context, u identify.User, ids []identify.ObservationID, a identify.Answer) (identify.Decided, error) {
	if len(ids) == 0 {
		return identify.Decided{}, identify.Errorf(identify.Invalid, "observation", "Select at least one photo.")
	}
	d := identify.Decision{ID: identify.DecisionID(len(f.decisions) + 1), Kind: identify.DecidedTaught, User: u.ID, At: time.Now()}
	out := identify.Decided{}
	for _, id := range ids {
		c, err := f.Identify(ctx, u, id, a, identify.Question{})
		if err != nil {
			return out, err
		}
		d.Items = append(d.Items, identify.DecisionItem{Observation: id, Identification: c.Identification})
		out.Seq, out.Label = c.Seq, c.Identification.TaxonLabel
	}
	f.decisions = append(f.decisions, d)
	out.Decision = d
	return out, nil
}

func (f *fakeReview) put(u identify.User, kind identify.DecisionKind, ids []identify.ObservationID) (identify.Decided, error) {
	d := identify.Decision{ID: identify.DecisionID(len(f.decisions) + 1), Kind: kind, User: u.ID, At: time.Now()}
	for _, id := range ids {
		d.Items = append(d.Items, identify.DecisionItem{Observation: id})
	}
	f.decisions = append(f.decisions, d)
	return identify.Decided{Decision: d}, nil
}

func (f *fakeReview) SetAside(_ context.Context, u identify.User, ids []identify.ObservationID) (identify.Decided, error) {
	return f.put(u, identify.DecidedSetAside, ids)
}

func (f *fakeReview) Skip(_ context.Context, u identify.User, ids []identify.ObservationID) (identify.Decided, error) {
	return f.put(u, identify.DecidedSkipped, ids)
}

func (f *fakeReview) LastDecision(context.Context, identify.User) (*identify.Decision, error) {
	if len(f.decisions) == 0 {
		return nil, nil
	}
	return &f.decisions[len(f.decisions)-1], nil
}

func (f *fakeReview) Undo(ctx context.Context, u identify.User, id identify.DecisionID) (identify.Decided, error) {
	if len(f.decisions) == 0 || id != 0 && int(id) != len(f.decisions) {
		return identify.Decided{}, identify.Errorf(identify.Conflict, "decision", "There is nothing left to undo.")
	}
	d := f.decisions[len(f.decisions)-1]
	f.decisions = f.decisions[:len(f.decisions)-1]
	for _, i := range d.Items {
		if i.Identification.ID != 0 {
			if _, err := f.Withdraw(ctx, u, i.Observation, i.Identification.ID, identify.Question{}); err != nil {
				return identify.Decided{}, err
			}
		}
	}
	return identify.Decided{Decision: d}, nil
}

func (f *fakeReview) PutBack(ctx context.Context, u identify.User, id identify.DecisionID, _ identify.ObservationID) (identify.Decided, error) {
	return f.Undo(ctx, u, id)
}

func (f *fakeReview) Asides(context.Context, identify.User) (list []identify.Aside, err error) {
	for _, d := range f.decisions {
		for _, i := range d.Items {
			if d.Kind == identify.DecidedSetAside {
				list = append(list, identify.Aside{Observation: f.list[i.Observation-1], Decision: d.ID, User: d.User, UserName: "Ana", At: d.At})
			}
		}
	}
	return list, nil
}

func (f *fakeReview) Changed(_ context.Context, _ identify.User, seq identify.Seq) (identify.Changed, error) {
	if f.changed.Seq != seq {
		return identify.Changed{}, identify.Errorf(identify.NotFound, "seq", "What this changed is not known any more.")
	}
	return f.changed, nil
}

func (f *fakeReview) Community(_ context.Context, o identify.Observation) (identify.Community, error) {
	if len(o.Identifications) < 2 {
		return identify.Community{}, nil
	}
	return identify.Community{Name: f.taxa[4], For: 2, Of: 3, People: 3, Disputed: true}, nil
}
