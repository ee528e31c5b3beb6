package identify_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"image"
	"image/color"
	"image/jpeg"
	"slices"
	"testing"

	"fieldmark/internal/bundle"
	"fieldmark/internal/identify"
)

// retouched is a bundle with other thumbnails, by the photos that they are of.
type retouched struct {
	*bundle.Bundle
	thumbnails map[string][]byte
}

func (r retouched) Taxa(visit func(bundle.Taxon) error) error {
	list, err := r.Bundle.Taxa()
	for _, x := range list {
		if err == nil {
			err = visit(x)
		}
	}
	return err
}

func (r retouched) Exemplars(visit func(bundle.Exemplar) error) error {
	return r.Each(func(x bundle.Row) error { return visit(x.Exemplar) })
}

func (r retouched) Embeddings(visit func([]float32) error) error {
	return r.Each(func(x bundle.Row) error { return visit(x.Embedding) })
}

func (r retouched) Views(visit func([][]float32) error) error {
	return r.Each(func(x bundle.Row) error {
		if len(x.Views) == 0 {
			return nil
		}
		return visit(x.Views)
	})
}

func (r retouched) Thumbnails(visit func(string, []byte) error) error {
	for photo, data := range r.thumbnails {
		if err := visit(photo, data); err != nil {
			return err
		}
	}
	return nil
}

func (retouched) Photos(func(string, []byte) error) error { return nil }

// withThumbnails is a bundle with those that change makes of its own.
func withThumbnails(t *testing.T, data []byte, change func(photo string, thumbnail []byte) []byte) []byte {
	t.Helper()
	b, err := bundle.Open(bytes.NewReader(data), int64(len(data)))
	must(t, err)
	r := retouched{b, map[string][]byte{}}
	must(t, b.Each(func(x bundle.Row) error {
		photo := x.Exemplar.Photo.SHA256
		thumbnail, err := b.Thumbnail(photo)
		r.thumbnails[photo] = change(photo, thumbnail)
		return err
	}))
	m := b.Manifest
	m.Members, m.Counts = nil, bundle.Counts{}
	var out bytes.Buffer
	_, err = bundle.Write(&out, ed25519.NewKeyFromSeed(make([]byte, 32)), m, r)
	must(t, err)
	return out.Bytes()
}

// placeSaid is a comment within a JPEG, such as a place would stand in.
const placeSaid = "48.137 N 11.575 E"

// telling puts it into one, behind its first marker.
func telling(data []byte) []byte {
	comment := append([]byte{0xff, 0xfe, 0, byte(2 + len(placeSaid))}, placeSaid...)
	return slices.Concat(data[:2], comment, data[2:])
}

func jpegOf(t *testing.T, w, h int, c color.RGBA) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = []uint8{c.R, c.G, c.B, 255}[i%4]
	}
	var b bytes.Buffer
	must(t, jpeg.Encode(&b, img, nil))
	return b.Bytes()
}

// The thumbnail of a photo that did not come is shown in place of it, made anew, without
// what its file said; it goes on to others, and gives way to the photo. A thumbnail that
// is none, or hides a bomb, costs its lesson nothing.
func TestAGlimpseStandsInForAPhoto(t *testing.T) {
	ctx := context.Background()
	a, b, c := newFixture(t), newFixture(t), newFixture(t)
	red, green, blue := lesson{color.RGBA{230, 20, 20, 255}, "Red Bramble"}, lesson{color.RGBA{20, 230, 20, 255}, "Green Bramble"}, lesson{color.RGBA{20, 20, 230, 255}, "Blue Bramble"}
	a.named(t, red, green, blue)
	list, _, err := a.Observations(ctx, a.Owner, identify.ObservationFilter{})
	must(t, err)
	of := map[string]lesson{string(list[2].Photo.Hash): red, string(list[1].Photo.Hash): green, string(list[0].Photo.Hash): blue}
	data := withThumbnails(t, a.bundled(t, identify.BundleRequest{Thumbnails: true}), func(photo string, thumbnail []byte) []byte {
		if len(thumbnail) == 0 {
			t.Error("a thumbnail does not travel")
		}
		switch of[photo] {
		case red:
			return telling(jpegOf(t, 1200, 600, red.colour)) // larger than ours are
		case green:
			return []byte("these are no pixels")
		}
		bomb := jpegOf(t, 16, 16, blue.colour)
		at := bytes.Index(bomb, []byte{0xff, 0xc0}) + 5 // height and width of the frame
		copy(bomb[at:], []byte{0xff, 0xff, 0xff, 0xff})
		return bomb
	})
	if m := b.merge(t, data, identify.MergeDecisions{}); m.Taught() != 3 {
		t.Fatalf("%+v", m)
	}
	got := map[lesson]identify.Observation{}
	list, _, err = b.Observations(ctx, b.Owner, identify.ObservationFilter{})
	must(t, err)
	for _, o := range list {
		got[of[string(o.Photo.Hash)]] = o
	}
	for l, want := range map[lesson]bool{red: true, green: false, blue: false} {
		if p := got[l].Photo; p.HasGlimpse() != want || p.HasFile() {
			t.Errorf("%s: %+v", l.name, p)
		}
	}
	o := got[red]
	glimpse, err := b.PhotoFile(ctx, identify.User{Role: identify.Viewer}, o.ID, identify.PhotoThumb)
	must(t, err)
	img, err := jpeg.Decode(bytes.NewReader(glimpse.Data))
	must(t, err)
	if r, g, _, _ := img.At(5, 5).RGBA(); img.Bounds().Dx() != 640 || img.Bounds().Dy() != 320 || r < 0xd000 || g > 0x3000 || !glimpse.Glimpse {
		t.Errorf("%v, %x %x", img.Bounds(), r, g)
	}
	if bytes.Contains(glimpse.Data, []byte(placeSaid)) {
		t.Error("what the file said came along")
	}
	if _, err := b.PhotoFile(ctx, b.Owner, o.ID, identify.PhotoOriginal); identify.KindOf(err) != identify.NotFound {
		t.Errorf("the original: %v", err)
	}
	if _, err := b.PhotoFile(ctx, b.Owner, o.ID, "huge"); identify.KindOf(err) != identify.Invalid {
		t.Errorf("a size that there is not: %v", err)
	}
	r, err := identify.Verify(ctx, b.Config)
	must(t, err)
	if len(r.Problems) > 0 || r.Glimpses != 1 || r.Photos != 0 {
		t.Errorf("%+v", r)
	}

	c.merge(t, b.bundled(t, identify.BundleRequest{Thumbnails: true}), identify.MergeDecisions{})
	list, _, err = c.Observations(ctx, c.Owner, identify.ObservationFilter{Photo: o.Photo.Hash})
	must(t, err)
	if len(list) != 1 || !list[0].Photo.HasGlimpse() {
		t.Errorf("it does not go on to others: %+v", list)
	}

	b.see(t, red.colour)
	o, err = b.Observation(ctx, b.Owner, o.ID)
	must(t, err)
	if photo, err := b.PhotoFile(ctx, b.Owner, o.ID, identify.PhotoOriginal); err != nil || o.Photo.HasGlimpse() || photo.Glimpse || o.Photo.Width != 32 {
		t.Errorf("the photo itself came: %+v, %v", o.Photo, err)
	}
	verified(t, b)
}

// A glimpse whose file is lost is found by a verification.
func TestALostGlimpseIsFound(t *testing.T) {
	a, b := newFixture(t), newFixture(t)
	a.named(t, palette()[0])
	b.merge(t, a.bundled(t, identify.BundleRequest{Thumbnails: true}), identify.MergeDecisions{})
	b.Config.Photos = noGlimpses{b.Config.Photos}
	r, err := identify.Verify(context.Background(), b.Config)
	must(t, err)
	if len(r.Problems) != 1 {
		t.Errorf("%v", r.Problems)
	}
}

type noGlimpses struct{ identify.PhotoFiles }

func (noGlimpses) Glimpse(context.Context, identify.PhotoHash) ([]byte, error) {
	return nil, identify.Errorf(identify.NotFound, "", "It is gone.")
}
