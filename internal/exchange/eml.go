package exchange

import (
	"bufio"
	"encoding/xml"
	"strconv"
	"time"
)

// emlXML is the document about the dataset, as EML 2.2.0 has it: the elements of
// a dataset stand in the order of its schema.
type emlXML struct {
	XMLName   xml.Name   `xml:"eml:eml"`
	EML       string     `xml:"xmlns:eml,attr"`
	PackageID string     `xml:"packageId,attr"`
	System    string     `xml:"system,attr"`
	Lang      string     `xml:"xml:lang,attr"`
	Dataset   emlDataset `xml:"dataset"`
}

type emlDataset struct {
	AlternateID string       `xml:"alternateIdentifier"`
	Title       string       `xml:"title"`
	Creator     emlParty     `xml:"creator"`
	Provider    emlParty     `xml:"metadataProvider"`
	Published   string       `xml:"pubDate,omitempty"`
	Language    string       `xml:"language"`
	Abstract    string       `xml:"abstract>para"`
	Rights      string       `xml:"intellectualRights>para"`
	Licensed    *emlLicense  `xml:"licensed"`
	Coverage    *emlCoverage `xml:"coverage"`
	Contact     emlParty     `xml:"contact"`
}

type emlParty struct {
	Organization string `xml:"organizationName"`
}

type emlLicense struct {
	Name string `xml:"licenseName"`
	URL  string `xml:"url"`
}

type emlCoverage struct {
	Place *emlPlace `xml:"geographicCoverage"`
	Time  *emlTime  `xml:"temporalCoverage"`
}

type emlPlace struct {
	Description string `xml:"geographicDescription"`
	West        string `xml:"boundingCoordinates>westBoundingCoordinate"`
	East        string `xml:"boundingCoordinates>eastBoundingCoordinate"`
	North       string `xml:"boundingCoordinates>northBoundingCoordinate"`
	South       string `xml:"boundingCoordinates>southBoundingCoordinate"`
}

type emlTime struct {
	Begin string `xml:"rangeOfDates>beginDate>calendarDate"`
	End   string `xml:"rangeOfDates>endDate>calendarDate"`
}

// writeEML describes the dataset. Its day is that of the last lesson, so that the
// same memory gives the same document.
func writeEML(w *bufio.Writer, d Dataset, c coverage) error {
	party := emlParty{d.Creator}
	doc := emlXML{EML: "https://eml.ecoinformatics.org/eml-2.2.0", PackageID: d.Instance + ".v" + d.Version, System: "Fieldmark", Lang: "en",
		Dataset: emlDataset{
			AlternateID: "urn:uuid:" + d.Instance, Title: d.Title, Creator: party, Provider: party, Contact: party, Language: "en",
			Abstract: "Photos of organisms, each with the names that people gave it and when. Exported from Fieldmark, which learns from these names.",
			Rights:   "Each occurrence and each photo states its own licence and rights holder; where it states none, all rights are with whoever made it.",
		}}
	if !d.Changed.IsZero() {
		doc.Dataset.Published = d.Changed.UTC().Format(time.DateOnly)
	}
	if len(d.Licenses) == 1 && licenseURI(d.Licenses[0]) != d.Licenses[0] {
		name := d.Licenses[0]
		doc.Dataset.Licensed = &emlLicense{Name: name, URL: licenseURI(name)}
		doc.Dataset.Rights = "This work is licensed under " + name + " (" + licenseURI(name) + ")."
	}
	doc.Dataset.Coverage = c.xml()
	return writeXML(w, doc)
}

func (c coverage) xml() *emlCoverage {
	var x emlCoverage
	if c.placed {
		degrees := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
		x.Place = &emlPlace{Description: "The places of the occurrences that have one.",
			West: degrees(c.west), East: degrees(c.east), North: degrees(c.north), South: degrees(c.south)}
	}
	if c.from != nil {
		x.Time = &emlTime{Begin: c.from.Format(time.DateOnly), End: c.to.Format(time.DateOnly)}
	}
	if x == (emlCoverage{}) {
		return nil
	}
	return &x
}
