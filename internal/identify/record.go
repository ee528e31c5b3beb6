package identify

import (
	"context"
	"fmt"
	"regexp"
	"strings"
)

// Record is an observation as it is exported, in every format: its texts have no
// e-mail addresses, its place is generalised where that is due, and it has those
// of its identifications that the request lets through.
type Record struct {
	Observation
	Current     *Identification // that stands, whether the request lets it through or not; nil if none does
	Sensitive   bool            // it was given the name of a sensitive taxon
	Uncertainty float64         // of the place, in metres, where it was generalised; else 0, unknown
}

// Generalised reports whether the place is coarser than it is known.
func (r Record) Generalised() bool { return r.Uncertainty > 0 }

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
	redact(&o)
	r := Record{Observation: o}
	if current, named := o.Current(); named {
		r.Current = &current
	}
	if !e.Request.ExactPlaces && e.isSensitive(o) {
		r.Sensitive = true
		if o.Latitude != nil && o.Longitude != nil {
			lat, lon, uncertainty := Generalise(*o.Latitude, *o.Longitude)
			r.Latitude, r.Longitude, r.Uncertainty = &lat, &lon, uncertainty
		}
		r.Photo.Latitude, r.Photo.Longitude = nil, nil
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

// isSensitive reports whether an observation was ever given the name of a
// sensitive taxon or of one below it, or, as long as nobody has named it, that
// was suggested first: a rare orchid that one person took for a common one is
// still where it is.
func (e *Export) isSensitive(o Observation) bool {
	if len(e.sensitive) == 0 {
		return false
	}
	for _, i := range o.Identifications {
		if e.below(i.Taxon) {
			return true
		}
	}
	return len(o.Identifications) == 0 && len(o.Suggested) > 0 && e.below(o.Suggested[0].Taxon)
}

// below reports whether a taxon is a sensitive one or below one.
func (e *Export) below(id TaxonID) bool {
	if e.sensitive[id] {
		return true
	}
	for _, t := range e.taxa.ancestors(id) {
		if e.sensitive[t.ID] {
			return true
		}
	}
	return false
}

// Photo returns the photo of a record and its media type. That of a sensitive
// taxon is its preview of at most 640 pixels: the file as it was uploaded may say
// in its EXIF where it was taken.
func (e *Export) Photo(ctx context.Context, r Record) (data []byte, mediaType string, err error) {
	if r.Sensitive {
		data, err = e.photos.Thumbnail(ctx, r.Photo.Hash)
		mediaType = "image/jpeg"
	} else {
		data, err = e.photos.Original(ctx, r.Photo.Hash)
		mediaType = r.Photo.MediaType
	}
	if err != nil {
		err = fmt.Errorf("the photo of observation %d: %w", r.ID, err)
	}
	return data, mediaType, err
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
		i.TaxonLabel, i.ScientificName = WithoutAddresses(i.TaxonLabel), WithoutAddresses(i.ScientificName)
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
