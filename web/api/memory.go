package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fieldmark/internal/identify"
)

type exemplarsInput struct {
	Taxon   int64  `query:"taxon_id" minimum:"1" doc:"This taxon or any below it"`
	Teacher int64  `query:"taught_by" minimum:"1"`
	Photo   string `query:"photo" enum:"with,without" doc:"without: its embedding alone was imported"`
	Cursor  int64  `query:"cursor" minimum:"1" doc:"next_cursor of the page before"`
	Limit   int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
}

type exemplarsOutput struct {
	Body struct {
		Exemplars  []exemplar `json:"exemplars" nullable:"false" doc:"The last taught first"`
		NextCursor int64      `json:"next_cursor,omitempty" doc:"Left out on the last page"`
	}
}

type leavesOutput struct {
	Body struct {
		Leaves []leaf `json:"leaves" nullable:"false" doc:"The largest first"`
	}
}

// leaf is a piece of the memory that has a classifier of its own.
type leaf struct {
	Leaf      int         `json:"leaf"`
	Size      int         `json:"size" doc:"Exemplars"`
	State     string      `json:"state" enum:"fitted,learning,unfitted" doc:"How far its classifier follows what it holds"`
	Retrained *time.Time  `json:"retrained_at,omitempty" doc:"When it last came to its optimum since the program began"`
	Labels    []labelRows `json:"labels" nullable:"false" doc:"The most frequent first"`
}

type labelRows struct {
	TaxonID int64  `json:"taxon_id"`
	Label   string `json:"label"`
	Count   int    `json:"count"`
}

type mapOutput struct {
	Body struct {
		Points    []mapPoint  `json:"points" nullable:"false"`
		Taxa      []labelRows `json:"taxa" nullable:"false" doc:"The most frequent first; points have their numbers here, from 0"`
		Exemplars int         `json:"exemplars" doc:"That the memory holds; more than points where these are a sample"`
		MemorySeq int64       `json:"memory_seq" doc:"The memory that is drawn"`
		Working   bool        `json:"working" doc:"A newer map is on its way"`
	}
}

type mapPoint struct {
	X             int   `json:"x"`
	Y             int   `json:"y" doc:"Downwards"`
	Taxon         int   `json:"taxon" doc:"Number in taxa"`
	ObservationID int64 `json:"observation_id"`
}

func (s *server) registerMemory(h huma.API) {
	op := func(id, path, summary string) huma.Operation {
		return huma.Operation{OperationID: id, Method: http.MethodGet, Path: "/api/v1/memory/" + path, Tags: []string{"memory"}, Summary: summary, Errors: []int{http.StatusUnauthorized}}
	}
	add(s, h, op("list-exemplars", "exemplars", "The lessons that stand"), s.exemplars)
	add(s, h, op("list-leaves", "leaves", "The leaves of the memory"), s.leaves)
	add(s, h, op("memory-map", "map", "The exemplars on a plane, near ones near each other"), s.memoryMap)
	s.registerDoubts(h)
}

func (s *server) exemplars(ctx context.Context, in *exemplarsInput) (*exemplarsOutput, error) {
	list, more, err := s.memory.Exemplars(ctx, identify.GalleryFilter{Taxon: identify.TaxonID(in.Taxon), Teacher: identify.UserID(in.Teacher), Photo: in.Photo,
		Before: identify.IdentificationID(in.Cursor), Limit: in.Limit})
	if err != nil {
		return nil, err
	}
	out := &exemplarsOutput{}
	out.Body.Exemplars = make([]exemplar, len(list))
	for i, x := range list {
		out.Body.Exemplars[i] = newExemplar(x)
		if more {
			out.Body.NextCursor = int64(x.Identification)
		}
	}
	return out, nil
}

func (s *server) leaves(ctx context.Context, _ *struct{}) (*leavesOutput, error) {
	list, err := s.memory.Leaves(ctx)
	if err != nil {
		return nil, err
	}
	out := &leavesOutput{}
	out.Body.Leaves = make([]leaf, len(list))
	for i, x := range list {
		out.Body.Leaves[i] = leaf{x.Leaf, x.Size, leafState(x.State), x.Retrained, make([]labelRows, len(x.Labels))}
		for j, l := range x.Labels {
			out.Body.Leaves[i].Labels[j] = labelRows{int64(l.Taxon), l.Label, l.Count}
		}
	}
	return out, nil
}

func leafState(x identify.LeafState) string {
	switch x {
	case identify.LeafFitted:
		return "fitted"
	case identify.LeafLearning:
		return "learning"
	}
	return "unfitted"
}

func (s *server) memoryMap(ctx context.Context, _ *struct{}) (*mapOutput, error) {
	m, err := s.memory.Map(ctx)
	if err != nil {
		return nil, err
	}
	out := &mapOutput{}
	b := &out.Body
	b.Exemplars, b.MemorySeq, b.Working = m.All, int64(m.Seq), m.Working
	b.Points, b.Taxa = make([]mapPoint, len(m.Points)), make([]labelRows, len(m.Taxa))
	for i, p := range m.Points {
		b.Points[i] = mapPoint{p.X, p.Y, p.Taxon, int64(p.Observation)}
	}
	for i, t := range m.Taxa {
		b.Taxa[i] = labelRows{int64(t.Taxon.ID), t.Taxon.Label(), t.Count}
	}
	return out, nil
}
