package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"fieldmark/internal/bundle"
	"fieldmark/internal/identify"
	"fieldmark/templates"
	"fieldmark/web/spool"
)

// mergePage shows what taking a bundle in would do.
func (s *site) mergePage(w http.ResponseWriter, r *http.Request) error {
	return s.showMerge(w, r, identify.MergeDecisions{}, r.URL.Query())
}

// showMerge plans a merge and shows it; typed is the form as it was filled in.
func (s *site) showMerge(w http.ResponseWriter, r *http.Request, d identify.MergeDecisions, typed url.Values) error {
	return s.withBundle(w, r, typed.Get("name"), d, func(p identify.MergePlan) error {
		view := mergeView(p, typed)
		view.ID = chi.URLParam(r, "id")
		return s.render(w, r, http.StatusOK, templates.Merge(s.bundlePage(r, "From "+p.Manifest.Instance.Name), view))
	})
}

// withBundle plans the merge of an upload and lets do act on it.
func (s *site) withBundle(w http.ResponseWriter, r *http.Request, name string, d identify.MergeDecisions, do func(identify.MergePlan) error) (err error) {
	if _, err := s.Bundles.Signers(r.Context(), s.User(r)); err != nil {
		return err
	}
	f, err := s.Shelf.Open(chi.URLParam(r, "id"))
	if err != nil {
		return s.refuseBundle(w, r, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	b, source, err := spool.OpenBundle(f, name)
	if err != nil {
		return s.refuseBundle(w, r, err)
	}
	p, err := s.Bundles.PlanMerge(r.Context(), s.User(r), source, b, d)
	if err != nil {
		return s.refuseBundle(w, r, err)
	}
	return do(p)
}

// merge does what was decided about an upload.
func (s *site) merge(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return identify.Errorf(identify.Invalid, "", "This form cannot be read. Go back and send it again.")
	}
	d, err := s.mergeDecisions(r)
	if err != nil {
		return s.refuseBundle(w, r, err)
	}
	id := chi.URLParam(r, "id")
	switch r.PostForm.Get("do") {
	case "drop":
		if _, err := s.Bundles.Signers(r.Context(), s.User(r)); err != nil {
			return err
		}
		if err := s.Shelf.Remove(id); err != nil {
			return err
		}
		return seeOther(w, r, "/bundles")
	case "take":
		return s.withBundle(w, r, r.PostForm.Get("name"), d, func(p identify.MergePlan) error {
			m, err := s.Bundles.RunMerge(r.Context(), s.User(r), p, func(identify.ImportProgress) {})
			if err != nil {
				return s.refuseBundle(w, r, err)
			}
			if err := s.Shelf.Remove(id); err != nil {
				return err
			}
			return seeOther(w, r, fmt.Sprintf("/bundles?taken=%d", m.ID))
		})
	}
	return s.showMerge(w, r, d, r.PostForm)
}

// mergeDecisions reads the form.
func (s *site) mergeDecisions(r *http.Request) (identify.MergeDecisions, error) {
	d := identify.MergeDecisions{LeaveNew: r.PostForm.Get("new") == "leave", Groups: map[string]bool{}, Taxa: map[int64]identify.TaxonDecision{}}
	for name := range r.PostForm {
		value := r.PostForm.Get(name)
		if key, is := strings.CutPrefix(name, "group-"); is {
			d.Groups[key] = value == "take"
		}
		text, is := strings.CutPrefix(name, "taxon-")
		id, err := strconv.ParseInt(text, 10, 64)
		if !is || err != nil {
			continue
		}
		if typed := strings.TrimSpace(r.PostForm.Get(name + "-name")); typed != "" {
			taxon, err := s.namedTaxon(r.Context(), typed)
			if err != nil {
				return d, err
			}
			d.Taxa[id] = identify.TaxonDecision{Taxon: taxon}
			continue
		}
		switch taxon, err := strconv.ParseInt(value, 10, 64); {
		case value == "create":
			d.Taxa[id] = identify.TaxonDecision{Create: true}
		case value == "leave":
			d.Taxa[id] = identify.TaxonDecision{Leave: true}
		case err == nil && taxon > 0:
			d.Taxa[id] = identify.TaxonDecision{Taxon: identify.TaxonID(taxon)}
		}
	}
	return d, nil
}

// mergeView puts a plan into words.
func mergeView(p identify.MergePlan, typed url.Values) templates.MergePage {
	m := p.Manifest
	v := templates.MergePage{
		Name: p.Source.Name, From: m.Instance.Name, Made: moment(m.CreatedAt), Narrowed: m.Filter, TakeNew: p.TakeNew,
		Sum:    plural(m.Counts.Exemplars, "lesson", "lessons") + " of " + plural(m.Counts.Taxa, "taxon", "taxa") + ", those above included",
		Signer: templates.MergeSigner{Name: p.Signer.Name, Own: p.Signer.Own, Fingerprint: bundle.Grouped(p.Signer.Fingerprint), Key: fmt.Sprintf("%x", p.Signer.Key)},
		Take:   plural(p.Take(), "lesson", "lessons") + " would be taught", Nothing: p.Take() == 0 && p.Resumes == nil,
		Notes: mergeNotes(p),
	}
	if p.Resumes != nil {
		v.Resumes = fmt.Sprintf("A part of this bundle was taken in before: %s of %s lessons. It goes on there, with what was decided then.", number(p.Resumes.Done), number(p.Resumes.Total))
		v.Take = plural(p.Resumes.Total-p.Resumes.Done, "lesson is", "lessons are") + " still to come"
		return v
	}
	if p.New > 0 {
		v.New = plural(p.New, "lesson is", "lessons are")
	}
	if p.Known > 0 {
		v.Known = plural(p.Known, "lesson is", "lessons are")
	}
	for _, g := range p.Groups {
		v.Groups = append(v.Groups, mergeGroupView(g))
	}
	for _, q := range p.Taxa {
		v.Taxa = append(v.Taxa, mergeTaxonView(q, typed))
	}
	return v
}

func mergeNotes(p identify.MergePlan) []string {
	var list []string
	if p.Reembed {
		list = append(list, fmt.Sprintf("Another encoder made it (%s): its photos are read anew here. Photos that only look the same are not looked for.", p.Manifest.Encoder.Name))
	}
	if p.Unseen > 0 {
		list = append(list, plural(p.Unseen, "lesson has no photo", "lessons have no photos")+" with them that could be read anew, and cannot be taken.")
	}
	if p.Withdrawn > 0 {
		list = append(list, plural(p.Withdrawn, "lesson was", "lessons were")+" withdrawn where they come from, and are not taught here.")
	}
	if p.LeftTaxa > 0 {
		list = append(list, plural(p.LeftTaxa, "lesson is", "lessons are")+" left out with their names.")
	}
	return list
}

func mergeGroupView(g identify.MergeGroup) templates.MergeGroup {
	v := templates.MergeGroup{Key: g.Key, Theirs: g.Theirs, Ours: g.Ours, Rows: plural(g.Rows, "lesson", "lessons"), Take: g.Take,
		Why: "The same photo has another name here", TakeLabel: "Let both stand, as two people who disagree do", LeaveLabel: "Keep ours alone"}
	switch g.Kind {
	case identify.NearPhoto:
		v.Why = "A photo that looks the same has another name here"
	case identify.TakenBack:
		v.Why, v.Ours = "This was taught here, and withdrawn", "withdrawn"
		v.TakeLabel, v.LeaveLabel = "Teach it again", "Leave it out"
	}
	for _, x := range g.Examples {
		at := fmt.Sprintf("/observations/%d", x.Observation)
		v.Photos = append(v.Photos, templates.MergePhoto{Observation: at, Thumbnail: at + "/photo?size=thumb", Alt: fmt.Sprintf("Observation %d here", x.Observation)})
	}
	return v
}

func mergeTaxonView(q identify.TaxonQuestion, typed url.Values) templates.MergeTaxon {
	v := templates.MergeTaxon{Field: fmt.Sprintf("taxon-%d", q.ID), Name: q.Taxon.ScientificName, English: q.Taxon.EnglishName,
		Facts: q.Taxon.Rank}
	if q.Below != "" {
		v.Facts += " below " + q.Below
	}
	v.Facts += ", " + plural(q.Rows, "lesson", "lessons")
	v.Typed = typed.Get(v.Field + "-name")
	known := false
	for _, t := range q.Similar {
		chosen := q.Decision.Taxon == t.ID
		known = known || chosen
		v.Choices = append(v.Choices, templates.Option{Value: strconv.FormatInt(int64(t.ID), 10), Label: t.Label(), Selected: chosen})
	}
	if q.Decision.Taxon != 0 && !known {
		v.Choices = append(v.Choices, templates.Option{Value: strconv.FormatInt(int64(q.Decision.Taxon), 10), Label: v.Typed, Selected: true})
	}
	v.Choices = append(v.Choices, templates.Option{Value: "create", Label: "a new taxon of ours", Selected: q.Decision.Create},
		templates.Option{Value: "leave", Label: "left out", Selected: q.Decision.Leave})
	return v
}
