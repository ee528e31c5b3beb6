package requests

import (
	"context"
	"io"
	"net/http"
	"slices"
	"time"

	"golang.org/x/sync/semaphore"
)

// Uploads bounds the bytes of photos that requests hold in memory at the same time,
// before any is decoded: however many people send photos at once, and however slowly.
type Uploads struct {
	room     *semaphore.Weighted
	size     int64
	largest  int64 // that one request holds
	patience time.Duration
	paths    []string
	refuse   http.HandlerFunc
}

const (
	// retryUpload is after how many seconds to come again.
	retryUpload = "5"
	// drainTime is how long a client that is refused is heard out.
	drainTime = 10 * time.Second
)

// NewUploads bounds what POSTs to some paths hold: size bytes together, each as many as
// its Content-Length says, but no more than largest, which is also what one counts for
// that does not say. A request whose turn does not come within patience is refused.
func NewUploads(size, largest int64, patience time.Duration, refuse http.HandlerFunc, paths ...string) *Uploads {
	return &Uploads{room: semaphore.NewWeighted(size), size: size, largest: largest, patience: patience, paths: paths, refuse: refuse}
}

// Handler lets requests through whose photos there is room for.
func (u *Uploads) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || !slices.Contains(u.paths, r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		bytes := r.ContentLength
		if bytes < 0 || bytes > u.largest {
			bytes = u.largest
		}
		bytes = min(bytes, u.size)
		patient, stop := context.WithTimeout(r.Context(), u.patience)
		err := u.room.Acquire(patient, bytes)
		stop()
		if err != nil {
			hearOut(w, r, u.largest)
			w.Header().Set("Retry-After", retryUpload)
			u.refuse(w, r)
			return
		}
		defer u.room.Release(bytes)
		next.ServeHTTP(w, r)
	})
}

// hearOut reads what a client sends, up to so many bytes, and throws it away, unless it
// asked first: many report a broken connection rather than an answer that comes before
// they are done. What is left after that ends with the connection.
func hearOut(w http.ResponseWriter, r *http.Request, bytes int64) {
	w.Header().Set("Connection", "close")
	if r.Header.Get("Expect") == "" {
		// Both fail only where the connection cannot do it or is broken.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(drainTime))
		_, _ = io.CopyN(io.Discard, r.Body, bytes)
	}
}
