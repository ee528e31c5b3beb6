package requests

import (
	"io"
	"net/http"
	"time"
)

// Pace is how slowly a request's body may come: however slowly somebody sends, what
// waits for it, a connection and room for photos, is given back.
type Pace struct {
	Patience time.Duration // until the first byte, and besides the rate
	Rate     int64         // least bytes a second, from the beginning on
}

// Handler breaks off reading bodies that come more slowly. What has come in time is
// handled for as long as that takes.
func (p Pace) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.Body != http.NoBody {
			r = r.WithContext(r.Context()) // whose body may be replaced
			r.Body = &pacedBody{ReadCloser: r.Body, pace: p, control: http.NewResponseController(w), began: time.Now()}
		}
		next.ServeHTTP(w, r)
	})
}

type pacedBody struct {
	io.ReadCloser
	pace    Pace
	control *http.ResponseController
	began   time.Time
	read    int64
}

func (b *pacedBody) Read(p []byte) (int, error) {
	due := b.began.Add(b.pace.Patience + time.Duration(float64(b.read)/float64(b.pace.Rate)*float64(time.Second)))
	// Both fail only where there is no connection.
	_ = b.control.SetReadDeadline(due)
	n, err := b.ReadCloser.Read(p)
	b.read += int64(n)
	if err != nil {
		// From its end on the server watches whether the client goes away: that has no
		// end of its own.
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}
