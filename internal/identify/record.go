package identify

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"fieldmark/internal/photo"
)

// Record is an observation as it is exported, in every format: its texts have no
// e-mail addresses, its place is generalised where that is due, and it has those
// of its identifications that the request lets through.
type Record struct {
	Observation
	Current  *Identification // that stands, whether the request lets it through or not; nil if none does
	Withheld bool            // it is Sensitive, and the request does not ask for exact places
	Leaves   PhotoLeaves     // what of its photo does
}

// PhotoLeaves says what of a photo leaves with an export.
type PhotoLeaves int

// A photo leaves without what its file says beside the picture (photo.Strip): where
// it was taken, by whom, with which camera. What there is to say of it is in the
// columns. Those of sensitive taxa leave as previews, and so does what cannot be
// stripped.
const (
	LeavesStripped PhotoLeaves = iota
	LeavesAsItCame             // every byte
	LeavesPreview              // a JPEG of at most 640 pixels
)

// Standing lists the identifications that stand, oldest first.
func (r Record) Standing() []Identification {
	var list []Identification
	for _, i := range r.Identifications {
		if !i.Withdrawn() {
			list = append(list, i)
		}
	}
	return list
}

func (e *Export) record(o Observation) Record {
	if !e.Request.Own {
		redact(&o)
	}
	r := Record{Observation: o, Withheld: o.Sensitive && !e.Request.ExactPlaces}
	if r.Withheld {
		r.Observation = o.coarse()
	}
	switch {
	case r.Withheld:
		r.Leaves = LeavesPreview
	case e.Request.Originals:
		r.Leaves = LeavesAsItCame
	case !photo.Strippable(o.Photo.MediaType):
		r.Leaves = LeavesPreview
	}
	if current, named := o.Current(); named {
		r.Current = &current
	}
	if !e.Request.Filter.Said.IsZero() {
		r.Identifications = nil
		for _, i := range o.Identifications {
			if e.Request.Filter.Said.Matches(i) {
				r.Identifications = append(r.Identifications, i)
			}
		}
	}
	return r
}

// Photo returns the photo of a record as it leaves, and its media type. A file that
// cannot be stripped although others of its kind can leaves as its preview.
func (e *Export) Photo(ctx context.Context, r Record) (data []byte, mediaType string, err error) {
	data, mediaType, err = e.photo(ctx, r)
	if err != nil {
		err = fmt.Errorf("the photo of observation %d: %w", r.ID, err)
	}
	return data, mediaType, err
}

func (e *Export) photo(ctx context.Context, r Record) (data []byte, mediaType string, err error) {
	if r.Leaves != LeavesPreview {
		data, err = e.photos.Original(ctx, r.Photo.Hash)
		if err != nil || r.Leaves == LeavesAsItCame {
			return data, r.Photo.MediaType, err
		}
		if data, err = photo.Strip(data); err == nil {
			return data, r.Photo.MediaType, nil
		}
	}
	data, err = e.photos.Thumbnail(ctx, r.Photo.Hash)
	return data, "image/jpeg", err
}

// address is what looks like an e-mail address.
var address = regexp.MustCompile(`[\p{L}\p{N}._%+'-]+@[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+`)

// WithoutAddresses takes e-mail addresses out of a text.
func WithoutAddresses(s string) string {
	if !strings.Contains(s, "@") {
		return s
	}
	s = address.ReplaceAllString(s, "")
	for _, empty := range []string{"<>", "()", "[]", "mailto:"} {
		s = strings.ReplaceAll(s, empty, "")
	}
	return strings.TrimSpace(s)
}

// nameOf is a person's name without e-mail addresses. Who has nothing else is
// known by number.
func nameOf(name string, id UserID) string {
	short := WithoutAddresses(name)
	if short == "" && name != "" {
		return fmt.Sprintf("person %d", id)
	}
	return short
}

// redact takes e-mail addresses out of what people wrote.
func redact(o *Observation) {
	o.ObserverName = nameOf(o.ObserverName, o.Observer)
	o.RightsHolder, o.Notes = WithoutAddresses(o.RightsHolder), WithoutAddresses(o.Notes)
	for k := range o.Identifications {
		i := &o.Identifications[k]
		i.UserName = nameOf(i.UserName, i.User)
		i.TaxonLabel, i.ScientificName, i.GivenLabel = WithoutAddresses(i.TaxonLabel), WithoutAddresses(i.ScientificName), WithoutAddresses(i.GivenLabel)
	}
	for k := range o.Suggested {
		o.Suggested[k].Label = WithoutAddresses(o.Suggested[k].Label)
	}
	if o.Import != nil {
		origin := *o.Import
		origin.Name, origin.Ref = WithoutAddresses(origin.Name), WithoutAddresses(origin.Ref)
		o.Import = &origin
	}
}
