package identify

import (
	"context"
	"errors"

	"fieldmark/internal/bundle"
)

// MergePreview says what taking a bundle in would do. It holds nothing open, and its
// size does not grow with the bundle's rows.
type MergePreview struct {
	Source    ImportSource // Total is how many rows are taken
	Manifest  bundle.Manifest
	Signer    BundleSigner
	Seq       Seq  // of the last event of the log that it knows of
	Reembed   bool // another encoder made it: its photos are read anew
	Resumes   *Import
	New       int // rows that nothing here speaks for or against
	TakeNew   bool
	Known     int // the photo has that name here already
	Withdrawn int // taken back where it comes from: never taught here
	Unseen    int // another encoder's, and the photo does not travel with it: cannot be taken
	LeftTaxa  int // of taxa that are left out
	Groups    []MergeGroup
	Taxa      []TaxonQuestion // the most frequent
	MoreTaxa  int             // how many further ones there are, of which nothing was decided one by one
	Others    TaxonDecision   // about those
}

// MergePlan is a preview that can be carried out, as long as the file is open.
type MergePlan struct {
	MergePreview
	file  *bundle.Bundle
	taken []byte // a byte for each row
	taxa  *mergedTaxa
}

// BundleSigner says whose a bundle is.
type BundleSigner struct {
	Key         []byte
	Fingerprint string
	Name        string // "" if nobody here knows the key
	Own         bool   // signed here
}

// GroupKind is why rows of a bundle are asked about.
type GroupKind string

// The kinds of groups.
const (
	SamePhoto GroupKind = "photo"     // the same photo has another name here
	NearPhoto GroupKind = "near"      // so has one that looks the same
	TakenBack GroupKind = "withdrawn" // people here taught just that and withdrew it
)

// NearDuplicate is the cosine from which two photos are taken for the same one: a
// photo that is saved anew, smaller or at a lower quality, is that near to itself
// (0.983 at quality 60), other photos of one animal in the same place seldom.
const NearDuplicate = 0.98

// MergeGroup is rows that are decided about together.
type MergeGroup struct {
	Key      string // names it in MergeDecisions
	Kind     GroupKind
	Theirs   string // label there, of the taxon that the rows have
	Ours     string // label of the taxon that the photos have here
	Rows     int
	Take     bool
	Examples []MergeExample // a few
}

// MergeExample is one row of a group, and what it is up against.
type MergeExample struct {
	Photo       PhotoHash     // theirs
	Observation ObservationID // ours
	Similarity  float64       // cosine; 1 for the same photo
	Pictured    bool          // theirs can be looked at: MergePicture
}

// TaxonQuestion is a taxon of a bundle that is not known here by its name and
// rank, or is by another name.
type TaxonQuestion struct {
	ID       int64 // names it in MergeDecisions
	Taxon    bundle.Taxon
	Below    string // the nearest taxon above it that is known here, "" if none is
	Rows     int
	Similar  []Taxon     // which it could be, the likeliest first, and the one that was decided on
	Examples []PhotoHash // a few photos of its rows that can be looked at: MergePicture
	Decision TaxonDecision
	Proposed TaxonDecision
}

// Take is how many rows are taken.
func (p MergePreview) Take() int { return p.Source.Total }

// PlanMerge reads a bundle through, compares every digest in it, and works out what
// taking it in would do; told is called now and then with how much of it was read.
// Nothing is stored, so that one that is broken off is begun anew. A bundle that
// cannot be taken is refused with an *Error about the field "file", or "encoder". It
// takes a curator.
func (s *Service) PlanMerge(ctx context.Context, u User, source ImportSource, b *bundle.Bundle, d MergeDecisions, told func(ImportProgress)) (MergePlan, error) {
	if err := allow(u, Curator, "import exemplars"); err != nil {
		return MergePlan{}, err
	}
	e, release := s.acquire()
	defer release()
	p := MergePlan{MergePreview: MergePreview{Manifest: b.Manifest, Source: source, TakeNew: !d.LeaveNew, Others: d.Others}, file: b,
		taken: make([]byte, b.Manifest.Counts.Exemplars)}
	p.Source.Kind, p.Source.Encoder = BundleKind, e.info.Digest
	if err := p.meets(e.info); err != nil {
		return p, err
	}
	if err := p.resume(ctx, s.Store); err != nil {
		return p, err
	}
	site, err := siteOf(ctx, s.Store, s.Now())
	if err != nil {
		return p, err
	}
	if err := p.sign(ctx, s.Store, site); err != nil {
		return p, err
	}
	if p.taxa, err = resolveMerged(ctx, s.Store, site, b, d); err != nil {
		return p, refusedBundle(err)
	}
	return p, refusedBundle(p.sort(ctx, e, d, told))
}

// sort reads all that is in the bundle.
func (p *MergePlan) sort(ctx context.Context, e *engine, d MergeDecisions, told func(ImportProgress)) error {
	c := p.Manifest.Counts
	read := newMergePace(ctx, c.Thumbnails+c.Photos+c.Exemplars, e.Now, told)
	if err := p.file.EachFile(func(string) error { return read.next() }); err != nil {
		return err
	}
	sorter := newMergeSorter(e, p, d)
	p.Seq = sorter.memory.seq
	err := p.file.Each(func(r bundle.Row) error {
		if err := read.next(); err != nil {
			return err
		}
		return sorter.add(ctx, r)
	})
	if err == nil {
		err = sorter.flush(ctx)
	}
	sorter.finish()
	return err
}

// meets refuses a bundle that the encoder which serves can make nothing of.
func (p *MergePlan) meets(info EncoderInfo) error {
	of, m := p.Manifest.Encoder, p.Manifest
	switch {
	case of.Digest == info.Digest && of.Dim != info.Dim:
		return Errorf(Invalid, "encoder", "This bundle says that its embeddings are those of %s, but they have %d numbers and not %d. It cannot be taken.", info.Name, of.Dim, info.Dim)
	case of.Digest == info.Digest:
		return nil
	case m.Counts.Photos == 0 && m.Counts.Exemplars > 0:
		return Errorf(Invalid, "encoder", "The embeddings of this bundle were made by another encoder (%s, %.20s…) and mean nothing to %s, which serves here (%.20s…). "+
			"Ask for a bundle with the photos, so that they can be read anew, or let the same encoder serve at both places.", of.Name, of.Digest, info.Name, info.Digest)
	}
	p.Reembed = true
	return nil
}

// ErrTakenIn is the cause of the Conflict that there is nothing to be decided about a
// bundle: all of it was taken in before.
var ErrTakenIn = errors.New("this bundle was taken in already")

// resume finds what was taken of the same bundle before.
func (p *MergePlan) resume(ctx context.Context, st Store) error {
	m, err := st.ImportOf(ctx, p.Source.Digest, p.Source.Encoder)
	switch {
	case KindOf(err) == NotFound:
		return nil
	case err != nil:
		return err
	case !m.Unfinished():
		return Errorf(Conflict, "file", "This bundle was taken in on %s already (import %d, %s). Withdraw that import to decide anew.",
			m.BeganAt.Format("2 January 2006"), m.ID, Noticef("%d exemplars", m.Taught())).Because(ErrTakenIn)
	}
	p.Resumes = &m
	return nil
}

func (p *MergePlan) sign(ctx context.Context, st Store, site Site) error {
	key := p.file.Signer()
	p.Signer = BundleSigner{Key: key, Fingerprint: bundle.Fingerprint(key)}
	if p.Signer.Own = p.Signer.Fingerprint == site.Fingerprint(); p.Signer.Own {
		p.Signer.Name = site.Name
		return nil
	}
	known, err := st.Signers(ctx)
	for _, k := range known {
		if k.Key.Equal(key) {
			p.Signer.Name = k.Name
		}
	}
	return err
}

// refusedBundle makes what the format's reader refuses an error about the file.
func refusedBundle(err error) error {
	if refused := asBundleError(err); refused != nil {
		return Errorf(Invalid, "file", refused.Format, refused.Args...).Because(err)
	}
	return err
}
