package main

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"fieldmark/internal/clip"
	"fieldmark/internal/eval"
	"fieldmark/internal/fusion"
)

// Ten species that the encoder was not trained on, one photo of each taught:
// the default rule names the others better than zero-shot does, among the ten
// and among thousands.
func TestTeachingTenSpecies(t *testing.T) {
	root := filepath.Join("..", "..")
	f := teachFlags{taught: 1, perClass: 10, drawing: drawing{draws: 5}, sets: "everything", source: source{
		photos: shared("training", "photos-c.tar.gz"), classes: filepath.Join(root, "models", "train", "keptback.txt"),
		model: filepath.Join(root, "models", "fieldmark-1"),
	}}
	for _, need := range []string{f.photos, filepath.Join(f.model, clip.ManifestFile)} {
		if _, err := os.Stat(need); err != nil {
			t.Skipf("nothing to teach with: %v", err)
		}
	}
	p := program{workers: 2}
	lesson, err := p.lesson(t.Context(), f, []fusion.Rule{fusion.ZeroShot, fusion.Near})
	if errors.Is(err, clip.ErrNoRuntime) {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	results, err := lesson.Run(t.Context(), rand.New(rand.NewPCG(1, 0)))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(results); i += 2 {
		before, _ := eval.MeanSD(results[i].Top1)
		after, _ := eval.MeanSD(results[i+1].Top1)
		t.Logf("%s: %.1f %% by zero-shot, %.1f %% after one photo of each", results[i].Set, 100*before, 100*after)
		if after < before+.05 {
			t.Errorf("%s: teaching brings %.1f %% to %.1f %%, less than 5 points", results[i].Set, 100*before, 100*after)
		}
	}
}
