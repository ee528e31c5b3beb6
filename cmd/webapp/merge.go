package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"fieldmark/internal/bundle"
	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/web/api"
	"fieldmark/web/spool"
)

// mergeFlags are what is decided about a bundle.
type mergeFlags struct {
	preview  bool
	json     bool
	leaveNew bool
	take     texts
	leave    texts
	taxa     texts
}

// texts is a flag that may be given several times.
type texts []string

func (l *texts) String() string { return fmt.Sprint(*l) }

func (l *texts) Set(text string) error {
	*l = append(*l, text)
	return nil
}

func (f *mergeFlags) register(fs *flag.FlagSet) {
	fs.BoolVar(&f.preview, "preview", false, "bundle: say what it would do with what is decided, and do nothing")
	fs.BoolVar(&f.json, "json", false, "bundle: with --preview, say it as JSON, as the API does")
	fs.BoolVar(&f.leaveNew, "leave-new", false, "bundle: leave out what is new")
	fs.Var(&f.take, "take", "bundle: let a `group` of conflicts stand beside ours (or teach again what was withdrawn), by its key in\nthe preview; photo, near or withdrawn: all others of that kind; repeat it for several")
	fs.Var(&f.leave, "leave", "bundle: keep ours alone, and leave a `group` of conflicts out, likewise")
	fs.Var(&f.taxa, "taxa", "bundle: what a taxon is that is unknown here, as `ID:WHAT` by its id in the preview: 7:create makes it one of ours,\n7:leave leaves its lessons out, 7:suggested does what is suggested, \"7:Common Blue\" and 7:1234 take it for that one;\ncreate, leave or suggested alone: all others; repeat it for several")
}

// given reports whether anything was said that only a bundle understands.
func (f *mergeFlags) given() bool {
	return f.preview || f.json || f.leaveNew || len(f.take)+len(f.leave)+len(f.taxa) > 0
}

// decisions are what the flags decide.
func (f *mergeFlags) decisions() (identify.MergeDecisions, error) {
	d, err := identify.ReadMergeDecisions(f.take, f.leave, f.taxa)
	d.LeaveNew = f.leaveNew
	return d, err
}

// check refuses flags that contradict one another.
func (f *importFlags) check(ofBundle bool) error {
	switch {
	case f.encoder != "" && f.encoder != "current":
		return fmt.Errorf("%w: --encoder %q: there is only \"current\"", errUsage, f.encoder)
	case f.merge.given() && !ofBundle:
		return fmt.Errorf("%w: --preview, --json, --take, --leave, --leave-new and --taxa are about a bundle, a file that ends in %s", errUsage, bundle.Extension)
	case f.merge.json && !f.merge.preview:
		return fmt.Errorf("%w: --json says a preview: give --preview with it", errUsage)
	case f.merge.preview && f.yes:
		return fmt.Errorf("%w: --preview does nothing, and --yes imports: give one of them", errUsage)
	}
	return nil
}

// isBundle reports whether a file is named as bundles are.
func isBundle(path string) bool { return filepath.Ext(path) == bundle.Extension }

// importBundle takes a bundle in with what was decided, or says what that would do. The
// data folder is opened whole: what is new to its memory can only be told by asking it.
func importBundle(ctx context.Context, c Config, f importFlags, path string, stdout, stderr io.Writer) (err error) {
	decided, err := f.merge.decisions()
	if err != nil {
		return refusedDecision(err)
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	b, source, err := spool.OpenBundle(file, filepath.Base(path))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	service, owner, done, err := openToMerge(ctx, c, stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	plan, err := service.PlanMerge(ctx, owner, source, b, decided, lookingAt(stderr))
	if err == nil {
		err = decided.Fit(plan)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, refusedDecision(err))
	}
	if f.merge.json {
		out := json.NewEncoder(stdout)
		out.SetIndent("", "  ")
		return out.Encode(api.NewMergePlan(plan.MergePreview))
	}
	tellMerge(stdout, path, plan.MergePreview)
	switch {
	case f.merge.preview:
		return nil
	case !f.yes:
		return errUndecided
	}
	m, err := service.RunMerge(ctx, owner, plan, progressOf(stderr))
	if err != nil {
		return interruptedImport(err, m)
	}
	fmt.Fprintf(stdout, "import %d: %s taught\n", m.ID, words.English("%d exemplars", m.Taught()))
	return nil
}

// openToMerge opens the data folder with the encoder that serves it, and says who it is
// done for.
func openToMerge(ctx context.Context, c Config, stderr io.Writer) (_ *identify.Service, owner identify.User, done func() error, err error) {
	st, unlock, err := openToImport(ctx, c)
	if err != nil {
		return nil, owner, nil, err
	}
	closers := []func() error{unlock}
	done = func() (err error) {
		for len(closers) > 0 {
			last := len(closers) - 1
			err = errors.Join(err, closers[last]())
			closers = closers[:last]
		}
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, done())
		}
	}()
	c.Fusion, c.Psi, c.K = string(defaultRule), defaultPsi, defaultK
	pinned := c.Model != ""
	e, err := openServing(ctx, &c, st.Store)
	if err != nil {
		return nil, owner, nil, err
	}
	closers = append(closers, e.Close)
	service, err := openService(ctx, c, st, e, pinned, slog.New(slog.NewTextHandler(stderr, nil)))
	if err != nil {
		return nil, owner, nil, err
	}
	closers = append(closers, service.Close)
	owner, err = st.Owner(ctx)
	return service, owner, done, err
}

// refusedDecision names the flag that a decision came by which cannot be done.
func refusedDecision(err error) error {
	var wrong *identify.Error
	if errors.As(err, &wrong) && wrong.Kind == identify.Invalid {
		switch wrong.Field {
		case "take", "leave", "taxa":
			return fmt.Errorf("%w: --%s: %w", errUsage, wrong.Field, err)
		}
	}
	return err
}

// lookingAt says how far a preview is.
func lookingAt(w io.Writer) func(identify.ImportProgress) {
	return func(p identify.ImportProgress) {
		fmt.Fprintf(w, "lessons and pictures looked at: %d of %d\n", p.Done, p.Total)
	}
}
