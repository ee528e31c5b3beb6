package identify_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/internal/photofile"
)

// files counts what is made of photos, and may have no room for it.
type files struct {
	*photofile.Dir
	*photofile.Renditions
	made atomic.Int32
	full bool
}

func (f *files) KeepRendition(ctx context.Context, h identify.PhotoHash, side int, data []byte) error {
	f.made.Add(1)
	if f.full {
		return identify.DiskFull(syscall.ENOSPC)
	}
	return f.Renditions.KeepRendition(ctx, h, side, data)
}

// withFiles is a service that keeps renditions, in a folder of its own.
func withFiles(t *testing.T) (*fixture, *files, string) {
	t.Helper()
	f, dir := newFixture(t), t.TempDir()
	d, err := photofile.Open(dir)
	must(t, err)
	kept := &files{Dir: d, Renditions: photofile.OpenRenditions(dir, 1<<20)}
	f.Config.Photos, f.Config.Renditions = kept, kept
	f.restart(t)
	return f, kept, dir
}

const secret = "under the third oak"

// withSecret is a JPEG of one colour that says more than it shows.
func withSecret(t *testing.T, width, height int) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range m.Pix {
		m.Pix[i] = []uint8{200, 20, 20, 255}[i%4]
	}
	var file bytes.Buffer
	must(t, jpeg.Encode(&file, m, nil))
	comment := append([]byte{0xff, 0xfe, 0, byte(len(secret) + 2)}, secret...)
	return append(append(bytes.Clone(file.Bytes()[:2]), comment...), file.Bytes()[2:]...)
}

// sizeOf is the size of a JPEG.
func sizeOf(t *testing.T, data []byte) image.Point {
	t.Helper()
	c, err := jpeg.DecodeConfig(bytes.NewReader(data))
	must(t, err)
	return image.Pt(c.Width, c.Height)
}

// TestRenditionsByHand: 1,600 × 400 at 1,280 are 1,280 × 320; its thumbnail of
// 640 × 160 at 320 are 320 × 80. They say nothing beside the picture, to nobody.
func TestRenditionsByHand(t *testing.T) {
	f, kept, dir := withFiles(t)
	o, _, err := f.Observe(t.Context(), f.Owner, identify.Upload{Photo: withSecret(t, 1600, 400)}, identify.Question{})
	must(t, err)
	for form, want := range map[string]image.Point{identify.PhotoDisplay: image.Pt(1280, 320), identify.PhotoSmall: image.Pt(320, 80)} {
		var first identify.PhotoCopy
		for range 2 {
			p, err := f.PhotoFile(t.Context(), f.Owner, o.ID, form)
			must(t, err)
			if got := sizeOf(t, p.Data); got != want || p.MediaType != "image/jpeg" {
				t.Errorf("%s is %v, %s; want %v", form, got, p.MediaType, want)
			}
			if bytes.Contains(p.Data, []byte(secret)) {
				t.Errorf("%s tells", form)
			}
			if first.Data != nil && (!bytes.Equal(first.Data, p.Data) || first.Tag != p.Tag) {
				t.Errorf("%s is another the second time", form)
			}
			first = p
		}
		img, err := jpeg.Decode(bytes.NewReader(first.Data))
		must(t, err)
		r, g, _, _ := img.At(10, 10).RGBA()
		if r>>8 < 190 || g>>8 > 30 {
			t.Errorf("%s shows %d, %d", form, r>>8, g>>8)
		}
	}
	if made := kept.made.Load(); made != 2 {
		t.Errorf("%d were made, want 2", made)
	}

	// They may be deleted.
	must(t, os.RemoveAll(filepath.Join(dir, "renditions")))
	p, err := f.PhotoFile(t.Context(), f.Owner, o.ID, identify.PhotoDisplay)
	must(t, err)
	if sizeOf(t, p.Data) != image.Pt(1280, 320) || kept.made.Load() != 3 {
		t.Error("it was not made anew")
	}
}

// TestASmallPhotoIsShownAsItIs, without what it says to those who may not know.
func TestASmallPhotoIsShownAsItIs(t *testing.T) {
	f, kept, _ := withFiles(t)
	data := withSecret(t, 1280, 100)
	o, _, err := f.Observe(t.Context(), f.Owner, identify.Upload{Photo: data}, identify.Question{})
	must(t, err)
	p, err := f.PhotoFile(t.Context(), f.Owner, o.ID, identify.PhotoDisplay)
	must(t, err)
	if !bytes.Equal(p.Data, data) || kept.made.Load() != 0 {
		t.Error("its observer gets another file")
	}
	p, err = f.PhotoFile(t.Context(), identify.User{ID: o.Observer + 1, Role: identify.Viewer}, o.ID, identify.PhotoDisplay)
	must(t, err)
	if bytes.Contains(p.Data, []byte(secret)) || sizeOf(t, p.Data) != image.Pt(1280, 100) {
		t.Error("others get what it says, or less than its picture")
	}
}

// TestFewPixelsInManyBytes: a picture of noise has too many bytes to be shown as it
// is, though it is no larger.
func TestFewPixelsInManyBytes(t *testing.T) {
	f, _, _ := withFiles(t)
	m := image.NewRGBA(image.Rect(0, 0, 600, 600))
	for i := range m.Pix {
		m.Pix[i] = byte(i * i >> 7)
	}
	for i := 3; i < len(m.Pix); i += 4 {
		m.Pix[i] = 255
	}
	var file bytes.Buffer
	must(t, (&png.Encoder{CompressionLevel: png.NoCompression}).Encode(&file, m))
	o, _, err := f.Observe(t.Context(), f.Owner, identify.Upload{Photo: file.Bytes()}, identify.Question{})
	must(t, err)
	p, err := f.PhotoFile(t.Context(), f.Owner, o.ID, identify.PhotoDisplay)
	must(t, err)
	if p.MediaType != "image/jpeg" || len(p.Data) >= file.Len() || sizeOf(t, p.Data) != image.Pt(600, 600) {
		t.Errorf("%s of %d bytes", p.MediaType, len(p.Data))
	}
}

// TestAPictureWaitsForItsTurn: while as much is decoded as may be, photos that are
// sent are refused and pictures that are asked for wait; each is made once, however
// many ask, and for the others when who asked first has gone.
func TestAPictureWaitsForItsTurn(t *testing.T) {
	f, kept, _ := withFiles(t)
	o, _, err := f.Observe(t.Context(), f.Owner, identify.Upload{Photo: withSecret(t, 1600, 400)}, identify.Question{})
	must(t, err)
	h := held{make(chan struct{}), &atomic.Int32{}, &atomic.Int32{}}
	f.Config.JPEG = h
	f.Config.Admission = identify.Admission{Memory: 1, Waiting: 1, Patience: 1}
	f.restart(t)

	leaving, leave := context.WithCancel(t.Context())
	gone := make(chan error)
	go func() {
		_, err := f.PhotoFile(leaving, f.Owner, o.ID, identify.PhotoDisplay)
		gone <- err
	}()
	for h.now.Load() == 0 { // it is not being decoded yet
		time.Sleep(time.Millisecond)
	}
	leave()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("who left: %v", err)
	}
	var all sync.WaitGroup
	for range 30 {
		all.Go(func() {
			p, err := f.PhotoFile(t.Context(), f.Owner, o.ID, identify.PhotoDisplay)
			if err != nil || sizeOf(t, p.Data) != image.Pt(1280, 320) {
				t.Errorf("%d bytes, %v", len(p.Data), err)
			}
		})
	}
	all.Go(func() { // another size waits behind it
		if _, err := f.PhotoFile(t.Context(), f.Owner, o.ID, identify.PhotoSmall); err != nil {
			t.Error(err)
		}
	})
	if _, err := f.Classify(t.Context(), withSecret(t, 50, 50), identify.Question{}); identify.KindOf(err) != identify.Busy {
		t.Errorf("a photo that was sent meanwhile: %v", err)
	}
	close(h.let)
	all.Wait()
	if made := kept.made.Load(); made != 2 {
		t.Errorf("%d pictures were made, want 2", made)
	}
}

// unreadable decodes no more.
type unreadable struct{}

func (unreadable) DecodeJPEG([]byte, int, int, int) (*image.RGBA, error) { panic("out of range") }

// TestWhatCannotBeMadeOrKept: a photo that cannot be decoded any more is shown as its
// thumbnail, and a picture for which there is no room is shown all the same.
func TestWhatCannotBeMadeOrKept(t *testing.T) {
	f, kept, _ := withFiles(t)
	o, _, err := f.Observe(t.Context(), f.Owner, identify.Upload{Photo: withSecret(t, 1600, 400)}, identify.Question{})
	must(t, err)
	kept.full = true
	p, err := f.PhotoFile(t.Context(), f.Owner, o.ID, identify.PhotoDisplay)
	must(t, err)
	if sizeOf(t, p.Data) != image.Pt(1280, 320) {
		t.Errorf("shown at %v, want 1280 × 320", sizeOf(t, p.Data))
	}
	f.Config.JPEG = unreadable{}
	f.restart(t)
	p, err = f.PhotoFile(t.Context(), f.Owner, o.ID, identify.PhotoDisplay)
	must(t, err)
	if sizeOf(t, p.Data) != image.Pt(640, 160) {
		t.Errorf("shown at %v, want its thumbnail", sizeOf(t, p.Data))
	}
	must(t, f.Close())
	if _, err := f.PhotoFile(t.Context(), f.Owner, o.ID, identify.PhotoDisplay); identify.KindOf(err) != identify.NotReady {
		t.Errorf("when it is closed: %v", err)
	}
}
