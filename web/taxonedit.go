package web

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// languageName is what a language is called in the reader's; "und" is an other one.
func languageName(ctx context.Context, tag string) string {
	t, err := language.Parse(tag)
	if err != nil || t == language.Und {
		return words.T(ctx, "In another language")
	}
	reader := language.Make(words.Tag(ctx))
	return cmp.Or(display.Languages(reader).Name(t), tag)
}

func rankOptions(ctx context.Context, chosen identify.Rank) []templates.Option {
	var list []templates.Option
	found := false
	for _, rank := range identify.Ranks() {
		list = append(list, templates.Option{Value: string(rank), Label: rankWord(ctx, rank), Selected: rank == chosen})
		found = found || rank == chosen
	}
	if !found {
		list = append(list, templates.Option{Value: string(chosen), Label: rankWord(ctx, chosen), Selected: true})
	}
	return list
}

func taxonForm(t identify.Taxon) *templates.TaxonForm {
	f := &templates.TaxonForm{Action: taxonPagePath(t.ID), Scientific: t.ScientificName, English: t.EnglishName, Synonyms: strings.Join(t.Synonyms, "\n")}
	var lines []string
	for _, v := range t.Vernacular {
		lines = append(lines, v.Language+": "+v.Name)
	}
	f.Vernacular = strings.Join(lines, "\n")
	if t.Parent != 0 {
		f.Parent = strconv.FormatInt(int64(t.Parent), 10)
	}
	return f
}

// editTaxon saves what a curator says of a taxon.
func (s *site) editTaxon(w http.ResponseWriter, r *http.Request) error {
	id, err := idParam(r, "id")
	if err != nil {
		return err
	}
	if err := parseForm(r); err != nil {
		return err
	}
	f := templates.TaxonForm{Action: taxonPagePath(identify.TaxonID(id)), Open: true, Scientific: r.PostForm.Get("scientific_name"), English: r.PostForm.Get("english_name"),
		Synonyms: r.PostForm.Get("synonyms"), Vernacular: r.PostForm.Get("vernacular"), Parent: r.PostForm.Get("parent")}
	edit, err := s.taxonEdit(r.Context(), f, identify.Rank(r.PostForm.Get("rank")))
	if err == nil {
		_, err = s.Taxa.EditTaxon(r.Context(), s.User(r), identify.TaxonID(id), edit)
	}
	if kind := identify.KindOf(err); kind == identify.Invalid || kind == identify.Conflict {
		p := problem(r.Context(), err)
		f.Field, f.Problem = fieldOf(err), p.Message
		return s.renderTaxon(w, r, p.Status, &f)
	} else if err != nil {
		return err
	}
	return seeOther(w, r, f.Action)
}

func (s *site) taxonEdit(ctx context.Context, f templates.TaxonForm, rank identify.Rank) (identify.TaxonEdit, error) {
	e := identify.TaxonEdit{ScientificName: strings.TrimSpace(f.Scientific), EnglishName: strings.TrimSpace(f.English), Rank: rank, Synonyms: linesOf(f.Synonyms)}
	for _, line := range linesOf(f.Vernacular) {
		tag, name, named := strings.Cut(line, ":")
		if !named {
			return e, identify.Errorf(identify.Invalid, "vernacular", "%q does not say which language it is. Write the language first: de: Kohlmeise.", line)
		}
		e.Vernacular = append(e.Vernacular, identify.VernacularName{Language: strings.TrimSpace(tag), Name: strings.TrimSpace(name)})
	}
	var err error
	e.Parent, err = s.parentNamed(ctx, strings.TrimSpace(f.Parent))
	return e, err
}

// parentNamed reads what stands above a taxon: a number or a name; nothing is the top.
func (s *site) parentNamed(ctx context.Context, text string) (identify.TaxonID, error) {
	if text == "" {
		return 0, nil
	}
	if id, err := strconv.ParseInt(text, 10, 64); err == nil && id > 0 {
		return identify.TaxonID(id), nil
	}
	_, exact, err := s.search(ctx, text)
	if err == nil && exact == 0 {
		err = identify.Errorf(identify.Invalid, "parent", "No taxon, or more than one, has the name %q. Give its number, which stands on its page.", text)
	}
	return exact, err
}

// linesOf are the lines of a text that are not empty.
func linesOf(text string) []string {
	var list []string
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}
