package identify_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

// held decodes when it is let, and counts how many it was asked for at once.
type held struct {
	let       chan struct{}
	now, most *atomic.Int32
}

func (h held) DecodeJPEG(_ []byte, width, height, _ int) (*image.RGBA, error) {
	for n := h.now.Add(1); ; {
		m := h.most.Load()
		if n <= m || h.most.CompareAndSwap(m, n) {
			break
		}
	}
	defer h.now.Add(-1)
	<-h.let
	return image.NewRGBA(image.Rect(0, 0, width, height)), nil
}

// TestThirtyPhotosAtOnce: no more are decoded at once than memory is meant for,
// those beyond the queue are refused at once and those whose turn does not come
// later, and afterwards everything goes on.
func TestThirtyPhotosAtOnce(t *testing.T) {
	f := newFixture(t)
	h := held{make(chan struct{}), &atomic.Int32{}, &atomic.Int32{}}
	f.Config.JPEG, f.Config.Workers = h, 8
	var file bytes.Buffer
	must(t, jpeg.Encode(&file, image.NewRGBA(image.Rect(0, 0, 1000, 1000)), nil))
	// A photo may take 12 bytes for a pixel and 8 MiB: 20 MB. Two fit.
	f.Config.Admission = identify.Admission{Memory: 50_000_000, Waiting: 10, Patience: 20 * time.Millisecond}
	f.restart(t)
	var busy, fine atomic.Int32
	var all sync.WaitGroup
	for range 30 {
		all.Go(func() {
			switch _, err := f.Classify(t.Context(), file.Bytes(), identify.Question{}); {
			case err == nil:
				fine.Add(1)
			case identify.KindOf(err) == identify.Busy:
				busy.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	for busy.Load() < 28 { // all but the two that are being decoded
		time.Sleep(time.Millisecond)
	}
	close(h.let)
	all.Wait()
	if fine.Load() != 2 || h.most.Load() != 2 {
		t.Errorf("%d answered, %d decoded at once, want 2 and 2", fine.Load(), h.most.Load())
	}
	if _, err := f.Classify(t.Context(), file.Bytes(), identify.Question{}); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestWhoGetsWhatAPhotoSays: its observer and curators the file as it is, others
// without the comment.
func TestWhoGetsWhatAPhotoSays(t *testing.T) {
	f := newFixture(t)
	var file bytes.Buffer
	must(t, jpeg.Encode(&file, image.NewRGBA(image.Rect(0, 0, 50, 50)), nil))
	const secret = "under the third oak"
	comment := append([]byte{0xff, 0xfe, 0, byte(len(secret) + 2)}, secret...)
	data := append(append(bytes.Clone(file.Bytes()[:2]), comment...), file.Bytes()[2:]...)
	o, _, err := f.Observe(t.Context(), f.Owner, identify.Upload{Photo: data}, identify.Question{})
	must(t, err)
	for _, c := range []struct {
		user  identify.User
		tells bool
	}{
		{f.Owner, true},
		{identify.User{ID: o.Observer, Role: identify.Viewer}, true},
		{identify.User{ID: o.Observer + 1, Role: identify.Curator}, true},
		{identify.User{ID: o.Observer + 1, Role: identify.Expert}, false},
		{identify.User{ID: o.Observer + 1, Role: identify.Viewer}, false},
	} {
		p, err := f.PhotoFile(t.Context(), c.user, o.ID, identify.PhotoOriginal)
		must(t, err)
		if tells := bytes.Contains(p.Data, []byte(secret)); tells != c.tells || p.MediaType != "image/jpeg" {
			t.Errorf("%+v: tells %v, %s", c.user, tells, p.MediaType)
		}
	}
}
