package api

import (
	"bufio"
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"fieldmark/internal/exchange"
	"fieldmark/internal/identify"
	"fieldmark/web/auth"
)

type exportInput struct {
	FilterQuery
	Format string `query:"format" default:"csv" doc:"csv"`
}

func (s *server) registerExport(h huma.API) {
	add(s, h, huma.Operation{
		OperationID: "export", Method: http.MethodGet, Path: "/api/v1/export", Tags: []string{"export"},
		Summary: "Every identification that matches, one a row",
		Description: "Streams CSV as RFC 4180 has it, newest observation first, withdrawn identifications included. Needs the role curator. " +
			"A text that begins as a formula does (=, +, -, @) has an apostrophe before it, so that a spreadsheet shows it and does not run it. " +
			"Columns: " + strings.Join(exchange.Columns(), ", ") + ".",
		Errors: []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusUnprocessableEntity},
		Responses: map[string]*huma.Response{"200": {Description: "The rows", Content: map[string]*huma.MediaType{
			"text/csv": {Schema: &huma.Schema{Type: huma.TypeString}}}}},
	}, s.export)
}

func (s *server) export(_ context.Context, in *exportInput) (*huma.StreamResponse, error) {
	if in.Format != "csv" {
		return nil, identify.Errorf(identify.Invalid, "format", "There is no export in this format. The formats are: csv.")
	}
	f, err := in.filter()
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) { s.streamCSV(hc, f) }}, nil
}

// exportBuffer is how much is gathered before anything is sent. An error until
// then is answered with a problem; after that the connection is cut, so that
// half an export does not look like a whole one.
const exportBuffer = 64 << 10

func (s *server) streamCSV(hc huma.Context, f identify.ObservationFilter) {
	r, w := humachi.Unwrap(hc)
	sent := false
	out := bufio.NewWriterSize(writerFunc(func(p []byte) (int, error) {
		if !sent {
			sent = true
			w.Header().Set("Content-Type", "text/csv; charset=utf-8; header=present")
			w.Header().Set("Content-Disposition", `attachment; filename="fieldmark-identifications.csv"`)
		}
		return w.Write(p)
	}), exportBuffer)
	err := exchange.WriteCSV(out, func(visit func(identify.Observation, identify.Identification, identify.Taxon) error) error {
		return s.service.EachIdentification(r.Context(), auth.UserFrom(r.Context()), f, visit)
	})
	if err == nil {
		err = out.Flush()
	}
	switch {
	case err == nil:
	case sent:
		s.log.ErrorContext(r.Context(), "export broke off", "error", err)
		panic(http.ErrAbortHandler)
	default:
		if p, is := s.problem(r.Context(), err).(*Problem); is {
			writeProblem(w, p)
		}
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
