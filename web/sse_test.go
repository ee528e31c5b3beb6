package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// An event goes through to the browser at once, whole, with every line marked.
func TestAnEventIsWrittenThrough(t *testing.T) {
	w := httptest.NewRecorder()
	out := newEventStream(w)
	if err := out.send(7, "tile", "<li>\r\n</li>"); err != nil {
		t.Fatal(err)
	}
	if err := out.beat(); err != nil {
		t.Fatal(err)
	}
	if want := "id: 7\nevent: tile\ndata: <li>\ndata: </li>\n\n: beat\n\n"; w.Body.String() != want || !w.Flushed {
		t.Errorf("%q, flushed: %v", w.Body.String(), w.Flushed)
	}
}

func TestWhereABrowserComesBack(t *testing.T) {
	r := httptest.NewRequest(http.MethodGet, "/workshop/1/events?after=5", nil)
	if n := lastEvent(r); n != 5 {
		t.Errorf("its page is of %d", n)
	}
	r.Header.Set("Last-Event-ID", "9")
	if n := lastEvent(r); n != 9 {
		t.Errorf("it has heard up to %d", n)
	}
	r.Header.Set("Last-Event-ID", "x")
	if n := lastEvent(r); n != 5 {
		t.Errorf("a number that is none makes %d", n)
	}
}

// By hand: version 1 has 21 modules and four free ones on each side. Its corners but
// one have a square of seven modules: the first rows of the picture begin with that.
func TestTheQRCode(t *testing.T) {
	svg, err := qrSVG("HI")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`viewBox="0 0 29 29"`, "M4 4h7v1h-7z", "M18 4h7v1h-7z", "M4 10h7v1h-7z", "M4 18h7v1h-7z"} {
		if !strings.Contains(svg, part) {
			t.Errorf("%q is missing", part)
		}
	}
	if strings.Contains(svg, "M18 24h7") {
		t.Error("the fourth corner has a square")
	}
}

func TestWhichAddressPhonesAreLedTo(t *testing.T) {
	s := &site{}
	reach := Reach{Origins: []string{"http://10.0.0.2:8080", "http://192.168.1.7:8080"}}
	r := httptest.NewRequest(http.MethodGet, "http://192.168.1.7:8080/workshop", nil)
	if list := s.origins(r, reach); len(list) != 2 || list[0] != "http://192.168.1.7:8080" {
		t.Errorf("%v", list)
	}
	r.Host = "localhost:8080"
	if list := s.origins(r, reach); list[0] != "http://10.0.0.2:8080" || chosenOrigin(list, "http://evil.example") != list[0] || chosenOrigin(list, list[1]) != list[1] {
		t.Errorf("%v", list)
	}
	if chosenOrigin(nil, "x") != "" {
		t.Error("there is an address where there is none")
	}
}
