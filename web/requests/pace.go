package requests

import (
	"io"
	"net/http"
	"time"
)

// Unread gives a request's body so long, unless whoever reads it gives it another time:
// before a server answers it wants to be done with the body, and would wait for one that
// is announced and does not come for ever.
func Unread(patience time.Duration) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return withBody(next, func(b *body) io.ReadCloser {
			b.until(time.Now().Add(patience))
			return b
		})
	}
}

// Pace is how slowly a request's body may come: however slowly somebody sends, what
// waits for it, a connection and room for photos, is given back.
type Pace struct {
	Patience time.Duration // until the first byte, and besides the rate
	Rate     int64         // least bytes a second, from the beginning on
}

// Handler breaks off reading bodies that come more slowly. What has come in time is
// handled for as long as that takes.
func (p Pace) Handler(next http.Handler) http.Handler {
	return withBody(next, func(b *body) io.ReadCloser {
		return &pacedBody{body: b, pace: p, began: time.Now()}
	})
}

// withBody puts a body in place of the request's, if it has one.
func withBody(next http.Handler, replace func(*body) io.ReadCloser) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.Body != http.NoBody {
			r = r.WithContext(r.Context()) // whose body may be replaced
			r.Body = replace(&body{r.Body, http.NewResponseController(w)})
		}
		next.ServeHTTP(w, r)
	})
}

// body ends the time that it was given with its own end: from then on the server watches
// whether the client goes away, and that has no end. One that was broken off keeps it,
// or the server would wait for the rest.
type body struct {
	io.ReadCloser
	control *http.ResponseController
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		b.until(time.Time{})
	}
	return n, err
}

// until sets the deadline of reading; zero: none.
func (b *body) until(t time.Time) {
	_ = b.control.SetReadDeadline(t) // fails only where there is no connection
}

type pacedBody struct {
	*body
	pace  Pace
	began time.Time
	read  int64
}

func (b *pacedBody) Read(p []byte) (int, error) {
	b.until(b.began.Add(b.pace.Patience + time.Duration(float64(b.read)/float64(b.pace.Rate)*float64(time.Second))))
	n, err := b.body.Read(p)
	b.read += int64(n)
	return n, err
}
