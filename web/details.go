package web

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// DetailsService changes what is said of observations besides their names;
// *identify.Service does.
type DetailsService interface {
	EditDetails(ctx context.Context, u identify.User, id identify.ObservationID, change func(identify.Details) (identify.Details, error)) (identify.Observation, error)
	Edits(ctx context.Context, u identify.User, id identify.ObservationID) ([]identify.Edit, error)
	LastRights(ctx context.Context, u identify.User) (license, holder string, err error)
	Uploaded(ctx context.Context, u identify.User, photo identify.PhotoHash) (identify.Observation, error)
}

func (s *site) detailsRoutes(r chi.Router) {
	r.Get("/observations/uploaded/{hash}", s.handle(s.uploaded))
	r.With(limitBody(formLimit)).Post("/observations/{id}/details", s.handle(s.editDetails))
}

// uploaded tells a queue, before it sends a photo, whether the same bytes came from
// the same person already: 200 with what an upload would be answered with, or 204.
func (s *site) uploaded(w http.ResponseWriter, r *http.Request) error {
	o, err := s.Details.Uploaded(r.Context(), s.User(r), identify.PhotoHash(chi.URLParam(r, "hash")))
	if identify.KindOf(err) == identify.NotFound {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	if err != nil {
		return err
	}
	query := r.URL.Query()
	in := intake{row: query.Get("row") == "1", question: question{labels: labelsParam(query["label"])}}
	if in.question.set, err = labelSetParam(query.Get("label_set")); err != nil {
		return err
	}
	if in.last, err = s.look(r.Context(), s.User(r), o.ID, in.question); err != nil {
		return err
	}
	in.last.observation.Repeat = true
	return s.observedOne(w, r, in)
}

// editDetails takes the form of an observation's page.
func (s *site) editDetails(w http.ResponseWriter, r *http.Request) error {
	id, err := idParam(r, "id")
	if err != nil {
		return err
	}
	if err := parseForm(r); err != nil {
		return err
	}
	typed := typedDetails(r)
	_, err = s.Details.EditDetails(r.Context(), s.User(r), identify.ObservationID(id), typed.over)
	if identify.KindOf(err) != identify.Invalid {
		if err != nil {
			return err
		}
		return seeOther(w, r, observationPath(identify.ObservationID(id))+"#record")
	}
	x, lookErr := s.look(r.Context(), s.User(r), identify.ObservationID(id), question{})
	if lookErr != nil {
		return lookErr
	}
	page, pageErr := s.observationPage(r.Context(), x)
	if pageErr != nil {
		return pageErr
	}
	typed.Field, typed.Problem = fieldOf(err), problem(r.Context(), err).Message
	typed.Open, typed.URL = true, page.Details.URL
	typed.Zones, typed.Licenses = zoneOptions(r.Context(), typed.zone), licenseOptions(r.Context(), typed.license)
	page.Details = &typed.DetailsForm
	return s.render(w, r, http.StatusUnprocessableEntity, templates.Observation(s.observationFrame(r, x), page))
}

// detailsForm is what was typed into the form, with the choices of its selects.
type detailsForm struct {
	templates.DetailsForm
	zone, license string
}

func typedDetails(r *http.Request) detailsForm {
	get := func(name string) string { return strings.TrimSpace(r.PostForm.Get(name)) }
	lat, lon := splitPlace(get("latitude"), get("longitude"))
	return detailsForm{zone: get("zone"), license: get("license"), DetailsForm: templates.DetailsForm{
		Clock: get("observed_at"), Latitude: lat, Longitude: lon,
		RightsHolder: get("rights_holder"), Notes: strings.ReplaceAll(r.PostForm.Get("notes"), "\r\n", "\n"),
	}}
}

// over puts what was typed over the details as they are. A field that was sent back
// as it was shown leaves its value alone, down to what is not shown of it.
func (f detailsForm) over(d identify.Details) (identify.Details, error) {
	shown := newDetailsForm(d)
	if f.Clock != shown.Clock || f.zone != shown.zone {
		at, err := parseClock(f.Clock, f.zone)
		if err != nil {
			return d, err
		}
		d.ObservedAt = at
	}
	if f.Latitude != shown.Latitude {
		x, ok := coordinate(f.Latitude, "N", "S")
		if !ok {
			return d, identify.Errorf(identify.Invalid, "latitude", "Write the latitude in degrees: 48.137 or 48° 8′ 13″ N.")
		}
		d.Latitude = x
	}
	if f.Longitude != shown.Longitude {
		x, ok := coordinate(f.Longitude, "EO", "W")
		if !ok {
			return d, identify.Errorf(identify.Invalid, "longitude", "Write the longitude in degrees: 11.575 or 11° 34′ 30″ E.")
		}
		d.Longitude = x
	}
	d.License, d.RightsHolder, d.Notes = f.license, f.RightsHolder, f.Notes
	return d, nil
}

// coordinate is one coordinate as it was typed, nil for none: see parseDegrees.
func coordinate(text, positive, negative string) (degrees *float64, ok bool) {
	if text == "" {
		return nil, true
	}
	x, ok := parseDegrees(text, positive, negative)
	return &x, ok
}

// clockLayouts are what browsers send of a datetime-local field, and what people
// type where it is a plain text field.
var clockLayouts = [...]string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly}

// parseClock reads the clock on the wall and its offset from UTC, "+02:00", "" if
// that is not known; nil for no time.
func parseClock(clock, zone string) (*time.Time, error) {
	if clock == "" {
		return nil, nil
	}
	at := time.UTC
	if zone != "" {
		t, err := time.Parse("-07:00", zone)
		if err != nil {
			return nil, identify.Errorf(identify.Invalid, "zone", "Choose the time zone from the list.")
		}
		_, offset := t.Zone()
		at = time.FixedZone("", offset)
	}
	for _, layout := range clockLayouts {
		if t, err := time.ParseInLocation(layout, clock, at); err == nil && t.Year() >= 1000 {
			return &t, nil
		}
	}
	return nil, identify.Errorf(identify.Invalid, "observed_at", "Write day and time as 2026-05-03 14:30, or the day alone.")
}

// newDetailsForm shows details as they are.
func newDetailsForm(d identify.Details) detailsForm {
	f := detailsForm{license: d.License, DetailsForm: templates.DetailsForm{RightsHolder: d.RightsHolder, Notes: d.Notes}}
	if d.ObservedAt != nil {
		f.Clock = d.ObservedAt.Format("2006-01-02T15:04:05")
		if _, offset := d.ObservedAt.Zone(); offset != 0 {
			f.zone = d.ObservedAt.Format("-07:00")
		}
	}
	if d.Latitude != nil {
		f.Latitude = strconv.FormatFloat(*d.Latitude, 'f', 5, 64)
	}
	if d.Longitude != nil {
		f.Longitude = strconv.FormatFloat(*d.Longitude, 'f', 5, 64)
	}
	return f
}

// zoneOptions are the offsets from UTC that are in use, and whatever else is chosen.
func zoneOptions(ctx context.Context, chosen string) []templates.Option {
	list := []templates.Option{{Value: "", Label: words.T(ctx, "Not known"), Selected: chosen == ""}}
	found := chosen == ""
	for minutes := -12 * 60; minutes <= 14*60; minutes += 30 {
		if minutes%60 != 0 && !halfHours[minutes] {
			continue
		}
		value := offsetText(minutes)
		found = found || value == chosen
		list = append(list, templates.Option{Value: value, Label: "UTC" + value, Selected: value == chosen})
	}
	if !found {
		list = append(list, templates.Option{Value: chosen, Label: "UTC" + chosen, Selected: true})
	}
	return list
}

// halfHours are the offsets in minutes that are no whole hours and in use.
var halfHours = map[int]bool{-570: true, -210: true, -150: true, 210: true, 270: true, 330: true, 390: true, 570: true, 630: true}

func offsetText(minutes int) string {
	sign := "+"
	if minutes < 0 {
		sign, minutes = "-", -minutes
	}
	return fmt.Sprintf("%s%02d:%02d", sign, minutes/60, minutes%60)
}

// editName is what people call a field that was changed.
func editName(field string) words.Key {
	switch field {
	case "observed_at":
		return words.Key("Seen")
	case "latitude":
		return words.Key("Latitude")
	case "longitude":
		return words.Key("Longitude")
	case "license":
		return words.Key("Licence")
	case "rights_holder":
		return words.Key("Rights holder")
	case "notes":
		return words.Key("Notes")
	}
	return ""
}

// details adds to an observation's page what can be changed and what was.
func (s *site) details(ctx context.Context, x sighting, page *templates.ObservationPage) error {
	if s.Details == nil {
		return nil
	}
	if x.observation.EditableBy(x.user) {
		f := newDetailsForm(x.observation.Details())
		f.Zones, f.Licenses = zoneOptions(ctx, f.zone), licenseOptions(ctx, f.license)
		f.URL = observationPath(x.observation.ID) + "/details"
		page.Details = &f.DetailsForm
	}
	edits, err := s.Details.Edits(ctx, x.user, x.observation.ID)
	if err != nil {
		return err
	}
	for _, e := range edits {
		by := who(ctx, e.UserName)
		if e.User == x.user.ID {
			by = words.T(ctx, "you")
		}
		page.Edits = append(page.Edits, templates.Edit{Field: words.T(ctx, editName(e.Field)), By: by, When: moment(ctx, e.At),
			Before: cmp.Or(e.Before, words.T(ctx, "nothing")), After: cmp.Or(e.After, words.T(ctx, "nothing"))})
	}
	return nil
}
