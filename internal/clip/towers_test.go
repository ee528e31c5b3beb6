package clip

import (
	"image"
	"slices"
	"testing"
)

// TestHalfPrecisionInAndOut: rounded to 2^-11 of each number on the way in, and
// of the result on the way out.
func TestHalfPrecisionInAndOut(t *testing.T) {
	img := noise(1, 20, 30)
	full := newTiny().open(t)
	want, err := full.EmbedImage(t.Context(), img)
	if err != nil {
		t.Fatal(err)
	}
	for _, types := range [][2]string{{"float16", ""}, {"", "float16"}, {"float16", "float16"}} {
		model := newTiny()
		model.manifest.Image.InputType, model.manifest.Image.OutputType = types[0], types[1]
		enc := model.open(t)
		got, err := enc.EmbedImages(t.Context(), []image.Image{img, noise(2, 9, 9), img})
		if err != nil {
			t.Fatal(err)
		}
		wide := make([]float64, len(want))
		for i, v := range want {
			wide[i] = float64(v)
		}
		// 192 numbers of at most 1, weights of at most 4: an error of at most
		// 192·4·2^-12, and 2^-11 of a result of at most 64.
		near(t, "in half precision", got[0], wide, .25)
		if slices.Equal(got[0], want) {
			t.Errorf("%v: nothing was rounded", types)
		}
		if !slices.Equal(got[0], got[2]) {
			t.Errorf("%v: one photo has two embeddings", types)
		}
	}
}

// TestOneRowARun: a graph that takes one photo a run gets each by itself.
func TestOneRowARun(t *testing.T) {
	model := newTiny()
	model.manifest.Image.Batch, model.manifest.Text.Batch = 1, 1
	enc := model.open(t)
	sameInAnyCompany(t, enc, 1e-5)
	if _, err := enc.EmbedTexts(t.Context(), []string{"cow", "crow", "owl"}); err != nil {
		t.Error(err)
	}
}

// TestMaskCoversTheText: the tiny tower multiplies ids by the mask, so with
// padding that is not 0 only a mask that ends with the end token gives what the
// same tower gives with padding 0 and no mask.
func TestMaskCoversTheText(t *testing.T) {
	texts := []string{"cow", "a crow", "", "a text that is too long for the tower to read"}
	want, err := newTiny().open(t).EmbedTexts(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for _, idType := range []string{"int64", "int32"} {
		model := newTiny()
		model.manifest.Text.Mask, model.manifest.Text.IDType = "attention_mask", idType
		model.manifest.Text.Tokenizer.PadID = 7
		got, err := model.open(t).EmbedTexts(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		for i := range texts {
			if !slices.Equal(got[i], want[i]) {
				t.Errorf("%s: %q gives %v, want %v", idType, texts[i], got[i], want[i])
			}
		}
	}
}

func TestScaleMultipliesPhotos(t *testing.T) {
	img := noise(1, 9, 9)
	want, err := newTiny().open(t).EmbedImage(t.Context(), img)
	if err != nil {
		t.Fatal(err)
	}
	model := newTiny()
	model.manifest.Image.Scale = 4 // exact
	got, err := model.open(t).EmbedImage(t.Context(), img)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if got[i] != 4*want[i] {
			t.Errorf("[%d] is %v, want 4 times %v", i, got[i], want[i])
		}
	}
}
