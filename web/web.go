// Package web serves the pages: server-rendered templ, htmx fragments for those
// who ask for them, and links and forms that work without JavaScript.
//
// A handler returns an error, and one place renders it (errors.go). A page is
// rendered to a buffer before its status is written (render.go).
package web

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/web/jobs"
	"fieldmark/web/requests"
	"fieldmark/web/spool"
)

// Service is what the pages need of the domain; *identify.Service has it.
type Service interface {
	Classify(ctx context.Context, photo []byte, q identify.Question) (identify.Prediction, error)
	Observe(ctx context.Context, u identify.User, up identify.Upload, q identify.Question) (identify.Observation, identify.Prediction, error)
	Predict(ctx context.Context, id identify.ObservationID, q identify.Question) (identify.Prediction, error)
	Identify(ctx context.Context, u identify.User, id identify.ObservationID, a identify.Answer, q identify.Question) (identify.Correction, error)
	Withdraw(ctx context.Context, u identify.User, o identify.ObservationID, i identify.IdentificationID, q identify.Question) (identify.Correction, error)
	Observation(ctx context.Context, u identify.User, id identify.ObservationID) (identify.Observation, error)
	Observations(ctx context.Context, u identify.User, f identify.ObservationFilter) (list []identify.Observation, more bool, err error)
	PhotoFile(ctx context.Context, u identify.User, id identify.ObservationID, form string) (identify.PhotoCopy, error)
	SearchTaxa(ctx context.Context, query string, limit int) ([]identify.TaxonMatch, error)
	Taxon(ctx context.Context, id identify.TaxonID) (identify.Taxon, error)
	LabelSets(ctx context.Context) ([]identify.LabelSet, error)
	AddLabelSet(ctx context.Context, u identify.User, name string, labels []string, taxa []identify.TaxonID) (identify.LabelSet, error)
	DeleteLabelSet(ctx context.Context, u identify.User, id identify.LabelSetID) error
	PlanImport(ctx context.Context, u identify.User, source identify.ImportSource, f identify.ImportFile, o identify.ImportOptions) (identify.ImportPlan, error)
	RunImport(ctx context.Context, u identify.User, plan identify.ImportPlan, f identify.ImportFile, told func(identify.ImportProgress)) (identify.Import, error)
	WithdrawImport(ctx context.Context, u identify.User, id identify.ImportID, told func(identify.ImportProgress)) (identify.Import, error)
	Imports(ctx context.Context, u identify.User) ([]identify.Import, error)
	Stats(ctx context.Context) (identify.Stats, error)
	EncoderService
}

// Config is what New needs.
type Config struct {
	Service Service
	// User returns who makes a request; a User without a role has to sign in.
	User func(*http.Request) identify.User
	// Sessions lets people in and out; nil: nobody needs to sign in.
	Sessions Sessions
	// People says who may come in; nil: the pages about people are not served.
	People PeopleService
	// Review is the queue of what waits to be named; nil: it is not served.
	Review  ReviewService
	Export  ExportService // nil: its page is not served
	Log     *slog.Logger
	Version string
	// Details changes date, place and rights of observations; nil: nothing does.
	Details DetailsService
	// Gallery is what the memory holds, what of it is in doubt, and its map; nil: those
	// pages are not served.
	Gallery GalleryService
	// Sources, Learning and History are what curators see of the log; nil: those
	// pages are not served.
	Sources  SourcesService
	Learning LearningService
	History  HistoryService
	// Bundles go out and come in; nil: their pages are not served. Shelf keeps those
	// that wait for a decision.
	Bundles BundleService
	Shelf   *spool.Shelf
	// Workshops are run by whoever lets people in; nil: their pages are not served.
	// Reach says how phones come here; nil: nothing is said about that.
	Workshops WorkshopService
	Reach     func() Reach
	// Taxa are names and label sets, to be looked at and changed; nil: their pages are
	// not served. Checklists keeps those that wait for a decision; nil: none are taken.
	Taxa       TaxaService
	Checklists *spool.Shelf
	// Names says what taxa are called in the reader's language; nil: by their labels.
	Names NamesService
	// Synonymies merges names that mean the same; nil: nothing does.
	Synonymies SynonymyService
	// DefaultSet is the label set that a question which names none begins with.
	DefaultSet identify.LabelSetID
	// MaxUpload is the most bytes that one photo may have; 0 means 16 MiB, what
	// the domain takes.
	MaxUpload int64
	// Jobs are the imports that go on when their request is over; nil: those of
	// this site alone, which end with the process.
	Jobs *jobs.Jobs
	// OwnData lets people take along what is kept of them, and leave; nil: they cannot.
	OwnData OwnDataService
	// Backup makes backups; nil: none is offered.
	Backup BackupService
}

// site holds what the handlers share; it does not change after New.
type site struct {
	Config
	static *static
	words  *words.Catalogue
}

const defaultMaxUpload = 16 << 20

// Site serves all pages.
type Site struct {
	http.Handler
	pages *site
}

// Refuse answers with a page what was turned away before it came to the pages, with
// a status and what to tell whoever asked.
func (s *Site) Refuse(w http.ResponseWriter, r *http.Request, status int, reason *identify.Error) {
	secureHeaders(s.pages.speak(s.pages.handle(func(http.ResponseWriter, *http.Request) error {
		return &statusError{status, reason}
	}))).ServeHTTP(w, r)
}

// New returns all pages. It fails if files are missing that make setup fetches.
func New(c Config) (*Site, error) {
	if c.Service == nil || c.User == nil || c.Log == nil {
		return nil, errors.New("web: Service, User and Log are needed")
	}
	if c.MaxUpload == 0 {
		c.MaxUpload = defaultMaxUpload
	}
	if c.Jobs == nil {
		c.Jobs = jobs.New(context.Background())
	}
	files, err := loadStatic()
	if err != nil {
		return nil, err
	}
	said, err := words.Load()
	if err != nil {
		return nil, err
	}
	s := &site{Config: c, static: files, words: said}
	return &Site{s.routes(), s}, nil
}

func (s *site) routes() http.Handler {
	crossOrigin := http.NewCrossOriginProtection()
	crossOrigin.SetDenyHandler(s.handle(func(http.ResponseWriter, *http.Request) error {
		return identify.Errorf(identify.Forbidden, "", "This came from another site's page, so nothing was done. Open Fieldmark itself and try again.")
	}))

	r := chi.NewRouter()
	r.Use(requests.Head, secureHeaders, s.speak, s.naming, s.recoverPanics, crossOrigin.Handler)
	r.NotFound(s.handle(func(http.ResponseWriter, *http.Request) error {
		return identify.Errorf(identify.NotFound, "", "There is no page at this address.")
	}))
	r.MethodNotAllowed(s.handle(func(http.ResponseWriter, *http.Request) error {
		return &statusError{http.StatusMethodNotAllowed, identify.Errorf(identify.Invalid, "", "This address cannot be used in that way.")}
	}))
	r.Get("/static/{digest}/*", s.static.serve)
	r.Group(s.appRoutes)
	r.Group(func(r chi.Router) {
		r.Use(middleware.Compress(5, "text/html"))
		r.Group(s.signInRoutes)
		r.Group(s.signedInRoutes)
	})
	return r
}

// signedInRoutes are for those who have a role.
func (s *site) signedInRoutes(r chi.Router) {
	r.Use(s.requireRole)
	r.Get("/", s.handle(s.home))
	r.Get("/observations", s.handle(s.observations))
	r.With(limitBody(uploadLimit)).Post("/observations", s.handle(s.observe))
	r.Get("/observations/{id}", s.handle(s.observation))
	r.Get("/observations/{id}/photo", s.handle(s.photo))
	if s.Details != nil {
		r.Group(s.detailsRoutes)
	}
	if s.Gallery != nil {
		r.Group(s.galleryRoutes)
	}
	if s.Bundles != nil {
		r.Group(s.bundleRoutes)
	}
	if s.Sources != nil {
		r.Group(s.sourcesRoutes)
	}
	if s.Learning != nil {
		r.Group(s.learningRoutes)
	}
	if s.History != nil {
		r.Group(s.historyRoutes)
	}
	if s.People != nil {
		r.Group(s.peopleRoutes)
	}
	if s.Workshops != nil && s.People != nil && s.Sources != nil {
		r.Group(s.workshopRoutes)
	}
	r.Group(s.lessonRoutes)
	r.Get("/taxa", s.handle(s.taxa))
	r.Get("/label-sets", s.handle(s.labelSets))
	if s.Taxa != nil {
		r.Group(s.taxaRoutes)
	}
	if s.Synonymies != nil {
		r.Group(s.synonymyRoutes)
	}
	if s.Review != nil {
		r.Group(s.reviewRoutes)
	}
	if s.Export != nil {
		r.Group(s.exportRoutes)
	}
	r.Get("/about", s.handle(s.about))
	r.Get("/imports", s.handle(s.imports))
	r.With(limitBody(spool.MaxBytes+formLimit)).Post("/imports", s.handle(s.importFile))
	r.Get("/jobs/progress", s.handle(s.jobsProgress))
	r.Get("/jobs/{id}", s.handle(s.job))
	if s.Backup != nil {
		r.Get("/backup", s.handle(s.backup))
	}
	r.Get("/encoders", s.handle(s.encoders))
	r.Get("/encoders/progress", s.handle(s.encoderProgress))
	r.Get("/compare", s.handle(s.compare))
	r.With(limitBody(s.MaxUpload+formLimit)).Post("/compare", s.handle(s.comparePhoto))
	r.Group(func(r chi.Router) {
		r.Use(limitBody(formLimit))
		r.Post("/observations/{id}/identifications", s.handle(s.identify))
		r.Post("/observations/{id}/identifications/{iid}/withdraw", s.handle(s.withdraw))
		r.Post("/encoders/use", s.handle(s.useEncoder))
		r.Post("/encoders/pause", s.handle(s.pauseEncoder))
		r.Post("/encoders/resume", s.handle(s.resumeEncoder))
		r.Post("/encoders/cancel", s.handle(s.cancelEncoder))
		r.Post("/encoders/retry", s.handle(s.retryPhotos))
		r.Post("/jobs/{id}/stop", s.handle(s.stopJob))
		r.Post("/imports/held/{id}", s.handle(s.decideImport))
		r.Post("/imports/{id}/withdraw", s.handle(s.withdrawImport))
		r.Post("/label-sets/{id}/delete", s.handle(s.deleteLabelSet))
	})
}
