package requests

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// As many uploads as there is room for are read at once; the next waits, and is refused
// when that takes too long. Anything else passes.
func TestUploadsAreBounded(t *testing.T) {
	var inside, most atomic.Int64
	hold := make(chan struct{})
	u := NewUploads(100, 60, 50*time.Millisecond, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }, "/photos")
	h := u.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/photos" && r.Method == http.MethodPost {
			most.Store(max(most.Load(), inside.Add(r.ContentLength)))
			<-hold
			inside.Add(-r.ContentLength)
		}
	}))
	ask := func(method, path string, bytes int) int {
		r := httptest.NewRequest(method, path, io.NopCloser(strings.NewReader(strings.Repeat("x", bytes))))
		r.ContentLength = int64(bytes)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code
	}
	ended := make(chan int, 10)
	for range 2 {
		go func() { ended <- ask("POST", "/photos", 40) }()
	}
	for inside.Load() < 80 {
		time.Sleep(time.Millisecond)
	}
	third := httptest.NewRequest("POST", "/photos", strings.NewReader(strings.Repeat("x", 40)))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, third)
	if left, err := io.ReadAll(third.Body); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || len(left) > 0 || err != nil {
		t.Errorf("a third is answered %d %v, and %d bytes of it are not heard", w.Code, w.Header(), len(left))
	}
	for _, c := range [][2]string{{"GET", "/photos"}, {"POST", "/other"}} {
		if got := ask(c[0], c[1], 1000); got != http.StatusOK {
			t.Errorf("%s %s: %d", c[0], c[1], got)
		}
	}
	go func() { ended <- ask("POST", "/photos", 20) }() // for which there is room
	for inside.Load() < 100 {
		time.Sleep(time.Millisecond)
	}
	close(hold)
	for range 3 {
		if got := <-ended; got != http.StatusOK {
			t.Errorf("one that there was room for is answered %d", got)
		}
	}
	if most.Load() > 100 {
		t.Errorf("%d bytes at once", most.Load())
	}
	// One that is larger than all, or does not say, counts for the largest, and goes.
	for _, bytes := range []int64{1 << 30, -1} {
		r := httptest.NewRequest("POST", "/photos", strings.NewReader("x"))
		r.ContentLength = bytes
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != http.StatusOK {
			t.Errorf("%d bytes: %d", bytes, w.Code)
		}
	}
	if !u.room.TryAcquire(100) {
		t.Error("room is not given back")
	}
}
