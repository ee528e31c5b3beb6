package clip

import (
	"context"
	"errors"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"fieldmark/internal/vec"
)

func noise(seed uint64, w, h int) *image.RGBA {
	random := rand.New(rand.NewPCG(seed, 0))
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			v := random.Uint32()
			img.SetRGBA(x, y, color.RGBA{uint8(v), uint8(v >> 8), uint8(v >> 16), 255})
		}
	}
	return img
}

func near(t *testing.T, what string, got []float32, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i := range got {
		if math.Abs(float64(got[i])-want[i]) > tolerance {
			t.Fatalf("%s: [%d] is %v, want %v", what, i, got[i], want[i])
		}
	}
}

func unit(x []float64) []float64 {
	vec.Normalize(x)
	return x
}

func TestEmbedImageIsTheTowersRawOutput(t *testing.T) {
	model := newTiny()
	enc := model.open(t)
	img := noise(1, 20, 30)
	pixels, err := enc.pre.pixels(img)
	if err != nil {
		t.Fatal(err)
	}
	got, err := enc.EmbedImage(t.Context(), img)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "embedding", got, times(pixels, model.image), 1e-4)
}

func TestEmbedTextsAreUnitRows(t *testing.T) {
	for _, idType := range []string{"int64", "int32"} {
		t.Run(idType, func(t *testing.T) {
			model := newTiny()
			model.manifest.Text.IDType = idType
			enc := model.open(t)
			texts := []string{"cow", "A crow", ""}
			got, err := enc.EmbedTexts(t.Context(), texts)
			if err != nil {
				t.Fatal(err)
			}
			for i, text := range texts {
				near(t, text, got[i], unit(times(floats(enc.tokenizer.Encode(text)), model.text)), 1e-5)
			}
		})
	}
}

func floats(ids []int64) []float32 {
	x := make([]float32, len(ids))
	for i, id := range ids {
		x[i] = float32(id)
	}
	return x
}

// TestEmbedNamesAveragesNamesAndPrompts by METHOD.md section 1: embed each,
// normalise, average, normalise.
func TestEmbedNamesAveragesNamesAndPrompts(t *testing.T) {
	model := newTiny()
	enc := model.open(t)
	got, err := enc.EmbedNames(t.Context(), [][]string{{"cow"}, {"Pica pica", "Magpie"}})
	if err != nil {
		t.Fatal(err)
	}
	for i, texts := range [][]string{
		{"a cow.", "the cow"},
		{"a Pica pica.", "the Pica pica", "a Magpie.", "the Magpie"},
	} {
		sum := make([]float64, tinyDim)
		for _, text := range texts {
			for j, v := range unit(times(floats(enc.tokenizer.Encode(text)), model.text)) {
				sum[j] += v
			}
		}
		near(t, texts[0], got[i], unit(sum), 1e-5)
	}
	prompted, err := enc.EmbedPrompted(t.Context(), [][]string{{"cow"}}, []string{"{} grazing"})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "cow grazing", prompted[0], unit(times(floats(enc.tokenizer.Encode("cow grazing")), model.text)), 1e-5)
	for _, names := range [][][]string{{{}}, {{"cow", " "}}} {
		if _, err := enc.EmbedNames(t.Context(), names); err == nil {
			t.Errorf("names %q are accepted", names)
		}
	}
}

// TestAPhotoIsTheSameInAnyCompany: alone, in a batch of photos, or among
// concurrent callers.
func TestAPhotoIsTheSameInAnyCompany(t *testing.T) {
	sameInAnyCompany(t, newTiny().open(t), 1e-5)
}

// sameInAnyCompany allows differences of so much of a vector's length.
func sameInAnyCompany(t *testing.T, enc *Encoder, within float64) {
	t.Helper()
	images := make([]image.Image, 2*maxBatch+3)
	alone := make([][]float32, len(images))
	for i := range images {
		images[i] = noise(uint64(i), 40+i, 50-i)
		var err error
		if alone[i], err = enc.EmbedImage(t.Context(), images[i]); err != nil {
			t.Fatal(err)
		}
	}
	together, err := enc.EmbedImages(t.Context(), images)
	if err != nil {
		t.Fatal(err)
	}
	crowd := make([][]float32, len(images))
	var wg sync.WaitGroup
	for i, img := range images {
		wg.Go(func() { crowd[i], _ = enc.EmbedImage(t.Context(), img) })
	}
	wg.Wait()
	for i := range images {
		tolerance := within * vec.Norm(alone[i])
		want := make([]float64, len(alone[i]))
		for j, v := range alone[i] {
			want[j] = float64(v)
		}
		near(t, "in a batch", together[i], want, tolerance)
		near(t, "in a crowd", crowd[i], want, tolerance)
	}
}

func TestUselessEmbeddingsAreRefused(t *testing.T) {
	for name, value := range map[string]float32{"not finite": float32(math.NaN()), "zero": 0} {
		t.Run(name, func(t *testing.T) {
			model := newTiny()
			for i := range model.image {
				model.image[i] = value
			}
			enc := model.open(t)
			if _, err := enc.EmbedImage(t.Context(), noise(1, 9, 9)); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("error %v, want one that says %q", err, name)
			}
		})
	}
}

func TestClosedAndCancelled(t *testing.T) {
	enc := newTiny().open(t)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := enc.EmbedImage(gone, noise(1, 9, 9)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := enc.EmbedTexts(gone, []string{"cow"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := enc.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := enc.EmbedImage(t.Context(), noise(1, 9, 9)); !errors.Is(err, ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	if _, err := enc.EmbedTexts(t.Context(), []string{"cow"}); !errors.Is(err, ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	if _, err := FindRuntime(""); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		lie  func(*Manifest)
		want string
	}{
		{"wrong output's name", func(m *Manifest) { m.Image.Output = "logits" }, "visual.onnx"},
		{"wrong width", func(m *Manifest) { m.Dim = 7 }, "[1 6], where [1 7] is expected"},
		{"wrong type in", func(m *Manifest) { m.Image.InputType = "float16" }, "visual.onnx"},
		{"wrong type out", func(m *Manifest) { m.Image.OutputType = "float16" }, "visual.onnx"},
		{"a mask that it has not", func(m *Manifest) { m.Text.Mask = "attention_mask" }, "text.onnx"},
	} {
		t.Run(c.name, func(t *testing.T) {
			model := newTiny()
			model.lie = c.lie
			enc, err := Open(model.folder(t), Options{})
			if err == nil { // only a run shows the shape
				_, err = enc.EmbedImage(t.Context(), noise(1, 9, 9))
				_, textErr := enc.EmbedTexts(t.Context(), []string{"cow"})
				err = errors.Join(err, textErr, enc.Close())
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one that says %q", err, c.want)
			}
		})
	}
}
