package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"fieldmark/internal/identify"
)

// Taxon is one named node of the tree of life.
type Taxon struct {
	ID             int64            `json:"id"`
	Label          string           `json:"label" doc:"English, else scientific: labels are the same whatever Accept-Language says"`
	ScientificName string           `json:"scientific_name,omitempty"`
	EnglishName    string           `json:"english_name,omitempty"`
	Synonyms       []string         `json:"synonyms,omitempty"`
	Vernacular     []vernacularName `json:"vernacular_names,omitempty" doc:"What it is called in languages other than English, by language; the first of each is the one that its readers are shown on the pages"`
	Rank           string           `json:"rank"`
	Group          string           `json:"group,omitempty"`
	ParentID       int64            `json:"parent_id,omitempty"`
	Local          bool             `json:"local" doc:"Added here by a correction"`
	AcceptedID     int64            `json:"accepted_taxon_id,omitempty" doc:"Of what it is a synonym"`
}

type vernacularName struct {
	Language string `json:"language" doc:"BCP 47 tag; und: nobody says which"`
	Name     string `json:"name"`
}

func newTaxon(t identify.Taxon) Taxon {
	var vernacular []vernacularName
	for _, v := range t.Vernacular {
		vernacular = append(vernacular, vernacularName(v))
	}
	return Taxon{Vernacular: vernacular, ID: int64(t.ID), Label: t.Label(), ScientificName: t.ScientificName, EnglishName: t.EnglishName,
		Synonyms: t.Synonyms, Rank: string(t.Rank), Group: t.Group, ParentID: int64(t.Parent), Local: t.Local, AcceptedID: int64(t.Accepted)}
}

type taxonMatch struct {
	Taxon
	MatchedName string `json:"matched_name" doc:"The name that was found"`
}

type searchInput struct {
	Query string `query:"q" doc:"Beginnings of words of a name: scientific, English, of another language or a synonym"`
	Limit int    `query:"limit" minimum:"1" maximum:"100" default:"10"`
}

type searchOutput struct {
	Body struct {
		Taxa []taxonMatch `json:"taxa" nullable:"false" doc:"Best first"`
	}
}

type taxonInput struct {
	ID int64 `path:"id" minimum:"1"`
}

type taxonOutput struct {
	Body struct {
		Taxon
		Ancestors []Taxon `json:"ancestors" nullable:"false" doc:"Nearest first"`
	}
}

func (s *server) registerTaxa(h huma.API) {
	add(s, h, huma.Operation{
		OperationID: "search-taxa", Method: http.MethodGet, Path: "/api/v1/taxa", Tags: []string{"taxa"},
		Summary: "Find taxa by what a name begins with", Errors: []int{http.StatusUnauthorized, http.StatusUnprocessableEntity},
	}, s.searchTaxa)
	add(s, h, huma.Operation{
		OperationID: "get-taxon", Method: http.MethodGet, Path: "/api/v1/taxa/{id}", Tags: []string{"taxa"},
		Summary: "One taxon with those above it", Errors: []int{http.StatusUnauthorized, http.StatusNotFound},
	}, s.taxon)
}

func (s *server) searchTaxa(ctx context.Context, in *searchInput) (*searchOutput, error) {
	found, err := s.service.SearchTaxa(ctx, in.Query, in.Limit)
	if err != nil {
		return nil, err
	}
	out := &searchOutput{}
	out.Body.Taxa = make([]taxonMatch, len(found))
	for i, m := range found {
		out.Body.Taxa[i] = taxonMatch{newTaxon(m.Taxon), m.MatchedName}
	}
	return out, nil
}

func (s *server) taxon(ctx context.Context, in *taxonInput) (*taxonOutput, error) {
	t, err := s.service.Taxon(ctx, identify.TaxonID(in.ID))
	if err != nil {
		return nil, err
	}
	above, err := s.service.Ancestors(ctx, t.ID)
	if err != nil {
		return nil, err
	}
	out := &taxonOutput{}
	out.Body.Taxon, out.Body.Ancestors = newTaxon(t), make([]Taxon, len(above))
	for i, a := range above {
		out.Body.Ancestors[i] = newTaxon(a)
	}
	return out, nil
}
