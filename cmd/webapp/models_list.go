package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"fieldmark/internal/clip"
	"fieldmark/models"
)

// modelsFolder is where a data folder keeps the encoders that were added.
const modelsFolder = "models"

// installed is an encoder that can be used: its manifest, or why that cannot
// be read.
type installed struct {
	name     string // what --model takes
	manifest clip.Manifest
	fault    error
}

// installedModels gives the built-in encoder and those of a data folder, by name.
func installedModels(data string) ([]installed, error) {
	all := []installed{readInstalled(builtin, models.Builtin())}
	entries, err := os.ReadDir(filepath.Join(data, modelsFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") { // not all there yet
			continue
		}
		dir := filepath.Join(data, modelsFolder, e.Name())
		if _, err := os.Stat(filepath.Join(dir, clip.ManifestFile)); err == nil {
			all = append(all, readInstalled(e.Name(), os.DirFS(dir)))
		}
	}
	return all, nil
}

func readInstalled(name string, folder fs.FS) installed {
	m, err := clip.ReadManifest(folder)
	return installed{name: name, manifest: m, fault: err}
}

func runModelsList(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var c Config
	fs := flagSet("models list", stderr)
	c.register(fs)
	if err := parse(fs, args); err != nil {
		return err
	}
	if err := noArgs(fs); err != nil {
		return err
	}
	c, err := withChosenModel(ctx, c)
	if err != nil {
		return err
	}
	all, err := installedModels(c.Data)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tTITLE\tNUMBERS\tMB\tLICENCE\tIN USE")
	for _, m := range all {
		if m.fault != nil {
			fmt.Fprintf(w, "%s\tcannot be used: %s\t\t\t\t\n", m.name, strings.ReplaceAll(m.fault.Error(), "\n", "; "))
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%.1f\t%s\t%s\n", m.name, m.manifest.Title, m.manifest.Dim,
			float64(m.manifest.Bytes())/1e6, m.manifest.License, inUse(c, m.name))
	}
	return w.Flush()
}

// inUse says whether an encoder is the one that would answer.
func inUse(c Config, name string) string {
	if c.Model == name {
		return "yes"
	}
	return "no"
}
