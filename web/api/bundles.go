package api

import (
	"context"
	"io"
	"net/http"
	"path"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"fieldmark/internal/bundle"
	"fieldmark/internal/identify"
	"fieldmark/web/auth"
	"fieldmark/web/spool"
)

// Bundles is what the operations about bundles need of the domain.
type Bundles interface {
	Bundle(ctx context.Context, u identify.User, r identify.BundleRequest) (*identify.OutgoingBundle, error)
	PlanMerge(ctx context.Context, u identify.User, source identify.ImportSource, b *bundle.Bundle, d identify.MergeDecisions, told func(identify.ImportProgress)) (identify.MergePlan, error)
	RunMerge(ctx context.Context, u identify.User, p identify.MergePlan, told func(identify.ImportProgress)) (identify.Import, error)
}

type bundleInput struct {
	FilterQuery
	Thumbnails  bool  `query:"thumbnails" doc:"Thumbnails travel with it"`
	Photos      bool  `query:"photos" doc:"Photos travel with it, every byte, with all that their files say: they are known by their SHA-256. Who has another encoder needs them"`
	Withdrawn   bool  `query:"withdrawn" doc:"Lessons that do not stand, too, marked as such"`
	ExactPlaces bool  `query:"exact_places" doc:"The places and photos of sensitive taxa as they are"`
	FromSeq     int64 `query:"from_seq" minimum:"0" doc:"First event of the log"`
	ToSeq       int64 `query:"to_seq" minimum:"0" doc:"Last event of the log"`
}

type mergeInput struct {
	Name string `query:"name" maxLength:"200" doc:"Of the file, for the list of imports"`
	Yes  bool   `query:"yes" doc:"Import; without it nothing is. What take, leave and leave_new do not decide is done as proposed"`

	Take     []string `query:"take,explode" maxItems:"1000" doc:"Groups of conflicts that are taken, by key; photo, near or withdrawn: all others of that kind; repeat it for several"`
	Leave    []string `query:"leave,explode" maxItems:"1000" doc:"Groups of conflicts that are left out, likewise"`
	LeaveNew bool     `query:"leave_new" doc:"What is new is left out"`
	Taxa     []string `query:"taxa,explode" maxItems:"1000" doc:"What an unknown taxon is, by its id in the plan: 7:create makes it a local one, 7:leave leaves its lessons out, 7:suggested does what is suggested, 7:1234 and 7:Common Blue take it for a taxon of ours; create, leave or suggested alone: all others; repeat it for several"`
}

// mergeLine is one line of the answer to a bundle: it has one of its members.
type mergeLine struct {
	Plan *MergePlan `json:"plan,omitempty"`
	importLine
}

func (s *server) registerBundles(h huma.API) {
	errs := []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity}
	file := map[string]*huma.MediaType{"application/zip": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}}
	add(s, h, huma.Operation{
		OperationID: "export-bundle", Method: http.MethodGet, Path: "/api/v1/bundle", Tags: []string{"export"},
		Summary:     "Lessons as a signed bundle for another Fieldmark",
		Description: "Needs the role curator.", Errors: errs,
		Responses: map[string]*huma.Response{"200": {Description: "The file", Content: file}},
	}, s.bundle)
	add(s, h, huma.Operation{
		OperationID: "import-bundle", Method: http.MethodPost, Path: "/api/v1/bundle", Tags: []string{"import"},
		Summary: "Take a bundle in, or say what that would do",
		Description: "The body is the file. Its signature and every digest are checked before anything is taught; one by a signer whom nobody here knows is not refused, but said. " +
			"It is read through first; of a large one lines say how far that is, and what is wrong with it then comes as the last line. With yes it is done, as proposed where nothing is decided about a group or a taxon: what is new is taught, lessons at odds with ours stand beside them, unknown taxa become those with the same name, or local ones. Needs the role curator.",
		RequestBody: &huma.RequestBody{Required: true, Content: file},
		Responses: map[string]*huma.Response{"200": {Description: "Lines of JSON, each as soon as it is so", Content: map[string]*huma.MediaType{
			"application/x-ndjson": {Schema: h.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[mergeLine](), true, "")}}}},
		Errors: errs,
	}, s.takeBundle)
}

func (s *server) bundle(_ context.Context, in *bundleInput) (*huma.StreamResponse, error) {
	f, err := in.filter()
	if err != nil {
		return nil, err
	}
	request := identify.BundleRequest{Filter: f, Thumbnails: in.Thumbnails, Photos: in.Photos, ExactPlaces: in.ExactPlaces,
		Span: identify.LessonSpan{From: identify.Seq(in.FromSeq), To: identify.Seq(in.ToSeq), Withdrawn: in.Withdrawn}}
	return s.attachment("application/zip", "lessons"+bundle.Extension, func(r *http.Request, out io.Writer) error {
		o, err := s.bundles.Bundle(r.Context(), auth.UserFrom(r.Context()), request)
		if err == nil {
			_, err = o.Write(r.Context(), out)
		}
		return err
	}), nil
}

func (s *server) takeBundle(_ context.Context, in *mergeInput) (*huma.StreamResponse, error) {
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		r, w := humachi.Unwrap(hc)
		out := newLines(s, w, r)
		m, err := s.mergeBundle(r, in, out)
		out.end(m, err)
	}}, nil
}

func (s *server) mergeBundle(r *http.Request, in *mergeInput, out *lines) (*identify.Import, error) {
	u := auth.UserFrom(r.Context())
	if !u.Role.Allows(identify.Curator) {
		return nil, identify.Errorf(identify.Forbidden, "", "To take in a bundle takes the role %q.", identify.Curator)
	}
	decided, err := identify.ReadMergeDecisions(in.Take, in.Leave, in.Taxa)
	if err != nil {
		return nil, err
	}
	decided.LeaveNew = in.LeaveNew
	file, err := out.body()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	b, source, err := spool.OpenBundle(file, path.Base("/"+in.Name))
	if err != nil {
		return nil, err
	}
	p, err := s.bundles.PlanMerge(r.Context(), u, source, b, decided, out.progress)
	if err == nil {
		err = decided.Fit(p)
	}
	if err != nil {
		return nil, err
	}
	out.writeAny(mergeLine{Plan: NewMergePlan(p.MergePreview)})
	if !in.Yes {
		return nil, nil
	}
	m, err := s.bundles.RunMerge(r.Context(), u, p, out.progress)
	return &m, err
}
