package web

import (
	"context"
	"crypto/ed25519"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
	"fieldmark/web/jobs"
	"fieldmark/web/spool"
)

// mergePage shows what taking a bundle in would do, as it was worked out last for
// whoever asks, or else works it out anew: where nobody did, or a part was taken since.
func (s *site) mergePage(w http.ResponseWriter, r *http.Request) error {
	x, err := s.waiting(r)
	if err != nil {
		return err
	}
	switch j, is := s.jobAbout(r, x.ID); {
	case is && j.State == jobs.Running:
		return seeOther(w, r, jobPath(j.ID))
	case is && j.State == jobs.Done && j.Kind == jobs.Preview:
		return s.renderMerge(w, r, http.StatusOK, x, *j.Outcome.Preview, nil, "")
	}
	j, err := s.preview(r, x, identify.MergeDecisions{})
	switch {
	case err != nil:
		return s.refuseBundle(w, r, err)
	case j.State == jobs.Done:
		return s.renderMerge(w, r, http.StatusOK, x, *j.Outcome.Preview, nil, "")
	}
	return seeOther(w, r, jobPath(j.ID))
}

// renderMerge shows a preview; typed is the form as it was sent, where it was refused
// for a reason.
func (s *site) renderMerge(w http.ResponseWriter, r *http.Request, status int, x spool.Noted, p identify.MergePreview, typed url.Values, reason string) error {
	stats, err := s.Service.Stats(r.Context())
	if err != nil {
		return err
	}
	signers, err := s.Bundles.Signers(r.Context(), s.User(r))
	if err != nil {
		return err
	}
	for _, known := range signers { // somebody may have noted it since
		if known.Key.Equal(ed25519.PublicKey(p.Signer.Key)) {
			p.Signer.Name = known.Name
		}
	}
	view := mergeView(r.Context(), x.ID, p, typed)
	view.Name, view.Problem, view.Old = x.Name, reason, stats.Seq != p.Seq
	return s.render(w, r, status, templates.Merge(s.bundlePage(r, words.T(r.Context(), "From %s", p.Manifest.Instance.Name)), view))
}

// waiting is the bundle of the address, for who may take it in.
func (s *site) waiting(r *http.Request) (spool.Noted, error) {
	if _, err := s.Bundles.Signers(r.Context(), s.User(r)); err != nil {
		return spool.Noted{}, err
	}
	return s.Shelf.Noted(chi.URLParam(r, "id"))
}

// merge does what was decided about an upload.
func (s *site) merge(w http.ResponseWriter, r *http.Request) error {
	if err := parseForm(r); err != nil {
		return identify.Errorf(identify.Invalid, "", "This form cannot be read. Go back and send it again.")
	}
	x, err := s.waiting(r)
	if err != nil {
		return err
	}
	switch r.PostForm.Get("do") {
	case "drop":
		if err = s.Jobs.Free(x.Digest); err == nil {
			err = s.Shelf.Remove(x.ID)
		}
		if err != nil {
			return s.refuseBundle(w, r, err)
		}
		return seeOther(w, r, "/bundles")
	case "take":
		return s.startMerge(w, r, x)
	}
	j, err := s.preview(r, x, mergeDecisions(r.PostForm))
	switch {
	case err != nil:
		return s.refuseMerge(w, r, x, err)
	case j.State == jobs.Done:
		return seeOther(w, r, bundleAddress(x.ID))
	}
	return seeOther(w, r, jobPath(j.ID))
}

// refuseMerge shows the form as it was sent, with what is wrong with it, where the
// preview that it belongs to is still known.
func (s *site) refuseMerge(w http.ResponseWriter, r *http.Request, x spool.Noted, err error) error {
	kind := identify.KindOf(err)
	if p := s.previewed(r, x.ID); p != nil && (kind == identify.Invalid || kind == identify.Conflict) {
		said := problem(r.Context(), err)
		return s.renderMerge(w, r, said.Status, x, *p, r.PostForm, said.Message)
	}
	return s.refuseBundle(w, r, err)
}

// startMerge takes a bundle in, which goes on when the answer is there. It leaves the
// shelf when all of it is in; until then it can be gone on with from there.
func (s *site) startMerge(w http.ResponseWriter, r *http.Request, x spool.Noted) error {
	u, d := s.User(r), mergeDecisions(r.PostForm)
	f, b, source, err := s.Shelf.Bundle(x)
	if err != nil {
		return s.refuseBundle(w, r, err)
	}
	job, err := s.Jobs.Start(jobs.Work{User: u.ID, Kind: jobs.Merge, Name: x.Name, Of: x.Digest, From: bundleAddress(x.ID), File: f,
		Do: func(ctx context.Context, _ bool, told func(identify.ImportProgress)) (out jobs.Outcome, err error) {
			p, err := s.Bundles.PlanMerge(ctx, u, source, b, d, func(identify.ImportProgress) {})
			if err != nil {
				s.dropUseless(ctx, x, err)
				return out, err
			}
			if out.Import, err = s.Bundles.RunMerge(ctx, u, p, told); err != nil {
				return out, err
			}
			if err := s.Shelf.Remove(x.ID); err != nil {
				s.Log.WarnContext(ctx, "a bundle that was taken in is still on its shelf", "error", err)
			}
			return out, nil
		}})
	if err != nil {
		return s.refuseMerge(w, r, x, errors.Join(err, f.Close()))
	}
	j, err := s.patiently(r, job)
	if err != nil && j.Outcome.Import.Done == 0 {
		s.Jobs.Forget(job, u.ID)
		return s.refuseMerge(w, r, x, err)
	}
	return seeOther(w, r, jobPath(job))
}

// patiently waits a while for a job, and returns why it failed, if it did so for a
// reason that can be mended on the page.
func (s *site) patiently(r *http.Request, id int64) (jobs.Job, error) {
	s.Jobs.Wait(r.Context(), id, patience)
	j, err := s.Jobs.Job(id, s.User(r).ID)
	if err == nil && j.State == jobs.Failed && identify.KindOf(j.Err) != "" {
		err = j.Err
	}
	return j, err
}

// bundleAddress is the page of a bundle that waits.
func bundleAddress(id string) string { return "/bundles/" + url.PathEscape(id) }

// mergeDecisions reads the form. What is decided about all of a kind goes before what
// is said of one.
func mergeDecisions(form url.Values) identify.MergeDecisions {
	d := identify.MergeDecisions{LeaveNew: form.Get("new") == "leave", Groups: map[string]bool{}, Taxa: map[int64]identify.TaxonDecision{}}
	for _, kind := range groupKinds {
		if all := form.Get("all-" + string(kind)); all != "" {
			d.Groups[string(kind)] = all == "take"
		}
	}
	for name := range form {
		key, is := strings.CutPrefix(name, "group-")
		kind, _, _ := strings.Cut(key, "-")
		if _, all := d.Groups[kind]; is && !all {
			d.Groups[key] = form.Get(name) == "take"
		}
	}
	if all, is := taxonDecision(form.Get("all-taxa")); is {
		d.Others = all
		return d
	}
	d.Others, _ = taxonDecision(form.Get("other-taxa"))
	for name := range form {
		text, is := strings.CutPrefix(name, "taxon-")
		id, err := strconv.ParseInt(text, 10, 64)
		if !is || err != nil {
			continue
		}
		if typed := strings.TrimSpace(form.Get(name + "-name")); typed != "" {
			d.Taxa[id] = identify.TaxonDecision{Name: typed}
		} else if x, is := taxonDecision(form.Get(name)); is {
			d.Taxa[id] = x
		}
	}
	return d
}

// taxonDecision reads the value of a choice about a taxon; is is false where nothing
// was chosen.
func taxonDecision(value string) (_ identify.TaxonDecision, is bool) {
	switch id, err := strconv.ParseInt(value, 10, 64); {
	case value == "suggested":
		return identify.TaxonDecision{}, true
	case value == "create":
		return identify.TaxonDecision{Create: true}, true
	case value == "leave":
		return identify.TaxonDecision{Leave: true}, true
	case err == nil && id > 0:
		return identify.TaxonDecision{Taxon: identify.TaxonID(id)}, true
	}
	return identify.TaxonDecision{}, false
}
