package web

import (
	"bufio"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"net/http"
	"strconv"

	"github.com/go-chi/chi/v5"

	"fieldmark/internal/bundle"
	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
	"fieldmark/web/jobs"
	"fieldmark/web/spool"
)

// BundleService is what the pages about bundles need.
type BundleService interface {
	Bundle(ctx context.Context, u identify.User, r identify.BundleRequest) (*identify.OutgoingBundle, error)
	PlanMerge(ctx context.Context, u identify.User, source identify.ImportSource, b *bundle.Bundle, d identify.MergeDecisions, told func(identify.ImportProgress)) (identify.MergePlan, error)
	RunMerge(ctx context.Context, u identify.User, p identify.MergePlan, told func(identify.ImportProgress)) (identify.Import, error)
	MergePicture(ctx context.Context, u identify.User, b *bundle.Bundle, photo identify.PhotoHash) ([]byte, error)
	Site(ctx context.Context, u identify.User) (identify.Site, error)
	RenameSite(ctx context.Context, u identify.User, name string) error
	Signers(ctx context.Context, u identify.User) ([]identify.Signer, error)
	KnowSigner(ctx context.Context, u identify.User, key ed25519.PublicKey, name string) error
	ForgetSigner(ctx context.Context, u identify.User, key ed25519.PublicKey) error
}

// decisionsLimit is how long the form about a bundle may be: a thousand groups, and
// as many names.
const decisionsLimit = 2 << 20

func (s *site) bundleRoutes(r chi.Router) {
	r.Get("/bundles", s.handle(s.bundles))
	r.Get("/bundles/file", s.handle(s.bundleFile))
	r.Get("/bundles/{id}", s.handle(s.mergePage))
	r.Get("/bundles/{id}/photos/{photo}", s.handle(s.mergePicture))
	r.With(limitBody(spool.MaxBytes+formLimit)).Post("/bundles", s.handle(s.uploadBundle))
	r.With(limitBody(decisionsLimit)).Post("/bundles/{id}", s.handle(s.merge))
	r.Group(func(r chi.Router) {
		r.Use(limitBody(formLimit))
		r.Post("/bundles/site", s.handle(s.renameSite))
		r.Post("/bundles/signers/forget", s.handle(s.forgetSigner))
		r.Post("/bundles/{id}/signer", s.handle(s.knowSigner))
	})
}

func (s *site) bundlePage(r *http.Request, title string) templates.Page {
	p := s.page(r, title, "memory")
	p.Styles = []string{"bundles.css", "imports.css"}
	return p
}

// bundles is the page from which they are made and taken in.
func (s *site) bundles(w http.ResponseWriter, r *http.Request) error {
	return s.renderBundles(w, r, http.StatusOK, templates.BundlesPage{})
}

func (s *site) renderBundles(w http.ResponseWriter, r *http.Request, status int, page templates.BundlesPage) error {
	us, err := s.Bundles.Site(r.Context(), s.User(r))
	if err != nil {
		return err
	}
	signers, err := s.Bundles.Signers(r.Context(), s.User(r))
	if err != nil {
		return err
	}
	page.Site, page.Fingerprint = us.Name, bundle.Grouped(us.Fingerprint())
	page.Jobs = s.jobsOf(r, "/bundles", jobs.Preview, jobs.Merge)
	if page.Waiting, err = s.waitingBundles(r.Context()); err != nil {
		return err
	}
	for _, x := range signers {
		page.Signers = append(page.Signers, templates.Signer{Name: x.Name, Fingerprint: bundle.Grouped(bundle.Fingerprint(x.Key)),
			By: who(r.Context(), x.ByName), Key: hex.EncodeToString(x.Key), When: moment(r.Context(), x.At)})
	}
	return s.render(w, r, status, templates.Bundles(s.bundlePage(r, words.T(r.Context(), "Bundles")), page))
}

// refuseBundle shows the page again with what was wrong, where that is known.
func (s *site) refuseBundle(w http.ResponseWriter, r *http.Request, err error) error {
	switch identify.KindOf(err) {
	case identify.Invalid, identify.Conflict, identify.TooLarge, identify.NotFound:
		p := problem(r.Context(), err)
		return s.renderBundles(w, r, p.Status, templates.BundlesPage{Problem: p.Message})
	}
	return err
}

// bundleFile makes a bundle, as a download.
func (s *site) bundleFile(w http.ResponseWriter, r *http.Request) error {
	request, err := s.bundleRequest(r)
	if err != nil {
		return s.refuseBundle(w, r, err)
	}
	o, err := s.Bundles.Bundle(r.Context(), s.User(r), request)
	if err != nil {
		return s.refuseBundle(w, r, err)
	}
	return s.writeBundle(w, r, o, "fieldmark-"+o.Site.ID[:8])
}

// writeBundle answers with a bundle as a download.
func (s *site) writeBundle(w http.ResponseWriter, r *http.Request, o *identify.OutgoingBundle, name string) error {
	w.Header().Set("Content-Type", "application/zip")
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+bundle.Extension+`"`)
	out := bufio.NewWriterSize(w, 256<<10)
	_, err := o.Write(r.Context(), out)
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		// A part of a bundle must not look like a whole one.
		s.Log.ErrorContext(r.Context(), "a bundle broke off", "error", err)
		panic(http.ErrAbortHandler)
	}
	return nil
}

func (s *site) bundleRequest(r *http.Request) (identify.BundleRequest, error) {
	q := r.URL.Query()
	var x identify.BundleRequest
	if name := q.Get("taxon"); name != "" {
		t, err := s.namedTaxon(r.Context(), name)
		if err != nil {
			return x, err
		}
		q.Set("taxon_id", strconv.FormatInt(int64(t), 10))
	}
	var err error
	if x.Filter, err = identify.ReadFilter(q.Get); err != nil {
		return x, err
	}
	for _, name := range append([]string{"taxon"}, identify.FilterNames()...) {
		if v := q.Get(name); v != "" && (name != "taxon_id" || !q.Has("taxon")) {
			x.Narrowed += ", " + name + " " + v
		}
	}
	if x.Narrowed != "" {
		x.Narrowed = x.Narrowed[2:]
	}
	x.Thumbnails, x.Photos = q.Get("thumbnails") == "true", q.Get("photos") == "true"
	x.Span.Withdrawn, x.ExactPlaces = q.Get("withdrawn") == "true", q.Get("exact_places") == "true"
	return x, nil
}

// namedTaxon is the taxon of just that name.
func (s *site) namedTaxon(ctx context.Context, name string) (identify.TaxonID, error) {
	t, near, err := s.taxonNamed(ctx, name)
	if err == nil && t == 0 && len(near) > 0 {
		err = identify.Errorf(identify.Invalid, "taxon", "No taxon is called just %q. The nearest name is %s: write it in full.", name, near[0].Name())
	} else if err == nil && t == 0 {
		err = identify.Errorf(identify.Invalid, "taxon", "No taxon is called %q. Look it up on the page Names.", name)
	}
	return t, err
}

// uploadBundle keeps a bundle for its decision.
func (s *site) uploadBundle(w http.ResponseWriter, r *http.Request) error {
	if _, err := s.Bundles.Signers(r.Context(), s.User(r)); err != nil {
		return err // who may not take it in need not upload it first
	}
	id, err := s.shelve(r)
	if err != nil {
		return s.refuseBundle(w, r, err)
	}
	return seeOther(w, r, bundleAddress(id))
}

func (s *site) renameSite(w http.ResponseWriter, r *http.Request) error {
	if err := s.Bundles.RenameSite(r.Context(), s.User(r), r.FormValue("site")); err != nil {
		return s.refuseBundle(w, r, err)
	}
	return seeOther(w, r, "/bundles")
}

func (s *site) forgetSigner(w http.ResponseWriter, r *http.Request) error {
	if err := s.Bundles.ForgetSigner(r.Context(), s.User(r), keyOf(r.FormValue("key"))); err != nil {
		return s.refuseBundle(w, r, err)
	}
	return seeOther(w, r, "/bundles")
}

func (s *site) knowSigner(w http.ResponseWriter, r *http.Request) error {
	if err := s.Bundles.KnowSigner(r.Context(), s.User(r), keyOf(r.FormValue("key")), r.FormValue("signer")); err != nil {
		return s.refuseBundle(w, r, err)
	}
	return seeOther(w, r, bundleAddress(chi.URLParam(r, "id")))
}

// keyOf reads a key in hex; what is none has another length than a key.
func keyOf(text string) ed25519.PublicKey {
	key, err := hex.DecodeString(text)
	if err != nil {
		return nil
	}
	return key
}
