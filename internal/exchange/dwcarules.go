package exchange

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// rules are what the rows of one type may have.
type rules struct {
	terms    map[string]bool               // that such rows may have
	required []string                      // that must have a column
	filled   []string                      // that no row may leave empty
	values   map[string]func(string) error // what a value that is there must be
	together func(value func(term string) string) error
}

// tableRules are the rules by row type: the terms of Darwin Core's quick
// reference that belong to an Occurrence or an Identification, and those of
// GBIF's Simple Multimedia extension; GBIF's required terms; the values that the
// terms' comments ask for.
func tableRules() map[string]rules {
	identification := dwcTerms("identificationID verbatimIdentification identificationQualifier typeStatus identifiedBy identifiedByID dateIdentified " +
		"identificationReferences identificationVerificationStatus identificationRemarks " + taxonTerms)
	occurrence := dwcTerms("occurrenceID catalogNumber recordNumber recordedBy recordedByID individualCount organismQuantity organismQuantityType sex " +
		"lifeStage reproductiveCondition caste behavior vitality establishmentMeans degreeOfEstablishment pathway georeferenceVerificationStatus " +
		"occurrenceStatus associatedMedia associatedOccurrences associatedReferences associatedTaxa otherCatalogNumbers occurrenceRemarks " +
		"basisOfRecord institutionID collectionID datasetID institutionCode collectionCode datasetName ownerInstitutionCode informationWithheld " +
		"dataGeneralizations dynamicProperties eventID parentEventID fieldNumber eventDate eventTime startDayOfYear endDayOfYear year month day " +
		"verbatimEventDate habitat samplingProtocol eventRemarks locationID continent country countryCode stateProvince county municipality locality " +
		"verbatimLocality decimalLatitude decimalLongitude geodeticDatum coordinateUncertaintyInMeters coordinatePrecision locationRemarks")
	for t := range identification {
		occurrence[t] = true
	}
	for _, t := range []string{"type", "modified", "language", "license", "rightsHolder", "accessRights", "bibliographicCitation", "references"} {
		occurrence[dctermsNS+t] = true
	}
	multimedia := map[string]bool{}
	for _, t := range []string{"type", "format", "identifier", "references", "title", "description", "source", "audience", "created", "creator",
		"contributor", "publisher", "license", "rightsHolder"} {
		multimedia[dctermsNS+t] = true
	}
	return map[string]rules{
		rowOccurrence: {terms: occurrence,
			required: []string{dwcNS + "occurrenceID", dwcNS + "basisOfRecord", dwcNS + "scientificName", dwcNS + "eventDate"},
			filled:   []string{dwcNS + "occurrenceID", dwcNS + "basisOfRecord", dwcNS + "scientificName"},
			values: map[string]func(string) error{
				dwcNS + "occurrenceID": globalID, dwcNS + "eventDate": isoDate, dwcNS + "dateIdentified": isoDate,
				dwcNS + "basisOfRecord": oneOf("HumanObservation", "MachineObservation", "PreservedSpecimen", "FossilSpecimen", "LivingSpecimen",
					"MaterialSample", "MaterialEntity", "MaterialCitation", "Observation", "Occurrence"),
				dwcNS + "occurrenceStatus": oneOf("present", "absent"), dwcNS + "decimalLatitude": number(-90, 90), dwcNS + "decimalLongitude": number(-180, 180),
				dwcNS + "coordinateUncertaintyInMeters": number(1, 2e7), dctermsNS + "license": webOrText,
				dwcNS + "recordedBy": noAddress, dwcNS + "identifiedBy": noAddress, dwcNS + "occurrenceRemarks": noAddress, dctermsNS + "rightsHolder": noAddress,
			}, together: placeWhole},
		rowMultimedia: {terms: multimedia,
			required: []string{dctermsNS + "type", dctermsNS + "identifier", dctermsNS + "license"},
			filled:   []string{dctermsNS + "identifier"},
			values: map[string]func(string) error{
				dctermsNS + "type": oneOf("StillImage", "MovingImage", "Sound"), dctermsNS + "created": isoDate, dctermsNS + "format": mediaType,
				dctermsNS + "identifier": uri, dctermsNS + "license": webOrText, dctermsNS + "creator": noAddress, dctermsNS + "rightsHolder": noAddress,
			}},
		rowIdentification: {terms: identification,
			required: []string{dwcNS + "identificationID", dwcNS + "scientificName"},
			filled:   []string{dwcNS + "identificationID", dwcNS + "scientificName"},
			values: map[string]func(string) error{
				dwcNS + "identificationID": globalID, dwcNS + "dateIdentified": isoDate, dwcNS + "identifiedBy": noAddress,
				dwcNS + "identificationVerificationStatus": oneOf("current", "standing", "withdrawn"),
			}},
	}
}

// taxonTerms are those of the class Taxon.
const taxonTerms = "taxonID scientificNameID acceptedNameUsageID parentNameUsageID scientificName acceptedNameUsage parentNameUsage higherClassification " +
	"kingdom phylum class order superfamily family subfamily tribe genus genericName subgenus specificEpithet infraspecificEpithet cultivarEpithet " +
	"taxonRank verbatimTaxonRank scientificNameAuthorship vernacularName nomenclaturalCode taxonomicStatus nomenclaturalStatus taxonRemarks"

func dwcTerms(names string) map[string]bool {
	terms := map[string]bool{}
	for _, n := range strings.Fields(names) {
		terms[dwcNS+n] = true
	}
	return terms
}

func oneOf(list ...string) func(string) error {
	return func(s string) error {
		if slices.Contains(list, s) {
			return nil
		}
		return fmt.Errorf("it may be %s", strings.Join(list, ", "))
	}
}

func number(least, most float64) func(string) error {
	return func(s string) error {
		if x, err := strconv.ParseFloat(s, 64); err != nil || !(x >= least && x <= most) {
			return fmt.Errorf("it is to be a number from %g to %g", least, most)
		}
		return nil
	}
}

// isoDate is a day or a time with its offset, or an interval of two.
func isoDate(s string) error {
	for _, part := range strings.SplitN(s, "/", 2) {
		_, day := time.Parse(time.DateOnly, part)
		_, moment := time.Parse(time.RFC3339, part)
		if day != nil && moment != nil {
			return errors.New("it is no date of ISO 8601, with the offset where it has a time")
		}
	}
	return nil
}

var urnUUID = regexp.MustCompile(`^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

func globalID(s string) error {
	if u, err := url.Parse(s); urnUUID.MatchString(s) || err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
		return nil
	}
	return errors.New("it is neither a UUID nor an address, so not unique everywhere")
}

func uri(s string) error {
	u, err := url.Parse(s)
	if err != nil || u.Path == "" && u.Opaque == "" && u.Host == "" || strings.ContainsAny(s, " <>\"") {
		return errors.New("it is no URI")
	}
	return nil
}

// webOrText is an address that is whole, or a text.
func webOrText(s string) error {
	if !strings.Contains(s, "://") {
		return nil
	}
	if u, err := url.Parse(s); err != nil || u.Host == "" {
		return errors.New("it is no address")
	}
	return nil
}

func mediaType(s string) error {
	if kind, rest, ok := strings.Cut(s, "/"); !ok || kind == "" || rest == "" || strings.ContainsAny(s, " ;") {
		return errors.New("it is no media type")
	}
	return nil
}

func noAddress(s string) error {
	if at := strings.Index(s, "@"); at > 0 && at < len(s)-1 && s[at-1] != ' ' && strings.Contains(s[at:], ".") {
		return errors.New("it looks like an e-mail address")
	}
	return nil
}

// placeWhole wants both coordinates or none, with what they are relative to, and
// a reason where they are not exact.
func placeWhole(value func(term string) string) error {
	lat, lon := value(dwcNS+"decimalLatitude"), value(dwcNS+"decimalLongitude")
	switch {
	case (lat == "") != (lon == ""):
		return errors.New("one coordinate is there, the other is not")
	case (lat == "") != (value(dwcNS+"geodeticDatum") == ""):
		return errors.New("coordinates come with a geodeticDatum, and that with coordinates")
	case value(dwcNS+"dataGeneralizations") != "" && value(dwcNS+"coordinateUncertaintyInMeters") == "":
		return errors.New("coordinates were generalised, but nothing says how far")
	}
	return nil
}
