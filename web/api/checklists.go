package api

import (
	"context"
	"net/http"
	"os"
	"path"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"fieldmark/internal/exchange"
	"fieldmark/internal/identify"
	"fieldmark/web/auth"
)

// ChecklistService is what the operation about checklists needs of the domain.
type ChecklistService interface {
	PlanChecklist(ctx context.Context, u identify.User, c identify.Checklist) (identify.ChecklistPlan, error)
	TakeChecklist(ctx context.Context, u identify.User, c identify.Checklist, choice identify.ChecklistChoice, told func(identify.ImportProgress)) (identify.TakenChecklist, error)
}

type checklistInput struct {
	Name     string `query:"name" maxLength:"200" doc:"Of the file, for the history"`
	Yes      bool   `query:"yes" doc:"Take it in; without it nothing is changed"`
	Changes  bool   `query:"changes" doc:"Change the known taxa as the checklist says, too"`
	LabelSet string `query:"label_set" maxLength:"200" doc:"Make a label set of this name of what it lists"`
}

// checklistLine is one line of the answer to a checklist: it has one of its members.
type checklistLine struct {
	Plan      *checklistPlan  `json:"plan,omitempty"`
	Progress  *importProgress `json:"progress,omitempty" doc:"How many taxa are taken in; the others follow, whether or not the request lasts"`
	Checklist *takenChecklist `json:"checklist,omitempty" doc:"The last line of one that was taken in"`
	Problem   *Problem        `json:"problem,omitempty" doc:"The last line of one that was not: nothing was changed, unless progress came before"`
}

type checklistPlan struct {
	Rows     int               `json:"rows"`
	New      int               `json:"new"`
	Known    int               `json:"known"`
	Changed  int               `json:"changed" doc:"Known, and the checklist says something else of them, or more"`
	Synonyms int               `json:"synonyms" doc:"Rows that are synonyms of others"`
	LeftOut  int               `json:"left_out"`
	Bad      []FieldError      `json:"bad,omitempty" doc:"Rows that are left out, by line; the first 100"`
	Changes  []checklistChange `json:"changes,omitempty" doc:"What it says otherwise; the first 100"`
}

type checklistChange struct {
	TaxonID int64  `json:"taxon_id"`
	Name    string `json:"scientific_name"`
	In      string `json:"in" enum:"scientific name,English name,rank,above it,more synonyms,in other languages"`
	Before  string `json:"before,omitempty"`
	After   string `json:"after"`
}

type takenChecklist struct {
	New        int   `json:"new"`
	Changed    int   `json:"changed"`
	LabelSetID int64 `json:"label_set_id,omitempty"`
}

func (s *server) registerChecklists(h huma.API) {
	add(s, h, huma.Operation{
		OperationID: "take-checklist", Method: http.MethodPost, Path: "/api/v1/checklists", Tags: []string{"import"},
		Summary: "Take a checklist of taxa in, or say what that would do",
		Description: "The body is the file: a table (CSV) or a Darwin Core Archive of taxa. Every row is checked first; with yes the good ones are taken in, all of them or none. " +
			"A request that breaks off before the first progress has changed nothing; from then on the list is taken in to its end. Needs the role curator.",
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			"application/octet-stream": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}}},
		Responses: map[string]*huma.Response{"200": {Description: "Lines of JSON, each as soon as it is so", Content: map[string]*huma.MediaType{
			"application/x-ndjson": {Schema: h.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[checklistLine](), true, "")}}}},
		Errors: []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity},
	}, s.takeChecklist)
}

func (s *server) takeChecklist(_ context.Context, in *checklistInput) (*huma.StreamResponse, error) {
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		r, w := humachi.Unwrap(hc)
		out := newLines(s, w, r)
		out.end(nil, s.readChecklist(r, in, out))
	}}, nil
}

// readChecklist keeps the body, says what is planned and does it, if that was asked for.
func (s *server) readChecklist(r *http.Request, in *checklistInput, out *lines) error {
	u := auth.UserFrom(r.Context())
	if !u.Role.Allows(identify.Curator) {
		return identify.Errorf(identify.Forbidden, "", "To take in a checklist takes the role %q.", identify.Curator)
	}
	file, err := out.body()
	if err != nil {
		return err
	}
	defer file.Close()
	list, err := checklistIn(file, path.Base("/"+in.Name))
	if err != nil {
		return err
	}
	plan, err := s.checklists.PlanChecklist(r.Context(), u, list)
	if err != nil {
		return err
	}
	out.writeAny(checklistLine{Plan: newChecklistPlan(plan)})
	if !in.Yes {
		return nil
	}
	done, err := s.checklists.TakeChecklist(r.Context(), u, list, identify.ChecklistChoice{Changes: in.Changes, Set: in.LabelSet}, out.progress)
	if err == nil {
		out.writeAny(checklistLine{Checklist: &takenChecklist{done.New, done.Changed, int64(done.Set)}})
	}
	return err
}

func checklistIn(f *os.File, name string) (identify.Checklist, error) {
	info, err := f.Stat()
	if err != nil {
		return identify.Checklist{}, err
	}
	return exchange.ReadChecklist(f, info.Size(), name)
}

// shownLines is how many rows of each kind the plan of a checklist lists.
const shownLines = 100

func newChecklistPlan(p identify.ChecklistPlan) *checklistPlan {
	out := &checklistPlan{Rows: p.Rows, New: p.New, Known: p.Known, Changed: p.Changed, Synonyms: p.Synonyms, LeftOut: len(p.Problems)}
	for _, x := range p.Problems[:min(shownLines, len(p.Problems))] {
		out.Bad = append(out.Bad, FieldError{"line " + strconv.Itoa(x.Line), x.Name + ": " + x.Why.Error()})
	}
	for _, t := range p.Taxa {
		for _, c := range t.Changes {
			if t.State == identify.ChecklistChanged && len(out.Changes) < shownLines {
				out.Changes = append(out.Changes, checklistChange{int64(t.Taxon.ID), t.Taxon.ScientificName, string(c.In), c.Before, c.After})
			}
		}
	}
	return out
}
