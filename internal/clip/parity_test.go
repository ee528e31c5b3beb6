package clip

import (
	"encoding/json"
	"image"
	"image/color"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"fieldmark/internal/vec"
)

// torchParity is what the training program, which has its own tokenizer,
// preprocessing and towers in Python, says of the built-in encoder
// (models/fieldmark-1/parity.json).
type torchParity struct {
	Size   int
	Images []struct {
		Name  string
		Norm  float64
		First []float64 // of the raw embedding
	}
	Names []struct {
		Text  string
		IDs   []int64
		First []float64 // of the unit embedding
	}
}

func readTorchParity(t *testing.T) torchParity {
	t.Helper()
	var p torchParity
	if err := json.Unmarshal(readFile(t, filepath.Join(builtinFolder, "parity.json")), &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// formulas are the pictures of parity.json, whose formulas it spells out.
func formulas() map[string]func(x, y int) color.RGBA {
	return map[string]func(x, y int) color.RGBA{
		"gradient": func(x, y int) color.RGBA {
			return color.RGBA{uint8(x * 255 / 159), uint8(y * 255 / 159), uint8((x + y) * 255 / 318), 255}
		},
		"circle": func(x, y int) color.RGBA {
			if (x-80)*(x-80)+(y-70)*(y-70) < 45*45 {
				return color.RGBA{200, 40, 30, 255}
			}
			return color.RGBA{30, uint8(90 + y/2), 40, 255}
		},
		"checks": func(x, y int) color.RGBA {
			if (x/20+y/20)%2 == 0 {
				return color.RGBA{240, 200, 20, 255}
			}
			return color.RGBA{20, 20, 60, 255}
		},
	}
}

const (
	// imageTolerance, on numbers that are about 0.4 each (norm 10 over 512):
	// the export folds normalisation layers into weights and rounds them to 16
	// bits after, where torch rounded before. 7e-4 was measured.
	imageTolerance = 2e-3
	// textTolerance, on unit rows: sums in another order. 5e-7 was measured.
	textTolerance = 1e-5
)

func TestImageTowerAsTorch(t *testing.T) {
	enc, want := builtin(t, 1), readTorchParity(t)
	for _, c := range want.Images {
		formula, known := formulas()[c.Name]
		if !known {
			t.Errorf("parity.json has a picture %q that is not made here", c.Name)
			continue
		}
		img := image.NewRGBA(image.Rect(0, 0, want.Size, want.Size))
		for y := range want.Size {
			for x := range want.Size {
				img.SetRGBA(x, y, formula(x, y))
			}
		}
		got, err := enc.EmbedImage(t.Context(), img)
		if err != nil {
			t.Fatal(err)
		}
		near(t, c.Name, got[:len(c.First)], c.First, imageTolerance)
		if norm := vec.Norm(got); math.Abs(norm-c.Norm) > imageTolerance {
			t.Errorf("%s has norm %v, want %v", c.Name, norm, c.Norm)
		}
	}
	if len(want.Images) < 3 {
		t.Errorf("only %d pictures compared", len(want.Images))
	}
}

func TestTextTowerAsTorch(t *testing.T) {
	enc, want := builtin(t, 1), readTorchParity(t)
	for _, c := range want.Names {
		if got := enc.tokenizer.Encode(c.Text); !slices.Equal(got, c.IDs) {
			t.Errorf("%q: tokens %v, want %v", c.Text, got, c.IDs)
			continue
		}
		rows, err := enc.EmbedTexts(t.Context(), []string{c.Text})
		if err != nil {
			t.Fatal(err)
		}
		near(t, c.Text, rows[0][:len(c.First)], c.First, textTolerance)
	}
	if len(want.Names) < 10 {
		t.Errorf("only %d names compared", len(want.Names))
	}
}
