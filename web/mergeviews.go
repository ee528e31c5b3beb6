package web

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"fieldmark/internal/bundle"
	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// mergeView puts a preview into words. What typed, a form that was refused, chooses
// goes before what was decided when the preview was made.
func mergeView(ctx context.Context, id string, p identify.MergePreview, typed url.Values) templates.MergePage {
	m := p.Manifest
	v := templates.MergePage{
		ID: id, From: m.Instance.Name, Made: moment(ctx, m.CreatedAt), Narrowed: m.Filter, TakeNew: chosen(typed, "new", p.TakeNew),
		Sum:    words.T(ctx, "%[1]s of %[2]s, those above included", words.T(ctx, "%d lessons", m.Counts.Exemplars), words.T(ctx, "%d taxa", m.Counts.Taxa)),
		Signer: templates.MergeSigner{Name: p.Signer.Name, Own: p.Signer.Own, Fingerprint: bundle.Grouped(p.Signer.Fingerprint), Key: fmt.Sprintf("%x", p.Signer.Key)},
		Take:   words.T(ctx, "%d lessons would be taught", p.Take()),
		Notes:  mergeNotes(ctx, p),
	}
	if p.Resumes != nil {
		v.Resumes = words.T(ctx, "A part of this bundle was taken in before: %[1]d of %[2]s. It goes on there, with what was decided then.", p.Resumes.Done, words.T(ctx, "%d lessons", p.Resumes.Total))
		v.Take = words.T(ctx, "%d lessons are still to come", p.Resumes.Total-p.Resumes.Done)
		return v
	}
	if p.New > 0 {
		v.New = words.T(ctx, "%d lessons are new", p.New)
	}
	if p.Known > 0 {
		v.Known = words.T(ctx, "%d lessons are known here already: the same photo has the same name. They are not taught again.", p.Known)
	}
	v.Kinds = mergeKinds(ctx, id, p, typed)
	for _, q := range p.Taxa {
		v.Taxa = append(v.Taxa, mergeTaxonView(ctx, id, q, typed))
	}
	if p.Take() == 0 {
		v.Nothing = words.T(ctx, "Everything in it is known here or left out: there is nothing to take in.")
		if p.New+len(p.Groups)+len(p.Taxa) > 0 {
			v.Nothing = words.T(ctx, "Decide otherwise and count again, or throw it away.")
		}
	}
	if len(v.Taxa) > 1 {
		v.AllTaxa = append([]templates.Option{{Label: words.T(ctx, "as decided below, one by one")}}, aboutManyTaxa(ctx, "")...)
	}
	if p.MoreTaxa > 0 {
		v.MoreTaxa = words.T(ctx, "%d more names are not listed.", p.MoreTaxa)
		v.OtherTaxa = aboutManyTaxa(ctx, typedOr(typed, "other-taxa", decisionValue(p.Others)))
	}
	return v
}

// chosen is whether a form takes something, or else what was decided before.
func chosen(typed url.Values, field string, before bool) bool {
	if !typed.Has(field) {
		return before
	}
	return typed.Get(field) == "take"
}

func typedOr(typed url.Values, field, before string) string {
	if !typed.Has(field) {
		return before
	}
	return typed.Get(field)
}

func mergeNotes(ctx context.Context, p identify.MergePreview) []string {
	var list []string
	if p.Reembed {
		list = append(list, words.T(ctx, "Another encoder made it (%s): its photos are read anew here. Photos that only look the same are not looked for.", p.Manifest.Encoder.Name))
	}
	if p.Unseen > 0 {
		list = append(list, words.T(ctx, "%d lessons have no photos with them that could be read anew, and cannot be taken.", p.Unseen))
	}
	if p.Withdrawn > 0 {
		list = append(list, words.T(ctx, "%d lessons were withdrawn where they come from, and are not taught here.", p.Withdrawn))
	}
	if p.LeftTaxa > 0 {
		list = append(list, words.T(ctx, "%d lessons are left out with their names.", p.LeftTaxa))
	}
	return list
}

// groupKinds are the kinds of groups in the order in which they are asked about.
var groupKinds = []identify.GroupKind{identify.SamePhoto, identify.NearPhoto, identify.TakenBack}

// mergeKinds sorts the groups by why they are asked about.
func mergeKinds(ctx context.Context, id string, p identify.MergePreview, typed url.Values) (list []templates.MergeKind) {
	for _, kind := range groupKinds {
		v := templates.MergeKind{Key: string(kind), Withdrawn: kind == identify.TakenBack}
		switch kind {
		case identify.SamePhoto:
			v.Title = words.T(ctx, "The same photo has another name here")
		case identify.NearPhoto:
			v.Title = words.T(ctx, "A photo that looks the same has another name here")
		case identify.TakenBack:
			v.Title = words.T(ctx, "Taught here before, and withdrawn")
		}
		for _, g := range p.Groups {
			if g.Kind == kind {
				v.Groups = append(v.Groups, mergeGroupView(ctx, id, g, typed))
			}
		}
		if len(v.Groups) > 0 {
			list = append(list, v)
		}
	}
	return list
}

func mergeGroupView(ctx context.Context, id string, g identify.MergeGroup, typed url.Values) templates.MergeGroup {
	if strings.HasSuffix(g.Key, "-others") {
		g.Theirs, g.Ours = words.T(ctx, "other names"), words.T(ctx, "other names")
	}
	v := templates.MergeGroup{Key: g.Key, Theirs: g.Theirs, Ours: g.Ours, Rows: words.T(ctx, "%d lessons", g.Rows), Take: chosen(typed, "group-"+g.Key, g.Take),
		Withdrawn: g.Kind == identify.TakenBack}
	for _, x := range g.Examples {
		at := fmt.Sprintf("/observations/%d", x.Observation)
		photo := templates.MergePhoto{Observation: at, Thumbnail: at + "/photo?size=thumb", Alt: words.T(ctx, "Observation %s here", strconv.FormatInt(int64(x.Observation), 10))}
		if x.Pictured && g.Kind == identify.NearPhoto {
			photo.Theirs = bundlePicture(id, x.Photo)
		}
		v.Photos = append(v.Photos, photo)
	}
	return v
}

func mergeTaxonView(ctx context.Context, id string, q identify.TaxonQuestion, typed url.Values) templates.MergeTaxon {
	v := templates.MergeTaxon{Field: fmt.Sprintf("taxon-%d", q.ID), Name: q.Taxon.ScientificName, English: q.Taxon.EnglishName,
		Rank: rankWord(ctx, identify.Rank(q.Taxon.Rank)), Below: q.Below, Rows: words.T(ctx, "%d lessons", q.Rows)}
	for _, photo := range q.Examples {
		v.Photos = append(v.Photos, bundlePicture(id, photo))
	}
	v.Typed = typed.Get(v.Field + "-name")
	value := typedOr(typed, v.Field, decisionValue(q.Decision))
	for _, t := range q.Similar {
		number := strconv.FormatInt(int64(t.ID), 10)
		v.Choices = append(v.Choices, templates.Option{Value: number, Label: nameOf(ctx, t), Selected: value == number, Data: true})
	}
	v.Choices = append(v.Choices, aboutTaxa(ctx, value)...)
	return v
}

// decisionValue is the value of the choice that stands for a decision.
func decisionValue(d identify.TaxonDecision) string {
	switch {
	case d.Create:
		return "create"
	case d.Leave:
		return "leave"
	case d.Taxon != 0:
		return strconv.FormatInt(int64(d.Taxon), 10)
	}
	return "suggested"
}

// aboutManyTaxa are the choices about taxa that are not known, aboutTaxa those about one
// but for the taxa of ours that it could be.
func aboutManyTaxa(ctx context.Context, value string) []templates.Option {
	return append([]templates.Option{{Value: "suggested", Label: words.T(ctx, "as suggested"), Selected: value == "suggested"}}, aboutTaxa(ctx, value)...)
}

func aboutTaxa(ctx context.Context, value string) []templates.Option {
	return []templates.Option{{Value: "create", Label: words.T(ctx, "a new taxon of ours"), Selected: value == "create"},
		{Value: "leave", Label: words.T(ctx, "left out"), Selected: value == "leave"}}
}
