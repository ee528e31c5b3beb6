package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"

	"fieldmark/internal/identify"
	"fieldmark/internal/photofile"
	"fieldmark/internal/words"
)

// modelJob is a command that is about the embeddings of one encoder.
type modelJob struct {
	config Config // Model is the encoder
	store  *database
	digest string // of its embeddings
	stderr io.Writer
}

// openModelJob reads the command line: flags, and the name of an encoder before
// or after them. Close the store of what it returns.
func openModelJob(ctx context.Context, command string, args []string, stderr io.Writer) (*modelJob, error) {
	var c Config
	var name string
	fs := flagSet("models "+command, stderr)
	c.register(fs)
	fs.Usage = func() {
		fmt.Fprintf(stderr, "Usage: webapp models %s [flags] NAME\n", command)
		fs.PrintDefaults()
	}
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		name, args = args[0], args[1:]
	}
	if err := parse(fs, args); err != nil {
		return nil, err
	}
	if name == "" && fs.NArg() == 1 {
		name = fs.Arg(0)
	} else if err := noArgs(fs); err != nil {
		return nil, err
	}
	if c.Model = name; name == "" && command == "use" {
		return nil, fmt.Errorf("%w: give the name of an encoder; webapp models list shows what there is", errUsage)
	}
	c, err := withChosenModel(ctx, c)
	if err != nil {
		return nil, err
	}
	all, err := installedModels(c.Data)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(m installed) bool { return m.name == c.Model })
	if i < 0 {
		return nil, fmt.Errorf("there is no encoder %q in %s; webapp models list shows what there is, and webapp models add DIR adds one", c.Model, c.Data)
	}
	if err := all[i].fault; err != nil {
		return nil, fmt.Errorf("the encoder %s cannot be used: %w", c.Model, err)
	}
	st, err := openStore(ctx, c.Data)
	if err != nil {
		return nil, err
	}
	return &modelJob{config: c, store: st, digest: all[i].manifest.Digest(), stderr: stderr}, nil
}

// runModelsReembed gives photos the embeddings that they lack under an encoder,
// by default the one that serves.
func runModelsReembed(ctx context.Context, args []string, _, stderr io.Writer) (err error) {
	j, err := openModelJob(ctx, "reembed", args, stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.store.Close()) }()
	if err := j.store.ForgetEmbeddingFailures(ctx, j.digest); err != nil {
		return err
	}
	choice, err := j.store.EncoderChoice(ctx)
	if err != nil {
		return err
	}
	lock, err := lockData(j.config.Data)
	switch {
	case err == nil:
		return errors.Join(j.embed(ctx), lock.Close())
	case !errors.Is(err, errServed):
		return err
	case choice.Serving != j.config.Model && choice.Wanted != j.config.Model:
		return j.embed(ctx) // the server has no use for them yet, and is not in the way
	}
	if err := j.store.Reconsider(ctx); err != nil {
		return err
	}
	return j.follow(ctx, func(_ identify.EncoderChoice, left int) (bool, error) { return left == 0, nil })
}

// embed does the work here, and says how it goes.
func (j *modelJob) embed(ctx context.Context) (err error) {
	photos, err := photofile.Open(j.config.Data)
	if err != nil {
		return err
	}
	e, err := openEncoder(j.config)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	log := slog.New(slog.NewTextHandler(j.stderr, nil))
	jpeg, err := openJPEG(j.config, log)
	if err != nil {
		return err
	}
	say := j.progress()
	err = identify.Reembed(ctx, identify.Config{Store: j.store.Store, Photos: photos, JPEG: jpeg, HEIC: openHEIC(log), AVIF: openAVIF(log), Embedder: e, Model: j.config.Model,
		Workers: 2 * j.config.Threads, // nobody waits here: all of them for the photos
		Log:     log}, say)
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("stopped; what is embedded stays, and the same command goes on from there")
	}
	if err != nil {
		return err
	}
	return j.tellLost(ctx)
}

// shown is how many lessons without a photo are listed.
const shown = 20

// tellLost lists the lessons that the encoder's memory lacks.
func (j *modelJob) tellLost(ctx context.Context) error {
	list, total, err := j.store.LostLessons(ctx, j.digest, shown)
	if err != nil || total == 0 {
		return err
	}
	fmt.Fprintf(j.stderr, "%s without a photo that %s can be shown, to be kept in the log:\n", words.English("%d lessons", total), j.config.Model)
	for _, l := range list {
		fmt.Fprintf(j.stderr, "  observation %d, %s, taught by %s: %s\n", l.Observation, l.Label, l.TaughtBy, l.Reason)
	}
	if total > len(list) {
		fmt.Fprintf(j.stderr, "  and %d more\n", total-len(list))
	}
	return nil
}
