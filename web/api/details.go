package api

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fieldmark/internal/identify"
	"fieldmark/web/auth"
)

// DetailsService changes what is said of observations; *identify.Service does.
type DetailsService interface {
	EditDetails(ctx context.Context, u identify.User, id identify.ObservationID, change func(identify.Details) (identify.Details, error)) (identify.Observation, error)
	Edits(ctx context.Context, u identify.User, id identify.ObservationID) ([]identify.Edit, error)
}

// detailsBody is a JSON merge patch (RFC 7396): what is left out stays, null
// removes.
type detailsBody struct {
	ObservedAt   field[string]  `json:"observed_at,omitempty" doc:"RFC 3339 time or a day; null: not known"`
	Latitude     field[float64] `json:"latitude,omitempty" doc:"Degrees; latitude and longitude come together. null: not known"`
	Longitude    field[float64] `json:"longitude,omitempty" doc:"Degrees"`
	License      field[string]  `json:"license,omitempty" doc:"SPDX or Creative Commons short name, such as CC-BY-4.0"`
	RightsHolder field[string]  `json:"rights_holder,omitempty"`
	Notes        field[string]  `json:"notes,omitempty"`
}

// field is a member of a merge patch: given or not, and null or a value.
type field[T string | float64] struct {
	given bool
	value *T // nil for null
}

// UnmarshalJSON is called only where the member is there.
func (f *field[T]) UnmarshalJSON(data []byte) error {
	f.given = true
	return json.Unmarshal(data, &f.value)
}

// Schema is that of T, or null.
func (f field[T]) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString, Nullable: true}
	if _, number := any(*new(T)).(float64); number {
		s.Type = huma.TypeNumber
	}
	return s
}

// orEmpty is the value of a text, "" for null.
func orEmpty(f field[string]) string {
	if f.value == nil {
		return ""
	}
	return *f.value
}

// over returns details with the members that were given put in their places.
func (b detailsBody) over(d identify.Details) (identify.Details, error) {
	var err error
	if b.ObservedAt.given {
		if d.ObservedAt, err = when("observed_at", orEmpty(b.ObservedAt)); err != nil {
			return d, err
		}
	}
	if b.Latitude.given {
		d.Latitude = b.Latitude.value
	}
	if b.Longitude.given {
		d.Longitude = b.Longitude.value
	}
	for _, x := range []struct {
		from field[string]
		to   *string
	}{{b.License, &d.License}, {b.RightsHolder, &d.RightsHolder}, {b.Notes, &d.Notes}} {
		if x.from.given {
			*x.to = orEmpty(x.from)
		}
	}
	return d, nil
}

type editInput struct {
	ID   int64 `path:"id" minimum:"1"`
	Body detailsBody
}

// edit is one field that somebody changed.
type edit struct {
	By     person    `json:"edited_by"`
	At     time.Time `json:"edited_at"`
	Field  string    `json:"field"`
	Before string    `json:"before" doc:"As text; empty: there was none"`
	After  string    `json:"after"`
}

type editsOutput struct {
	Body struct {
		Edits []edit `json:"edits" nullable:"false" doc:"Newest first"`
	}
}

func (s *server) registerDetails(h huma.API) {
	const path = "/api/v1/observations/{id}"
	tags := []string{"observations"}
	add(s, h, huma.Operation{
		OperationID: "edit-observation", Method: http.MethodPatch, Path: path, Tags: tags,
		Summary:     "Change date, place, rights or notes of an observation",
		Description: "A JSON merge patch: what is left out stays, null removes. Its observer and curators may do it; every change is noted.",
		Errors:      []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusUnprocessableEntity},
	}, s.edit)
	add(s, h, huma.Operation{
		OperationID: "list-edits", Method: http.MethodGet, Path: path + "/edits", Tags: tags,
		Summary: "What was changed of an observation's date, place, rights and notes, and by whom",
		Errors:  []int{http.StatusUnauthorized, http.StatusNotFound},
	}, s.edits)
}

func (s *server) edit(ctx context.Context, in *editInput) (*observationOutput, error) {
	o, err := s.service.EditDetails(ctx, auth.UserFrom(ctx), identify.ObservationID(in.ID), in.Body.over)
	if err != nil {
		return nil, err
	}
	return &observationOutput{newObservation(o)}, nil
}

func (s *server) edits(ctx context.Context, in *observationInput) (*editsOutput, error) {
	list, err := s.service.Edits(ctx, auth.UserFrom(ctx), identify.ObservationID(in.ID))
	if err != nil {
		return nil, err
	}
	out := &editsOutput{}
	out.Body.Edits = make([]edit, len(list))
	for i, e := range list {
		out.Body.Edits[i] = edit{By: person{int64(e.User), e.UserName}, At: e.At, Field: e.Field, Before: e.Before, After: e.After}
	}
	return out, nil
}
