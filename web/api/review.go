package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fieldmark/internal/identify"
	"fieldmark/web/auth"
)

// ReviewService is what the operations about the review queue need of the domain.
type ReviewService interface {
	Queue(ctx context.Context, u identify.User, observer identify.UserID, order identify.ReviewOrder) (identify.Queue, error)
	Waiting(ctx context.Context, u identify.User, ids []identify.ObservationID) ([]identify.Waiting, error)
	Groups(ctx context.Context, u identify.User, observer identify.UserID, order identify.ReviewOrder) (identify.Groups, error)
	Like(ctx context.Context, u identify.User, id identify.ObservationID) (identify.LookAlikes, error)
	TeachMany(ctx context.Context, u identify.User, ids []identify.ObservationID, a identify.Answer) (identify.Decided, error)
	SetAside(ctx context.Context, u identify.User, ids []identify.ObservationID) (identify.Decided, error)
	Skip(ctx context.Context, u identify.User, ids []identify.ObservationID) (identify.Decided, error)
	Undo(ctx context.Context, u identify.User, id identify.DecisionID) (identify.Decided, error)
	Changed(ctx context.Context, u identify.User, seq identify.Seq) (identify.Changed, error)
	Asides(ctx context.Context, u identify.User) ([]identify.Aside, error)
}

type queueInput struct {
	Order    string `query:"order" enum:"doubt,time,place" default:"doubt" doc:"What teaches most first, oldest first, or what is near to one another together. What you skipped comes last"`
	Observer int64  `query:"observer_id" minimum:"1" doc:"Only what this person observed"`
	Limit    int    `query:"limit" minimum:"1" maximum:"500" default:"50"`
}

type queueOutput struct {
	Body struct {
		Waiting   int       `json:"waiting" doc:"Photos that wait to be named, of everyone"`
		Mine      int       `json:"mine" doc:"Of those, your own"`
		Photos    []waiting `json:"photos" nullable:"false" doc:"The first of them"`
		MemorySeq int64     `json:"memory_seq"`
	}
}

// waiting is a photo that waits to be named. Its place is left out: the observation
// has it, as far as whoever asks may know it.
type waiting struct {
	ObservationID int64     `json:"observation_id"`
	ObserverID    int64     `json:"observer_id"`
	At            time.Time `json:"at" doc:"Observed, or else stored"`
	Reading       reading   `json:"reading" doc:"May be of an older memory"`
}

// reading is an answer in its likeliest name.
type reading struct {
	TaxonID     int64   `json:"taxon_id,omitempty"`
	Label       string  `json:"label"`
	Probability float64 `json:"probability"`
	Certain     bool    `json:"certain" doc:"Likely enough to be said without reserve"`
	Doubt       float64 `json:"doubt" doc:"1 minus the lead over the second name"`
	MemorySeq   int64   `json:"memory_seq"`
}

type groupsOutput struct {
	Body struct {
		Groups []alike `json:"groups" nullable:"false" doc:"Largest first"`
		Looked int     `json:"looked" doc:"How many were compared"`
		Lone   int     `json:"lone" doc:"Of those, how many are like no other"`
	}
}

type alikeOutput struct{ Body alike }

type alike struct {
	Photos []waiting `json:"photos" nullable:"false"`
}

type changedInput struct {
	Seq int64 `path:"seq" minimum:"1" doc:"The memory_seq of what was taught or withdrawn"`
}

type changedOutput struct {
	Body struct {
		Looked  int              `json:"looked" doc:"Photos that were read before and after"`
		Waiting int              `json:"waiting" doc:"Of so many that wait"`
		Photos  []changedReading `json:"photos" nullable:"false" doc:"That read differently now"`
	}
}

type changedReading struct {
	ObservationID int64   `json:"observation_id"`
	Before        reading `json:"before"`
	After         reading `json:"after"`
}

type asidesOutput struct {
	Body struct {
		Photos []aside `json:"photos" nullable:"false" doc:"The latest first, at most 200"`
	}
}

// aside is a photo of which somebody said that nobody can tell.
type aside struct {
	ObservationID int64     `json:"observation_id"`
	DecisionID    int64     `json:"decision_id" doc:"Undone, the photo waits again"`
	By            person    `json:"by"`
	At            time.Time `json:"at"`
}

func (s *server) registerReview(h huma.API) {
	const path = "/api/v1/review"
	errors := []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound}
	op := func(id, path, summary string) huma.Operation {
		return huma.Operation{OperationID: id, Method: http.MethodGet, Path: path, Tags: []string{"review"}, Summary: summary,
			Description: "Needs the role expert.", Errors: errors}
	}
	add(s, h, op("review-queue", path, "What waits to be named, in the order in which it is looked at"), s.queue)
	add(s, h, op("review-groups", path+"/groups", "What waits, by likeness: one decision may name a group"), s.groups)
	add(s, h, op("review-like", path+"/like/{id}", "What waits and looks like a photo that waits, that one first"), s.like)
	add(s, h, op("review-changed", path+"/changed/{seq}", "Which other photos read differently since a lesson; known for ten minutes"), s.changed)
	add(s, h, op("review-aside", path+"/aside", "What was set aside: to curators all of it, to others what they set aside themselves"), s.asides)
	s.registerDecisions(h)
}

func (s *server) queue(ctx context.Context, in *queueInput) (*queueOutput, error) {
	q, err := s.review.Queue(ctx, auth.UserFrom(ctx), identify.UserID(in.Observer), identify.ReviewOrder(in.Order))
	if err != nil {
		return nil, err
	}
	var ids []identify.ObservationID
	for _, x := range q.List[:min(in.Limit, len(q.List))] {
		ids = append(ids, x.Observation)
	}
	list, err := s.review.Waiting(ctx, auth.UserFrom(ctx), ids)
	if err != nil {
		return nil, err
	}
	out := &queueOutput{}
	out.Body.Waiting, out.Body.Mine, out.Body.MemorySeq = q.All, q.Mine, int64(q.Seq)
	out.Body.Photos = newWaiting(list)
	return out, nil
}

func (s *server) groups(ctx context.Context, in *queueInput) (*groupsOutput, error) {
	g, err := s.review.Groups(ctx, auth.UserFrom(ctx), identify.UserID(in.Observer), identify.ReviewOrder(in.Order))
	if err != nil {
		return nil, err
	}
	out := &groupsOutput{}
	out.Body.Looked, out.Body.Lone, out.Body.Groups = g.Looked, g.Lone, []alike{}
	for _, x := range g.List[:min(in.Limit, len(g.List))] {
		out.Body.Groups = append(out.Body.Groups, alike{newWaiting(x.List)})
	}
	return out, nil
}

func (s *server) like(ctx context.Context, in *observationInput) (*alikeOutput, error) {
	x, err := s.review.Like(ctx, auth.UserFrom(ctx), identify.ObservationID(in.ID))
	return &alikeOutput{alike{newWaiting(x.List)}}, renamed(err, "with", "id")
}

func (s *server) changed(ctx context.Context, in *changedInput) (*changedOutput, error) {
	c, err := s.review.Changed(ctx, auth.UserFrom(ctx), identify.Seq(in.Seq))
	if err != nil {
		return nil, err
	}
	out := &changedOutput{}
	out.Body.Looked, out.Body.Waiting, out.Body.Photos = c.Looked, c.Waiting, []changedReading{}
	for _, x := range c.List {
		out.Body.Photos = append(out.Body.Photos, changedReading{int64(x.Observation), newReading(x.Before), newReading(x.After)})
	}
	return out, nil
}

func (s *server) asides(ctx context.Context, _ *struct{}) (*asidesOutput, error) {
	list, err := s.review.Asides(ctx, auth.UserFrom(ctx))
	if err != nil {
		return nil, err
	}
	out := &asidesOutput{}
	out.Body.Photos = make([]aside, len(list))
	for i, x := range list {
		out.Body.Photos[i] = aside{int64(x.Observation.ID), int64(x.Decision), person{int64(x.User), x.UserName}, x.At}
	}
	return out, nil
}

func newWaiting(list []identify.Waiting) []waiting {
	out := make([]waiting, len(list))
	for i, w := range list {
		out[i] = waiting{int64(w.Observation), int64(w.Observer), w.At, newReading(w.Reading)}
	}
	return out
}

func newReading(r identify.Reading) reading {
	return reading{int64(r.Taxon), r.Label, r.Chance, r.Sure(), r.Doubt(), int64(r.Seq)}
}
