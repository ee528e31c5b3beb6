package photofetch

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

func TestFetch(t *testing.T) {
	var asked atomic.Int32
	mux := http.NewServeMux()
	mux.HandleFunc("/photo", func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		fmt.Fprint(w, "\xff\xd8\xff a photo")
	})
	mux.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<p>")
	})
	mux.HandleFunc("/large", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/jpeg")
		w.(http.Flusher).Flush() // no Content-Length
		_, _ = w.Write(make([]byte, 2000))
	})
	mux.HandleFunc("/short", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/jpeg")
		w.Header().Set("Content-Length", "500")
		fmt.Fprint(w, "short")
	})
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/round", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/round", http.StatusFound) })
	mux.HandleFunc("/file", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
	})
	mux.HandleFunc("/on", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/photo", http.StatusFound) })
	server := httptest.NewServer(mux)
	defer server.Close()

	client := New(Options{Private: true, MaxBytes: 1000, Timeout: 300 * time.Millisecond})
	for path, want := range map[string]string{
		"/photo": "", "/on": "", "/page": "a page", "/large": "more than", "/short": "cannot be fetched", "/slow": "cannot be fetched",
		"/round": "sent on more than", "/file": "only http", "/none": "404",
	} {
		var b bytes.Buffer
		err := client.Fetch(context.Background(), server.URL+path, &b)
		if want == "" && (err != nil || !strings.Contains(b.String(), "a photo")) {
			t.Errorf("%s: %q, %v", path, b.String(), err)
		}
		if want != "" && (identify.KindOf(err) != identify.Invalid || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	for _, address := range []string{"ftp://example.org/1.jpg", "http://", "http://me:secret@example.org/", "::"} {
		if err := client.Fetch(context.Background(), address, io.Discard); identify.KindOf(err) != identify.Invalid {
			t.Errorf("%q: %v", address, err)
		}
	}

	// By name or by number: this machine is not gone to unless that is allowed.
	for _, address := range []string{server.URL, strings.Replace(server.URL, "127.0.0.1", "localhost", 1)} {
		err := New(Options{}).Fetch(context.Background(), address+"/photo", io.Discard)
		if err == nil || !strings.Contains(err.Error(), "--fetch-private") {
			t.Errorf("%s: %v", address, err)
		}
	}

	// What was fetched once is not fetched again.
	asked.Store(0)
	cache := NewCache(filepath.Join(t.TempDir(), "fetched"), client)
	for range 3 {
		f, err := cache.Get(context.Background(), server.URL+"/photo")
		if err != nil {
			t.Fatal(err)
		}
		if data, err := io.ReadAll(f); err != nil || !strings.Contains(string(data), "a photo") {
			t.Errorf("%q, %v", data, err)
		}
		f.Close()
	}
	if asked.Load() != 1 {
		t.Errorf("asked %d times", asked.Load())
	}
	if _, err := cache.Get(context.Background(), server.URL+"/short"); identify.KindOf(err) != identify.Invalid {
		t.Errorf("%v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(cache.folder, "*")); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

func TestPublicOnly(t *testing.T) {
	for address, public := range map[string]bool{
		"93.184.216.34:80": true, "[2606:2800:220:1::1]:443": true,
		"127.0.0.1:80": false, "[::1]:80": false, "10.1.2.3:80": false, "192.168.1.1:80": false, "172.16.0.1:80": false,
		"169.254.169.254:80": false, "[fe80::1]:80": false, "[fc00::1]:80": false, "0.0.0.0:80": false, "100.64.0.1:80": false,
		"[::ffff:127.0.0.1]:80": false, "[64:ff9b::7f00:1]:80": false, "224.0.0.1:80": false, "255.255.255.255:80": false,
	} {
		if err := publicOnly(address); (err == nil) != public {
			t.Errorf("%s: %v", address, err)
		}
	}
}
