package api

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fieldmark/internal/exchange"
	"fieldmark/internal/identify"
	"fieldmark/web/auth"
)

// LabelSet is a named list of candidate labels.
type LabelSet struct {
	ID        int64     `json:"id"`
	Name      string    `json:"name"`
	Builtin   bool      `json:"builtin" doc:"Comes with the vocabulary; can be neither changed nor deleted"`
	Size      int       `json:"size" doc:"How many taxa it has"`
	Seen      *int      `json:"seen,omitempty" doc:"How many of them the encoder has learned to see; left out if it does not say"`
	CreatedAt time.Time `json:"created_at"`
}

// wholeLabelSet is a label set with its taxa.
type wholeLabelSet struct {
	LabelSet
	TaxonIDs []int64 `json:"taxon_ids" nullable:"false"`
}

func newLabelSet(set identify.LabelSet) LabelSet {
	out := LabelSet{ID: int64(set.ID), Name: set.Name, Builtin: set.Builtin, Size: len(set.Taxa), CreatedAt: set.CreatedAt}
	if set.Seen >= 0 {
		out.Seen = &set.Seen
	}
	return out
}

func newWholeLabelSet(set identify.LabelSet) wholeLabelSet {
	out := wholeLabelSet{LabelSet: newLabelSet(set), TaxonIDs: make([]int64, len(set.Taxa))}
	for i, id := range set.Taxa {
		out.TaxonIDs[i] = int64(id)
	}
	return out
}

// labelSetBody is what a label set is made of.
type labelSetBody struct {
	Name     string   `json:"name"`
	Labels   []string `json:"labels,omitempty" doc:"Names of taxa; each must be known"`
	TaxonIDs []int64  `json:"taxon_ids,omitempty"`
}

func (b labelSetBody) taxa() []identify.TaxonID {
	ids := make([]identify.TaxonID, len(b.TaxonIDs))
	for i, id := range b.TaxonIDs {
		ids[i] = identify.TaxonID(id)
	}
	return ids
}

type labelSetsOutput struct {
	Body struct {
		LabelSets []LabelSet `json:"label_sets" nullable:"false" doc:"Built-in ones first"`
	}
}

type labelSetInput struct {
	ID int64 `path:"id" minimum:"1"`
}

type labelSetOutput struct {
	Body wholeLabelSet
}

type addLabelSetInput struct {
	Body labelSetBody
}

type addLabelSetOutput struct {
	Location string `header:"Location"`
	Body     wholeLabelSet
}

// labelSetFileInput is a label set as a file.
type labelSetFileInput struct {
	Name    string `query:"name" required:"true" maxLength:"1000" doc:"What to call it"`
	RawBody []byte `contentType:"text/csv"`
}

type changeLabelSetInput struct {
	ID   int64 `path:"id" minimum:"1"`
	Body labelSetBody
}

func (s *server) registerLabelSets(h huma.API) {
	const path = "/api/v1/label-sets"
	// maxBody takes the most names that a label set may have.
	const maxBody = 4 << 20
	changes := []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusConflict}
	op := func(id, method, path, summary string, errors ...int) huma.Operation {
		return huma.Operation{OperationID: id, Method: method, Path: path, Summary: summary, Tags: []string{"label sets"},
			Errors: errors, MaxBodyBytes: maxBody, BodyReadTimeout: time.Minute}
	}
	add(s, h, op("list-label-sets", http.MethodGet, path, "List the label sets", http.StatusUnauthorized), s.labelSets)
	add(s, h, op("get-label-set", http.MethodGet, path+"/{id}", "One label set with its taxa", http.StatusUnauthorized, http.StatusNotFound), s.labelSet)
	create := op("add-label-set", http.MethodPost, path, "Make a label set", changes...)
	create.DefaultStatus, create.Description = http.StatusCreated, "Needs the role curator, as changing and deleting one do."
	add(s, h, create, s.addLabelSet)
	upload := op("add-label-set-of-file", http.MethodPost, path+"/file", "Make a label set of the names in a file", changes...)
	upload.DefaultStatus, upload.Description = http.StatusCreated, "A table with a column scientificName, or a list of names, one to a line, in UTF-8. Each must be known. Needs the role curator."
	add(s, h, upload, s.addLabelSetOfFile)
	add(s, h, op("change-label-set", http.MethodPut, path+"/{id}", "Replace a label set", changes...), s.changeLabelSet)
	add(s, h, op("delete-label-set", http.MethodDelete, path+"/{id}", "Delete a label set; what was taught stays", changes...), s.deleteLabelSet)
}

func (s *server) labelSets(ctx context.Context, _ *struct{}) (*labelSetsOutput, error) {
	sets, err := s.service.LabelSets(ctx)
	if err != nil {
		return nil, err
	}
	out := &labelSetsOutput{}
	out.Body.LabelSets = make([]LabelSet, len(sets))
	for i, set := range sets {
		out.Body.LabelSets[i] = newLabelSet(set)
	}
	return out, nil
}

func (s *server) labelSet(ctx context.Context, in *labelSetInput) (*labelSetOutput, error) {
	set, err := s.service.LabelSet(ctx, identify.LabelSetID(in.ID))
	if err != nil {
		return nil, err
	}
	return &labelSetOutput{newWholeLabelSet(set)}, nil
}

func (s *server) addLabelSet(ctx context.Context, in *addLabelSetInput) (*addLabelSetOutput, error) {
	set, err := s.service.AddLabelSet(ctx, auth.UserFrom(ctx), in.Body.Name, in.Body.Labels, in.Body.taxa())
	if err != nil {
		return nil, renamed(err, "taxa", "taxon_ids")
	}
	return &addLabelSetOutput{Location: fmt.Sprintf("/api/v1/label-sets/%d", set.ID), Body: newWholeLabelSet(set)}, nil
}

func (s *server) addLabelSetOfFile(ctx context.Context, in *labelSetFileInput) (*addLabelSetOutput, error) {
	names, err := exchange.ReadNames(in.RawBody)
	if err != nil {
		return nil, err
	}
	return s.addLabelSet(ctx, &addLabelSetInput{Body: labelSetBody{Name: in.Name, Labels: names}})
}

func (s *server) changeLabelSet(ctx context.Context, in *changeLabelSetInput) (*labelSetOutput, error) {
	set, err := s.service.ChangeLabelSet(ctx, auth.UserFrom(ctx), identify.LabelSetID(in.ID), in.Body.Name, in.Body.Labels, in.Body.taxa())
	if err != nil {
		return nil, renamed(err, "taxa", "taxon_ids")
	}
	return &labelSetOutput{newWholeLabelSet(set)}, nil
}

func (s *server) deleteLabelSet(ctx context.Context, in *labelSetInput) (*struct{}, error) {
	return nil, s.service.DeleteLabelSet(ctx, auth.UserFrom(ctx), identify.LabelSetID(in.ID))
}
