package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fieldmark/internal/identify"
	"fieldmark/web/auth"
)

// SourcesService is what the API needs to quarantine what a source taught.
type SourcesService interface {
	Sources(ctx context.Context, u identify.User) ([]identify.SourceReport, error)
	PreviewQuarantine(ctx context.Context, u identify.User, of identify.Source) (identify.QuarantinePreview, error)
	BeginQuarantine(ctx context.Context, u identify.User, of identify.Source, reason string) (identify.Quarantine, error)
	EndQuarantine(ctx context.Context, u identify.User, of identify.Source, outcome identify.QuarantineOutcome) (identify.Quarantine, error)
}

// SourcePath names a source in an address.
type SourcePath struct {
	Kind string `path:"kind" enum:"people,imports"`
	ID   int64  `path:"id" minimum:"1"`
}

func (p SourcePath) source() identify.Source {
	if p.Kind == "imports" {
		return identify.Source{Import: identify.ImportID(p.ID)}
	}
	return identify.Source{User: identify.UserID(p.ID)}
}

type sourcesOutput struct {
	Body struct {
		Sources []lessonSource `json:"sources" nullable:"false" doc:"The latest to teach first"`
	}
}

type lessonSource struct {
	Kind       string      `json:"kind" enum:"people,imports"`
	ID         int64       `json:"id" doc:"Of the person or the import"`
	Name       string      `json:"name"`
	Taught     int         `json:"taught" doc:"Lessons ever given"`
	Standing   int         `json:"standing"`
	Waiting    int         `json:"waiting" doc:"In quarantine"`
	TakenBack  int         `json:"taken_back" doc:"By whoever gave them"`
	Overruled  int         `json:"overruled" doc:"Withdrawn by someone else"`
	Disputed   int         `json:"disputed" doc:"Of those standing, contradicted by someone since"`
	LastAt     time.Time   `json:"last_at"`
	Quarantine *quarantine `json:"quarantine,omitempty" doc:"That lasts"`
}

type quarantine struct {
	Lessons  int        `json:"lessons" doc:"That left the memory when it began"`
	Reason   string     `json:"reason"`
	By       string     `json:"by"`
	BeganAt  time.Time  `json:"began_at"`
	Outcome  string     `json:"outcome,omitempty" enum:"released,removed" doc:"Left out while it lasts"`
	EndedBy  string     `json:"ended_by,omitempty"`
	EndedAt  *time.Time `json:"ended_at,omitempty"`
	UnderWay string     `json:"under_way,omitempty" enum:"quarantined,released,removed" doc:"Which way its lessons go at this moment: out of the memory, back into it, or withdrawn for good; left out when that is done, and until then nothing else can be decided"`
	Pending  int64      `json:"pending_seq,omitempty" doc:"What was decided is kept; answers are as before until memory_seq has come to this"`
}

type quarantineOutput struct{ Body quarantine }

type previewOutput struct {
	Body struct {
		Lessons   int             `json:"lessons" doc:"That would leave the memory"`
		Named     int             `json:"named" doc:"Photos asked about that someone else named"`
		Unnamed   int             `json:"unnamed" doc:"Photos asked about that nobody else named"`
		With      int             `json:"right_with" doc:"Of those named, as things are"`
		Without   int             `json:"right_without" doc:"Of those named, without the source"`
		Changed   int             `json:"changed"`
		Answers   []changedAnswer `json:"answers" nullable:"false" doc:"That change, at most 60"`
		MemorySeq int64           `json:"memory_seq"`
	}
}

type changedAnswer struct {
	ObservationID int64  `json:"observation_id"`
	Truth         string `json:"truth,omitempty" doc:"What someone else named it"`
	Before        string `json:"before"`
	After         string `json:"after"`
}

type beginQuarantineInput struct {
	SourcePath
	Body struct {
		Reason string `json:"reason,omitempty" maxLength:"500"`
	}
}

type endQuarantineInput struct {
	SourcePath
	Outcome string `query:"outcome" enum:"released,removed" required:"true" doc:"released: everything stands again that stood; removed: withdrawn for good"`
}

func (s *server) registerSources(h huma.API) {
	errors := []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusConflict}
	add(s, h, huma.Operation{
		OperationID: "list-sources", Method: http.MethodGet, Path: "/api/v1/sources", Tags: []string{"memory"},
		Summary: "Who, and what, taught the memory", Description: "Needs the role curator.", Errors: errors[:2],
	}, s.listSources)
	add(s, h, huma.Operation{
		OperationID: "preview-quarantine", Method: http.MethodGet, Path: "/api/v1/sources/{kind}/{id}/preview", Tags: []string{"memory"},
		Summary:     "What would be answered without a source",
		Description: "A sample of photos is read with and without what the source taught, each as if it were new. Takes some seconds and changes nothing. Needs the role curator.",
		Errors:      errors,
	}, s.previewQuarantine)
	add(s, h, huma.Operation{
		OperationID: "begin-quarantine", Method: http.MethodPut, Path: "/api/v1/sources/{kind}/{id}/quarantine", Tags: []string{"memory"},
		Summary:     "Take everything that a source taught out of the memory",
		Description: "At once and reversibly. What comes from it later waits too. Needs the role curator.", Errors: errors,
	}, s.beginQuarantine)
	add(s, h, huma.Operation{
		OperationID: "end-quarantine", Method: http.MethodDelete, Path: "/api/v1/sources/{kind}/{id}/quarantine", Tags: []string{"memory"},
		Summary: "Restore what a quarantine holds, or remove it for good", Description: "Needs the role curator.", Errors: errors,
	}, s.endQuarantine)
}

func (s *server) listSources(ctx context.Context, _ *struct{}) (*sourcesOutput, error) {
	list, err := s.service.Sources(ctx, auth.UserFrom(ctx))
	if err != nil {
		return nil, err
	}
	out := &sourcesOutput{}
	out.Body.Sources = make([]lessonSource, len(list))
	for i, x := range list {
		v := lessonSource{Kind: "people", ID: int64(x.User), Name: x.Name, Taught: x.Taught, Standing: x.Standing, Waiting: x.Waiting,
			TakenBack: x.TakenBack, Overruled: x.Overruled, Disputed: x.Disputed, LastAt: x.LastAt}
		if x.Import != 0 {
			v.Kind, v.ID = "imports", int64(x.Import)
		}
		if x.Quarantine != nil {
			q := newQuarantine(*x.Quarantine)
			v.Quarantine = &q
		}
		out.Body.Sources[i] = v
	}
	return out, nil
}

func (s *server) previewQuarantine(ctx context.Context, in *struct{ SourcePath }) (*previewOutput, error) {
	p, err := s.service.PreviewQuarantine(ctx, auth.UserFrom(ctx), in.source())
	if err != nil {
		return nil, err
	}
	out := &previewOutput{}
	b := &out.Body
	b.Lessons, b.Named, b.Unnamed, b.With, b.Without, b.Changed, b.MemorySeq = p.Lessons, p.Named, p.Unnamed, p.With, p.Without, p.Changed, int64(p.Seq)
	b.Answers = make([]changedAnswer, len(p.List))
	for i, c := range p.List {
		b.Answers[i] = changedAnswer{ObservationID: int64(c.Observation), Truth: c.Truth.Label, Before: c.Before.Label, After: c.After.Label}
	}
	return out, nil
}

func (s *server) beginQuarantine(ctx context.Context, in *beginQuarantineInput) (*quarantineOutput, error) {
	q, err := s.service.BeginQuarantine(ctx, auth.UserFrom(ctx), in.source(), in.Body.Reason)
	return &quarantineOutput{newQuarantine(q)}, err
}

func (s *server) endQuarantine(ctx context.Context, in *endQuarantineInput) (*quarantineOutput, error) {
	q, err := s.service.EndQuarantine(ctx, auth.UserFrom(ctx), in.source(), identify.QuarantineOutcome(in.Outcome))
	return &quarantineOutput{newQuarantine(q)}, err
}

func newQuarantine(q identify.Quarantine) quarantine {
	return quarantine{Lessons: q.Lessons, Reason: q.Reason, By: q.ByName, BeganAt: q.BeganAt, Outcome: string(q.Outcome), EndedBy: q.EndedBy, EndedAt: q.EndedAt, UnderWay: string(q.UnderWay), Pending: int64(q.Pending)}
}
