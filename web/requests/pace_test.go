package requests

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"
)

// A body that stops coming is broken off and answered, one that comes is read to its end,
// and the handler may take longer than the body was given.
func TestBodiesComeInTime(t *testing.T) {
	const patience = 100 * time.Millisecond
	type end struct {
		bytes int
		read  error
		gone  error // of the request's context when the handler is done
	}
	ended := make(chan end, 1)
	server := httptest.NewServer(Pace{Patience: patience, Rate: 1 << 20}.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, err := io.ReadAll(r.Body)
		if err == nil {
			select { // as long as photos are decoded and embedded
			case <-r.Context().Done():
			case <-time.After(3 * patience):
			}
		}
		ended <- end{len(data), err, r.Context().Err()}
	})))
	defer server.Close()
	for name, c := range map[string]struct {
		sent string
		late bool
	}{
		"all of it":     {"0123456789", false},
		"half of it":    {"01234", true},
		"nothing of it": {"", true},
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := net.Dial("tcp", server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n%s", c.sent); err != nil {
				t.Fatal(err)
			}
			got := <-ended
			answered(t, conn, http.StatusOK)
			if late := errors.Is(got.read, os.ErrDeadlineExceeded); late != c.late || got.bytes != len(c.sent) {
				t.Errorf("%d bytes, %v", got.bytes, got.read)
			}
			if !c.late && got.gone != nil {
				t.Errorf("the request was given up while it was handled: %v", got.gone)
			}
		})
	}
}

// Who is refused before the body is read, and sends none, is answered all the same: with
// a short text, which a server writes when the handler is done, and with a long one.
func TestABodyThatNobodyReads(t *testing.T) {
	for name, text := range map[string]string{"short": "no", "long": strings.Repeat("no ", 4000)} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(Unread(100 * time.Millisecond)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				http.Error(w, text, http.StatusUnauthorized)
			})))
			defer server.Close()
			conn, err := net.Dial("tcp", server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			answered(t, conn, http.StatusUnauthorized)
		})
	}
}

// answered wants a whole answer although nothing more is sent.
func answered(t *testing.T, conn net.Conn, status int) {
	t.Helper()
	if err := conn.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("no answer: %v", err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != status {
		t.Errorf("status %d, %v", resp.StatusCode, err)
	}
}

// Who sends more is given longer: a large body at the least rate is never late.
func TestMoreBytesHaveMoreTime(t *testing.T) {
	began := time.Now()
	deadline := &deadlines{ResponseWriter: httptest.NewRecorder()}
	b := &pacedBody{body: &body{io.NopCloser(zeros{}), http.NewResponseController(deadline)}, pace: Pace{Patience: time.Minute, Rate: 1000}, began: began}
	for i := range 3 {
		if _, err := b.Read(make([]byte, 5000)); err != nil {
			t.Fatal(err)
		}
		// 5000 bytes at 1000 a second are 5 seconds for each read before this one.
		if want := began.Add(time.Minute + time.Duration(5*i)*time.Second); !deadline.last.Equal(want) {
			t.Errorf("read %d has until %v, want %v", i, deadline.last.Sub(began), want.Sub(began))
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// deadlines notes the last deadline that was set.
type deadlines struct {
	http.ResponseWriter
	last time.Time
}

func (d *deadlines) SetReadDeadline(t time.Time) error { d.last = t; return nil }
