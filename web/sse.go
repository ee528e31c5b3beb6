package web

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// eventWrite is how long one event may take to be written: whoever reads more slowly
// is left.
const eventWrite = 10 * time.Second

// eventStream writes server-sent events (HTML Standard, section 9.2). Each is written
// through to the browser at once, past compression and logging.
type eventStream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

func newEventStream(w http.ResponseWriter) eventStream {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // a proxy before us is not to wait for more
	return eventStream{w, http.NewResponseController(w)}
}

// send writes an event; id 0 leaves the browser's last one.
func (s eventStream) send(id int64, name, data string) error {
	var b strings.Builder
	if id != 0 {
		fmt.Fprintf(&b, "id: %d\n", id)
	}
	fmt.Fprintf(&b, "event: %s\n", name)
	for line := range strings.SplitSeq(strings.ReplaceAll(data, "\r", ""), "\n") {
		b.WriteString("data: " + line + "\n")
	}
	return s.write(b.String() + "\n")
}

// beat keeps the connection, and shows whether it is there.
func (s eventStream) beat() error { return s.write(": beat\n\n") }

func (s eventStream) write(text string) error {
	// Without support for deadlines the server's own bound what is written.
	_ = s.control.SetWriteDeadline(time.Now().Add(eventWrite))
	if _, err := s.w.Write([]byte(text)); err != nil {
		return err
	}
	return s.control.Flush()
}

// lastEvent is the number of the event after which a browser comes back, or that its
// page was made after; 0 if it says none.
func lastEvent(r *http.Request) int64 {
	for _, text := range []string{r.Header.Get("Last-Event-ID"), r.URL.Query().Get("after")} {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 0 {
			return n
		}
	}
	return 0
}
