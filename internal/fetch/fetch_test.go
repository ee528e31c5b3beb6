package fetch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// content is n bytes that do not repeat.
func content(seed uint64, n int) []byte {
	random := rand.New(rand.NewPCG(seed, 0))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	return b
}

func digestOfBytes(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// A host serves one file, and may do so badly.
type host struct {
	data     []byte
	etag     string
	breakAt  int  // the connection ends after so many bytes of each response; 0: never
	noRange  bool // ranges are ignored
	statuses []int
	requests []*http.Request // as they came
}

func (h *host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.requests = append(h.requests, r.Clone(context.Background()))
	if n := len(h.requests); n <= len(h.statuses) && h.statuses[n-1] != http.StatusOK {
		w.WriteHeader(h.statuses[n-1])
		return
	}
	if h.etag != "" {
		w.Header().Set("ETag", h.etag)
	}
	if h.noRange {
		r.Header.Del("Range")
	}
	if h.breakAt > 0 {
		w = &breaking{ResponseWriter: w, left: h.breakAt}
	}
	http.ServeContent(w, r, "file", time.Time{}, bytes.NewReader(h.data))
}

// breaking ends the connection in the middle of a body.
type breaking struct {
	http.ResponseWriter
	left int
}

func (b *breaking) Write(data []byte) (int, error) {
	n, _ := b.ResponseWriter.Write(data[:min(len(data), b.left)])
	if b.left -= n; b.left == 0 {
		panic(http.ErrAbortHandler)
	}
	return n, nil
}

// serve starts a host and gives a File of its content and a place for it.
func (h *host) serve(t *testing.T) (f File, path string) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return File{URL: s.URL, Bytes: int64(len(h.data)), SHA256: digestOfBytes(h.data)}, filepath.Join(t.TempDir(), "deep", "file")
}

func quick() *Fetcher { return &Fetcher{Pause: func(int) time.Duration { return 0 }} }

// expect fails unless the file is there, whole, and nothing else is.
func expect(t *testing.T, path string, want []byte) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, want) {
		t.Fatalf("%d bytes, %v; want %d", len(got), err, len(want))
	}
	if left, _ := filepath.Glob(path + ".*"); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

func ranges(h *host) (all []string) {
	for _, r := range h.requests {
		all = append(all, r.Header.Get("Range"))
	}
	return all
}

func TestFetch(t *testing.T) {
	h := &host{data: content(1, 300_000), etag: `"one"`}
	f, path := h.serve(t)
	fetcher, last := quick(), int64(0)
	fetcher.Progress = func(done, total int64) {
		if done <= last || total != f.Bytes {
			t.Errorf("told %d of %d after %d", done, total, last)
		}
		last = done
	}
	digest, err := fetcher.Fetch(t.Context(), f, path)
	if err != nil || digest != f.SHA256 || last != f.Bytes {
		t.Fatalf("%s, %v; told %d", digest, err, last)
	}
	expect(t, path, h.data)
	if _, err := fetcher.Fetch(t.Context(), f, path); err != nil || len(h.requests) != 1 {
		t.Errorf("what was there was fetched again: %d requests, %v", len(h.requests), err)
	}
	// A file that was spoilt on the disk is another matter.
	if err := os.WriteFile(path, content(2, 300_000), 0o600); err != nil {
		t.Fatal(err)
	}
	last = 0
	if _, err := fetcher.Fetch(t.Context(), f, path); err != nil || len(h.requests) != 2 {
		t.Errorf("what was spoilt was not fetched again: %v", err)
	}
	expect(t, path, h.data)
}

// TestBrokenConnections: 1 MB in pieces of 300 KB are four requests, each for
// what is missing, and each only if the file is the same still.
func TestBrokenConnections(t *testing.T) {
	h := &host{data: content(3, 1_000_000), etag: `"one"`, breakAt: 300_000}
	f, path := h.serve(t)
	if _, err := quick().Fetch(t.Context(), f, path); err != nil {
		t.Fatal(err)
	}
	expect(t, path, h.data)
	if got := ranges(h); len(got) != 4 || got[0] != "" || got[1] == "" || h.requests[1].Header.Get("If-Range") != `"one"` {
		t.Errorf("asked for %q", got)
	}
}

// TestAServerWithoutRanges starts over each time, which ends only where the
// connection lasts.
func TestAServerWithoutRanges(t *testing.T) {
	h := &host{data: content(4, 500_000), noRange: true, breakAt: 200_000}
	f, path := h.serve(t)
	fetcher := quick()
	fetcher.Pause = func(int) time.Duration {
		h.breakAt = 0
		return 0
	}
	if _, err := fetcher.Fetch(t.Context(), f, path); err != nil {
		t.Fatal(err)
	}
	expect(t, path, h.data)
	if len(h.requests) != 2 || h.requests[1].Header.Get("Range") == "" {
		t.Errorf("asked for %q", ranges(h))
	}
}

// TestACancelledDownloadGoesOn in another call, which may be another process.
func TestACancelledDownloadGoesOn(t *testing.T) {
	for name, etag := range map[string]string{"with ETag": `"one"`, "by digest alone": ""} {
		t.Run(name, func(t *testing.T) {
			h := &host{data: content(5, 2_000_000), etag: etag}
			f, path := h.serve(t)
			ctx, cancel := context.WithCancel(t.Context())
			first := quick()
			first.Progress = func(done, _ int64) {
				if done > 500_000 {
					cancel()
				}
			}
			if _, err := first.Fetch(ctx, f, path); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "kept") {
				t.Fatalf("cancelled: %v", err)
			}
			info, err := os.Stat(path + ".part")
			if err != nil || info.Size() < 500_000 {
				t.Fatalf("kept: %v, %v", info, err)
			}
			if _, err := quick().Fetch(t.Context(), f, path); err != nil {
				t.Fatal(err)
			}
			expect(t, path, h.data)
			if got := ranges(h); len(got) != 2 || !strings.HasPrefix(got[1], "bytes=") {
				t.Errorf("asked for %q", got)
			}
		})
	}
}

// TestAFileThatChangedMeanwhile comes whole in its new version, whether the
// server compares ETags or only the digest shows that the halves do not fit.
func TestAFileThatChangedMeanwhile(t *testing.T) {
	for name, etags := range map[string][2]string{"ETag": {`"old"`, `"new"`}, "weak ETag": {`W/"old"`, `W/"new"`}, "no ETag": {}} {
		t.Run(name, func(t *testing.T) {
			h := &host{data: content(6, 800_000), etag: etags[0], breakAt: 300_000}
			old, path := h.serve(t)
			fetcher, now := quick(), content(7, 800_000)
			fetcher.Pause = func(int) time.Duration {
				h.data, h.etag, h.breakAt = now, etags[1], 0
				return 0
			}
			f := File{URL: old.URL, Bytes: 800_000, SHA256: digestOfBytes(now)}
			if _, err := fetcher.Fetch(t.Context(), f, path); err != nil {
				t.Fatal(err)
			}
			expect(t, path, now)
		})
	}
}

// TestAnotherFilesLeftovers: what an earlier download left is longer than the
// file, as long and wrong, or shorter and wrong.
func TestAnotherFilesLeftovers(t *testing.T) {
	for _, n := range []int{900_000, 400_000, 1000} {
		h := &host{data: content(8, 400_000)}
		f, path := h.serve(t)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path+".part", content(9, n), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := quick().Fetch(t.Context(), f, path); err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		expect(t, path, h.data)
	}
}
