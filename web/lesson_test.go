package web

import (
	"net/http"
	"testing"
)

// The lesson is looked at without a trace, and teaches when it is told to.
func TestLessonStoresNothingUntilItTeaches(t *testing.T) {
	b := newBench(t, owner)
	for _, path := range []string{"/lesson", "/lesson?step=2", "/lesson?step=3", "/lesson?step=5"} {
		b.get(path, 200)
	}
	b.want(b.get("/observations", 200), "No photo has come in yet")
	b.want(b.get("/lesson", 200), "Teach it: Lantern Beetle (drawn)")

	p := b.do(form("/lesson/teach", "picture", "1"), http.StatusSeeOther)
	if to := p.Header.Get("Location"); to != "/lesson?step=2" {
		t.Errorf("leads to %s", to)
	}
	b.want(b.get("/lesson", 200), "You taught it this picture", "Go on", "Clear the lesson")
	b.want(b.get("/observations", 200), "Lantern Beetle (drawn)")

	b.do(form("/lesson/clear"), http.StatusSeeOther)
	b.want(b.get("/lesson?cleared=yes", 200), "The lesson is cleared", "Teach it: Lantern Beetle (drawn)")
	b.do(form("/lesson/teach", "picture", "2"), http.StatusUnprocessableEntity)
}

func TestLessonIsForThoseWhoMayTeach(t *testing.T) {
	b := newBench(t, viewer)
	b.want(b.get("/lesson", 200), "your role may only look")
	b.do(form("/lesson/teach", "picture", "1"), http.StatusForbidden)
}
