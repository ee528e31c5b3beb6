package exchange

import (
	"context"
	"strconv"
	"time"

	"fieldmark/internal/identify"
)

// Source is what is exported; *identify.Export is one. Each may be called more
// than once, and visits the same observations in the same order.
type Source interface {
	Each(ctx context.Context, visit func(identify.Record) error) error
	Taxon(id identify.TaxonID) identify.Taxon
	Lineage(id identify.TaxonID) []identify.Taxon // those above, nearest first
	Photo(ctx context.Context, r identify.Record) (data []byte, mediaType string, err error)
}

// Dataset is what an archive says of itself.
type Dataset struct {
	Instance string    // UUID of the Fieldmark it comes from
	Version  string    // grows with what is taught
	Changed  time.Time // when something was taught last; zero if never
	Title    string
	Creator  string // name of a person or an institution, without an e-mail address
	Photos   bool   // are to be in it
	Licenses []string
}

// defaultTitle is that of a dataset which nobody gave one.
const defaultTitle = "Observations identified with Fieldmark"

// DatasetOf describes an export. Title and creator may be "".
func DatasetOf(e *identify.Export, o Options) Dataset {
	d := Dataset{Instance: e.Instance, Version: strconv.FormatInt(int64(e.Seq), 10), Changed: e.Changed, Title: identify.WithoutAddresses(o.Title), Creator: identify.WithoutAddresses(o.Creator),
		Photos: o.Photos, Licenses: e.Licenses}
	if d.Title == "" {
		d.Title = defaultTitle
	}
	if d.Creator == "" {
		d.Creator = "Fieldmark " + e.Instance
	}
	return d
}

// photoName is the name of a record's photo without a folder: its hash, and an
// ending by its type. A preview is not the file that the hash is of, nor is one
// without its metadata.
func photoName(r identify.Record) string {
	switch r.Leaves {
	case identify.LeavesPreview:
		return string(r.Photo.Hash) + "-preview.jpg"
	case identify.LeavesStripped:
		return string(r.Photo.Hash) + "-stripped" + extension(r.Photo.MediaType)
	}
	return string(r.Photo.Hash) + extension(r.Photo.MediaType)
}

func extension(mediaType string) string {
	switch mediaType {
	case "image/jpeg":
		return ".jpg"
	case "image/png":
		return ".png"
	case "image/gif":
		return ".gif"
	case "image/webp":
		return ".webp"
	case "image/heic":
		return ".heic"
	case "image/avif":
		return ".avif"
	}
	return ""
}
