package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io/fs"
	"log/slog"
	"mime/multipart"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"fieldmark/internal/clip"
)

// startApp runs an app on port 0 with its data in a temporary folder, and ends
// it with the test.
func startApp(t testing.TB, data string) *App {
	t.Helper()
	if _, err := clip.FindRuntime(""); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	a, err := Open(ctx, Config{Data: data, Model: builtin, Addr: "127.0.0.1:0", Fusion: string(defaultRule),
		Psi: defaultPsi, K: 9, Threads: 2}, slog.New(slog.DiscardHandler))
	must(t, err)
	done := make(chan error)
	go func() { done <- a.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		must(t, errors.Join(<-done, a.Close()))
	})
	return a
}

// Two servers on one data folder would not learn what the other is taught.
func TestADataFolderIsServedOnce(t *testing.T) {
	data := t.TempDir()
	startApp(t, data)
	second, err := Open(context.Background(), Config{Data: data, Model: builtin, Addr: "127.0.0.1:0",
		Fusion: string(defaultRule), Psi: defaultPsi, K: 9, Threads: 1}, slog.New(slog.DiscardHandler))
	if err == nil || !strings.Contains(err.Error(), "another Fieldmark serves") {
		t.Errorf("the second: %v", err)
		if err == nil {
			must(t, second.Close())
		}
	}
}

// hugePNG is the beginning of a PNG that says it has 60,000 × 60,000 pixels.
func hugePNG() []byte {
	header := binary.BigEndian.AppendUint32([]byte("IHDR"), 60_000)
	header = append(binary.BigEndian.AppendUint32(header, 60_000), 8, 2, 0, 0, 0)
	png := binary.BigEndian.AppendUint32([]byte("\x89PNG\r\n\x1a\n"), 13)
	png = append(png, header...)
	png = binary.BigEndian.AppendUint32(png, crc32.ChecksumIEEE(header))
	return append(png, make([]byte, 2000)...)
}

func form(t testing.TB, fields map[string]string, photo []byte) (contentType string, body *bytes.Buffer) {
	t.Helper()
	body = &bytes.Buffer{}
	w := multipart.NewWriter(body)
	for k, v := range fields {
		must(t, w.WriteField(k, v))
	}
	if photo != nil {
		part, err := w.CreateFormFile("photo", "photo.jpg")
		must(t, err)
		_, err = part.Write(photo)
		must(t, err)
	}
	must(t, w.Close())
	return w.FormDataContentType(), body
}

// Each wrong input gets a problem that says what to do, and leaves nothing
// behind: no observation, no event, no file.
func TestWrongInputIsRefusedAndNothingIsLeft(t *testing.T) {
	data := t.TempDir()
	a := startApp(t, data)
	photo := drawn(1)
	long := strings.Repeat("Passer ", 1429)[:10_000]
	for _, tc := range []struct {
		name, method, path string
		fields             map[string]string
		photo              []byte
		json               string
		status             int
	}{
		{name: "no photo", path: "/observations", fields: map[string]string{"notes": "x"}, status: 422},
		{name: "not a photo", path: "/observations", photo: []byte("just some words, not a photo"), status: 415},
		{name: "truncated", path: "/observations", photo: photo[:len(photo)/2], status: 415},
		{name: "20 MB", path: "/observations", photo: append(photo, make([]byte, 20<<20)...), status: 413},
		{name: "60,000 x 60,000", path: "/observations", photo: hugePNG(), status: 413},
		{name: "truncated, to be classified", path: "/classify", photo: photo[:len(photo)/2], status: 415},
		{name: "long candidate", path: "/classify", photo: photo, fields: map[string]string{"label": long}, status: 422},
		{name: "unknown rule", path: "/classify", photo: photo, fields: map[string]string{"fusion": "magic"}, status: 422},
		{name: "unknown label set", path: "/classify", photo: photo, fields: map[string]string{"label_set": "999"}, status: 404},
		{name: "latitude alone", path: "/observations", photo: photo, fields: map[string]string{"latitude": "48"}, status: 422},
		{name: "no such observation", path: "/observations/999/identifications", json: `{"label":"Luna Moth"}`, status: 404},
		{name: "unknown observation", method: "GET", path: "/observations/999", status: 404},
		{name: "no such identification", method: "DELETE", path: "/observations/999/identifications/1", status: 404},
		{name: "an id that is none", method: "GET", path: "/observations/first", status: 422},
		{name: "not JSON", path: "/observations/1/identifications", json: `{`, status: 400},
		{name: "no such page", method: "GET", path: "/nothing", status: 404},
	} {
		t.Run(tc.name, func(t *testing.T) {
			contentType, body := "application/json", bytes.NewBufferString(tc.json)
			if tc.json == "" && tc.method == "" {
				contentType, body = form(t, tc.fields, tc.photo)
			}
			if tc.method == "" {
				tc.method = "POST"
			}
			req, err := http.NewRequest(tc.method, a.URL()+"/api/v1"+tc.path, body)
			must(t, err)
			req.Header.Set("Content-Type", contentType)
			wantProblem(t, req, tc.status)
		})
	}
	stats := getStats(t, a)
	if stats.MemorySeq != 0 || stats.Observations != 0 {
		t.Errorf("something was stored: %+v", stats)
	}
	noFilesIn(t, filepath.Join(data, "photos"))
	noFilesIn(t, filepath.Join(data, "thumbnails"))
}

// A correction that is wrong teaches nothing, and leaves what was taught.
func TestAWrongCorrectionTeachesNothing(t *testing.T) {
	a := startApp(t, t.TempDir())
	p := &process{url: a.URL()}
	l, err := p.teach(drawn(1), "Luna Moth")
	must(t, err)
	for body, status := range map[string]int{
		`{}`:                     422,
		`{"label":""}`:           422,
		`{"label":"    "}`:       422,
		`{"taxon_id":123456789}`: 422,
		`{"taxon_id":"x"}`:       422,
		`{"label":"Luna Moth"}`:  409, // it stands already
		`{"label":"` + strings.Repeat("a", 10_000) + `"}`: 422,
	} {
		req, err := http.NewRequest("POST", a.URL()+"/api/v1/observations/1/identifications", strings.NewReader(body))
		must(t, err)
		req.Header.Set("Content-Type", "application/json")
		wantProblem(t, req, status)
	}
	must(t, p.has(l))
	if stats := getStats(t, a); stats.MemorySeq != 1 || stats.Exemplars != 1 {
		t.Errorf("%+v", stats)
	}
}

type statsAnswer struct {
	MemorySeq    int `json:"memory_seq"`
	Exemplars    int `json:"exemplars"`
	Observations int `json:"observations"`
}

func getStats(t *testing.T, a *App) (s statsAnswer) {
	t.Helper()
	resp, err := http.Get(a.URL() + "/api/v1/stats")
	must(t, err)
	defer resp.Body.Close()
	must(t, json.NewDecoder(resp.Body).Decode(&s))
	return s
}

func wantProblem(t *testing.T, req *http.Request, status int) {
	t.Helper()
	resp, err := http.DefaultClient.Do(req)
	must(t, err)
	defer resp.Body.Close()
	var problem struct {
		Status int
		Title  string
		Detail string
	}
	if got := resp.Header.Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("%s %s: %s", req.Method, req.URL.Path, got)
	}
	must(t, json.NewDecoder(resp.Body).Decode(&problem))
	if resp.StatusCode != status || problem.Status != status {
		t.Errorf("%s %s: %d (%d in the problem), want %d: %s", req.Method, req.URL.Path, resp.StatusCode, problem.Status, status, problem.Detail)
	}
	if len(problem.Detail) < 20 || len(problem.Detail) > 400 || problem.Title == "" {
		t.Errorf("%s %s: %q does not help", req.Method, req.URL.Path, problem.Detail)
	}
}

func noFilesIn(t *testing.T, dir string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			t.Errorf("left behind: %s", path)
		}
		return err
	}))
}
