package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"fieldmark/internal/bundle"
	"fieldmark/internal/identify"
	"fieldmark/internal/photofile"
	"fieldmark/web/spool"
)

// bundleFormat is the --format of a bundle.
const bundleFormat = "bundle"

// exportBundle writes a bundle to f.out, or to stdout.
func exportBundle(ctx context.Context, c Config, f exportFlags, stdout, stderr io.Writer) (err error) {
	st, err := openExisting(ctx, c.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	filter, err := f.request(ctx, st)
	if err != nil {
		return err
	}
	info, err := chosenInfo(ctx, c, st)
	if err != nil {
		return err
	}
	r := identify.BundleRequest{Filter: filter.Filter, ExactPlaces: filter.ExactPlaces, Photos: f.photos == "true", Thumbnails: f.photos != "false",
		Narrowed: f.narrowed()}
	o, err := identify.PlanBundle(ctx, st, photofile.Reading(c.Data), info, r, time.Now())
	if err != nil {
		return err
	}
	if f.preview {
		_, err := fmt.Fprintf(stdout, "%d exemplars\n", len(o.Lessons))
		return err
	}
	write := func(w io.Writer) error { _, err := o.Write(ctx, w); return err }
	if f.out == "" {
		return write(stdout)
	}
	if err := writeFile(f.out, f.force, write, checkBundle); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "%d exemplars, signed by %s: %s\n", len(o.Lessons), o.Site.Name, bundle.Grouped(o.Site.Fingerprint()))
	return nil
}

// narrowed is the filters in words.
func (f *exportFlags) narrowed() string {
	var list []string
	for _, name := range identify.FilterNames() {
		if v := *f.filter[name]; v != "" {
			list = append(list, name+"="+v)
		}
	}
	return strings.Join(list, " ")
}

// checkBundle reads a bundle that was written as its receiver will.
func checkBundle(r io.ReaderAt, size int64) error {
	b, err := bundle.Open(r, size)
	if err != nil {
		return err
	}
	if err := b.CheckFiles(); err != nil {
		return err
	}
	return b.Each(func(bundle.Row) error { return nil })
}

// isBundle reports whether a file is named as bundles are.
func isBundle(path string) bool { return filepath.Ext(path) == bundle.Extension }

// importBundle takes a bundle in with the decisions that are proposed, or says what
// that would do. The data folder is opened whole: what is new to its memory can
// only be told by asking it.
func importBundle(ctx context.Context, c Config, f importFlags, path string, stdout, stderr io.Writer) (err error) {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	b, source, err := spool.OpenBundle(file, filepath.Base(path))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	st, unlock, err := openToImport(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	c.Fusion, c.Psi, c.K = string(defaultRule), defaultPsi, 9
	pinned := c.Model != ""
	e, err := openServing(ctx, &c, st.Store)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	service, err := openService(ctx, c, st, e, pinned, slog.New(slog.NewTextHandler(stderr, nil)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, service.Close()) }()
	owner, err := st.Owner(ctx)
	if err != nil {
		return err
	}
	plan, err := service.PlanMerge(ctx, owner, source, b, identify.MergeDecisions{})
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	tellMerge(stdout, path, plan)
	if !f.yes {
		return errUndecided
	}
	m, err := service.RunMerge(ctx, owner, plan, progressOf(stderr))
	if err != nil {
		return interruptedImport(err, m)
	}
	fmt.Fprintf(stdout, "import %d: %d exemplars taught\n", m.ID, m.Taught())
	return nil
}

// tellMerge says what taking a bundle in would do.
func tellMerge(w io.Writer, path string, p identify.MergePlan) {
	m := p.Manifest
	fmt.Fprintf(w, "%s: %d exemplars of %s, made on %s\n", filepath.Base(path), m.Counts.Exemplars, m.Instance.Name, m.CreatedAt.Local().Format(time.DateTime))
	switch by := bundle.Grouped(p.Signer.Fingerprint); {
	case p.Signer.Own:
		fmt.Fprintf(w, "signed here: %s\n", by)
	case p.Signer.Name != "":
		fmt.Fprintf(w, "signed by %s: %s\n", p.Signer.Name, by)
	default:
		fmt.Fprintf(w, "signed by a key that nobody here knows: %s. Compare it with whoever sent the file\n", by)
	}
	if p.Resumes != nil {
		fmt.Fprintf(w, "import %d of this bundle was broken off after %d rows, and goes on there\n", p.Resumes.ID, p.Resumes.Done)
		return
	}
	if p.Reembed {
		fmt.Fprintf(w, "another encoder made it (%s): its photos are read anew\n", m.Encoder.Name)
	}
	fmt.Fprintf(w, "%d new, %d known already", p.New, p.Known)
	if p.Withdrawn > 0 {
		fmt.Fprintf(w, ", %d withdrawn where they come from", p.Withdrawn)
	}
	if p.Unseen > 0 {
		fmt.Fprintf(w, ", %d without a photo that could be read anew", p.Unseen)
	}
	fmt.Fprintln(w)
	for i, g := range p.Groups {
		if i == shownLabels {
			fmt.Fprintf(w, "  … and %d more groups\n", len(p.Groups)-i)
			break
		}
		fmt.Fprintf(w, "  %s\n", groupLine(g))
	}
	for i, q := range p.Taxa {
		if i == shownLabels {
			fmt.Fprintf(w, "  … and %d more names\n", len(p.Taxa)-i)
			break
		}
		what := "becomes a taxon here" + nearNames(q.Similar)
		if q.Decision.Taxon != 0 {
			what = "is " + q.Similar[0].Label()
		}
		fmt.Fprintf(w, "  new name: %s, %d rows: %s\n", q.Taxon.ScientificName, q.Rows, what)
	}
	fmt.Fprintf(w, "%d would be taught\n", p.Take())
}

func groupLine(g identify.MergeGroup) string {
	line := fmt.Sprintf("%s there, %s here, of the same photo: %d", g.Theirs, g.Ours, g.Rows)
	switch g.Kind {
	case identify.NearPhoto:
		line = fmt.Sprintf("%s there, %s here, of photos that look the same: %d", g.Theirs, g.Ours, g.Rows)
	case identify.TakenBack:
		line = fmt.Sprintf("%s was withdrawn here: %d", g.Theirs, g.Rows)
	}
	if g.Take {
		return line + "; both will stand"
	}
	return line + "; left out"
}
