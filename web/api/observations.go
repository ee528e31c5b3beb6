package api

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"fieldmark/internal/identify"
	"fieldmark/web/auth"
)

// observeForm documents the form of a new observation: that of a question about
// a photo, and what its observer knows of it.
type observeForm struct {
	Photo        huma.FormFile `form:"photo" required:"false" doc:"JPEG, PNG, GIF or WebP"`
	Label        []string      `form:"label" required:"false" nullable:"false" doc:"Candidate label, any text; repeat the field for several. They go before label_set"`
	LabelSet     string        `form:"label_set" required:"false" doc:"Candidate labels by the id of a label set; what the encoder has learned to see, and all that was taught, if left out"`
	Fusion       ruleName      `form:"fusion" required:"false"`
	System       systemName    `form:"system" required:"false"`
	LongTail     string        `form:"long_tail" required:"false" doc:"true for the long-tail variant of AIM"`
	Top          string        `form:"top" required:"false" doc:"How many predictions to return: 1 to 1000, 5 if left out"`
	ObservedAt   string        `form:"observed_at" required:"false" doc:"RFC 3339 time or a day; from the photo's EXIF if left out"`
	Latitude     string        `form:"latitude" required:"false" doc:"Degrees; latitude and longitude come together, from EXIF if left out"`
	Longitude    string        `form:"longitude" required:"false" doc:"Degrees"`
	License      string        `form:"license" required:"false" doc:"SPDX or Creative Commons short name, such as CC-BY-4.0"`
	RightsHolder string        `form:"rights_holder" required:"false"`
	Notes        string        `form:"notes" required:"false"`
	Again        string        `form:"again" required:"false" doc:"Any word, such as a UUID: the same bytes become another observation, one for each such word. Without it the same bytes from the same person are the observation that they made before, which is answered with 200"`
}

type observeInput struct {
	RawBody huma.MultipartFormFiles[observeForm]
}

type observeOutput struct {
	Status   int
	Location string `header:"Location"`
	Body     observed
}

// observed is a prediction with the id of what it is about.
type observed struct {
	ID     int64 `json:"id" doc:"Of the observation"`
	Repeat bool  `json:"repeat,omitempty" doc:"An earlier upload of these bytes made it: nothing was stored"`
	Prediction
}

// FilterQuery narrows a list of observations. It is exported for huma, which
// fills in what it can see.
type FilterQuery struct {
	TaxonID      int64  `query:"taxon_id" minimum:"1" doc:"This taxon or any below it, by the identification that stands; with state=withdrawn, by the withdrawn one"`
	LabelSet     int64  `query:"label_set" minimum:"1" doc:"A taxon of this label set, in the same way"`
	Status       string `query:"status" enum:"identified,unidentified"`
	State        string `query:"state" enum:"standing,withdrawn" doc:"Has an identification that stands, or one that was withdrawn; exports have only those"`
	IdentifiedBy int64  `query:"identified_by" minimum:"1" doc:"Has an identification by this person; exports have only those"`
	Observer     int64  `query:"observer_id" minimum:"1"`
	Import       int64  `query:"import_id" minimum:"1" doc:"Came with this import"`
	From         string `query:"from" doc:"Observed at this time or later: RFC 3339 or a day"`
	To           string `query:"to" doc:"Observed before this time, RFC 3339, or on this day at the latest"`
	TaughtFrom   string `query:"taught_from" doc:"Has an identification made at this time or later; exports have only those"`
	TaughtTo     string `query:"taught_to" doc:"Has an identification made before this time, or on this day at the latest; exports have only those"`
	Box          string `query:"bbox" doc:"West,south,east,north in degrees; a west greater than the east reaches over the antimeridian"`
	Near         string `query:"near" doc:"Latitude,longitude in degrees: within within_km of there"`
	Within       string `query:"within_km" doc:"Kilometres, 10 if left out"`
	License      string `query:"license" maxLength:"100" doc:"As it is written, such as CC-BY-4.0; none for what has none"`
	Query        string `query:"q" maxLength:"1000" doc:"Part of a name, or of the notes"`
}

func (f FilterQuery) filter() (identify.ObservationFilter, error) {
	id := func(n int64) string {
		if n == 0 {
			return ""
		}
		return strconv.FormatInt(n, 10)
	}
	texts := map[string]string{"taxon_id": id(f.TaxonID), "label_set": id(f.LabelSet), "status": f.Status, "state": f.State,
		"identified_by": id(f.IdentifiedBy), "observer_id": id(f.Observer), "import_id": id(f.Import),
		"from": f.From, "to": f.To, "taught_from": f.TaughtFrom, "taught_to": f.TaughtTo,
		"bbox": f.Box, "near": f.Near, "within_km": f.Within, "license": f.License, "q": f.Query}
	return identify.ReadFilter(func(name string) string { return texts[name] })
}

type listInput struct {
	FilterQuery
	Cursor string `query:"cursor" doc:"next_cursor of the page before"`
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
}

type listOutput struct {
	Body struct {
		Observations []observation `json:"observations" nullable:"false" doc:"Newest first"`
		NextCursor   string        `json:"next_cursor,omitempty" doc:"Left out on the last page"`
	}
}

type observationInput struct {
	ID int64 `path:"id" minimum:"1"`
}

type observationOutput struct {
	Body observation
}

type photoInput struct {
	ID   int64  `path:"id" minimum:"1"`
	Size string `query:"size" enum:"original,display,thumb,small" default:"original" doc:"The file as it was uploaded (to others than its observer and curators without what it says beside its picture, such as the place); display: of at most 1280 pixels, a JPEG or the file where that is as small; thumb, small: a JPEG of at most 640 or 320 pixels"`
}

type photoOutput struct {
	ContentType    string `header:"Content-Type"`
	Disposition    string `header:"Content-Disposition"`
	SecurityPolicy string `header:"Content-Security-Policy"`
	ResourcePolicy string `header:"Cross-Origin-Resource-Policy"`
	CacheControl   string `header:"Cache-Control"`
	Vary           string `header:"Vary"`
	ETag           string `header:"ETag"`
	Body           []byte
}

func (s *server) registerObservations(h huma.API) {
	const path = "/api/v1/observations"
	tags := []string{"observations"}
	missing := []int{http.StatusUnauthorized, http.StatusNotFound}
	add(s, h, s.uploadOperation(huma.Operation{
		OperationID: "observe", Method: http.MethodPost, Path: path, Tags: tags, DefaultStatus: http.StatusCreated,
		Summary: "Store a photo as an observation and name what is in it", Description: "Needs the role expert.",
	}), s.observe)
	photoIsRequired(h, path)
	add(s, h, huma.Operation{
		OperationID: "list-observations", Method: http.MethodGet, Path: path, Tags: tags,
		Summary: "List observations, newest first", Errors: []int{http.StatusUnauthorized, http.StatusUnprocessableEntity},
	}, s.list)
	add(s, h, huma.Operation{
		OperationID: "get-observation", Method: http.MethodGet, Path: path + "/{id}", Tags: tags,
		Summary: "One observation with its identifications", Errors: missing,
	}, s.observation)
	add(s, h, huma.Operation{
		OperationID: "get-photo", Method: http.MethodGet, Path: path + "/{id}/photo", Tags: tags,
		Summary: "The photo of an observation", Errors: missing,
		Responses: map[string]*huma.Response{"200": {Description: "The photo", Content: map[string]*huma.MediaType{
			"image/*": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}}}},
	}, s.photoOf)
}

func (s *server) observe(ctx context.Context, in *observeInput) (*observeOutput, error) {
	q, err := formQuestion(in.RawBody.Form)
	if err != nil {
		return nil, err
	}
	form := in.RawBody.Data()
	up := identify.Upload{Again: form.Again, License: form.License, RightsHolder: form.RightsHolder, Notes: form.Notes}
	if up.ObservedAt, err = when("observed_at", form.ObservedAt); err != nil {
		return nil, err
	}
	if up.Latitude, err = formFloat(in.RawBody.Form, "latitude"); err != nil {
		return nil, err
	}
	if up.Longitude, err = formFloat(in.RawBody.Form, "longitude"); err != nil {
		return nil, err
	}
	if up.Photo, err = s.photo(form.Photo); err != nil {
		return nil, err
	}
	o, p, err := s.service.Observe(ctx, auth.UserFrom(ctx), up, q)
	if err != nil {
		return nil, err
	}
	status := http.StatusCreated
	if o.Repeat {
		status = http.StatusOK
	}
	return &observeOutput{Status: status, Location: observationPath(o.ID), Body: observed{int64(o.ID), o.Repeat, newPrediction(p)}}, nil
}

func (s *server) list(ctx context.Context, in *listInput) (*listOutput, error) {
	f, err := in.filter()
	if err != nil {
		return nil, err
	}
	f.Limit = in.Limit
	if in.Cursor != "" {
		before, err := strconv.ParseInt(in.Cursor, 10, 64)
		if err != nil || before < 1 {
			return nil, identify.Errorf(identify.Invalid, "cursor", "This cursor is not one that was given out. Take next_cursor of the page before.")
		}
		f.Before = identify.ObservationID(before)
	}
	list, more, err := s.service.Observations(ctx, auth.UserFrom(ctx), f)
	if err != nil {
		return nil, err
	}
	out := &listOutput{}
	out.Body.Observations = make([]observation, len(list))
	for i, o := range list {
		out.Body.Observations[i] = newObservation(o)
	}
	if more && len(list) > 0 {
		out.Body.NextCursor = strconv.FormatInt(int64(list[len(list)-1].ID), 10)
	}
	return out, nil
}

func (s *server) observation(ctx context.Context, in *observationInput) (*observationOutput, error) {
	o, err := s.service.Observation(ctx, auth.UserFrom(ctx), identify.ObservationID(in.ID))
	if err != nil {
		return nil, err
	}
	return &observationOutput{newObservation(o)}, nil
}

// photoOf sends a photo; that of an observation never changes, but others get
// another one.
func (s *server) photoOf(ctx context.Context, in *photoInput) (*photoOutput, error) {
	p, err := s.service.PhotoFile(ctx, auth.UserFrom(ctx), identify.ObservationID(in.ID), in.Size)
	if err != nil {
		return nil, err
	}
	return &photoOutput{
		ContentType: p.MediaType, Disposition: fmt.Sprintf(`inline; filename="observation-%d"`, in.ID),
		SecurityPolicy: "default-src 'none'; sandbox", ResourcePolicy: "same-origin",
		CacheControl: "private, max-age=31536000, immutable", Vary: "Authorization, Cookie", ETag: `"` + p.Tag + `"`, Body: p.Data,
	}, nil
}

func observationPath(id identify.ObservationID) string {
	return fmt.Sprintf("/api/v1/observations/%d", id)
}
