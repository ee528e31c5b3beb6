package exchange

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"fieldmark/internal/identify"
)

// Namespaces of Darwin Core Archives.
const (
	dwcNS     = "http://rs.tdwg.org/dwc/terms/"
	dctermsNS = "http://purl.org/dc/terms/"
	textNS    = "http://rs.tdwg.org/dwc/text/"

	rowOccurrence     = dwcNS + "Occurrence"
	rowIdentification = dwcNS + "Identification"
	rowMultimedia     = "http://rs.gbif.org/terms/1.0/Multimedia"
)

// star is a record with what its rows in the archive are made of.
type star struct {
	identify.Record
	id      string // occurrenceID
	dataset Dataset
	src     Source
}

// term is a column of a file about T.
type term[T any] struct {
	uri   string
	value func(x T) string
}

// name is the last part of the term's URI, which heads its column.
func (t term[T]) name() string { return t.uri[strings.LastIndex(t.uri, "/")+1:] }

// occurrenceTerms are the columns of the core, the id first.
func occurrenceTerms() []term[star] {
	taxon := func(x star) identify.Taxon { return x.src.Taxon(current(x.Record).Taxon) }
	higher := func(rank identify.Rank) func(star) string {
		return func(x star) string {
			for _, t := range append([]identify.Taxon{taxon(x)}, x.src.Lineage(taxon(x).ID)...) {
				if t.Rank == rank {
					return t.ScientificName
				}
			}
			return ""
		}
	}
	always := func(s string) func(star) string { return func(star) string { return s } }
	placed := func(s string) func(star) string {
		return func(x star) string { return given(s, x.Latitude != nil && x.Longitude != nil) }
	}
	return []term[star]{
		{dwcNS + "occurrenceID", func(x star) string { return x.id }},
		{dwcNS + "basisOfRecord", always("HumanObservation")},
		{dwcNS + "occurrenceStatus", always("present")},
		{dwcNS + "catalogNumber", func(x star) string { return integer(x.ID) }},
		{dwcNS + "datasetID", func(x star) string { return "urn:uuid:" + x.dataset.Instance }},
		{dwcNS + "datasetName", func(x star) string { return x.dataset.Title }},
		{dwcNS + "recordedBy", func(x star) string { return x.ObserverName }},
		{dwcNS + "eventDate", func(x star) string { return moment(x.ObservedAt) }},
		{dwcNS + "decimalLatitude", func(x star) string { return decimal(x.Latitude) }},
		{dwcNS + "decimalLongitude", func(x star) string { return decimal(x.Longitude) }},
		{dwcNS + "geodeticDatum", placed("EPSG:4326")},
		{dwcNS + "coordinateUncertaintyInMeters", func(x star) string { return given(strconv.Itoa(int(x.Uncertainty)), x.Generalised()) }},
		{dwcNS + "dataGeneralizations", func(x star) string {
			return given(fmt.Sprintf("Coordinates are the middle of a square of %g degrees: the taxon is sensitive.", identify.Coarse), x.Generalised())
		}},
		{dwcNS + "informationWithheld", func(x star) string {
			return given("Exact coordinates and the photo in full, whose metadata may have them. Ask who runs this Fieldmark.", x.Withheld)
		}},
		{dwcNS + "scientificName", func(x star) string {
			if x.Current == nil {
				return "incertae sedis"
			}
			return taxon(x).ScientificName
		}},
		{dwcNS + "taxonRank", func(x star) string { return string(taxon(x).Rank) }},
		{dwcNS + "vernacularName", func(x star) string { return taxon(x).EnglishName }},
		{dwcNS + "taxonID", func(x star) string { return integer(taxon(x).ID) }},
		{dwcNS + "kingdom", higher("kingdom")},
		{dwcNS + "phylum", higher("phylum")},
		{dwcNS + "class", higher("class")},
		{dwcNS + "order", higher("order")},
		{dwcNS + "family", higher("family")},
		{dwcNS + "genus", higher("genus")},
		{dwcNS + "identifiedBy", func(x star) string { return current(x.Record).UserName }},
		{dwcNS + "dateIdentified", func(x star) string {
			if x.Current == nil {
				return ""
			}
			return moment(&x.Current.CreatedAt)
		}},
		{dwcNS + "identificationVerificationStatus", func(x star) string { return given("not identified", x.Current == nil) }},
		{dwcNS + "occurrenceRemarks", func(x star) string { return x.Notes }},
		{dctermsNS + "license", func(x star) string { return licenseURI(x.License) }},
		{dctermsNS + "rightsHolder", func(x star) string { return x.RightsHolder }},
	}
}

// multimediaTerms are the columns of the photos, after the core's id.
func multimediaTerms() []term[star] {
	return []term[star]{
		{dctermsNS + "type", func(star) string { return "StillImage" }},
		{dctermsNS + "format", func(x star) string {
			if x.Leaves == identify.LeavesPreview {
				return "image/jpeg"
			}
			return x.Photo.MediaType
		}},
		{dctermsNS + "identifier", func(x star) string {
			if x.dataset.Photos {
				return dwcaPhoto(x.Record)
			}
			return contentURI(x.Photo.Hash)
		}},
		{dctermsNS + "title", func(x star) string { return x.src.Taxon(current(x.Record).Taxon).Label() }},
		{dctermsNS + "created", func(x star) string {
			if x.Photo.TakenAt != nil {
				return moment(x.Photo.TakenAt)
			}
			return moment(x.ObservedAt)
		}},
		{dctermsNS + "creator", func(x star) string { return x.ObserverName }},
		{dctermsNS + "license", func(x star) string { return licenseURI(x.License) }},
		{dctermsNS + "rightsHolder", func(x star) string { return x.RightsHolder }},
	}
}

// said is an identification with the record it is of.
type said struct {
	star
	identify.Identification
	id string // identificationID
}

func (x said) taxon() identify.Taxon { return x.src.Taxon(x.Taxon) }

// identificationTerms are the columns of the history, after the core's id.
func identificationTerms() []term[said] {
	return []term[said]{
		{dwcNS + "identificationID", func(x said) string { return x.id }},
		{dwcNS + "identifiedBy", func(x said) string { return x.UserName }},
		{dwcNS + "dateIdentified", func(x said) string { return moment(&x.Identification.CreatedAt) }},
		{dwcNS + "scientificName", func(x said) string { return x.taxon().ScientificName }},
		{dwcNS + "taxonRank", func(x said) string { return string(x.taxon().Rank) }},
		{dwcNS + "vernacularName", func(x said) string { return x.taxon().EnglishName }},
		{dwcNS + "taxonID", func(x said) string { return integer(x.taxon().ID) }},
		{dwcNS + "verbatimIdentification", func(x said) string { // where that is a synonym now
			return given(x.src.Taxon(x.Given).ScientificName, x.Given != 0)
		}},
		{dwcNS + "identificationVerificationStatus", func(x said) string {
			switch {
			case x.Withdrawn():
				return "withdrawn"
			case current(x.Record).ID == x.Identification.ID:
				return "current"
			}
			return "standing"
		}},
		{dwcNS + "identificationRemarks", func(x said) string {
			var remarks []string
			if x.FromSuggestion {
				remarks = append(remarks, "picked from what the program suggested")
			}
			if x.Withdrawn() {
				remarks = append(remarks, "withdrawn "+x.WithdrawnAt.Format(time.RFC3339))
			}
			return strings.Join(remarks, "; ")
		}},
	}
}

// given is s where ok, and else "".
func given(s string, ok bool) string {
	if ok {
		return s
	}
	return ""
}
