package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"

	"fieldmark/internal/exchange"
	"fieldmark/internal/identify"
	"fieldmark/internal/photofile"
	"fieldmark/internal/store"
	"fieldmark/internal/words"
)

// exportFlags are what `webapp export` can be told.
type exportFlags struct {
	format, out, taxon string
	photos             string
	title, creator     string
	force              bool
	exact              bool
	originals          bool
	preview            bool
	filter             map[string]*string
}

func (f *exportFlags) register(fs *flag.FlagSet) {
	fs.StringVar(&f.format, "format", "csv", "one of "+strings.Join(exchange.FormatNames(), ", ")+", "+bundleFormat)
	fs.StringVar(&f.out, "out", "", "`file` to write; standard output if not given")
	fs.BoolVar(&f.force, "force", false, "replace the file if it is there")
	fs.StringVar(&f.taxon, "taxon", "", "only this taxon and those below it, by `name`")
	fs.StringVar(&f.photos, "photos", "", "true or false: whether an archive has the photos; if not given, coco and fiftyone do")
	fs.StringVar(&f.title, "title", "", "of the dataset, for dwca and coco")
	fs.StringVar(&f.creator, "creator", "", "`name` of the person or institution whose dataset it is, for dwca and coco")
	fs.BoolVar(&f.exact, "exact-places", false, "the places and photos of sensitive taxa as they are, not generalised")
	fs.BoolVar(&f.originals, "original-photos", false, "photos as they came, with all that their files say: places, cameras, names")
	fs.BoolVar(&f.preview, "preview", false, "only say how much would be written")
	f.filter = map[string]*string{}
	for _, name := range identify.FilterNames() {
		f.filter[name] = fs.String(strings.ReplaceAll(name, "_", "-"), "", "only what matches: as "+name+" of GET /api/v1/export")
	}
}

// request reads the filters.
func (f *exportFlags) request(ctx context.Context, st *store.Store) (identify.ExportRequest, error) {
	if f.taxon != "" {
		t, err := st.TaxonByName(ctx, f.taxon)
		if err != nil {
			return identify.ExportRequest{}, fmt.Errorf("--taxon: %w", err)
		}
		*f.filter["taxon_id"] = strconv.FormatInt(int64(t.ID), 10)
	}
	filter, err := identify.ReadFilter(func(name string) string { return *f.filter[name] })
	if err != nil {
		var wrong *identify.Error
		if errors.As(err, &wrong) {
			err = fmt.Errorf("%w: --%s: %w", errUsage, strings.ReplaceAll(wrong.Field, "_", "-"), err)
		}
		return identify.ExportRequest{}, err
	}
	return identify.ExportRequest{Filter: filter, ExactPlaces: f.exact, Originals: f.originals}, nil
}

func (f *exportFlags) options(format exchange.Format) (exchange.Options, error) {
	o := exchange.Options{Photos: format.Photos, Title: f.title, Creator: f.creator}
	if f.photos == "" {
		return o, nil
	}
	var err error
	if o.Photos, err = strconv.ParseBool(f.photos); err != nil {
		return o, fmt.Errorf("%w: --photos is true or false", errUsage)
	}
	return o, nil
}

// runExport writes an export. It only reads, so a server may be at work.
func runExport(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	var c Config
	var f exportFlags
	fs := flagSet("export", stderr)
	c.register(fs)
	f.register(fs)
	if err := parse(fs, args); err != nil {
		return err
	}
	if err := noArgs(fs); err != nil {
		return err
	}
	if f.format == bundleFormat {
		return exportBundle(ctx, c, f, stdout, stderr)
	}
	format, err := exchange.FormatNamed(f.format)
	if err != nil {
		return fmt.Errorf("%w: --format: %w", errUsage, err)
	}
	o, err := f.options(format)
	if err != nil {
		return err
	}
	st, err := openExisting(ctx, c.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	r, err := f.request(ctx, st)
	if err != nil {
		return err
	}
	info, err := chosenInfo(ctx, c, st)
	if err != nil && format.Embeddings {
		return err // the others need no encoder
	}
	if f.preview {
		return previewExport(ctx, st, info, r.Filter, stdout)
	}
	e, err := identify.NewExport(ctx, st, photofile.Reading(c.Data), info, r)
	if err != nil {
		return err
	}
	write := func(w io.Writer) error { return format.Write(ctx, w, e, o) }
	if f.out == "" {
		return write(stdout)
	}
	return writeFile(f.out, f.force, write, format.Check)
}

// previewExport says how much an export would have.
func previewExport(ctx context.Context, st *store.Store, info identify.EncoderInfo, f identify.ObservationFilter, w io.Writer) error {
	x, err := identify.SummaryOf(ctx, st, info, f)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s, %s, %s, %s; of sensitive taxa: %s\n", words.English("%d observations", x.Observations), words.English("%d identifications", x.Identifications),
		words.English("%d exemplars", x.Exemplars), words.English("%d photos", x.Photos), words.English("%d observations", x.Sensitive))
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, format := range exchange.Formats() {
		fmt.Fprintf(table, "%s\tabout %.1f\tMB\t\n", format.Name, float64(format.Bytes(x, format.Photos))/1e6)
	}
	return table.Flush()
}

// writeFile writes a file whole or not at all: to another name in its folder
// first, where check, unless it is nil, looks at it. A file that is there is
// replaced only if that was asked for.
func writeFile(path string, force bool, write func(io.Writer) error, check func(io.ReaderAt, int64) error) error {
	if _, err := os.Lstat(path); err == nil && !force {
		return fmt.Errorf("%s is there already; choose another name, or replace it with --force", path)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".export-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // fails once renamed, which is the point
	err = write(tmp)
	if err == nil && check != nil {
		err = checked(tmp, check)
	}
	if err != nil {
		return errors.Join(err, tmp.Close())
	}
	if err := errors.Join(tmp.Chmod(0o644), tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	if force {
		return os.Rename(tmp.Name(), path)
	}
	// A link, unlike a rename, replaces nothing that came there meanwhile.
	if err := os.Link(tmp.Name(), path); !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

func checked(f *os.File, check func(io.ReaderAt, int64) error) error {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	return check(f, size)
}
