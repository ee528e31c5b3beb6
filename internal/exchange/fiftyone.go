package exchange

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"time"

	"fieldmark/internal/identify"
)

// fiftyoneLabel is a label of FiftyOne's image classification dataset.
type fiftyoneLabel struct {
	Label      string             `json:"label"`
	Attributes fiftyoneAttributes `json:"attributes"`
}

// fiftyoneAttributes become attributes of the classification.
type fiftyoneAttributes struct {
	ObservationID  int64    `json:"observation_id"`
	TaxonID        int64    `json:"taxon_id"`
	ScientificName string   `json:"scientific_name"`
	Rank           string   `json:"rank"`
	IdentifiedBy   string   `json:"identified_by,omitempty"`
	IdentifiedAt   string   `json:"identified_at"`
	ObservedAt     string   `json:"observed_at,omitempty"`
	Latitude       *float64 `json:"latitude,omitempty"`
	Longitude      *float64 `json:"longitude,omitempty"`
	License        string   `json:"license,omitempty"`
	RightsHolder   string   `json:"rights_holder,omitempty"`
}

// WriteFiftyOne writes a zip of a folder that FiftyOne imports as
// fo.types.FiftyOneImageClassificationDataset: data/ with one photo for each
// observation that has a name, and labels.json, which has the label of each by its
// file's name without the ending. classes is null: labels are text.
func WriteFiftyOne(ctx context.Context, w io.Writer, src Source, d Dataset) error {
	out := newZipOut(w)
	err := out.text("labels.json", func(w *bufio.Writer) error {
		json := &jsonOut{w: w}
		json.open("{\n\"classes\": null,\n\"labels\": {")
		err := src.Each(ctx, func(r identify.Record) error {
			label, ok := fiftyoneOf(src, r)
			if !ok {
				return nil
			}
			return json.pair(fiftyoneStem(r), label)
		})
		json.close("}\n}\n")
		return err
	})
	if err != nil {
		return err
	}
	if d.Photos {
		err := out.photos(ctx, src, func(r identify.Record) string {
			if _, ok := fiftyoneOf(src, r); !ok {
				return ""
			}
			if r.Leaves == identify.LeavesPreview {
				return "data/" + fiftyoneStem(r) + ".jpg"
			}
			return "data/" + fiftyoneStem(r) + extension(r.Photo.MediaType)
		})
		if err != nil {
			return err
		}
	}
	return out.close()
}

func fiftyoneStem(r identify.Record) string { return fmt.Sprintf("observation-%d", r.ID) }

// fiftyoneOf is the label of a record: the last name that stands among those that
// the export has; ok is false if it has none, or no photo.
func fiftyoneOf(src Source, r identify.Record) (label fiftyoneLabel, ok bool) {
	standing := r.Standing()
	if len(standing) == 0 || !r.Photo.HasFile() {
		return label, false
	}
	i := standing[len(standing)-1]
	t := src.Taxon(i.Taxon)
	return fiftyoneLabel{Label: t.Label(), Attributes: fiftyoneAttributes{
		ObservationID: int64(r.ID), TaxonID: int64(i.Taxon), ScientificName: t.ScientificName, Rank: string(t.Rank),
		IdentifiedBy: i.UserName, IdentifiedAt: i.CreatedAt.UTC().Format(time.RFC3339), ObservedAt: moment(r.ObservedAt),
		Latitude: r.Latitude, Longitude: r.Longitude, License: r.License, RightsHolder: r.RightsHolder}}, true
}
