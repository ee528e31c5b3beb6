package fetch

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestRefusals: what cannot be mended by asking again is said at once, and
// leaves nothing behind.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name     string
		change   func(h *host, f *File)
		requests int
		want     string
	}{
		{"wrong digest", func(_ *host, f *File) { f.SHA256 = strings.Repeat("0", 64) }, 1, "SHA-256"},
		{"shorter than it should be", func(_ *host, f *File) { f.Bytes++ }, 1, "not 100001"},
		{"longer than it should be", func(_ *host, f *File) { f.Bytes-- }, 1, "not 99999"},
		{"not there", func(h *host, _ *File) { h.statuses = []int{404} }, 1, "not there any more"},
		{"licence not taken", func(h *host, _ *File) { h.statuses = []int{403} }, 1, "models add"},
		{"another refusal", func(h *host, _ *File) { h.statuses = []int{400} }, 1, "400"},
		{"broken server", func(h *host, _ *File) { h.statuses = []int{500, 502, 503, 500, 500, 500} }, attempts, "try again later"},
		{"no address", func(_ *host, f *File) { f.URL = "http://\x00" }, 0, "invalid"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := &host{data: content(1, 100_000)}
			f, path := h.serve(t)
			c.change(h, &f)
			_, err := quick().Fetch(t.Context(), f, path)
			if err == nil || !strings.Contains(err.Error(), c.want) || len(h.requests) != c.requests {
				t.Errorf("after %d requests: %v; want %q after %d", len(h.requests), err, c.want, c.requests)
			}
			if left, _ := filepath.Glob(path + "*"); left != nil {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestABusyServerIsAskedAgain(t *testing.T) {
	h := &host{data: content(1, 1000), statuses: []int{503, 429, 200}}
	f, path := h.serve(t)
	if _, err := quick().Fetch(t.Context(), f, path); err != nil {
		t.Fatal(err)
	}
	expect(t, path, h.data)
}

// TestUnknownSizeAndDigest: what the server sends is taken, and its digest told.
func TestUnknownSizeAndDigest(t *testing.T) {
	data := content(2, 70_000)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.(http.Flusher).Flush() // no Content-Length then
		w.Write(data)
	}))
	defer s.Close()
	path := filepath.Join(t.TempDir(), "file")
	digest, err := quick().Fetch(t.Context(), File{URL: s.URL}, path)
	if err != nil || digest != digestOfBytes(data) {
		t.Fatalf("%s, %v", digest, err)
	}
	expect(t, path, data)
}

func TestTwoAtOnce(t *testing.T) {
	h := &host{data: content(3, 1000)}
	f, path := h.serve(t)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	other, err := openPart(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := quick().Fetch(t.Context(), f, path); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("while another downloads it: %v", err)
	}
	if err := other.close(); err != nil {
		t.Fatal(err)
	}
	if _, err := quick().Fetch(t.Context(), f, path); err != nil {
		t.Error(err)
	}
}

func TestAFullDisk(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "4000000000000000000") // no disk has as much
	}))
	defer s.Close()
	_, err := quick().Fetch(t.Context(), File{URL: s.URL}, filepath.Join(t.TempDir(), "file"))
	if err == nil || !strings.Contains(err.Error(), "free some space") {
		t.Errorf("%v", err)
	}
}

// TestRedirects are followed, with what was asked for, but not out of https.
func TestRedirects(t *testing.T) {
	h := &host{data: content(4, 600_000), etag: `"one"`, breakAt: 400_000}
	f, path := h.serve(t)
	there := httptest.NewServer(http.RedirectHandler(f.URL, http.StatusFound))
	defer there.Close()
	f.URL = there.URL + "/resolve/file"
	if _, err := quick().Fetch(t.Context(), f, path); err != nil {
		t.Fatal(err)
	}
	expect(t, path, h.data)
	if got := ranges(h); len(got) != 2 || got[1] == "" || h.requests[1].Header.Get("If-Range") == "" {
		t.Errorf("asked for %q", got)
	}

	secure := httptest.NewTLSServer(http.RedirectHandler(f.URL, http.StatusFound))
	defer secure.Close()
	client := NewClient()
	client.Transport = secure.Client().Transport
	fetcher := quick()
	fetcher.Client = client
	f.URL = secure.URL
	if _, err := fetcher.Fetch(t.Context(), f, path+"2"); err == nil || !strings.Contains(err.Error(), "without encryption") {
		t.Errorf("led out of https: %v", err)
	}
}

// TestProxyOfTheEnvironment runs itself in another process, since net/http
// reads the environment once.
func TestProxyOfTheEnvironment(t *testing.T) {
	if path := os.Getenv("FETCH_TEST_PATH"); path != "" {
		if _, err := quick().Fetch(t.Context(), File{URL: "http://models.invalid/file"}, path); err != nil {
			t.Fatal(err)
		}
		return
	}
	asked := ""
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.String()
		io.WriteString(w, "through the proxy")
	}))
	defer proxy.Close()
	path := filepath.Join(t.TempDir(), "file")
	cmd := exec.Command(os.Args[0], "-test.run=^TestProxyOfTheEnvironment$")
	cmd.Env = append(os.Environ(), "FETCH_TEST_PATH="+path, "HTTP_PROXY="+proxy.URL, "NO_PROXY=", "no_proxy=", "http_proxy=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if asked != "http://models.invalid/file" {
		t.Errorf("the proxy was asked for %q", asked)
	}
	expect(t, path, []byte("through the proxy"))
}
