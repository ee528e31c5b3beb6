package exchange

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"image/jpeg"
	"io"
	"maps"
	"slices"
	"strconv"
	"time"

	"fieldmark/internal/identify"
)

// COCO Camera Traps, as MegaDetector's documentation has it
// (https://lila.science/coco-camera-traps): ids are text, categories are numbered,
// 0 is reserved for "empty". Members beyond the format's own are allowed.
type (
	cocoInfo struct {
		Version     string `json:"version"`
		Description string `json:"description"`
		Year        int    `json:"year,omitempty"`
		Contributor string `json:"contributor,omitempty"`
		DateCreated string `json:"date_created,omitempty"`
	}
	cocoImage struct {
		ID           string   `json:"id"`
		FileName     string   `json:"file_name"`
		Width        int      `json:"width"`
		Height       int      `json:"height"`
		RightsHolder string   `json:"rights_holder,omitempty"`
		License      string   `json:"license,omitempty"`
		Datetime     string   `json:"datetime,omitempty"`
		Location     string   `json:"location,omitempty"`
		Latitude     *float64 `json:"latitude,omitempty"`
		Longitude    *float64 `json:"longitude,omitempty"`
		Uncertainty  float64  `json:"coordinate_uncertainty_m,omitempty"`
	}
	cocoAnnotation struct {
		ID           string `json:"id"`
		ImageID      string `json:"image_id"`
		CategoryID   int64  `json:"category_id"`
		Sequence     bool   `json:"sequence_level_annotation"`
		IdentifiedBy string `json:"identified_by,omitempty"`
		IdentifiedAt string `json:"identified_at"`
	}
	cocoCategory struct {
		ID         int64  `json:"id"`
		Name       string `json:"name"`
		CommonName string `json:"common_name,omitempty"`
		Rank       string `json:"rank,omitempty"`
	}
)

// cocoFile is the JSON of the archive.
const cocoFile = "annotations.json"

// cocoTime is how the format writes times: as Python's str(datetime) does, by the
// clock on the wall.
const cocoTime = "2006-01-02 15:04:05"

// WriteCOCO writes a zip of a COCO Camera Traps JSON and the photos. An image is
// an observation with a photo; an annotation is a taxon that somebody's standing
// identification names, so that one image may have several. There are no
// sequences: each observation has one photo.
func WriteCOCO(ctx context.Context, w io.Writer, src Source, d Dataset) error {
	out := newZipOut(w)
	if err := out.text(cocoFile, func(w *bufio.Writer) error { return writeCOCOJSON(ctx, w, src, d) }); err != nil {
		return err
	}
	if d.Photos {
		if err := out.photos(ctx, src, cocoPhoto); err != nil {
			return err
		}
	}
	return out.close()
}

func cocoPhoto(r identify.Record) string { return "images/" + photoName(r) }

func writeCOCOJSON(ctx context.Context, w *bufio.Writer, src Source, d Dataset) error {
	out := &jsonOut{w: w}
	info := cocoInfo{Version: d.Version, Description: d.Title, Contributor: d.Creator}
	if !d.Changed.IsZero() {
		info.Year, info.DateCreated = d.Changed.UTC().Year(), d.Changed.UTC().Format(cocoTime)
	}
	out.open(`{`)
	if err := out.pair("info", info); err != nil {
		return err
	}
	out.open(",\n\"images\": [")
	err := src.Each(ctx, func(r identify.Record) error {
		if !r.Photo.HasFile() {
			return nil
		}
		x, err := cocoImageOf(ctx, src, r)
		if err != nil {
			return err
		}
		return out.item(x)
	})
	if err != nil {
		return err
	}
	out.close("],\n")
	out.open(`"annotations": [`)
	used := map[identify.TaxonID]bool{}
	err = src.Each(ctx, func(r identify.Record) error {
		if !r.Photo.HasFile() {
			return nil
		}
		return cocoAnnotations(out, r, used)
	})
	if err != nil {
		return err
	}
	out.close("],\n")
	out.open(`"categories": [`)
	if err := out.item(cocoCategory{ID: 0, Name: "empty"}); err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(used)) {
		t := src.Taxon(id)
		c := cocoCategory{ID: int64(id), Name: t.ScientificName, CommonName: t.EnglishName, Rank: string(t.Rank)}
		if c.Name == "" {
			c.Name = t.Label()
		}
		if err := out.item(c); err != nil {
			return err
		}
	}
	out.close("]\n}\n")
	return w.Flush()
}

func cocoImageOf(ctx context.Context, src Source, r identify.Record) (cocoImage, error) {
	x := cocoImage{ID: integer(r.ID), FileName: cocoPhoto(r), Width: r.Photo.Width, Height: r.Photo.Height, RightsHolder: r.RightsHolder,
		License: r.License, Latitude: r.Latitude, Longitude: r.Longitude, Uncertainty: r.Uncertainty}
	if r.ObservedAt != nil {
		x.Datetime = r.ObservedAt.Format(cocoTime)
	}
	if r.Latitude != nil && r.Longitude != nil {
		x.Location = decimal(r.Latitude) + "," + decimal(r.Longitude)
	}
	if r.Leaves != identify.LeavesPreview {
		return x, nil
	}
	// What is in the archive is the preview.
	preview, _, err := src.Photo(ctx, r)
	if err != nil {
		return x, err
	}
	size, err := jpeg.DecodeConfig(bytes.NewReader(preview))
	if err != nil {
		return x, fmt.Errorf("the preview of observation %d: %w", r.ID, err)
	}
	x.Width, x.Height = size.Width, size.Height
	return x, nil
}

// cocoAnnotations writes each taxon that stands once, by whoever said it first.
func cocoAnnotations(out *jsonOut, r identify.Record, used map[identify.TaxonID]bool) error {
	here := map[identify.TaxonID]bool{}
	for _, i := range r.Standing() {
		if here[i.Taxon] {
			continue
		}
		here[i.Taxon], used[i.Taxon] = true, true
		err := out.item(cocoAnnotation{ID: strconv.FormatInt(int64(i.ID), 10), ImageID: integer(r.ID), CategoryID: int64(i.Taxon),
			IdentifiedBy: i.UserName, IdentifiedAt: i.CreatedAt.UTC().Format(time.RFC3339)})
		if err != nil {
			return err
		}
	}
	return nil
}
