package api

import (
	"bufio"
	"context"
	"io"
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
	Format string `query:"format" default:"csv" doc:"csv or npz"`
}

func (s *server) registerExport(h huma.API) {
	add(s, h, huma.Operation{
		OperationID: "export", Method: http.MethodGet, Path: "/api/v1/export", Tags: []string{"export"},
		Summary: "What was taught, of every observation that matches",
		Description: "Needs the role curator. csv: every identification, one a row, as RFC 4180 has it, newest observation first, withdrawn ones included. " +
			"A text that begins as a formula does (=, +, -, @) has an apostrophe before it, so that a spreadsheet shows it and does not run it. " +
			"Columns: " + strings.Join(exchange.Columns(), ", ") + ". " +
			"npz: the exemplars that stand, in the order in which they were taught, as NumPy opens them: embeddings float32 [N, D] as the encoder gave them, " +
			"labels [N], taxon_ids and observation_ids int64 [N], and encoder (its digest). Importing them elsewhere makes the same memory.",
		Errors: []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusUnprocessableEntity},
		Responses: map[string]*huma.Response{"200": {Description: "The file", Content: map[string]*huma.MediaType{
			"text/csv":          {Schema: &huma.Schema{Type: huma.TypeString}},
			"application/x-npz": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}}}},
	}, s.export)
}

func (s *server) export(_ context.Context, in *exportInput) (*huma.StreamResponse, error) {
	f, err := in.filter()
	if err != nil {
		return nil, err
	}
	switch in.Format {
	case "csv":
		return s.attachment("text/csv; charset=utf-8; header=present", "fieldmark-identifications.csv", func(r *http.Request, out io.Writer) error {
			return exchange.WriteCSV(out, func(visit func(identify.Observation, identify.Identification, identify.Taxon) error) error {
				return s.service.EachIdentification(r.Context(), auth.UserFrom(r.Context()), f, visit)
			})
		}), nil
	case "npz":
		return s.attachment("application/x-npz", "fieldmark-exemplars.npz", func(r *http.Request, out io.Writer) error {
			e, err := s.service.Exemplars(r.Context(), auth.UserFrom(r.Context()), f)
			if err != nil {
				return err
			}
			return exchange.WriteExemplars(r.Context(), out, e)
		}), nil
	}
	return nil, identify.Errorf(identify.Invalid, "format", "There is no export in this format. The formats are: csv, npz.")
}

// exportBuffer is how much is gathered before anything is sent. An error until
// then is answered with a problem; after that the connection is cut, so that
// half an export does not look like a whole one.
const exportBuffer = 64 << 10

// attachment streams a file to be saved.
func (s *server) attachment(mediaType, name string, write func(r *http.Request, out io.Writer) error) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		r, w := humachi.Unwrap(hc)
		sent := false
		out := bufio.NewWriterSize(writerFunc(func(p []byte) (int, error) {
			if !sent {
				sent = true
				w.Header().Set("Content-Type", mediaType)
				w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
			}
			return w.Write(p)
		}), exportBuffer)
		err := write(r, out)
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
	}}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
