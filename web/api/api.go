// Package api serves the JSON API under /api/v1, and the OpenAPI 3.1 document
// that is generated from its code at /api/openapi.json. Every error is a
// problem as RFC 9457 has it.
//
// It does not find out who asks: auth.Gate stands before it.
package api

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"

	"fieldmark/internal/identify"
	"fieldmark/web/requests"
)

// Service is what the API needs of the domain; *identify.Service has it.
type Service interface {
	Classify(ctx context.Context, photo []byte, q identify.Question) (identify.Prediction, error)
	Observe(ctx context.Context, u identify.User, up identify.Upload, q identify.Question) (identify.Observation, identify.Prediction, error)
	Identify(ctx context.Context, u identify.User, id identify.ObservationID, a identify.Answer, q identify.Question) (identify.Correction, error)
	Withdraw(ctx context.Context, u identify.User, o identify.ObservationID, i identify.IdentificationID, q identify.Question) (identify.Correction, error)
	Observation(ctx context.Context, u identify.User, id identify.ObservationID) (identify.Observation, error)
	Observations(ctx context.Context, u identify.User, f identify.ObservationFilter) (list []identify.Observation, more bool, err error)
	PhotoFile(ctx context.Context, u identify.User, id identify.ObservationID, form string) (identify.PhotoCopy, error)
	SearchTaxa(ctx context.Context, query string, limit int) ([]identify.TaxonMatch, error)
	Taxon(ctx context.Context, id identify.TaxonID) (identify.Taxon, error)
	Ancestors(ctx context.Context, id identify.TaxonID) ([]identify.Taxon, error)
	LabelSets(ctx context.Context) ([]identify.LabelSet, error)
	LabelSet(ctx context.Context, id identify.LabelSetID) (identify.LabelSet, error)
	AddLabelSet(ctx context.Context, u identify.User, name string, labels []string, taxa []identify.TaxonID) (identify.LabelSet, error)
	ChangeLabelSet(ctx context.Context, u identify.User, id identify.LabelSetID, name string, labels []string, taxa []identify.TaxonID) (identify.LabelSet, error)
	DeleteLabelSet(ctx context.Context, u identify.User, id identify.LabelSetID) error
	ExportService
	PlanImport(ctx context.Context, u identify.User, source identify.ImportSource, f identify.ImportFile, o identify.ImportOptions) (identify.ImportPlan, error)
	RunImport(ctx context.Context, u identify.User, plan identify.ImportPlan, f identify.ImportFile, told func(identify.ImportProgress)) (identify.Import, error)
	WithdrawImport(ctx context.Context, u identify.User, id identify.ImportID, told func(identify.ImportProgress)) (identify.Import, error)
	Imports(ctx context.Context, u identify.User) ([]identify.Import, error)
	Stats(ctx context.Context) (identify.Stats, error)
	EncoderService
	DetailsService
	SourcesService
	LearningService
	SynonymyService
}

// Options are what New may be told; the zero value is useful.
type Options struct {
	Log      *slog.Logger // nil means slog.Default
	Backups  Backups      // makes backups; nil: there is no such operation
	MaxPhoto int64        // most bytes of one photo; 0 means 16 MiB, what the domain takes
	Bundles  Bundles      // nil: bundles are not exchanged

	// Each opens the operations of its own; nil: there are none.
	Review     ReviewService
	Memory     MemoryService
	History    HistoryService
	Workshops  WorkshopService
	People     PeopleService
	Checklists ChecklistService
}

const defaultMaxPhoto = 16 << 20

// server holds what the operations share.
type server struct {
	service  Service
	log      *slog.Logger
	maxPhoto int64
	backups  Backups
	bundles  Bundles

	review     ReviewService
	memory     MemoryService
	history    HistoryService
	workshops  WorkshopService
	people     PeopleService
	checklists ChecklistService
}

// New returns the handler of everything below /api/.
func New(service Service, o Options) (http.Handler, error) {
	s := &server{service: service, log: o.Log, maxPhoto: o.MaxPhoto, backups: o.Backups, bundles: o.Bundles,
		review: o.Review, memory: o.Memory, history: o.History, workshops: o.Workshops, people: o.People, checklists: o.Checklists}
	if s.log == nil {
		s.log = slog.Default()
	}
	if s.maxPhoto == 0 {
		s.maxPhoto = defaultMaxPhoto
	}
	r := chi.NewRouter()
	r.Use(s.guard, requests.Head)
	r.NotFound(func(w http.ResponseWriter, r *http.Request) {
		WriteProblem(w, r, http.StatusNotFound, "There is nothing at this address. /api/openapi.json lists what there is.")
	})
	r.MethodNotAllowed(methodNotAllowed(r))
	h := humachi.New(r, config())
	s.register(h)
	document, err := json.MarshalIndent(h.OpenAPI(), "", "  ")
	if err != nil {
		return nil, err
	}
	document = append(document, '\n')
	r.Get("/api/openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write(document)
	})
	return r, nil
}

// config describes the API as a whole. Neither links to schemas in the answers
// nor pages of documentation from other hosts are wanted.
func config() huma.Config {
	c := huma.DefaultConfig("Fieldmark", "1.0.0")
	c.Info.Description = "Names what is in a photo and learns from every correction at once. " +
		"Errors are problem+json (RFC 9457), with the field that each is about. " +
		"On a loopback address no token is needed; elsewhere send one as Authorization: Bearer."
	c.Info.License = &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"}
	c.OpenAPIPath, c.DocsPath, c.SchemasPath, c.CreateHooks = "", "", "", nil
	c.Formats = map[string]huma.Format{"application/json": huma.DefaultJSONFormat, "json": huma.DefaultJSONFormat}
	c.Transformers = []huma.Transformer{asProblem}
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{"token": {Type: "http", Scheme: "bearer"}}
	c.Security = []map[string][]string{{"token": {}}, {}}
	c.Components.Schemas.RegisterTypeAlias(reflect.TypeFor[huma.ErrorModel](), reflect.TypeFor[Problem]())
	return c
}

func (s *server) register(h huma.API) {
	s.registerClassify(h)
	s.registerObservations(h)
	s.registerDetails(h)
	s.registerIdentifications(h)
	s.registerTaxa(h)
	s.registerLabelSets(h)
	s.registerExport(h)
	s.registerSensitive(h)
	s.registerImports(h)
	s.registerStats(h)
	if s.backups != nil {
		s.registerBackup(h)
	}
	if s.bundles != nil {
		s.registerBundles(h)
	}
	if s.review != nil {
		s.registerReview(h)
	}
	if s.memory != nil {
		s.registerMemory(h)
	}
	if s.history != nil {
		s.registerHistory(h)
	}
	if s.workshops != nil {
		s.registerWorkshops(h)
	}
	if s.people != nil {
		s.registerPeople(h)
	}
	if s.checklists != nil {
		s.registerChecklists(h)
	}
	s.registerLearning(h)
	s.registerSources(h)
	s.registerSynonymies(h)
	s.registerEncoders(h)
	// huma describes its own type for an uploaded file, to which nothing refers.
	delete(h.OpenAPI().Components.Schemas.Map(), "FormFile")
}

// add registers an operation whose errors become problems.
func add[I, O any](s *server, h huma.API, op huma.Operation, do func(context.Context, *I) (*O, error)) {
	huma.Register(h, op, func(ctx context.Context, in *I) (*O, error) {
		out, err := do(ctx, in)
		if err != nil {
			return nil, s.problem(ctx, err)
		}
		return out, nil
	})
}
