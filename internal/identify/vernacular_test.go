package identify_test

import (
	"testing"

	"fieldmark/internal/identify"
)

// A person reads the name in their language; where nobody has said one they read
// English, and where there is none either the scientific name.
func TestNameByLanguage(t *testing.T) {
	named := func(english string, pairs ...string) identify.Taxon {
		x := identify.Taxon{ID: 1, ScientificName: "Carduelis carduelis", EnglishName: english, Synonyms: []string{"Fringilla carduelis"}}
		for i := 0; i < len(pairs); i += 2 {
			x.Vernacular = append(x.Vernacular, identify.VernacularName{Language: pairs[i], Name: pairs[i+1]})
		}
		return x
	}
	goldfinch := named("European Goldfinch", "de", "Stieglitz", "de", "Distelfink", "de-CH", "Distelzwig", "fr-CA", "Chardonneret", "und", "Putter")
	for _, c := range []struct {
		of             identify.Taxon
		language, want string
	}{
		{goldfinch, "de", "Stieglitz"},          // the first of the language
		{goldfinch, "de-CH", "Distelzwig"},      // the very region
		{goldfinch, "de-AT", "Stieglitz"},       // another region's, the first
		{goldfinch, "fr", "Chardonneret"},       // of a region alone
		{goldfinch, "en", "European Goldfinch"}, // English
		{goldfinch, "nl", "European Goldfinch"}, // the way back: English, never a language that nobody knows
		{named("", "und", "Putter"), "de", "Carduelis carduelis"},
		{named("", "de", "Stieglitz"), "en", "Carduelis carduelis"},
		{named("", "en-GB", "Goldfinch"), "en", "Goldfinch"},
		{named("European Goldfinch", "en-GB", "Goldfinch"), "en", "European Goldfinch"},
		{named("European Goldfinch", "den", "Slavey name"), "de", "European Goldfinch"}, // "den" is no "de"
	} {
		got := c.of.Called(c.language)
		if got == "" {
			got = c.of.Label()
		}
		if got != c.want {
			t.Errorf("%v in %s is called %q, want %q", c.of.Vernacular, c.language, got, c.want)
		}
	}
}
