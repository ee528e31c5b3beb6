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

// ExportService is what exporting needs of the domain.
type ExportService interface {
	Export(ctx context.Context, u identify.User, r identify.ExportRequest) (*identify.Export, error)
	ExportSummary(ctx context.Context, u identify.User, f identify.ObservationFilter) (identify.ExportSummary, error)
	SensitiveTaxa(ctx context.Context, u identify.User) ([]identify.SensitiveTaxon, error)
	AddSensitiveTaxon(ctx context.Context, u identify.User, t identify.TaxonID) error
	RemoveSensitiveTaxon(ctx context.Context, u identify.User, t identify.TaxonID) error
}

type exportInput struct {
	FilterQuery
	Format      string `query:"format" default:"csv" doc:"The form of the file"`
	Photos      string `query:"photos" enum:"true,false" doc:"Photos inside the archive; left out: true for coco and fiftyone, false for dwca"`
	ExactPlaces bool   `query:"exact_places" doc:"The places and photos of sensitive taxa as they are, not generalised"`
	Originals   bool   `query:"original_photos" doc:"Photos as they came, with all that their files say: places, cameras, names. Without it they are stripped of that. Those of sensitive taxa leave so only with exact_places as well"`
	Title       string `query:"title" maxLength:"200" doc:"Of the dataset, for dwca and coco"`
	Creator     string `query:"creator" maxLength:"200" doc:"Name of the person or institution that the dataset is of, for dwca and coco"`
}

type summaryInput struct {
	FilterQuery
}

type summaryOutput struct {
	Body exportSummary
}

// exportSummary says how much an export would have.
type exportSummary struct {
	Observations    int      `json:"observations"`
	Identifications int      `json:"identifications"`
	Exemplars       int      `json:"exemplars" doc:"Identifications that stand, with an embedding of the encoder that serves"`
	Photos          int      `json:"photos" doc:"Files"`
	Sensitive       int      `json:"sensitive" doc:"Observations that are called by the name of a sensitive taxon now"`
	Licenses        []string `json:"licenses" nullable:"false" doc:"Of these observations; empty text for none"`
	Bytes           []struct {
		Format string `json:"format"`
		Bytes  int64  `json:"bytes"`
	} `json:"bytes" nullable:"false" doc:"Roughly, by format"`
}

func (s *server) registerExport(h huma.API) {
	errs := []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusUnprocessableEntity}
	about := "Needs the role curator. The same state and the same filters give the same bytes. The places of sensitive taxa are generalised to " +
		"squares of 0.1 degrees, and their photos are previews, unless exact_places is true; the other photos have no metadata, unless original_photos is true. No e-mail addresses are in it. " +
		"With state, identified_by, taught_from or taught_to it has only the identifications that match."
	content := map[string]*huma.MediaType{}
	for _, f := range exchange.Formats() {
		about += " " + f.Name + ": " + f.About
		mediaType, _, _ := strings.Cut(f.MediaType, ";")
		content[mediaType] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}
	}
	content["text/csv"] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString}}
	add(s, h, huma.Operation{
		OperationID: "export", Method: http.MethodGet, Path: "/api/v1/export", Tags: []string{"export"},
		Summary: "What was taught, of every observation that matches", Errors: errs,
		Description: about + " In csv a text that begins as a formula does (=, +, -, @) has an apostrophe before it, so that a spreadsheet shows it " +
			"and does not run it. Its columns: " + strings.Join(exchange.Columns(), ", ") + ". npz has, in the order in which they were taught, " +
			"embeddings float32 [N, D] as the encoder gave them, labels [N], taxon_ids and observation_ids int64 [N], and encoder (its digest).",
		Responses: map[string]*huma.Response{"200": {Description: "The file", Content: content}},
	}, s.export)
	add(s, h, huma.Operation{
		OperationID: "preview-export", Method: http.MethodGet, Path: "/api/v1/export/preview", Tags: []string{"export"},
		Summary: "How much an export would have", Description: "Needs the role curator.", Errors: errs,
	}, s.exportSummary)
}

func (s *server) export(_ context.Context, in *exportInput) (*huma.StreamResponse, error) {
	f, err := in.filter()
	if err != nil {
		return nil, err
	}
	if in.Format == "bundle" {
		return nil, identify.Errorf(identify.Invalid, "format", "A bundle has an address of its own: GET /api/v1/bundle, with the same filters.")
	}
	format, err := exchange.FormatNamed(in.Format)
	if err != nil {
		return nil, err
	}
	o := exchange.Options{Photos: format.Photos, Title: in.Title, Creator: in.Creator}
	if in.Photos != "" {
		o.Photos = in.Photos == "true"
	}
	return s.attachment(format.MediaType, format.File, func(r *http.Request, out io.Writer) error {
		e, err := s.service.Export(r.Context(), auth.UserFrom(r.Context()), identify.ExportRequest{Filter: f, ExactPlaces: in.ExactPlaces, Originals: in.Originals})
		if err != nil {
			return err
		}
		return format.Write(r.Context(), out, e, o)
	}), nil
}

func (s *server) exportSummary(ctx context.Context, in *summaryInput) (*summaryOutput, error) {
	f, err := in.filter()
	if err != nil {
		return nil, err
	}
	x, err := s.service.ExportSummary(ctx, auth.UserFrom(ctx), f)
	if err != nil {
		return nil, err
	}
	out := &summaryOutput{exportSummary{Observations: x.Observations, Identifications: x.Identifications, Exemplars: x.Exemplars,
		Photos: x.Photos, Sensitive: x.Sensitive, Licenses: append([]string{}, x.Licenses...)}}
	for _, format := range exchange.Formats() {
		out.Body.Bytes = append(out.Body.Bytes, struct {
			Format string `json:"format"`
			Bytes  int64  `json:"bytes"`
		}{format.Name, format.Bytes(x, format.Photos)})
	}
	return out, nil
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
