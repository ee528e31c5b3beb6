package api

import (
	"context"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"fieldmark/internal/identify"
	"fieldmark/web/auth"
)

type identifyInput struct {
	ID int64 `path:"id" minimum:"1"`
	QuestionQuery
	Body struct {
		Label          string `json:"label,omitempty" doc:"Any name of a taxon. One that nothing has becomes a local taxon. Give this or taxon_id"`
		TaxonID        int64  `json:"taxon_id,omitempty"`
		FromSuggestion bool   `json:"from_suggestion,omitempty" doc:"It was picked from the answers rather than searched for"`
	}
}

type identifyOutput struct {
	Location string `header:"Location"`
	Body     correction
}

type withdrawInput struct {
	ID             int64 `path:"id" minimum:"1"`
	Identification int64 `path:"iid" minimum:"1"`
	QuestionQuery
}

type withdrawOutput struct {
	Body correction
}

// correction is the same photo read by the memory before and after.
type correction struct {
	ID             int64          `json:"id" doc:"Of the identification"`
	Identification identification `json:"identification"`
	MemorySeq      int64          `json:"memory_seq" doc:"Number of the event in the log; the answer after was made with it"`
	LearnedMS      float64        `json:"learned_ms" doc:"From the durable event to the new memory, in milliseconds"`
	Before         []candidate    `json:"before" nullable:"false"`
	After          []candidate    `json:"after" nullable:"false"`
}

func newCorrection(c identify.Correction) correction {
	return correction{ID: int64(c.Identification.ID), Identification: newIdentification(c.Identification),
		MemorySeq: int64(c.Seq), LearnedMS: ms(c.Learned), Before: newCandidates(c.Before), After: newCandidates(c.After)}
}

func (s *server) registerIdentifications(h huma.API) {
	const path = "/api/v1/observations/{id}/identifications"
	errors := []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusConflict, http.StatusServiceUnavailable}
	add(s, h, huma.Operation{
		OperationID: "identify", Method: http.MethodPost, Path: path, Tags: []string{"identifications"},
		DefaultStatus: http.StatusCreated, Errors: errors, Summary: "Say what an observation shows, and teach it",
		Description: "Durable when it is answered, and learned: the answer shows the same photo read before and after. Needs the role expert.",
	}, s.identify)
	add(s, h, huma.Operation{
		OperationID: "withdraw", Method: http.MethodDelete, Path: path + "/{iid}", Tags: []string{"identifications"},
		DefaultStatus: http.StatusOK, Errors: errors, Summary: "Withdraw an identification",
		Description: "One's own with the role expert, anyone's with the role curator.",
	}, s.withdraw)
}

func (s *server) identify(ctx context.Context, in *identifyInput) (*identifyOutput, error) {
	if in.Body.Label == "" && in.Body.TaxonID == 0 {
		return nil, identify.Errorf(identify.Invalid, "label", "Say what the photo shows: give a label or a taxon_id.")
	}
	a := identify.Answer{Taxon: identify.TaxonID(in.Body.TaxonID), Label: in.Body.Label, FromSuggestion: in.Body.FromSuggestion}
	c, err := s.service.Identify(ctx, auth.UserFrom(ctx), identify.ObservationID(in.ID), a, in.question())
	if err != nil {
		if in.Body.Label == "" {
			return nil, renamed(err, "label", "taxon_id")
		}
		return nil, err
	}
	location := fmt.Sprintf("%s/identifications/%d", observationPath(c.Identification.Observation), c.Identification.ID)
	return &identifyOutput{Location: location, Body: newCorrection(c)}, nil
}

func (s *server) withdraw(ctx context.Context, in *withdrawInput) (*withdrawOutput, error) {
	c, err := s.service.Withdraw(ctx, auth.UserFrom(ctx), identify.ObservationID(in.ID), identify.IdentificationID(in.Identification), in.question())
	if err != nil {
		return nil, renamed(err, "identification", "iid")
	}
	return &withdrawOutput{newCorrection(c)}, nil
}
