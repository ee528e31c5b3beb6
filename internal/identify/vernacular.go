package identify

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/text/language"
)

// VernacularName is what a taxon is called in a language other than English. It is
// found by a search and shown to who reads that language; no encoder reads it.
type VernacularName struct {
	Language string // BCP 47 tag, "und" where nobody says which
	Name     string
}

// Called is what the taxon is called in a language, given as a BCP 47 tag: by a name
// of that very tag, else by one of another region's ("de-AT" for "de"); in English by
// the English name first. It is "" if there is none: who asks goes on to Label, which
// is English, else scientific.
func (t Taxon) Called(language string) string {
	same, near := "", ""
	if language == "en" {
		same = t.EnglishName
	}
	for _, v := range t.Vernacular {
		switch {
		case v.Language == language:
			same = cmp.Or(same, v.Name)
		case primary(v.Language) == primary(language):
			near = cmp.Or(near, v.Name)
		}
	}
	return cmp.Or(same, near)
}

// primary is the language of a tag, without script and region.
func primary(tag string) string {
	language, _, _ := strings.Cut(tag, "-")
	return language
}

// Called is what a taxon is called in a language, "" if nobody has said or there is no
// such taxon: see Taxon.Called. It looks at nothing but memory, so a page may ask for
// every name that it shows.
func (s *Service) Called(id TaxonID, language string) string {
	t, _ := s.taxonomy.taxon(id)
	return t.Called(language)
}

// TaxonName is a taxon that a sentence names: its label, and its id for whoever says
// the sentence in another language.
type TaxonName struct {
	Taxon TaxonID `json:"id,omitempty"` // 0: the label is free text
	Label string  `json:"label"`
}

// String is the label.
func (n TaxonName) String() string { return n.Label }

// Name names the taxon in a sentence.
func (t Taxon) Name() TaxonName { return TaxonName{t.ID, t.Label()} }

// languageTag brings the name of a language into its usual form: "DE" is "de". What
// says nothing is "und".
func languageTag(text string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "und", nil
	}
	tag, err := language.Parse(text)
	if err != nil {
		return "", Errorf(Invalid, "vernacular", "%q is no language. Write its code, such as de, fr or pt-BR.", text)
	}
	return tag.String(), nil
}

// cleanVernacular checks names in other languages, each once, and puts them in the
// order of the languages. Those of one language stay as they were given: the first is
// the one that is shown.
func cleanVernacular(list []VernacularName) ([]VernacularName, error) {
	var out []VernacularName
	for _, v := range list {
		name, err := cleanName("vernacular", v.Name)
		if err != nil {
			return nil, err
		}
		tag, err := languageTag(v.Language)
		if err != nil {
			return nil, err
		}
		if clean := (VernacularName{tag, name}); !slices.Contains(out, clean) {
			out = append(out, clean)
		}
	}
	slices.SortStableFunc(out, func(a, b VernacularName) int { return cmp.Compare(a.Language, b.Language) })
	return out, nil
}

// newVernacular are the names of a list that another does not have.
func newVernacular(list, known []VernacularName) []VernacularName {
	return slices.DeleteFunc(slices.Clone(list), func(v VernacularName) bool { return slices.Contains(known, v) })
}

func vernacularText(list []VernacularName) string {
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = v.Name + " (" + v.Language + ")"
	}
	return strings.Join(texts, ", ")
}
