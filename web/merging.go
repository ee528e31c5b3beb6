package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"fieldmark/internal/bundle"
	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
	"fieldmark/web/jobs"
	"fieldmark/web/spool"
)

// mergePage shows what taking a bundle in would do.
func (s *site) mergePage(w http.ResponseWriter, r *http.Request) error {
	return s.showMerge(w, r, identify.MergeDecisions{}, r.URL.Query())
}

// showMerge plans a merge and shows it; typed is the form as it was filled in.
func (s *site) showMerge(w http.ResponseWriter, r *http.Request, d identify.MergeDecisions, typed url.Values) error {
	return s.withBundle(w, r, typed.Get("name"), d, func(p identify.MergePlan) error {
		view := mergeView(r.Context(), p, typed)
		view.ID = chi.URLParam(r, "id")
		return s.render(w, r, http.StatusOK, templates.Merge(s.bundlePage(r, words.T(r.Context(), "From %s", p.Manifest.Instance.Name)), view))
	})
}

// withBundle plans the merge of an upload and lets do act on it.
func (s *site) withBundle(w http.ResponseWriter, r *http.Request, name string, d identify.MergeDecisions, do func(identify.MergePlan) error) (err error) {
	f, b, source, err := s.shelved(r, name)
	if err != nil {
		return s.refuseBundle(w, r, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	p, err := s.Bundles.PlanMerge(r.Context(), s.User(r), source, b, d)
	if err != nil {
		return s.refuseBundle(w, r, err)
	}
	return do(p)
}

// shelved opens an upload that waits, for who may take it in.
func (s *site) shelved(r *http.Request, name string) (*os.File, *bundle.Bundle, identify.ImportSource, error) {
	if _, err := s.Bundles.Signers(r.Context(), s.User(r)); err != nil {
		return nil, nil, identify.ImportSource{}, err
	}
	f, err := s.Shelf.Open(chi.URLParam(r, "id"))
	if err != nil {
		return nil, nil, identify.ImportSource{}, err
	}
	b, source, err := spool.OpenBundle(f, name)
	if err != nil {
		return nil, nil, source, errors.Join(err, f.Close())
	}
	return f, b, source, nil
}

// merge does what was decided about an upload.
func (s *site) merge(w http.ResponseWriter, r *http.Request) error {
	if err := parseForm(r); err != nil {
		return identify.Errorf(identify.Invalid, "", "This form cannot be read. Go back and send it again.")
	}
	d, err := s.mergeDecisions(r)
	if err != nil {
		return s.refuseBundle(w, r, err)
	}
	switch r.PostForm.Get("do") {
	case "drop":
		if _, err := s.Bundles.Signers(r.Context(), s.User(r)); err != nil {
			return err
		}
		if err := s.Shelf.Remove(chi.URLParam(r, "id")); err != nil {
			return err
		}
		return seeOther(w, r, "/bundles")
	case "take":
		return s.startMerge(w, r, d)
	}
	return s.showMerge(w, r, d, r.PostForm)
}

// startMerge takes a bundle in, which goes on when the answer is there. It leaves the
// shelf when all of it is in; until then it can be gone on with from there.
func (s *site) startMerge(w http.ResponseWriter, r *http.Request, d identify.MergeDecisions) error {
	id, name, u := chi.URLParam(r, "id"), r.PostForm.Get("name"), s.User(r)
	f, b, source, err := s.shelved(r, name)
	if err != nil {
		return s.refuseBundle(w, r, err)
	}
	job, err := s.Jobs.Start(jobs.Work{User: u.ID, Kind: jobs.Merge, Name: name, Of: source.Digest, From: bundleAddress(id, name), File: f,
		Do: func(ctx context.Context, _ bool, told func(identify.ImportProgress)) (out jobs.Outcome, err error) {
			p, err := s.Bundles.PlanMerge(ctx, u, source, b, d)
			if err != nil {
				return out, err
			}
			if out.Import, err = s.Bundles.RunMerge(ctx, u, p, told); err != nil {
				return out, err
			}
			if err := s.Shelf.Remove(id); err != nil {
				s.Log.WarnContext(ctx, "a bundle that was taken in is still on its shelf", "err", err)
			}
			return out, nil
		}})
	if err != nil {
		return s.refuseBundle(w, r, errors.Join(err, f.Close()))
	}
	s.Jobs.Wait(r.Context(), job, patience)
	return seeOther(w, r, jobPath(job))
}

// bundleAddress is the page of a bundle that waits.
func bundleAddress(id, name string) string {
	return "/bundles/" + url.PathEscape(id) + "?" + url.Values{"name": {name}}.Encode()
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
func mergeView(ctx context.Context, p identify.MergePlan, typed url.Values) templates.MergePage {
	m := p.Manifest
	v := templates.MergePage{
		Name: p.Source.Name, From: m.Instance.Name, Made: moment(ctx, m.CreatedAt), Narrowed: m.Filter, TakeNew: p.TakeNew,
		Sum:    words.T(ctx, "%[1]s of %[2]s, those above included", words.T(ctx, "%d lessons", m.Counts.Exemplars), words.T(ctx, "%d taxa", m.Counts.Taxa)),
		Signer: templates.MergeSigner{Name: p.Signer.Name, Own: p.Signer.Own, Fingerprint: bundle.Grouped(p.Signer.Fingerprint), Key: fmt.Sprintf("%x", p.Signer.Key)},
		Take:   words.T(ctx, "%d lessons would be taught", p.Take()), Nothing: p.Take() == 0 && p.Resumes == nil,
		Notes: mergeNotes(ctx, p),
	}
	if p.Resumes != nil {
		v.Resumes = words.T(ctx, "A part of this bundle was taken in before: %d of %d lessons. It goes on there, with what was decided then.", p.Resumes.Done, p.Resumes.Total)
		v.Take = words.T(ctx, "%d lessons are still to come", p.Resumes.Total-p.Resumes.Done)
		return v
	}
	if p.New > 0 {
		v.New = words.T(ctx, "%d lessons are new", p.New)
	}
	if p.Known > 0 {
		v.Known = words.T(ctx, "%d lessons are known here already: the same photo has the same name. They are not taught again.", p.Known)
	}
	for _, g := range p.Groups {
		v.Groups = append(v.Groups, mergeGroupView(ctx, g))
	}
	for _, q := range p.Taxa {
		v.Taxa = append(v.Taxa, mergeTaxonView(ctx, q, typed))
	}
	return v
}

func mergeNotes(ctx context.Context, p identify.MergePlan) []string {
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

func mergeGroupView(ctx context.Context, g identify.MergeGroup) templates.MergeGroup {
	v := templates.MergeGroup{Key: g.Key, Theirs: g.Theirs, Ours: g.Ours, Rows: words.T(ctx, "%d lessons", g.Rows), Take: g.Take,
		Near: g.Kind == identify.NearPhoto, Withdrawn: g.Kind == identify.TakenBack}
	for _, x := range g.Examples {
		at := fmt.Sprintf("/observations/%d", x.Observation)
		v.Photos = append(v.Photos, templates.MergePhoto{Observation: at, Thumbnail: at + "/photo?size=thumb", Alt: words.T(ctx, "Observation %s here", strconv.FormatInt(int64(x.Observation), 10))})
	}
	return v
}

func mergeTaxonView(ctx context.Context, q identify.TaxonQuestion, typed url.Values) templates.MergeTaxon {
	v := templates.MergeTaxon{Field: fmt.Sprintf("taxon-%d", q.ID), Name: q.Taxon.ScientificName, English: q.Taxon.EnglishName,
		Rank: rankWord(ctx, identify.Rank(q.Taxon.Rank)), Below: q.Below, Rows: words.T(ctx, "%d lessons", q.Rows)}
	v.Typed = typed.Get(v.Field + "-name")
	known := false
	for _, t := range q.Similar {
		chosen := q.Decision.Taxon == t.ID
		known = known || chosen
		v.Choices = append(v.Choices, templates.Option{Value: strconv.FormatInt(int64(t.ID), 10), Label: t.Label(), Selected: chosen, Data: true})
	}
	if q.Decision.Taxon != 0 && !known {
		v.Choices = append(v.Choices, templates.Option{Value: strconv.FormatInt(int64(q.Decision.Taxon), 10), Label: v.Typed, Selected: true, Data: true})
	}
	v.Choices = append(v.Choices, templates.Option{Value: "create", Label: words.T(ctx, "a new taxon of ours"), Selected: q.Decision.Create},
		templates.Option{Value: "leave", Label: words.T(ctx, "left out"), Selected: q.Decision.Leave})
	return v
}
