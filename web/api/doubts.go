package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fieldmark/internal/identify"
	"fieldmark/web/auth"
)

// MemoryService is what the operations about what the memory holds need of the
// domain; *identify.Gallery has it.
type MemoryService interface {
	Exemplars(ctx context.Context, f identify.GalleryFilter) (list []identify.GalleryExemplar, more bool, err error)
	Leaves(ctx context.Context) ([]identify.GalleryLeaf, error)
	Doubts(ctx context.Context, u identify.User, f identify.DoubtFilter) (identify.Doubts, error)
	KeepDoubtful(ctx context.Context, u identify.User, id identify.IdentificationID) (identify.Settled, error)
	DoubtAgain(ctx context.Context, u identify.User, id identify.IdentificationID) error
	WithdrawDoubtful(ctx context.Context, u identify.User, id identify.IdentificationID) (identify.Settled, error)
	RenameDoubtful(ctx context.Context, u identify.User, id identify.IdentificationID, a identify.Answer) (identify.Settled, error)
	Map(ctx context.Context) (identify.MemoryMap, error)
}

type doubtsInput struct {
	Kind   string `query:"kind" enum:"disagreement,duplicate,outlier"`
	Taxon  int64  `query:"taxon_id" minimum:"1" doc:"Taught as this very taxon"`
	Cursor int64  `query:"cursor" minimum:"1" doc:"next_cursor of the page before"`
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"12"`
}

type doubtsOutput struct {
	Body struct {
		Doubts     []doubtful `json:"doubts" nullable:"false" doc:"The likeliest mistakes first"`
		NextCursor int64      `json:"next_cursor,omitempty" doc:"Left out on the last page"`
		Total      int        `json:"total"`
		Judged     int        `json:"judged" doc:"Exemplars that were looked at"`
		MemorySeq  int64      `json:"memory_seq" doc:"The memory that was judged"`
		Working    bool       `json:"working" doc:"A newer judgement is on its way"`
	}
}

type doubtful struct {
	exemplar
	Score   float64  `json:"score" doc:"0 to 1"`
	Reasons []reason `json:"reasons" nullable:"false" doc:"The strongest first"`
}

// exemplar is a lesson that stands.
type exemplar struct {
	IdentificationID int64     `json:"identification_id"`
	ObservationID    int64     `json:"observation_id"`
	TaxonID          int64     `json:"taxon_id"`
	Label            string    `json:"label"`
	ScientificName   string    `json:"scientific_name,omitempty"`
	TaughtBy         person    `json:"taught_by"`
	TaughtAt         time.Time `json:"taught_at"`
	HasPhoto         bool      `json:"has_photo"`
}

type reason struct {
	Kind          string  `json:"kind" enum:"disagreement,duplicate,outlier"`
	TaxonID       int64   `json:"taxon_id,omitempty" doc:"What is said instead; left out for an outlier"`
	Label         string  `json:"label,omitempty"`
	Own           float64 `json:"own,omitempty" doc:"Probability of its name, by the memory without it"`
	Against       float64 `json:"against,omitempty" doc:"Likewise of the other"`
	ObservationID int64   `json:"observation_id,omitempty" doc:"Of the near-duplicate that has the other name"`
	Cosine        float64 `json:"cosine,omitempty" doc:"How near that is"`
}

// DoubtPath names a lesson in an address.
type DoubtPath struct {
	ID int64 `path:"iid" minimum:"1" doc:"Of the identification"`
}

type renameInput struct {
	DoubtPath
	Body struct {
		Label   string `json:"label,omitempty" doc:"Any name of a taxon; give this or taxon_id"`
		TaxonID int64  `json:"taxon_id,omitempty"`
	}
}

type settledOutput struct{ Body settled }

// settled is what became of a doubt.
type settled struct {
	IdentificationID int64           `json:"identification_id"`
	ObservationID    int64           `json:"observation_id"`
	Now              *identification `json:"now,omitempty" doc:"What has the new name, of a renaming"`
	MemorySeq        int64           `json:"memory_seq,omitempty" doc:"Last event of it; left out where nothing was taught or withdrawn"`
}

func (s *server) registerDoubts(h huma.API) {
	const path = "/api/v1/memory/doubts"
	op := func(id, method, path, summary string) huma.Operation {
		return huma.Operation{OperationID: id, Method: method, Path: path, Tags: []string{"memory"}, DefaultStatus: http.StatusOK, Summary: summary,
			Description: "Needs the role curator.", Errors: []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusConflict}}
	}
	settle := func(do func(context.Context, identify.User, identify.IdentificationID) (identify.Settled, error)) func(context.Context, *DoubtPath) (*settledOutput, error) {
		return func(ctx context.Context, in *DoubtPath) (*settledOutput, error) {
			return newSettled(do(ctx, auth.UserFrom(ctx), identify.IdentificationID(in.ID)))
		}
	}
	add(s, h, op("list-doubts", http.MethodGet, path, "Lessons that are likely to be mistakes"), s.doubts)
	add(s, h, op("keep-doubtful", http.MethodPut, path+"/{iid}/kept", "Note that a lesson was looked at and is right"), settle(s.memory.KeepDoubtful))
	again := op("doubt-again", http.MethodDelete, path+"/{iid}/kept", "Take that note back")
	again.DefaultStatus = http.StatusNoContent
	add(s, h, again, func(ctx context.Context, in *DoubtPath) (*struct{}, error) {
		return nil, s.memory.DoubtAgain(ctx, auth.UserFrom(ctx), identify.IdentificationID(in.ID))
	})
	add(s, h, op("withdraw-doubtful", http.MethodDelete, path+"/{iid}", "Withdraw a lesson, whoever gave it"), settle(s.memory.WithdrawDoubtful))
	add(s, h, op("rename-doubtful", http.MethodPut, path+"/{iid}/name", "Withdraw a lesson, and teach another name for its photo"),
		func(ctx context.Context, in *renameInput) (*settledOutput, error) {
			return newSettled(s.memory.RenameDoubtful(ctx, auth.UserFrom(ctx), identify.IdentificationID(in.ID),
				identify.Answer{Label: in.Body.Label, Taxon: identify.TaxonID(in.Body.TaxonID)}))
		})
}

func (s *server) doubts(ctx context.Context, in *doubtsInput) (*doubtsOutput, error) {
	d, err := s.memory.Doubts(ctx, auth.UserFrom(ctx), identify.DoubtFilter{Kind: identify.DoubtKind(in.Kind), Taxon: identify.TaxonID(in.Taxon),
		After: identify.IdentificationID(in.Cursor), Limit: in.Limit})
	if err != nil {
		return nil, err
	}
	out := &doubtsOutput{}
	b := &out.Body
	b.Total, b.Judged, b.MemorySeq, b.Working, b.Doubts = d.Total, d.Judged, int64(d.Seq), d.Working, make([]doubtful, len(d.List))
	for i, x := range d.List {
		b.Doubts[i] = doubtful{newExemplar(x.Exemplar), x.Score, make([]reason, len(x.Reasons))}
		for j, r := range x.Reasons {
			b.Doubts[i].Reasons[j] = newReason(r)
		}
		if d.More {
			b.NextCursor = int64(x.Exemplar.Identification)
		}
	}
	return out, nil
}

func newReason(r identify.DoubtReason) reason {
	out := reason{Kind: string(r.Kind), Own: r.Own, Against: r.Against, Cosine: r.Cos}
	if r.Other.ID != 0 {
		out.TaxonID, out.Label = int64(r.Other.ID), r.Other.Label()
	}
	if r.Twin != nil {
		out.ObservationID = int64(r.Twin.Observation)
	}
	return out
}

func newExemplar(x identify.GalleryExemplar) exemplar {
	return exemplar{int64(x.Identification), int64(x.Observation), int64(x.Taxon), x.Label, x.Scientific, person{int64(x.Teacher), x.TeacherName}, x.TaughtAt, x.HasPhoto}
}

func newSettled(x identify.Settled, err error) (*settledOutput, error) {
	out := settled{IdentificationID: int64(x.Identification), ObservationID: int64(x.Observation), MemorySeq: int64(x.Seq)}
	if x.Now.ID != 0 {
		now := newIdentification(x.Now)
		out.Now = &now
	}
	return &settledOutput{out}, err
}
