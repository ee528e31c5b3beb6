package web

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"fieldmark/internal/identify"
)

// fakeDetails changes the details of a fake's observations.
type fakeDetails struct {
	*fake
	edits   []identify.Edit
	license string
	known   identify.ObservationID
}

func (f *fakeDetails) EditDetails(_ context.Context, u identify.User, id identify.ObservationID, change func(identify.Details) (identify.Details, error)) (identify.Observation, error) {
	o, err := f.find(id)
	if err != nil {
		return identify.Observation{}, err
	}
	if !o.EditableBy(u) {
		return identify.Observation{}, identify.Errorf(identify.Forbidden, "", "Not yours.")
	}
	d, err := change(o.Details())
	if err != nil {
		return identify.Observation{}, err
	}
	o.ObservedAt, o.Latitude, o.Longitude = d.ObservedAt, d.Latitude, d.Longitude
	o.License, o.RightsHolder, o.Notes = d.License, d.RightsHolder, d.Notes
	return *o, nil
}

func (f *fakeDetails) Edits(context.Context, identify.User, identify.ObservationID) ([]identify.Edit, error) {
	return f.edits, nil
}

func (f *fakeDetails) LastRights(context.Context, identify.User) (license, holder string, err error) {
	return f.license, "Ana", nil
}

func (f *fakeDetails) Uploaded(ctx context.Context, u identify.User, hash identify.PhotoHash) (identify.Observation, error) {
	if f.known == 0 || hash != "abc" {
		return identify.Observation{}, identify.Errorf(identify.NotFound, "", "There is no such upload.")
	}
	return f.Observation(ctx, u, f.known)
}

func newDetailsBench(t *testing.T, u identify.User) (*bench, *fakeDetails) {
	f := &fakeDetails{}
	b := newBench(t, u, func(c *Config) {
		f.fake = c.Service.(*fake)
		c.Details = f
	})
	return b, f
}

const details = "/observations/1/details"

func TestEditDetails(t *testing.T) {
	b, f := newDetailsBench(t, owner)
	b.observe(picture(red))
	p := b.get("/observations/1", 200)
	if got := attr(p.find("#d-observed_at")[0], "value"); got != "2026-05-03T12:00:00" {
		t.Errorf("the form shows %q", got)
	}
	b.do(form(details, "observed_at", "2026-05-03T14:30", "zone", "+02:00", "latitude", "48° 8' 13.2\" N, 11° 30' W", "longitude", "",
		"license", "CC-BY-4.0", "rights_holder", "Bo", "notes", "wet\r\nand cold"), http.StatusSeeOther)
	o := f.list[0]
	if o.ObservedAt.Format(time.RFC3339) != "2026-05-03T14:30:00+02:00" || *o.Latitude != 48+8.0/60+13.2/3600 || *o.Longitude != -11.5 ||
		o.License != "CC-BY-4.0" || o.RightsHolder != "Bo" || o.Notes != "wet\nand cold" {
		t.Errorf("%+v", o)
	}
	b.want(b.get("/observations/1", 200), "3 May 2026, 14:30 (UTC+02:00)", "48.1370° N, 11.5000° W", "CC BY 4.0", "Bo")
}

// A form that is sent back as it came changes nothing: not the digits and the
// fractions of a second that it does not show.
func TestEditDetailsKeepsWhatIsNotShown(t *testing.T) {
	b, f := newDetailsBench(t, owner)
	b.observe(picture(red))
	at, lat, lon := time.Date(2026, 5, 3, 7, 30, 1, 5e8, time.FixedZone("", 20700)), 48.13712345678, -0.000001
	o := &f.list[0]
	o.ObservedAt, o.Latitude, o.Longitude, o.License = &at, &lat, &lon, "ODbL-1.0"
	p := b.get("/observations/1", 200)
	pairs := []string{"notes", "", "rights_holder", ""}
	for _, name := range []string{"observed_at", "latitude", "longitude"} {
		pairs = append(pairs, name, attr(p.find("#d-" + name)[0], "value"))
	}
	for _, name := range []string{"zone", "license"} {
		for option := range p.find("#d-" + name)[0].Descendants() {
			if has(option, "selected") {
				pairs = append(pairs, name, attr(option, "value"))
			}
		}
	}
	if !strings.Contains(strings.Join(pairs, " "), "+05:45") {
		t.Fatalf("the form has %q", pairs)
	}
	b.do(form(details, pairs...), http.StatusSeeOther)
	if o.ObservedAt != &at || o.Latitude != &lat || o.Longitude != &lon || o.License != "ODbL-1.0" {
		t.Errorf("%v %v %v %q", o.ObservedAt, *o.Latitude, *o.Longitude, o.License)
	}
}

func TestEditDetailsRefusals(t *testing.T) {
	b, f := newDetailsBench(t, owner)
	b.observe(picture(red))
	for field, c := range map[string][2]string{
		"latitude":    {"north", "in degrees"},
		"longitude":   {"11 S", "in degrees"},
		"observed_at": {"last May", "Write day and time"},
		"zone":        {"CET", "Choose the time zone"},
	} {
		pairs := map[string]string{"observed_at": "2026-05-03 14:30", "notes": "kept"}
		pairs[field] = c[0]
		var list []string
		for k, v := range pairs {
			list = append(list, k, v)
		}
		p := b.do(form(details, list...), http.StatusUnprocessableEntity)
		b.want(p, c[1], "kept")
		if attr(p.find("#d-" + field)[0], "aria-invalid") != "true" || !has(p.find("#details")[0], "open") {
			t.Errorf("%s: the field is not marked, or the form is closed", field)
		}
	}
	if f.list[0].Notes != "" {
		t.Error("a refused form changed something")
	}
	b.do(form("/observations/9/details", "notes", "x"), http.StatusNotFound)
	v, _ := newDetailsBench(t, viewer)
	v.fake.list = append(v.fake.list, f.list[0])
	v.fake.photos[1] = picture(red)
	v.do(form(details, "notes", "x"), http.StatusForbidden)
	if len(v.get("/observations/1", 200).find(".details-form")) != 0 {
		t.Error("a viewer is offered the form")
	}
}

func TestEditsAreShown(t *testing.T) {
	b, f := newDetailsBench(t, owner)
	b.observe(picture(red))
	f.edits = []identify.Edit{{User: 3, UserName: "Bo", At: noon, Field: "notes", Before: "", After: "on the wall"}}
	b.want(b.get("/observations/1", 200), "What was changed", "Notes : nothing → on the wall Bo , 3 May 2026")
}

func TestLastRightsAreOffered(t *testing.T) {
	b, f := newDetailsBench(t, owner)
	f.license = "CC0-1.0"
	p := b.get("/", 200)
	b.want(p, "Licence and rights: CC0")
	if got := attr(p.find("#rights-holder")[0], "value"); got != "Ana" {
		t.Errorf("the rights holder is %q", got)
	}
}

func TestUploaded(t *testing.T) {
	b, f := newDetailsBench(t, owner)
	b.observe(picture(red))
	b.get("/observations/uploaded/abc", http.StatusNoContent)
	f.known = 1
	if p := b.get("/observations/uploaded/abc?row=1", 200); len(p.find(".row-answer")) != 1 || p.Header.Get("Location") != "/observations/1" {
		t.Errorf("%s", p.body)
	}
	if p := b.get("/observations/uploaded/abc?label_set=2", 200); len(p.find(".card")) != 1 {
		t.Errorf("%s", p.body)
	}
}

// has reports whether an element has an attribute, which may be empty.
func has(n *html.Node, key string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key })
}
