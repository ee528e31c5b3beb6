package api

import (
	"time"

	"fieldmark/internal/identify"
)

// observation is one sighting, with one photo.
type observation struct {
	ID              int64            `json:"id"`
	Photo           photo            `json:"photo"`
	Observer        person           `json:"observer"`
	ObservedAt      *time.Time       `json:"observed_at,omitempty"`
	Latitude        *float64         `json:"latitude,omitempty"`
	Longitude       *float64         `json:"longitude,omitempty"`
	Uncertainty     float64          `json:"coordinate_uncertainty_m,omitempty" doc:"The place is the middle of a square of 0.1 degrees, because the taxon is sensitive, and may be this far off, in metres. Its observer and curators get it as it is"`
	License         string           `json:"license,omitempty"`
	RightsHolder    string           `json:"rights_holder,omitempty"`
	Notes           string           `json:"notes,omitempty"`
	CreatedAt       time.Time        `json:"created_at"`
	Suggested       []suggestion     `json:"suggested" nullable:"false" doc:"The answer given when the photo came in, likeliest first"`
	SuggestedSeq    int64            `json:"suggested_seq" doc:"The memory that gave it"`
	Current         *identification  `json:"current,omitempty" doc:"The identification that stands: the latest that is not withdrawn"`
	Identifications []identification `json:"identifications" nullable:"false" doc:"All, oldest first"`
	Import          *origin          `json:"import,omitempty" doc:"What it came with, if it was imported"`
}

// origin says where an imported observation is from.
type origin struct {
	ID   int64  `json:"id" doc:"Of the import"`
	Name string `json:"name,omitempty" doc:"Of the file"`
	Row  int    `json:"row" doc:"Of the file, from 0"`
	Ref  string `json:"observation_id,omitempty" doc:"Which observation it is where it comes from"`
}

type photo struct {
	SHA256    string     `json:"sha256"`
	MediaType string     `json:"media_type"`
	Bytes     int64      `json:"bytes"`
	Width     int        `json:"width" doc:"Upright, in pixels"`
	Height    int        `json:"height"`
	TakenAt   *time.Time `json:"taken_at,omitempty" doc:"From EXIF"`
	URL       string     `json:"url,omitempty" doc:"Left out where the photo itself never came: an imported embedding"`
	Thumbnail string     `json:"thumbnail_url,omitempty"`
	// ThumbnailOnly: the photo stayed where it came from.
	ThumbnailOnly bool `json:"thumbnail_only,omitempty" doc:"Only a small picture came, with a bundle: there is a thumbnail and no photo"`
}

type person struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

type suggestion struct {
	TaxonID     int64   `json:"taxon_id,omitempty"`
	Label       string  `json:"label"`
	Probability float64 `json:"probability"`
}

type identification struct {
	ID             int64      `json:"id"`
	TaxonID        int64      `json:"taxon_id"`
	Label          string     `json:"label"`
	ScientificName string     `json:"scientific_name,omitempty"`
	GivenTaxonID   int64      `json:"given_taxon_id,omitempty" doc:"What the person said, where that became a synonym of taxon_id since"`
	GivenLabel     string     `json:"given_label,omitempty"`
	IdentifiedBy   person     `json:"identified_by"`
	FromSuggestion bool       `json:"from_suggestion" doc:"Picked from the answers rather than searched for"`
	CreatedAt      time.Time  `json:"created_at"`
	WithdrawnAt    *time.Time `json:"withdrawn_at,omitempty"`
}

func newObservation(o identify.Observation) observation {
	p := o.Photo
	url := observationPath(o.ID) + "/photo"
	out := observation{
		ID: int64(o.ID), Observer: person{int64(o.Observer), o.ObserverName}, ObservedAt: o.ObservedAt,
		Photo: photo{SHA256: string(p.Hash), MediaType: p.MediaType, Bytes: p.Bytes, Width: p.Width, Height: p.Height,
			TakenAt: p.TakenAt, URL: url, Thumbnail: url + "?size=thumb"},
		Latitude: o.Latitude, Longitude: o.Longitude, Uncertainty: o.Uncertainty, License: o.License, RightsHolder: o.RightsHolder, Notes: o.Notes,
		CreatedAt: o.CreatedAt, SuggestedSeq: int64(o.SuggestedSeq),
		Suggested: make([]suggestion, len(o.Suggested)), Identifications: make([]identification, len(o.Identifications)),
	}
	if !p.HasFile() {
		out.Photo.URL, out.Photo.ThumbnailOnly = "", p.HasGlimpse()
	}
	if !p.HasFile() && !p.HasGlimpse() {
		out.Photo.Thumbnail = ""
	}
	if x := o.Import; x != nil {
		out.Import = &origin{int64(x.Import), x.Name, x.Row, x.Ref}
	}
	for i, x := range o.Suggested {
		out.Suggested[i] = suggestion{int64(x.Taxon), x.Label, x.Probability}
	}
	for i, x := range o.Identifications {
		out.Identifications[i] = newIdentification(x)
	}
	if current, stands := o.Current(); stands {
		x := newIdentification(current)
		out.Current = &x
	}
	return out
}

func newIdentification(i identify.Identification) identification {
	return identification{ID: int64(i.ID), TaxonID: int64(i.Taxon), Label: i.TaxonLabel, ScientificName: i.ScientificName,
		GivenTaxonID: int64(i.Given), GivenLabel: i.GivenLabel, IdentifiedBy: person{int64(i.User), i.UserName}, FromSuggestion: i.FromSuggestion,
		CreatedAt: i.CreatedAt, WithdrawnAt: i.WithdrawnAt}
}
