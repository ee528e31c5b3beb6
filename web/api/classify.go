package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// classifyForm documents the form of a question about a photo. Its values are
// read by formQuestion, which says what is wrong in words.
type classifyForm struct {
	Photo    huma.FormFile `form:"photo" required:"false" doc:"JPEG, PNG, GIF or WebP"`
	Label    []string      `form:"label" required:"false" nullable:"false" doc:"Candidate label, any text; repeat the field for several. They go before label_set"`
	LabelSet string        `form:"label_set" required:"false" doc:"Candidate labels by the id of a label set; what the encoder has learned to see, and all that was taught, if left out"`
	Fusion   ruleName      `form:"fusion" required:"false"`
	System   systemName    `form:"system" required:"false"`
	LongTail string        `form:"long_tail" required:"false" doc:"true for the long-tail variant of AIM"`
	Top      string        `form:"top" required:"false" doc:"How many predictions to return: 1 to 1000, 5 if left out"`
}

type classifyInput struct {
	RawBody huma.MultipartFormFiles[classifyForm]
}

type predictionOutput struct {
	Body Prediction
}

func (s *server) registerClassify(h huma.API) {
	add(s, h, s.uploadOperation(huma.Operation{
		OperationID: "classify", Method: http.MethodPost, Path: "/api/v1/classify", Tags: []string{"photos"},
		Summary: "Name what is in a photo", Description: "Stores nothing.",
	}), s.classify)
	photoIsRequired(h, "/api/v1/classify")
}

// uploadOperation adds what operations with a photo have in common. huma's own
// validation of the form is left to formQuestion: it knows no better sentence
// than "invalid integer".
func (s *server) uploadOperation(op huma.Operation) huma.Operation {
	op.SkipValidateParams = true
	op.Middlewares = huma.Middlewares{s.readUpload}
	op.Errors = []int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestEntityTooLarge,
		http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity, http.StatusTooManyRequests, http.StatusServiceUnavailable}
	return op
}

// photoIsRequired documents it; that there is none is said by the domain.
func photoIsRequired(h huma.API, path string) {
	h.OpenAPI().Paths[path].Post.RequestBody.Content["multipart/form-data"].Schema.Required = []string{"photo"}
	h.OpenAPI().Paths[path].Post.RequestBody.Required = true
}

func (s *server) classify(ctx context.Context, in *classifyInput) (*predictionOutput, error) {
	q, err := formQuestion(in.RawBody.Form)
	if err != nil {
		return nil, err
	}
	photo, err := s.photo(in.RawBody.Data().Photo)
	if err != nil {
		return nil, err
	}
	p, err := s.service.Classify(ctx, photo, q)
	if err != nil {
		return nil, err
	}
	return &predictionOutput{newPrediction(p)}, nil
}
