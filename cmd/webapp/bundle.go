package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"fieldmark/internal/bundle"
	"fieldmark/internal/identify"
	"fieldmark/internal/photofile"
	"fieldmark/internal/words"
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
		_, err := fmt.Fprintln(stdout, words.English("%d exemplars", len(o.Lessons)))
		return err
	}
	write := func(w io.Writer) error { _, err := o.Write(ctx, w); return err }
	if f.out == "" {
		return write(stdout)
	}
	if err := writeFile(f.out, f.force, write, checkBundle); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "%s, signed by %s: %s\n", words.English("%d exemplars", len(o.Lessons)), o.Site.Name, bundle.Grouped(o.Site.Fingerprint()))
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
