package api

import (
	"context"
	"io"
	"net/http"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

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
	PlanMerge(ctx context.Context, u identify.User, source identify.ImportSource, b *bundle.Bundle, d identify.MergeDecisions) (identify.MergePlan, error)
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

	Take     []string `query:"take,explode" maxItems:"1000" doc:"Groups of conflicts that are taken, by key; repeat it for several"`
	Leave    []string `query:"leave,explode" maxItems:"1000" doc:"Groups of conflicts that are left out, by key"`
	LeaveNew bool     `query:"leave_new" doc:"What is new is left out"`
	Taxa     []string `query:"taxa,explode" maxItems:"1000" doc:"What an unknown taxon is, by its id in the plan: 7:create makes it a local one, 7:leave leaves its lessons out, 7:1234 takes it for the taxon 1234 of ours; repeat it for several"`
}

// decisions are what the address decides.
func (in *mergeInput) decisions() (identify.MergeDecisions, error) {
	d := identify.MergeDecisions{LeaveNew: in.LeaveNew, Groups: map[string]bool{}, Taxa: map[int64]identify.TaxonDecision{}}
	for _, key := range in.Take {
		d.Groups[key] = true
	}
	for _, key := range in.Leave {
		d.Groups[key] = false
	}
	for _, text := range in.Taxa {
		of, what, _ := strings.Cut(text, ":")
		id, err := strconv.ParseInt(of, 10, 64)
		x := identify.TaxonDecision{Create: what == "create", Leave: what == "leave"}
		if err == nil && !x.Create && !x.Leave {
			var taxon int64
			taxon, err = strconv.ParseInt(what, 10, 64)
			x.Taxon = identify.TaxonID(taxon)
		}
		if err != nil || x == (identify.TaxonDecision{}) {
			return d, identify.Errorf(identify.Invalid, "taxa", "%.60q is no decision. It is a taxon's id in the plan, a colon, and create, leave or the id of a taxon here: 7:create.", text)
		}
		d.Taxa[id] = x
	}
	return d, nil
}

// known refuses decisions about groups and taxa that a bundle does not have.
func known(d identify.MergeDecisions, p identify.MergePlan) error {
	for id := range d.Taxa {
		if !slices.ContainsFunc(p.Taxa, func(q identify.TaxonQuestion) bool { return q.ID == id }) {
			return identify.Errorf(identify.Invalid, "taxa", "This bundle has no unknown taxon %d. Ask for its plan, without yes: it lists their ids.", id)
		}
	}
	for key, take := range d.Groups {
		if slices.ContainsFunc(p.Groups, func(g identify.MergeGroup) bool { return g.Key == key }) {
			continue
		}
		field := "leave"
		if take {
			field = "take"
		}
		return identify.Errorf(identify.Invalid, field, "This bundle has no group %.60q. Ask for its plan, without yes: it lists their keys.", key)
	}
	return nil
}

// mergeLine is one line of the answer to a bundle: it has one of its members.
type mergeLine struct {
	Plan *mergePlan `json:"plan,omitempty"`
	importLine
}

type mergePlan struct {
	From        string       `json:"from"`
	Instance    string       `json:"instance"`
	Fingerprint string       `json:"fingerprint" doc:"Of the key that signed it"`
	Signer      string       `json:"signer,omitempty" doc:"Whose key that is; left out if nobody here knows it"`
	Own         bool         `json:"own" doc:"Signed here"`
	Reembed     bool         `json:"reembed" doc:"Another encoder made it: its photos are read anew"`
	Rows        int          `json:"rows"`
	New         int          `json:"new"`
	Known       int          `json:"known"`
	Withdrawn   int          `json:"withdrawn" doc:"Taken back where they come from: not taught"`
	Unseen      int          `json:"unseen" doc:"Without a photo that could be read anew: cannot be taken"`
	Take        int          `json:"take" doc:"Rows that would be taught"`
	Conflicts   []mergeGroup `json:"conflicts" nullable:"false"`
	Unknown     []mergeTaxon `json:"unknown_taxa" nullable:"false"`
	Resumes     *imported    `json:"resumes,omitempty"`
}

type mergeGroup struct {
	Key    string `json:"key" doc:"Names it in take and leave"`
	Kind   string `json:"kind" enum:"photo,near,withdrawn"`
	Theirs string `json:"theirs"`
	Ours   string `json:"ours"`
	Rows   int    `json:"rows"`
	Take   bool   `json:"take"`
}

type mergeTaxon struct {
	ID      int64      `json:"id" doc:"Names it in taxa"`
	Name    string     `json:"scientific_name"`
	Rank    string     `json:"rank"`
	Below   string     `json:"below,omitempty" doc:"The nearest taxon above it that is known here"`
	Rows    int        `json:"rows"`
	What    string     `json:"decision" enum:"taxon,create,leave" doc:"taxon: it is taxon_id; create: it becomes a local one; leave: its lessons are left out"`
	TaxonID int64      `json:"taxon_id,omitempty" doc:"The taxon here that it is taken for"`
	Near    []nearName `json:"near,omitempty" doc:"Taxa here that it could be"`
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
			"With yes it is done, as proposed where nothing is decided about a group or a taxon: what is new is taught, lessons at odds with ours stand beside them, unknown taxa become those with the same name, or local ones. Needs the role curator.",
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
	decided, err := in.decisions()
	if err != nil {
		return nil, err
	}
	_ = http.NewResponseController(out.w).SetReadDeadline(time.Now().Add(spool.Time)) // fails only where there is no connection
	file, err := spool.Take(r.Body)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	b, source, err := spool.OpenBundle(file, path.Base("/"+in.Name))
	if err != nil {
		return nil, err
	}
	p, err := s.bundles.PlanMerge(r.Context(), u, source, b, decided)
	if err == nil {
		err = known(decided, p)
	}
	if err != nil {
		return nil, err
	}
	out.writeAny(mergeLine{Plan: newMergePlan(p)})
	if !in.Yes {
		return nil, nil
	}
	m, err := s.bundles.RunMerge(r.Context(), u, p, out.progress)
	return &m, err
}

func newMergePlan(p identify.MergePlan) *mergePlan {
	out := &mergePlan{From: p.Manifest.Instance.Name, Instance: p.Manifest.Instance.ID, Fingerprint: p.Signer.Fingerprint, Signer: p.Signer.Name,
		Own: p.Signer.Own, Reembed: p.Reembed, Rows: p.Manifest.Counts.Exemplars, New: p.New, Known: p.Known, Withdrawn: p.Withdrawn,
		Unseen: p.Unseen, Take: p.Take(), Conflicts: []mergeGroup{}, Unknown: []mergeTaxon{}}
	for _, g := range p.Groups {
		out.Conflicts = append(out.Conflicts, mergeGroup{g.Key, string(g.Kind), g.Theirs, g.Ours, g.Rows, g.Take})
	}
	for _, q := range p.Taxa {
		t := mergeTaxon{ID: q.ID, Name: q.Taxon.ScientificName, Rank: q.Taxon.Rank, Below: q.Below, Rows: q.Rows, What: "taxon", TaxonID: int64(q.Decision.Taxon)}
		if q.Decision.Create {
			t.What = "create"
		} else if q.Decision.Leave {
			t.What = "leave"
		}
		for _, x := range q.Similar {
			t.Near = append(t.Near, nearName{x.Label(), int64(x.ID)})
		}
		out.Unknown = append(out.Unknown, t)
	}
	if p.Resumes != nil {
		m := newImported(*p.Resumes)
		out.Resumes = &m
	}
	return out
}
