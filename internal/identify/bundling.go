package identify

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"io"
	"time"

	"fieldmark/internal/bundle"
)

// BundleRequest says what goes into a bundle.
type BundleRequest struct {
	Filter     ObservationFilter
	Narrowed   string // Filter in words, for those who get the bundle
	Span       LessonSpan
	Thumbnails bool
	Photos     bool
	// ExactPlaces leaves the places of sensitive taxa as they are, and lets their
	// photos travel.
	ExactPlaces bool
}

// OutgoingBundle is a bundle that can be written: what is taught or withdrawn after
// it was planned changes nothing about it.
type OutgoingBundle struct {
	Site     Site
	Lessons  []ExemplarRef
	manifest bundle.Manifest
	source   bundleSource
}

// PlanBundle lists what a bundle of an encoder's embeddings would have.
func PlanBundle(ctx context.Context, st Store, photos PhotoFiles, info EncoderInfo, r BundleRequest, at time.Time) (*OutgoingBundle, error) {
	if err := r.Filter.check(); err != nil {
		return nil, err
	}
	site, err := siteOf(ctx, st, at)
	if err != nil {
		return nil, err
	}
	refs, err := st.LessonRefs(ctx, info.Digest, r.Filter, r.Span)
	if err != nil {
		return nil, err
	}
	m := bundle.Manifest{
		Instance: bundle.Instance{ID: site.ID, Name: site.Name}, CreatedAt: at.UTC().Truncate(time.Second), Software: "Fieldmark",
		Scope: bundle.Standing, Filter: r.Narrowed,
		Encoder: bundle.Encoder{Name: info.Name, Digest: info.Digest, Dim: info.Dim, ViewScheme: ViewScheme},
	}
	if r.Span.Withdrawn {
		m.Scope = bundle.WholeLog
	}
	if n := len(refs); n > 0 {
		m.Log = bundle.LogRange{From: int64(refs[0].Seq), To: int64(refs[n-1].Seq)}
	}
	return &OutgoingBundle{Site: site, Lessons: refs, manifest: m, source: bundleSource{
		store: st, files: photos, site: site.ID, encoder: info.Digest, refs: refs, thumbnails: r.Thumbnails, photos: r.Photos, exact: r.ExactPlaces}}, nil
}

// Bundle is PlanBundle for the encoder that serves. It takes a curator.
func (s *Service) Bundle(ctx context.Context, u User, r BundleRequest) (*OutgoingBundle, error) {
	if err := allow(u, Curator, "export"); err != nil {
		return nil, err
	}
	return PlanBundle(ctx, s.Store, s.Photos, s.serving().info, r, s.Now())
}

// Write writes the bundle, signed by the site's key, in one go.
func (o *OutgoingBundle) Write(ctx context.Context, w io.Writer) (bundle.Manifest, error) {
	source := o.source
	source.ctx = ctx
	return bundle.Write(w, o.Site.Key, o.manifest, &source)
}

// Site returns who this Fieldmark is to others. It takes a curator.
func (s *Service) Site(ctx context.Context, u User) (Site, error) {
	if err := allow(u, Curator, "exchange bundles"); err != nil {
		return Site{}, err
	}
	return siteOf(ctx, s.Store, s.Now())
}

// siteOf makes a site's key when it is first needed.
func siteOf(ctx context.Context, st Store, at time.Time) (Site, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return Site{}, err
	}
	site, err := st.Site(ctx, key, at)
	if err == nil && site.Name == "" {
		site.Name = "Fieldmark " + site.ID[:4]
	}
	return site, err
}

// RenameSite changes what this Fieldmark is called in the bundles that it makes. It
// takes a curator.
func (s *Service) RenameSite(ctx context.Context, u User, name string) error {
	if err := allow(u, Curator, "name this Fieldmark"); err != nil {
		return err
	}
	name, err := cleanName("site", name)
	if err != nil {
		return err
	}
	if _, err := s.Site(ctx, u); err != nil {
		return err
	}
	return s.Store.RenameSite(ctx, name)
}

// Fingerprint is how people tell the site's key from others'.
func (s Site) Fingerprint() string {
	public, _ := s.Key.Public().(ed25519.PublicKey)
	return bundle.Fingerprint(public)
}

// Signers lists whose keys are known. It takes a curator.
func (s *Service) Signers(ctx context.Context, u User) ([]Signer, error) {
	if err := allow(u, Curator, "see whose keys are known"); err != nil {
		return nil, err
	}
	return s.Store.Signers(ctx)
}

// KnowSigner notes whose a key is. It takes a curator.
func (s *Service) KnowSigner(ctx context.Context, u User, key ed25519.PublicKey, name string) error {
	if err := allow(u, Curator, "vouch for a key"); err != nil {
		return err
	}
	if len(key) != ed25519.PublicKeySize {
		return Errorf(Invalid, "key", "This is no key: a public key has 64 hex digits.")
	}
	name, err := cleanName("name", name)
	if err != nil {
		return err
	}
	return s.Store.KnowSigner(ctx, key, name, u.ID, s.Now())
}

// ForgetSigner takes a key off those that are known. It takes a curator.
func (s *Service) ForgetSigner(ctx context.Context, u User, key ed25519.PublicKey) error {
	if err := allow(u, Curator, "forget a key"); err != nil {
		return err
	}
	return stored(s.Store.ForgetSigner(ctx, key), "key")
}
