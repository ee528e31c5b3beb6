package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"fieldmark/internal/identify"
	"fieldmark/web/requests"
	"fieldmark/web/status"
)

// Problem is every error of the API: RFC 9457.
type Problem struct {
	Type   string       `json:"type" doc:"Always about:blank: the status says what kind of problem it is" example:"about:blank"`
	Title  string       `json:"title" doc:"The status in words" example:"Unprocessable Entity"`
	Status int          `json:"status" doc:"HTTP status" example:"422"`
	Detail string       `json:"detail" doc:"What is wrong and what to do, for people" example:"The name is empty. Type the name of what the photo shows."`
	Errors []FieldError `json:"errors,omitempty" doc:"The inputs that are wrong"`
	// RequestID is an extension member: the number under which the log has the request.
	RequestID string `json:"request_id,omitempty" doc:"Number of the request: the server's log tells more under it" example:"5f0c1e2ab3d49876"`

	header http.Header
}

// FieldError is what is wrong with one input.
type FieldError struct {
	Field   string `json:"field" doc:"Name of the form field, property or parameter" example:"label"`
	Message string `json:"message"`
}

func (p *Problem) Error() string { return p.Detail }

// GetStatus, GetHeaders and ContentType are how huma asks what to send.
func (p *Problem) GetStatus() int { return p.Status }

// GetHeaders returns the headers that go with the problem.
func (p *Problem) GetHeaders() http.Header { return p.header }

// ContentType turns JSON into problem+json.
func (p *Problem) ContentType(string) string { return "application/problem+json" }

func newProblem(status int, detail, field string) *Problem {
	p := &Problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: detail, header: http.Header{}}
	if field != "" {
		p.Errors = []FieldError{{field, detail}}
	}
	if status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests {
		p.header.Set("Retry-After", "2")
	}
	return p
}

// WriteProblem answers with a problem, outside of the operations; it is an
// auth.Refusal.
func WriteProblem(w http.ResponseWriter, _ *http.Request, status int, sentence string) {
	writeProblem(w, newProblem(status, sentence, ""))
}

func writeProblem(w http.ResponseWriter, p *Problem) {
	p.RequestID = w.Header().Get(requests.Header)
	for name, values := range p.header {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Type", p.ContentType(""))
	w.WriteHeader(p.Status)
	json.NewEncoder(w).Encode(p) // the client may have gone; then nobody is left to tell
}

// problem turns an error of the domain into what the client is told. What is
// not meant for people is logged and not told.
func (s *server) problem(ctx context.Context, err error) error {
	var p *Problem
	if errors.As(err, &p) {
		return p
	}
	var e *identify.Error
	if errors.As(err, &e) {
		code := status.Of(e.Kind)
		if code >= http.StatusInternalServerError {
			s.log.ErrorContext(ctx, "request failed", "error", err, "cause", e.Err)
		}
		return newProblem(code, e.Message, e.Field)
	}
	if ctx.Err() != nil {
		return newProblem(http.StatusServiceUnavailable, "The request was broken off before its answer was ready.", "")
	}
	s.log.ErrorContext(ctx, "request failed", "error", err)
	return broken()
}

// broken is the problem of a fault that is ours.
func broken() *Problem {
	return newProblem(http.StatusInternalServerError,
		"Fieldmark could not do this, and it is not your doing. What was saved before is safe; its log says what went wrong.", "")
}

// asProblem turns the errors that huma makes itself, when an input is not of
// the documented form, into problems of our form. The value is not repeated to
// the client: it may be long.
func asProblem(ctx huma.Context, _ string, v any) (any, error) {
	if p, is := v.(*Problem); is {
		p.RequestID = requests.ID(ctx.Context())
	}
	e, is := v.(*huma.ErrorModel)
	if !is {
		return v, nil
	}
	p := newProblem(e.Status, "", "")
	p.RequestID = requests.ID(ctx.Context())
	for _, detail := range e.Errors {
		if detail == nil {
			continue
		}
		wrong := fieldError(ctx.Operation().Path, e.Status, detail)
		if p.Detail == "" {
			p.Detail = wrong.Message
		}
		if wrong.Field != "" {
			p.Errors = append(p.Errors, wrong)
		}
	}
	if p.Detail == "" {
		p.Detail = wording(ctx.Operation().Path, e.Status, "", e.Detail)
	}
	return p, nil
}

func fieldError(operation string, status int, d *huma.ErrorDetail) FieldError {
	e := FieldError{Field: fieldName(d.Location)}
	// What is missing is only named in the message.
	if rest, is := strings.CutPrefix(d.Message, "expected required property "); is {
		name, _, _ := strings.Cut(rest, " ")
		e.Field = strings.TrimPrefix(e.Field+"."+name, ".")
	}
	e.Message = wording(operation, status, e.Field, d.Message)
	return e
}

// fieldName is huma's "body.taxon_ids[3]" or "query.limit" without its place.
func fieldName(location string) string {
	place, name, found := strings.Cut(location, ".")
	switch place {
	case "body", "query", "path", "header", "form":
		if found {
			return name
		}
		return ""
	}
	return location
}

// renamed returns err about the field of the request that has the name asked
// if it is about what the domain calls field.
func renamed(err error, field, asked string) error {
	var e *identify.Error
	if !errors.As(err, &e) || e.Field != field {
		return err
	}
	of := *e
	of.Field = asked
	return &of
}

// sentence ends a message as a sentence ends.
func sentence(message string) string {
	if message == "" || strings.HasSuffix(message, ".") {
		return message
	}
	return message + "."
}
