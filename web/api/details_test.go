package api

import (
	"context"
	"net/http"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

// fakeDetails keeps the details of one observation.
type fakeDetails struct {
	details identify.Details
	edits   []identify.Edit
}

func (f *fakeDetails) EditDetails(_ context.Context, _ identify.User, id identify.ObservationID, change func(identify.Details) (identify.Details, error)) (identify.Observation, error) {
	after, err := change(f.details)
	if err != nil {
		return identify.Observation{}, err
	}
	f.details = after
	return identify.Observation{ID: id, ObservedAt: after.ObservedAt, Latitude: after.Latitude, Longitude: after.Longitude, License: after.License, Notes: after.Notes}, nil
}

func (f *fakeDetails) Edits(context.Context, identify.User, identify.ObservationID) ([]identify.Edit, error) {
	return f.edits, nil
}

// A member that is left out stays, null removes, a value replaces.
func TestEditIsAMergePatch(t *testing.T) {
	lat, lon, at := 48.1, 11.5, time.Date(2026, 5, 3, 7, 0, 0, 0, time.UTC)
	f := &fake{fakeDetails: fakeDetails{details: identify.Details{ObservedAt: &at, Latitude: &lat, Longitude: &lon, License: "CC0-1.0", Notes: "old"}}}
	w := ask(handler(t, f), curator, http.MethodPatch, "/api/v1/observations/7", "application/json",
		`{"observed_at":"2026-05-04T21:00:00+02:00","latitude":null,"longitude":null,"notes":"new"}`)
	got := decode[observation](t, w, 200)
	if got.ID != 7 || got.Latitude != nil || got.Longitude != nil || got.Notes != "new" || got.License != "CC0-1.0" ||
		got.ObservedAt.Format(time.RFC3339) != "2026-05-04T21:00:00+02:00" {
		t.Errorf("%+v", got)
	}
	w = ask(handler(t, f), curator, http.MethodPatch, "/api/v1/observations/7", "application/json", `{"observed_at":"yesterday"}`)
	wantProblem(t, "a time", w, 422, "observed_at")
	for field, body := range map[string]string{"latitude": `{"latitude":"north"}`, "colour": `{"colour":"red"}`} {
		if w := ask(handler(t, f), curator, http.MethodPatch, "/api/v1/observations/7", "application/json", body); w.Code != 422 {
			t.Errorf("%s: status %d: %s", field, w.Code, w.Body)
		}
	}
	if f.details.Notes != "new" {
		t.Errorf("a refused patch left %+v", f.details)
	}
}

func TestEditsAreListed(t *testing.T) {
	f := &fake{fakeDetails: fakeDetails{edits: []identify.Edit{{User: 2, UserName: "Ann", Field: "notes", Before: "a", After: "b"}}}}
	got := decode[struct{ Edits []edit }](t, ask(handler(t, f), curator, http.MethodGet, "/api/v1/observations/7/edits", "", ""), 200)
	if len(got.Edits) != 1 || got.Edits[0].By.Name != "Ann" || got.Edits[0].Field != "notes" || got.Edits[0].After != "b" {
		t.Errorf("%+v", got)
	}
}
