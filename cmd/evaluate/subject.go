package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"fieldmark/internal/dataset"
	"fieldmark/internal/fusion"
)

// subject is what one encoder makes of the tasks: what a run measures. A run of
// several sets them side by side.
type subject struct {
	model    string // as --model has it; "" is the one that the manifest needs
	manifest string // "" where the tasks are synthetic
}

// subjects are those of a command line, of which args is what comes after the
// flags: one manifest by one or several encoders, or several manifests, each with
// the embeddings of another encoder.
func (f *dataFlags) subjects(args []string) ([]subject, error) {
	switch {
	case (len(args) == 0) == (f.synthetic == ""):
		return nil, fmt.Errorf("want either a manifest or --synthetic: %w", errUsage)
	case f.synthetic != "" && len(f.source.models) > 0:
		return nil, fmt.Errorf("synthetic tasks need no --model: %w", errUsage)
	case len(args) > 1 && len(f.source.models) > 1:
		return nil, fmt.Errorf("several encoders stand side by side either by --model or by a manifest for each: %w", errUsage)
	case f.synthetic != "":
		return []subject{{}}, nil
	}
	var list []subject
	for _, manifest := range args {
		if len(f.source.models) == 0 {
			list = append(list, subject{"", manifest})
		}
		for _, model := range f.source.models {
			list = append(list, subject{model, manifest})
		}
	}
	return list, nil
}

// read reads or makes a subject's tasks.
func (f *dataFlags) read(ctx context.Context, p program, s subject) (*dataset.Loaded, error) {
	loaded := new(dataset.Loaded)
	var err error
	if s.manifest == "" {
		loaded.Suite, err = f.make()
	} else {
		loaded, err = p.load(ctx, f.source, s.model, s.manifest)
	}
	if err != nil {
		return nil, err
	}
	if loaded.Suite.Near == (fusion.NearParams{}) {
		loaded.Suite.Near = f.near
	}
	return loaded, nil
}

// name is the one under which a subject's results stand beside others': the
// encoder's, or its folder's, or the manifest's.
func (s subject) name() string {
	if s.model != "" {
		return filepath.Base(s.model)
	}
	return strings.TrimSuffix(filepath.Base(s.manifest), filepath.Ext(s.manifest))
}

// apart makes sure that each subject has a name of its own.
func apart(list []subject) error {
	of := map[string]bool{}
	for _, s := range list {
		if of[s.name()] {
			return fmt.Errorf("two encoders are named %q, so that their results would lie in one folder: %w", s.name(), errUsage)
		}
		of[s.name()] = true
	}
	return nil
}
