package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
)

// errUndecided means that an import would do something that nobody has agreed
// to yet.
var errUndecided = errors.New("nothing has been imported yet; give --yes to do so")

// importFlags are what `webapp import` can be told.
type importFlags struct {
	yes      bool
	encoder  string
	skipBad  bool
	fetch    bool
	private  bool
	list     bool
	withdraw int64
	merge    mergeFlags
}

func runImport(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	var c Config
	var f importFlags
	fs := flagSet("import", stderr)
	c.register(fs)
	fs.BoolVar(&f.yes, "yes", false, "take the decisions that are proposed, and import")
	fs.StringVar(&f.encoder, "encoder", "", "current: the file's embeddings are this encoder's, though it does not say so")
	fs.BoolVar(&f.skipBad, "skip-bad", false, "take the rows that are good, and leave the bad ones out")
	fs.BoolVar(&f.fetch, "fetch", false, "get photos from the web addresses that a table names")
	fs.BoolVar(&f.private, "fetch-private", false, "from addresses of this machine and of private networks too")
	fs.BoolVar(&f.list, "list", false, "list the imports that there were")
	fs.Int64Var(&f.withdraw, "withdraw", 0, "`id` of an import to withdraw as a whole")
	f.merge.register(fs)
	fs.Usage = func() {
		fmt.Fprintln(stderr, "Usage: webapp import FILE [flags]   or   webapp import --list   or   webapp import --withdraw ID\n"+
			"FILE is a folder or a zip of photos, each in a folder named after what it shows; a CSV that names photos and what they\n"+
			"show, or a zip that has one; an npz of embeddings; or a bundle (.fieldmark) of another Fieldmark. Everything is checked\n"+
			"before anything is taught. Without --yes it says what it would do. What was broken off goes on when the same command is\n"+
			"given again.\n"+
			"Of a bundle it is decided by group what is taken, as on its page: what is new; what is at odds with what was taught here,\n"+
			"group by group; names that are unknown here. What no flag decides is done as proposed.\n"+
			"  webapp import lab-b.fieldmark --preview\n"+
			"  webapp import lab-b.fieldmark --leave photo --take near-7-91 --taxa leave --taxa \"11:Common Blue\" --yes")
		fs.PrintDefaults()
	}
	files, err := parseAround(fs, args)
	if err != nil {
		return err
	}
	if err := f.check(len(files) == 1 && isBundle(files[0])); err != nil {
		return err
	}
	switch {
	case len(files) == 0 && f.list && f.withdraw == 0:
		return listImports(ctx, c, stdout)
	case len(files) == 0 && f.withdraw > 0 && !f.list:
		return withdrawImport(ctx, c, identify.ImportID(f.withdraw), stdout, stderr)
	case len(files) == 1 && !f.list && f.withdraw == 0 && isBundle(files[0]):
		return importBundle(ctx, c, f, files[0], stdout, stderr)
	case len(files) == 1 && !f.list && f.withdraw == 0:
		return importFile(ctx, c, f, files[0], stdout, stderr)
	}
	return fmt.Errorf("%w: name one file, or give --list, or --withdraw with an import's id", errUsage)
}

// importFile takes a file in, or says what it would do.
func importFile(ctx context.Context, c Config, f importFlags, path string, stdout, stderr io.Writer) (err error) {
	opened, err := f.open(c, path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	st, unlock, err := openToImport(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	how, done, err := importerOf(ctx, c, st, opened.file, stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	plan, err := how.plan(ctx, opened.source, identify.ImportOptions{Current: f.encoder == "current", SkipBad: f.skipBad})
	if err != nil {
		return refusedImport(path, err, stderr)
	}
	tellPlan(stdout, path, plan)
	if !f.yes {
		return errUndecided
	}
	owner, err := st.Owner(ctx)
	if err != nil {
		return err
	}
	m, err := how.run(ctx, plan, owner.ID, progressOf(stderr))
	if err != nil {
		return interruptedImport(refusedImport(path, err, stderr), m)
	}
	fmt.Fprintf(stdout, "import %d: %s taught, %d known before", m.ID, words.English("%d exemplars", m.Taught()), m.Known)
	if m.Skipped > 0 {
		fmt.Fprintf(stdout, ", %d left out", m.Skipped)
	}
	fmt.Fprintln(stdout)
	return opened.forget()
}

// openToImport opens the data folder, which nobody may be serving: a server
// would not learn what another process puts into the log.
func openToImport(ctx context.Context, c Config) (*database, func() error, error) {
	st, err := openStore(ctx, c.Data)
	if err != nil {
		return nil, nil, err
	}
	lock, err := lockData(c.Data)
	if errors.Is(err, errServed) {
		err = fmt.Errorf("a Fieldmark serves %s: import through it, on its page /imports or by POST /api/v1/import (a bundle: /bundles, POST /api/v1/bundle), or stop it first", c.Data)
	}
	if err != nil {
		return nil, nil, errors.Join(err, st.Close())
	}
	return st, func() error { return errors.Join(st.Close(), lock.Close()) }, nil
}

// refusedImport lists the rows that a file is refused for.
func refusedImport(path string, err error, stderr io.Writer) error {
	var bad *identify.BadRows
	if errors.As(err, &bad) {
		for _, r := range bad.Rows {
			fmt.Fprintf(stderr, "%s: %s: %s\n", filepath.Base(path), r.Place(), r.Why)
		}
		if more := bad.Count - len(bad.Rows); more > 0 {
			fmt.Fprintf(stderr, "%s: and %d more\n", filepath.Base(path), more)
		}
		if bad.Good > 0 {
			fmt.Fprintf(stderr, "--skip-bad takes the others: %s\n", words.English("%d rows", bad.Good))
		}
	}
	return fmt.Errorf("%s: %w", path, err)
}

func interruptedImport(err error, m identify.Import) error {
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("stopped after %d of %s, and what was taught is kept; the same command goes on from there", m.Done, words.English("%d rows", m.Total))
	}
	return err
}

// shownLabels is how many labels a plan lists.
const shownLabels = 20

func tellPlan(w io.Writer, path string, p identify.ImportPlan) {
	fresh := p.New()
	fmt.Fprintf(w, "%s: %s of %s; new here, to become taxa of this Fieldmark: %s\n",
		filepath.Base(path), words.English("%d rows", p.Source.Total), words.English("%d taxa", len(p.Labels)), words.English("%d names", len(fresh)))
	if p.Resumes != nil {
		fmt.Fprintf(w, "import %d of this file was broken off after %s, and goes on there\n", p.Resumes.ID, words.English("%d rows", p.Resumes.Done))
	}
	for _, note := range p.Notes {
		fmt.Fprintln(w, note)
	}
	if p.Bad.Count > 0 {
		fmt.Fprintf(w, "left out as bad, %s:\n", words.English("%d rows", p.Bad.Count))
	}
	for _, r := range p.Bad.Rows {
		fmt.Fprintf(w, "  %s: %s\n", r.Place(), r.Why)
	}
	shown := 0
	for _, l := range p.Labels {
		if l.Taxon.ID != 0 {
			continue
		}
		if shown == shownLabels {
			fmt.Fprintf(w, "  … and %d more\n", len(fresh)-shown)
			break
		}
		shown++
		fmt.Fprintf(w, "  new: %s%s\n", l.Label, nearNames(l.Near))
	}
}

// nearNames says what a new name may have been meant to be.
func nearNames(near []identify.Taxon) string {
	if len(near) == 0 {
		return ""
	}
	names := make([]string, len(near))
	for i, t := range near {
		names[i] = t.Label()
	}
	return " (did you mean " + strings.Join(names, " or ") + "?)"
}
