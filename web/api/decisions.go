package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fieldmark/internal/identify"
	"fieldmark/web/auth"
)

type decideInput struct {
	Body struct {
		Kind           string  `json:"kind" enum:"taught,set-aside,skipped" doc:"set-aside: nobody can tell, it leaves everyone's queue. skipped: it comes last in yours"`
		ObservationIDs []int64 `json:"observation_ids" minItems:"1" maxItems:"500" nullable:"false"`
		Label          string  `json:"label,omitempty" doc:"For taught: any name of a taxon; one that nothing has becomes a local taxon. Give this or taxon_id"`
		TaxonID        int64   `json:"taxon_id,omitempty"`
		FromSuggestion bool    `json:"from_suggestion,omitempty" doc:"It was picked from the answers rather than searched for"`
	}
}

type undoInput struct {
	ID int64 `path:"id" minimum:"0" doc:"0 for your last one"`
}

type decidedOutput struct{ Body decided }

// decided is a decision about some photos at once.
type decided struct {
	ID        int64        `json:"id"`
	Kind      string       `json:"kind" enum:"taught,set-aside,skipped"`
	At        time.Time    `json:"at"`
	Label     string       `json:"label,omitempty" doc:"What was taught"`
	Items     []decidedOne `json:"items" nullable:"false" doc:"By observation; of an undo, those that were taken back"`
	MemorySeq int64        `json:"memory_seq,omitempty" doc:"Last event of it; left out where nothing was taught or withdrawn"`
	LearnedMS float64      `json:"learned_ms,omitempty" doc:"From the durable event to the new memory, in milliseconds"`
}

type decidedOne struct {
	ObservationID    int64 `json:"observation_id"`
	IdentificationID int64 `json:"identification_id,omitempty"`
}

func (s *server) registerDecisions(h huma.API) {
	const path = "/api/v1/review/decisions"
	errors := []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusConflict, http.StatusServiceUnavailable}
	add(s, h, huma.Operation{
		OperationID: "decide", Method: http.MethodPost, Path: path, Tags: []string{"review"}, DefaultStatus: http.StatusCreated, Errors: errors,
		Summary: "Name photos, all alike, put them off, or set them aside", Description: "All of them or none. Durable and learned when it is answered. Needs the role expert.",
	}, s.decide)
	add(s, h, huma.Operation{
		OperationID: "undo-decision", Method: http.MethodDelete, Path: path + "/{id}", Tags: []string{"review"}, DefaultStatus: http.StatusOK, Errors: errors,
		Summary: "Take back what stands of a decision", Description: "One's own with the role expert, anyone's with the role curator.",
	}, s.undo)
}

func (s *server) decide(ctx context.Context, in *decideInput) (*decidedOutput, error) {
	b, u := in.Body, auth.UserFrom(ctx)
	ids := make([]identify.ObservationID, len(b.ObservationIDs))
	for i, id := range b.ObservationIDs {
		ids[i] = identify.ObservationID(id)
	}
	var d identify.Decided
	var err error
	switch identify.DecisionKind(b.Kind) {
	case identify.DecidedSkipped:
		d, err = s.review.Skip(ctx, u, ids)
	case identify.DecidedSetAside:
		d, err = s.review.SetAside(ctx, u, ids)
	default:
		d, err = s.review.TeachMany(ctx, u, ids, identify.Answer{Taxon: identify.TaxonID(b.TaxonID), Label: b.Label, FromSuggestion: b.FromSuggestion})
	}
	return newDecided(d), renamed(err, "observation", "observation_ids")
}

func (s *server) undo(ctx context.Context, in *undoInput) (*decidedOutput, error) {
	d, err := s.review.Undo(ctx, auth.UserFrom(ctx), identify.DecisionID(in.ID))
	return newDecided(d), renamed(err, "decision", "id")
}

func newDecided(d identify.Decided) *decidedOutput {
	x := d.Decision
	out := decided{ID: int64(x.ID), Kind: string(x.Kind), At: x.At, Label: d.Label, MemorySeq: int64(d.Seq), LearnedMS: ms(d.Learned), Items: make([]decidedOne, len(x.Items))}
	for i, item := range x.Items {
		out.Items[i] = decidedOne{int64(item.Observation), int64(item.Identification.ID)}
	}
	return &decidedOutput{out}
}
