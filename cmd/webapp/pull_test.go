package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"fieldmark/internal/adopt"
	"fieldmark/internal/catalogue"
	"fieldmark/internal/clip"
	"fieldmark/models"
)

// published is the built-in encoder as a publisher would offer it: without its
// manifest, at the paths of a repository.
func published(t *testing.T) (catalogue.Entry, *httptest.Server, *atomic.Int32) {
	t.Helper()
	var requests atomic.Int32
	files := http.FileServerFS(models.Builtin())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		http.StripPrefix("/someone/encoder/resolve/1/", files).ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	m, err := clip.ReadManifest(models.Builtin())
	must(t, err)
	e := catalogue.Entry{Name: "published", Title: "An encoder", License: catalogue.License{Name: "Apache-2.0", URL: "https://example.org"},
		Dim: m.Dim, Settings: catalogue.Settings{Size: m.Image.Size, Resize: m.Image.Resize, Interpolation: m.Image.Interpolation,
			Mean: m.Image.Mean[:], Std: m.Image.Std[:], Context: m.Text.Context, LogitScale: m.LogitScale}}
	for _, name := range []string{"visual.onnx", "text.onnx", "vocab.json", "merges.txt"} {
		data, err := fs.ReadFile(models.Builtin(), name)
		must(t, err)
		sum := sha256.Sum256(data)
		e.Files = append(e.Files, catalogue.File{URL: server.URL + "/someone/encoder/resolve/1/" + name, Path: name,
			Bytes: int64(len(data)), SHA256: hex.EncodeToString(sum[:])})
	}
	return e, server, &requests
}

// TestPullAddsAnEncoder that can be used, and leaves nothing else.
func TestPullAddsAnEncoder(t *testing.T) {
	if _, err := clip.FindRuntime(""); err != nil {
		t.Fatal(err)
	}
	e, _, _ := published(t)
	c := Config{Data: t.TempDir(), Threads: 1}
	var out bytes.Buffer
	must(t, pull(t.Context(), c, e, false, &out, io.Discard))
	if !strings.Contains(out.String(), "added published") {
		t.Errorf("said %q", out.String())
	}
	if left, _ := filepath.Glob(filepath.Join(c.Data, downloadsFolder, "*")); left != nil {
		t.Errorf("left behind: %v", left)
	}
	c.Model = "published"
	pulled, err := openEncoder(c)
	must(t, err)
	defer pulled.Close()
	if m := pulled.Manifest(); m.License != "Apache-2.0" || m.Title != "An encoder" {
		t.Errorf("%s, %s", m.License, m.Title)
	}
	if err := pull(t.Context(), c, e, false, io.Discard, io.Discard); !errors.Is(err, adopt.ErrExists) {
		t.Errorf("pulled twice: %v", err)
	}
}

// TestAPullThatWasBrokenOff goes on with the file that it was at.
func TestAPullThatWasBrokenOff(t *testing.T) {
	e, _, requests := published(t)
	c := Config{Data: t.TempDir(), Threads: 1}
	ctx, cancel := context.WithCancel(t.Context())
	stderr := &noticing{text: "visual.onnx: whole", then: cancel}
	if err := pull(ctx, c, e, false, io.Discard, stderr); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "same command") {
		t.Fatalf("cancelled: %v", err)
	}
	before := requests.Load()
	must(t, pull(t.Context(), c, e, false, io.Discard, io.Discard))
	if n := requests.Load() - before; n != 3 {
		t.Errorf("%d requests for the three files that were missing", n)
	}
}

// noticing calls then when text is written.
type noticing struct {
	text string
	then func()
}

func (n *noticing) Write(b []byte) (int, error) {
	if strings.Contains(string(b), n.text) {
		n.then()
	}
	return len(b), nil
}

// TestNothingIsFetchedUnasked: neither by the list nor without the licence, nor
// what there is no room for.
func TestNothingIsFetchedUnasked(t *testing.T) {
	e, _, requests := published(t)
	c := Config{Data: t.TempDir(), Threads: 1}
	e.License = catalogue.License{Name: "strict", URL: "https://example.org/terms", Note: "for looking at", Accept: true}
	err := pull(t.Context(), c, e, false, io.Discard, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "https://example.org/terms") || !strings.Contains(err.Error(), "--accept-license") {
		t.Errorf("a licence that must be accepted: %v", err)
	}
	e.Files[0].Bytes = 1 << 60
	if err := pull(t.Context(), c, e, true, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "free some space") {
		t.Errorf("no room: %v", err)
	}
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"models", "pull", "--data", c.Data}, &out, &errs); code != 0 {
		t.Fatalf("status %d: %s", code, errs.String())
	}
	for _, want := range []string{"clip-vit-b32 ", "608", "MIT", "mobileclip-s0", "apple-amlr (for the sole purpose of scientific research)"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the list lacks %q:\n%s", want, out.String())
		}
	}
	if n := requests.Load(); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// TestAnEncoderThatIsNotWhole is downloaded, and it is said what it lacks.
func TestAnEncoderThatIsNotWhole(t *testing.T) {
	e, _, _ := published(t)
	e.Files, e.Incomplete = e.Files[2:], "there is no text tower"
	c := Config{Data: t.TempDir(), Threads: 1}
	var out bytes.Buffer
	must(t, pull(t.Context(), c, e, false, &out, io.Discard))
	dir := filepath.Join(c.Data, downloadsFolder, e.Name)
	if !strings.Contains(out.String(), e.Incomplete) || !strings.Contains(out.String(), "models add "+dir) {
		t.Errorf("said %q", out.String())
	}
	if _, err := os.Stat(filepath.Join(dir, "merges.txt")); err != nil {
		t.Error(err)
	}
}

func TestPullFromAMirror(t *testing.T) {
	e, _, _ := published(t)
	got, err := pullFlags{mirror: "https://mirror.example/hf/"}.from(e)
	must(t, err)
	if got.Files[0].URL != "https://mirror.example/hf/someone/encoder/resolve/1/visual.onnx" || e.Files[0].URL == got.Files[0].URL {
		t.Errorf("from %s", got.Files[0].URL)
	}
	for _, args := range [][]string{{"no-such"}, {"clip-vit-b32", "siglip-b16"}, {"clip-vit-b32", "--mirror", "mirror.example"}} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), append([]string{"models", "pull"}, args...), &out, &errs); code != 2 {
			t.Errorf("%v: status %d, %s", args, code, errs.String())
		}
	}
}
