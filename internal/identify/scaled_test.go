package identify_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/jpeg"
	"testing"

	"fieldmark/internal/identify"
	"fieldmark/internal/photo"
)

// shrinking decodes a JPEG of one colour at a scale.
type shrinking struct{}

func (shrinking) DecodeJPEG(data []byte, width, height, denominator int) (*image.RGBA, error) {
	full, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	up := denominator - 1
	m := image.NewRGBA(image.Rect(0, 0, (width+up)/denominator, (height+up)/denominator))
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			m.Set(x, y, full.At(0, 0))
		}
	}
	return m, nil
}

// sized is a fakeEmbedder whose tower has a size, and which notes what it sees of
// whole photos: views of them are made in the background, several at once.
type sized struct {
	fakeEmbedder
	saw *[]image.Point
}

func (s sized) Info() identify.EncoderInfo {
	info := s.fakeEmbedder.Info()
	info.ImageSize = 100
	return info
}

func (s sized) EmbedImage(ctx context.Context, img image.Image) ([]float32, error) {
	if full := img.(interface{ FullSize() image.Point }).FullSize(); full == image.Pt(2601, 1400) {
		*s.saw = append(*s.saw, img.Bounds().Size())
	}
	return s.fakeEmbedder.EmbedImage(ctx, img)
}

// TestPhotosAreDecodedAtTheScaleThatIsNeeded: of 2601 × 1400 pixels a quarter
// leaves 651 × 350, enough for a tower of 100 and a thumbnail of 640; an eighth
// would not be enough for the thumbnail. The photo's own size is told, and a
// question without a thumbnail sees the same picture.
func TestPhotosAreDecodedAtTheScaleThatIsNeeded(t *testing.T) {
	f := newFixture(t)
	var saw []image.Point
	f.Config.Embedder, f.Config.JPEG = sized{saw: &saw}, shrinking{}
	f.restart(t)

	large := image.NewRGBA(image.Rect(0, 0, 2601, 1400))
	for i := 0; i < len(large.Pix); i += 4 {
		copy(large.Pix[i:], []byte{200, 20, 20, 255})
	}
	var file bytes.Buffer
	must(t, jpeg.Encode(&file, large, nil))
	o, _, err := f.Observe(t.Context(), f.Owner, identify.Upload{Photo: file.Bytes()}, identify.Question{})
	must(t, err)
	if _, err := f.Classify(t.Context(), file.Bytes(), identify.Question{}); err != nil {
		t.Fatal(err)
	}
	if o.Photo.Width != 2601 || o.Photo.Height != 1400 {
		t.Errorf("told as %d × %d", o.Photo.Width, o.Photo.Height)
	}
	if len(saw) != 2 || saw[0] != image.Pt(651, 350) || saw[1] != saw[0] {
		t.Errorf("the encoder saw %v", saw)
	}
	preview, err := f.PhotoFile(t.Context(), identify.User{Role: identify.Curator}, o.ID, "thumb")
	must(t, err)
	p, err := photo.Decode(preview.Data, photo.Limits{})
	must(t, err)
	if p.Width != 640 || p.Height != 344 { // ⌊350·640/651⌋
		t.Errorf("thumbnail of %d × %d", p.Width, p.Height)
	}
	if c := p.Image.RGBAAt(300, 100); c.R < 195 || c.G > 25 || c.A != 255 {
		t.Errorf("thumbnail shows %v, want %v", c, color.RGBA{200, 20, 20, 255})
	}
}
