package api

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"fieldmark/web/auth"
)

// serve runs h with a curator behind every request.
func serve(t *testing.T, h http.Handler) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(auth.WithUser(r.Context(), curator)))
	}))
	t.Cleanup(server.Close)
	return server
}

func readAll(resp *http.Response) ([]byte, error) { return io.ReadAll(resp.Body) }

// The limit of these tests is 1 MiB a photo and as much besides.
func TestTooLarge(t *testing.T) {
	f := &fake{}
	server := serve(t, handler(t, f))
	contentType, small := form(t, "photo", strings.Repeat("x", 1<<20))
	_, over := form(t, "photo", strings.Repeat("x", 1<<20+1))
	_, huge := form(t, "photo", strings.Repeat("x", 20<<20))
	_, fields := form(t, "notes", strings.Repeat("x", 3<<20))
	for name, c := range map[string]struct {
		body   io.Reader
		status int
	}{
		"as large as may be":           {strings.NewReader(small), 200},
		"one byte more":                {strings.NewReader(over), 413},
		"20 MB":                        {strings.NewReader(huge), 413},
		"20 MB, of unknown length":     {io.MultiReader(strings.NewReader(huge)), 413},
		"a long field without a photo": {strings.NewReader(fields), 413},
	} {
		// Each form has a boundary of its own.
		all, err := io.ReadAll(c.body)
		if err != nil {
			t.Fatal(err)
		}
		boundary := string(all[2:bytes.IndexByte(all, '\r')])
		body := io.Reader(bytes.NewReader(all))
		if strings.Contains(name, "unknown") {
			body = io.MultiReader(body) // hides its length
		}
		kind := contentType[:strings.Index(contentType, "=")+1] + boundary
		resp, err := http.Post(server.URL+"/api/v1/classify", kind, body)
		if err != nil {
			t.Errorf("%s: no answer: %v", name, err)
			continue
		}
		text, err := readAll(resp)
		resp.Body.Close()
		if err != nil || resp.StatusCode != c.status {
			t.Errorf("%s: status %d, %s, %v; want %d", name, resp.StatusCode, text, err, c.status)
		}
		if c.status == 413 && (!bytes.Contains(text, []byte(`"field":"photo"`)) || !bytes.Contains(text, []byte("may have 1 MB"))) {
			t.Errorf("%s: %s", name, text)
		}
	}
	if len(f.photo) != 1<<20 {
		t.Errorf("the service got %d bytes", len(f.photo))
	}
}

// A client that asks before it sends is refused before it has sent anything.
func TestExpectContinue(t *testing.T) {
	server := serve(t, handler(t, &fake{}))
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /api/v1/classify HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\n"+
		"Content-Length: 999999999\r\nExpect: 100-continue\r\n\r\n")
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("%v, %v; want the refusal first", resp, err)
	}
}

func TestMissingPhoto(t *testing.T) {
	f := &fake{}
	contentType, body := form(t, "label", "x")
	if w := ask(handler(t, f), curator, http.MethodPost, "/api/v1/classify", contentType, body); w.Code != 200 || f.photo != nil {
		t.Errorf("status %d, photo %q; want the domain to be asked, which says what is missing", w.Code, f.photo)
	}
	// A file field that was left empty, as a browser sends it.
	body = "--b\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"\"\r\nContent-Type: application/octet-stream\r\n\r\n\r\n--b--\r\n"
	if w := ask(handler(t, f), curator, http.MethodPost, "/api/v1/classify", "multipart/form-data; boundary=b", body); w.Code != 200 || len(f.photo) != 0 {
		t.Errorf("status %d, photo %q", w.Code, f.photo)
	}
	contentType, body = form(t, "photo", "a", "photo", "b")
	wantProblem(t, "two photos", ask(handler(t, f), curator, http.MethodPost, "/api/v1/classify", contentType, body), 422, "photo")
}
