package photofile

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

// shelf is a folder of renditions with a clock that is set by hand.
type shelf struct {
	*testing.T
	*Renditions
	root string
	at   time.Time
}

func newShelf(t *testing.T, limit int64) *shelf {
	x := &shelf{T: t, root: t.TempDir(), at: time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)}
	x.open(limit)
	return x
}

// open is a process that starts, with what the one before it left.
func (x *shelf) open(limit int64) {
	x.Renditions = OpenRenditions(x.root, limit)
	x.now = func() time.Time { return x.at }
}

func numbered(n int) identify.PhotoHash { return identify.PhotoHash(fmt.Sprintf("%064x", n)) }

// keep keeps size bytes as what was made of a photo, at the moment that it is.
func (x *shelf) keep(n, size int) {
	x.Helper()
	if err := x.KeepRendition(x.Context(), numbered(n), 320, bytes.Repeat([]byte{byte(n)}, size)); err != nil {
		x.Fatal(err)
	}
	path, err := x.dir.path(ofSide(320), numbered(n), ".jpg")
	if err != nil {
		x.Fatal(err)
	}
	if _, err := os.Stat(path); err == nil {
		if err := os.Chtimes(path, x.at, x.at); err != nil {
			x.Fatal(err)
		}
	}
}

// has looks at what is there without using it.
func (x *shelf) has(n int) bool {
	path, err := x.dir.path(ofSide(320), numbered(n), ".jpg")
	if err != nil {
		x.Fatal(err)
	}
	_, err = os.Stat(path)
	return err == nil
}

func (x *shelf) wants(bytes int64, numbers ...int) {
	x.Helper()
	if got, err := x.Bytes(); err != nil || got != bytes {
		x.Errorf("%d bytes, %v; want %d", got, err, bytes)
	}
	there := map[int]bool{}
	for _, n := range numbers {
		there[n] = true
	}
	for n := range 20 {
		if x.has(n) != there[n] {
			x.Errorf("%d is there: %v, want %v", n, x.has(n), there[n])
		}
	}
}

// Each size is a file of its own, which may be deleted.
func TestRenditions(t *testing.T) {
	root, ctx := t.TempDir(), t.Context()
	r := OpenRenditions(root, 1000)
	for side, data := range map[int]string{320: "small", 1280: "large"} {
		if _, err := r.Rendition(ctx, hash, side); identify.KindOf(err) != identify.NotFound {
			t.Errorf("before it was kept: %v", err)
		}
		if err := r.KeepRendition(ctx, hash, side, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(filepath.Join(root, "renditions", "320")); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Rendition(ctx, hash, 320); identify.KindOf(err) != identify.NotFound {
		t.Errorf("when it was deleted: %v", err)
	}
	if got, err := r.Rendition(ctx, hash, 1280); err != nil || string(got) != "large" {
		t.Errorf("%q, %v", got, err)
	}
}

// By hand, at a limit of 80 bytes, of which an eighth is 10: eight of 10 bytes fill it.
// The first is looked at again, so that for the ninth the second and the third go: 60
// are left, and 70 are there with it.
func TestWhatIsNotUsedForLongestGoes(t *testing.T) {
	x := newShelf(t, 80)
	for n := range 8 {
		x.keep(n, 10)
		x.at = x.at.Add(time.Hour)
	}
	x.wants(80, 0, 1, 2, 3, 4, 5, 6, 7)
	if _, err := x.Rendition(t.Context(), numbered(0), 320); err != nil {
		t.Fatal(err)
	}
	x.keep(0, 10) // it is there, and is not counted twice
	x.keep(8, 10)
	x.wants(70, 0, 3, 4, 5, 6, 7, 8)

	// A process that is started anew knows it from the files.
	x.at = x.at.Add(2 * time.Hour)
	x.open(80)
	if _, err := x.Rendition(t.Context(), numbered(3), 320); err != nil {
		t.Fatal(err)
	}
	x.open(80)
	x.keep(9, 25) // 70 and 25 are too many: three go, since 70 with it are the most that may be left
	x.wants(65, 0, 3, 7, 8, 9)
}

// What has no room even by itself is not kept, and costs the others nothing; with a
// limit of nothing nothing stays.
func TestRenditionsWithoutRoom(t *testing.T) {
	x := newShelf(t, 80)
	x.keep(1, 40)
	x.keep(2, 81)
	x.wants(40, 1)
	x.keep(3, 80) // takes all the room
	x.wants(80, 3)
	x.open(0)
	x.wants(0)
	x.keep(4, 10)
	x.wants(0)
}

// A smaller limit holds from the first time on that it matters; what a killed process
// was writing does not count.
func TestASmallerLimit(t *testing.T) {
	x := newShelf(t, 1000)
	for n := range 10 {
		x.keep(n, 10)
		x.at = x.at.Add(time.Hour)
	}
	if err := os.WriteFile(filepath.Join(x.root, "renditions", "320", "00", ".new-123"), make([]byte, 500), 0o600); err != nil {
		t.Fatal(err)
	}
	x.open(40)
	x.wants(30, 7, 8, 9) // 35 is the most that is left, in tens
}

// Whoever reads while others write and what is old goes gets a whole picture or none;
// there is never more than the limit, as the files say.
func TestRenditionsAtOnce(t *testing.T) {
	const limit, size = 2000, 100
	x := newShelf(t, limit)
	x.now = time.Now
	picture := func(n int) []byte { return bytes.Repeat([]byte{byte(n)}, size) }
	var writers, readers sync.WaitGroup
	reading, stop := context.WithCancel(t.Context())
	for w := range 4 {
		writers.Go(func() {
			for i := range 60 {
				n := (w*31 + i) % 97
				if err := x.KeepRendition(t.Context(), numbered(n), 320, picture(n)); err != nil {
					t.Error(err)
				}
			}
		})
		readers.Go(func() {
			for n := w; reading.Err() == nil; n = (n + 1) % 97 {
				data, err := x.Rendition(t.Context(), numbered(n), 320)
				if err == nil && !bytes.Equal(data, picture(n)) || err != nil && identify.KindOf(err) != identify.NotFound {
					t.Errorf("%d: %d bytes, %v", n, len(data), err)
				}
				if counted, err := x.Bytes(); err != nil || counted > limit {
					t.Errorf("%d bytes, %v", counted, err)
				}
			}
		})
	}
	writers.Wait()
	stop()
	readers.Wait()
	counted, err := x.Bytes()
	list, err2 := x.list()
	if err != nil || err2 != nil || counted != int64(len(list)*size) || counted == 0 {
		t.Errorf("it counts %d bytes and has %d files, %v, %v", counted, len(list), err, err2)
	}
}
