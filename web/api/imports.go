package api

import (
	"context"
	"net/http"
	"path"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"fieldmark/internal/exchange"
	"fieldmark/internal/identify"
	"fieldmark/web/auth"
)

type importInput struct {
	Name    string `query:"name" maxLength:"200" doc:"Of the file, for the list of imports"`
	SkipBad bool   `query:"skip_bad" doc:"Take the rows that are good, and leave the bad ones out"`
	Encoder string `query:"encoder" enum:"current" doc:"current: the file's embeddings are those of the encoder that serves, though it does not say so"`
	Yes     bool   `query:"yes" doc:"Take the decisions that are proposed, and import; without it nothing is"`
}

type importsOutput struct {
	Body struct {
		Imports []imported `json:"imports" nullable:"false" doc:"Newest first"`
	}
}

type withdrawImportInput struct {
	ID int64 `path:"id" minimum:"1"`
}

func (s *server) registerImports(h huma.API) {
	lines := map[string]*huma.Response{"200": {Description: "Lines of JSON, each as soon as it is so", Content: map[string]*huma.MediaType{
		"application/x-ndjson": {Schema: h.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[importLine](), true, "")}}}}
	add(s, h, huma.Operation{
		OperationID: "import", Method: http.MethodPost, Path: "/api/v1/import", Tags: []string{"import"},
		Summary: "Teach what a file holds",
		Description: "The body is the file, whose kind is told by what is in it. " +
			"A zip of photos: each in a folder named after what it shows, or named by the one CSV among them, whose first line names the columns " +
			"(file or path; label, species, scientific_name or taxon_id; if there are any observed_at, latitude, longitude, license, rights_holder, notes). " +
			"An npz of embeddings: embeddings (floating point [N, D], raw), labels (text [N]), and if there are any taxon_ids, observation_ids [N] " +
			"and encoder (its digest). Every row is checked before one is taken. A file with bad rows is refused with each of them among the errors: " +
			"\"row 17\" of an array, counted from 0, \"line 17\" of a table, or the photo's name. " +
			"What an interrupted request has taken stays, and the same file goes on from there. Needs the role curator.",
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			"application/octet-stream": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}}},
		Responses: lines, Errors: []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity},
	}, s.importFile)
	add(s, h, huma.Operation{
		OperationID: "list-imports", Method: http.MethodGet, Path: "/api/v1/imports", Tags: []string{"import"},
		Summary: "What was imported", Description: "Needs the role curator.", Errors: []int{http.StatusUnauthorized, http.StatusForbidden},
	}, s.imports)
	add(s, h, huma.Operation{
		OperationID: "withdraw-import", Method: http.MethodDelete, Path: "/api/v1/imports/{id}", Tags: []string{"import"},
		Summary:     "Withdraw an import as a whole",
		Description: "What people taught since then about its observations stays. Needs the role curator.",
		Responses:   lines, Errors: []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusConflict},
	}, s.withdrawImport)
}

func (s *server) imports(ctx context.Context, _ *struct{}) (*importsOutput, error) {
	list, err := s.service.Imports(ctx, auth.UserFrom(ctx))
	if err != nil {
		return nil, err
	}
	out := &importsOutput{}
	out.Body.Imports = make([]imported, len(list))
	for i, m := range list {
		out.Body.Imports[i] = newImported(m)
	}
	return out, nil
}

func (s *server) importFile(_ context.Context, in *importInput) (*huma.StreamResponse, error) {
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		r, w := humachi.Unwrap(hc)
		out := newLines(s, w, r)
		m, err := s.takeIn(r, in, out)
		out.end(m, err)
	}}, nil
}

// takeIn keeps the body, says what is planned and does it, if that was asked
// for; the Import is nil if it was not.
func (s *server) takeIn(r *http.Request, in *importInput, out *lines) (*identify.Import, error) {
	u := auth.UserFrom(r.Context())
	if _, err := s.service.Imports(r.Context(), u); err != nil {
		return nil, err // who may not import need not upload a file first
	}
	file, err := out.body()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	opened, source, err := exchange.OpenImport(file)
	if err != nil {
		return nil, err
	}
	source.Name = path.Base("/" + in.Name)
	plan, err := s.service.PlanImport(r.Context(), u, source, opened, identify.ImportOptions{Current: in.Encoder == "current", SkipBad: in.SkipBad})
	if err != nil {
		return nil, err
	}
	out.write(importLine{Plan: newImportPlan(plan)})
	if !in.Yes {
		return nil, nil
	}
	m, err := s.service.RunImport(r.Context(), u, plan, opened, out.progress)
	return &m, err
}

func (s *server) withdrawImport(_ context.Context, in *withdrawImportInput) (*huma.StreamResponse, error) {
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		r, w := humachi.Unwrap(hc)
		out := newLines(s, w, r)
		m, err := s.service.WithdrawImport(r.Context(), auth.UserFrom(r.Context()), identify.ImportID(in.ID), out.progress)
		out.end(&m, err)
	}}, nil
}
