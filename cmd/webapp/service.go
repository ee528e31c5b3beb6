package main

import (
	"context"
	"fmt"
	"log/slog"

	"fieldmark/internal/coderhnsw"
	"fieldmark/internal/fusion"
	"fieldmark/internal/identify"
	"fieldmark/internal/photofile"
)

// defaultRule is the rule that is used where a question names none;
// doc/decisions.md says what it was chosen by.
const defaultRule = fusion.Near

// openService folds the log of a data folder under the encoder of c.Model, which
// is pinned if the command line named it.
func openService(ctx context.Context, c Config, st *database, e *encoder, pinned bool, log *slog.Logger) (*identify.Service, error) {
	rule, err := fusion.ParseRule(c.Fusion)
	if err != nil {
		return nil, fmt.Errorf("--fusion: %w", err)
	}
	if c.K < 1 || c.Threads < 1 {
		return nil, fmt.Errorf("--k and --threads must be at least 1")
	}
	memory, err := c.memory()
	if err != nil {
		return nil, err
	}
	if memory.Other != nil {
		log.Warn("--index "+c.Index, "warning", coderhnsw.Warning)
	}
	photos, err := photofile.Open(c.Data)
	if err != nil {
		return nil, err
	}
	jpeg, err := openJPEG(c, log)
	if err != nil {
		return nil, err
	}
	with := identify.Config{
		Store: st.Store, Photos: photos, JPEG: jpeg, HEIC: openHEIC(log), AVIF: openAVIF(log), Embedder: e, DefaultSet: st.everything,
		Model: c.Model, Installed: library{c}, Pinned: pinned,
		Rule: rule, Psi: c.Psi, K: c.K, Memory: memory, Workers: c.Threads, Log: log,
		Farewell: c.Operating.forSnapshot(),
	}
	if c.renditions != nil {
		with.Renditions = c.renditions
	}
	if c.metrics != nil {
		with.Meter = c.metrics // a nil *Metrics must not become a Meter
	}
	return identify.New(ctx, with)
}
