package words

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
	"golang.org/x/text/message"
	"golang.org/x/text/message/catalog"
)

//go:embed messages
var messages embed.FS

// Catalogue holds every language that the pages speak, English first.
type Catalogue struct {
	list    []*Words
	matcher language.Matcher
}

// sentence is a sentence of a catalogue: one, or one for each plural form.
type sentence struct {
	one   string
	forms map[string]string
}

func (s *sentence) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &s.one) == nil {
		return nil
	}
	return json.Unmarshal(b, &s.forms)
}

// message is the sentence as x/text wants it.
func (s *sentence) message() catalog.Message {
	if s.forms == nil {
		return catalog.String(s.one)
	}
	var cases []any
	for _, form := range []string{"=0", "=1", "=2", "zero", "one", "two", "few", "many", "other"} {
		if text, is := s.forms[form]; is {
			cases = append(cases, form, text)
		}
	}
	return plural.Selectf(1, "%d", cases...)
}

// Load reads the catalogues that are part of the program.
func Load() (*Catalogue, error) { return load(messages) }

func load(files fs.FS) (*Catalogue, error) {
	c := &Catalogue{}
	built := catalog.NewBuilder(catalog.Fallback(language.English))
	var tags []language.Tag
	for _, name := range []string{"en", "de"} {
		tag := language.MustParse(name)
		sentences, scripts, err := read(files, path.Join("messages", name))
		if err != nil {
			return nil, err
		}
		for _, key := range slices.Sorted(maps.Keys(sentences)) {
			s := sentences[key]
			if err := built.Set(tag, key, s.message()); err != nil {
				return nil, fmt.Errorf("words: %s: %q: %w", name, key, err)
			}
		}
		w := &Words{Tag: tag, Name: display.Self.Name(tag), printer: message.NewPrinter(tag, message.Catalog(built))}
		if len(scripts) > 0 {
			if w.Scripts, err = json.Marshal(scripts); err != nil {
				return nil, err
			}
		}
		c.list, tags = append(c.list, w), append(tags, tag)
	}
	c.matcher = language.NewMatcher(tags)
	return c, nil
}

// read reads the catalogues of a folder: those of pages, and those of scripts.
func read(files fs.FS, folder string) (pages map[string]sentence, scripts map[string]any, err error) {
	names, err := fs.Glob(files, path.Join(folder, "*.json"))
	if err != nil {
		return nil, nil, err
	}
	pages, scripts = map[string]sentence{}, map[string]any{}
	for _, name := range names {
		b, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, nil, err
		}
		if strings.HasPrefix(path.Base(name), "scripts") {
			err = merge(scripts, b)
		} else {
			err = merge(pages, b)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("words: %s: %w", name, err)
		}
	}
	return pages, scripts, nil
}

// merge adds the sentences of a file; one sentence has one translation.
func merge[S any](to map[string]S, file []byte) error {
	var more map[string]S
	if err := json.Unmarshal(file, &more); err != nil {
		return err
	}
	for key, s := range more {
		if _, twice := to[key]; twice {
			return fmt.Errorf("%q is in two files", key)
		}
		to[key] = s
	}
	return nil
}

// All returns the languages, English first.
func (c *Catalogue) All() []*Words { return c.list }

// Choose returns the language of somebody who chose one ("" if not) and whose browser
// accepts some (the header Accept-Language); English if none of them is spoken.
func (c *Catalogue) Choose(chosen, accepts string) *Words {
	for _, w := range c.list {
		if w.Tag.String() == chosen {
			return w
		}
	}
	wanted, _, err := language.ParseAcceptLanguage(accepts)
	if err != nil || len(wanted) == 0 {
		return c.list[0]
	}
	_, i, confidence := c.matcher.Match(wanted...)
	if confidence == language.No {
		return c.list[0]
	}
	return c.list[i]
}

// Marked is a catalogue whose only language is English with every sentence in ⟦⟧: a
// page that is drawn in it shows by what stands outside what was not said by T.
func (c *Catalogue) Marked() *Catalogue {
	w := *c.list[0]
	w.marked = true
	return &Catalogue{list: []*Words{&w}, matcher: language.NewMatcher([]language.Tag{w.Tag})}
}
