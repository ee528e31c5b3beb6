package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fieldmark/internal/identify"
	"fieldmark/web/auth"
)

// sensitiveTaxon is a taxon whose places are exported generalised.
type sensitiveTaxon struct {
	TaxonID        int64     `json:"taxon_id"`
	Label          string    `json:"label"`
	ScientificName string    `json:"scientific_name"`
	AddedBy        string    `json:"added_by"`
	AddedAt        time.Time `json:"added_at"`
}

type sensitiveTaxaOutput struct {
	Body struct {
		Taxa []sensitiveTaxon `json:"taxa" nullable:"false"`
	}
}

type sensitiveTaxonInput struct {
	ID int64 `path:"id" minimum:"1"`
}

func (s *server) registerSensitive(h huma.API) {
	const path = "/api/v1/sensitive-taxa"
	tags := []string{"export"}
	errs := []int{http.StatusUnauthorized, http.StatusForbidden}
	add(s, h, huma.Operation{
		OperationID: "list-sensitive-taxa", Method: http.MethodGet, Path: path, Tags: tags, Errors: errs,
		Summary: "The taxa whose places are exported generalised, with all below them", Description: "Needs the role curator.",
	}, s.sensitiveTaxa)
	add(s, h, huma.Operation{
		OperationID: "add-sensitive-taxon", Method: http.MethodPut, Path: path + "/{id}", Tags: tags, DefaultStatus: http.StatusNoContent,
		Summary: "Generalise the places of a taxon and all below it", Description: "Needs the role curator.", Errors: append(errs, http.StatusNotFound),
	}, func(ctx context.Context, in *sensitiveTaxonInput) (*struct{}, error) {
		return nil, s.service.AddSensitiveTaxon(ctx, auth.UserFrom(ctx), identify.TaxonID(in.ID))
	})
	add(s, h, huma.Operation{
		OperationID: "remove-sensitive-taxon", Method: http.MethodDelete, Path: path + "/{id}", Tags: tags, DefaultStatus: http.StatusNoContent,
		Summary: "No longer generalise them", Description: "Needs the role curator.", Errors: append(errs, http.StatusNotFound),
	}, func(ctx context.Context, in *sensitiveTaxonInput) (*struct{}, error) {
		return nil, s.service.RemoveSensitiveTaxon(ctx, auth.UserFrom(ctx), identify.TaxonID(in.ID))
	})
}

func (s *server) sensitiveTaxa(ctx context.Context, _ *struct{}) (*sensitiveTaxaOutput, error) {
	list, err := s.service.SensitiveTaxa(ctx, auth.UserFrom(ctx))
	if err != nil {
		return nil, err
	}
	out := &sensitiveTaxaOutput{}
	out.Body.Taxa = []sensitiveTaxon{}
	for _, t := range list {
		out.Body.Taxa = append(out.Body.Taxa, sensitiveTaxon{int64(t.Taxon), t.Label, t.Name, t.AddedBy, t.AddedAt})
	}
	return out, nil
}
