package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"fieldmark/web/requests"
)

func get(t *testing.T, address string, header ...string) (status int, body string, h http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	must(t, err)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
	}
	resp, err := http.DefaultClient.Do(r)
	must(t, err)
	defer resp.Body.Close()
	all, err := io.ReadAll(resp.Body)
	must(t, err)
	return resp.StatusCode, string(all), resp.Header
}

// Whoever is at the machine reads the metrics, and they tell of routes by their
// patterns and of what was taught.
func TestMetricsOfARunningApp(t *testing.T) {
	a := startAppWith(t, Config{Data: t.TempDir(), Addr: "127.0.0.1:0", Operating: Operating{Admin: "127.0.0.1:0"}})
	p := &process{url: a.URL()}
	_, err := p.teach(drawn(1), "Luna Moth")
	must(t, err)
	get(t, a.URL()+"/observations/1")
	get(t, a.URL()+"/no-such-page/with-a-secret")
	admin := "http://" + a.admin.listener.Addr().String()
	for _, at := range []string{a.URL(), admin} {
		status, text, _ := get(t, at+"/metrics")
		for _, want := range []string{
			`fieldmark_http_requests_total{method="GET",route="/observations/{id}",status="200"} 1`,
			`fieldmark_http_requests_total{method="GET",route="unmatched",status="404"} 1`,
			`fieldmark_http_requests_total{method="POST",route="/api/v1/observations/{id}/identifications",status="201"} 1`,
			"fieldmark_memory_seq 1", "fieldmark_memory_exemplars 1", "fieldmark_learn_seconds_count 1", "fieldmark_learn_events_folded_total 1",
			"fieldmark_encoder_waiting_photos 0", "go_goroutines", "process_resident_memory_bytes",
		} {
			if status != http.StatusOK || !strings.Contains(text, want+"\n") && !strings.Contains(text, "\n"+want+" ") {
				t.Errorf("%s: status %d, without %s", at, status, want)
			}
		}
		if strings.Contains(text, "secret") || strings.Contains(text, "Luna") {
			t.Error("the metrics tell what was asked or taught")
		}
	}
	if status, _, _ := get(t, admin+"/debug/pprof/goroutine?debug=1"); status != http.StatusOK {
		t.Errorf("a profile: status %d", status)
	}
	if status, _, _ := get(t, admin+"/metrics", "Host", "evil.example:6060"); status != http.StatusMisdirectedRequest {
		t.Errorf("a page of another site reads the admin's address: status %d", status)
	}
	if status, _, _ := get(t, a.URL()+"/debug/pprof/"); status != http.StatusNotFound {
		t.Errorf("profiles at the public address: status %d", status)
	}
	if status, _, _ := get(t, a.URL()+"/metrics", "X-Forwarded-For", "203.0.113.9"); status != http.StatusUnauthorized {
		t.Errorf("through a proxy, without a token: status %d", status)
	}
}

func TestTheAdminAddressIsThisMachines(t *testing.T) {
	a, err := Open(context.Background(), Config{Data: t.TempDir(), Model: builtin, Addr: "127.0.0.1:0", Fusion: string(defaultRule),
		Psi: defaultPsi, K: 9, Threads: 1, Operating: Operating{Admin: "0.0.0.0:6060"}}, slog.New(slog.DiscardHandler))
	if err == nil || !strings.Contains(err.Error(), "--admin-addr") {
		t.Errorf("profiles for everyone: %v", err)
	}
	if a != nil {
		must(t, a.Close())
	}
}

// A fault is told to its reader by the number under which the log has it.
func TestAnAnswerHasItsNumberInTheLog(t *testing.T) {
	a := startAppWith(t, Config{Data: t.TempDir(), Addr: "127.0.0.1:0"})
	_, body, h := get(t, a.URL()+"/api/v1/observations/999")
	var p struct {
		RequestID string `json:"request_id"`
	}
	must(t, json.Unmarshal([]byte(body), &p))
	if id := h.Get(requests.Header); id == "" || p.RequestID != id {
		t.Errorf("the problem has %q, the answer %q", p.RequestID, id)
	}
	if _, _, h := get(t, a.URL()+"/healthz", requests.Header, "mine"); h.Get(requests.Header) == "mine" {
		t.Error("a number from anyone is taken")
	}
}

func TestReadiness(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	var service, write error
	free, writes := int64(1<<40), 0
	r := &readiness{service: func() error { return service }, now: func() time.Time { return now },
		writable: func(context.Context) error { writes++; return write }, free: func() (int64, error) { return free, nil }}
	want := func(when, part string) {
		t.Helper()
		if err := r.check(); part == "" && err != nil || part != "" && (err == nil || !strings.Contains(err.Error(), part)) {
			t.Errorf("%s: %v", when, err)
		}
	}
	want("all is well", "")
	want("again", "")
	if writes != 1 {
		t.Errorf("%d writes for two looks at once", writes)
	}
	write = errors.New("readonly database")
	want("the write before is recent", "")
	now = now.Add(writableFor)
	want("the disk became read-only", "readonly database")
	want("and is not forgotten", "readonly database")
	write = nil
	want("it can be written to again", "")
	free = leastFree - 1
	want("the disk is full", "Make room")
	free, service = leastFree, errors.New("learning has stopped")
	want("the memory does not learn", "learning has stopped")
	service = nil
	want("all is well again", "")
	r.stopping.Store(true)
	want("it stops", "stopping")
}

// stoppable is an app whose only answers are those of the test.
func stoppable(t *testing.T, grace time.Duration, h http.Handler) (a *App, stop context.CancelFunc, ended chan error) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	a, err := Open(ctx, Config{Data: t.TempDir(), Model: builtin, Addr: "127.0.0.1:0", Fusion: string(defaultRule),
		Psi: defaultPsi, K: 9, Threads: 1, Operating: Operating{Grace: grace}}, slog.New(slog.DiscardHandler))
	must(t, err)
	a.handler = h
	ended = make(chan error, 1)
	go func() { ended <- a.serve(ctx) }()
	t.Cleanup(stop)
	return a, stop, ended
}

// An event stream ends when the server stops; a request that has an end is let
// come to it.
func TestStreamsEndAndRequestsFinish(t *testing.T) {
	arrived, finish := make(chan string, 2), make(chan struct{})
	a, stop, ended := stoppable(t, time.Minute, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrived <- r.URL.Path
		if r.URL.Path == "/events" {
			ctx, cancel := requests.UntilStop(r.Context())
			defer cancel()
			<-ctx.Done()
			io.WriteString(w, "bye")
			return
		}
		<-finish
		io.WriteString(w, "done")
	}))
	answers := make(chan string, 2)
	for _, path := range []string{"/events", "/upload"} {
		go func() {
			resp, err := http.Get(a.URL() + path)
			if err != nil {
				answers <- err.Error()
				return
			}
			defer resp.Body.Close()
			body, _ := io.ReadAll(resp.Body)
			answers <- string(body)
		}()
		<-arrived
	}
	stop()
	if got := <-answers; got != "bye" {
		t.Fatalf("the first to end: %q", got)
	}
	if err := a.ready.check(); !errors.Is(err, errStopping) {
		t.Errorf("while it stops it is ready: %v", err)
	}
	close(finish)
	if got := <-answers; got != "done" {
		t.Errorf("the upload: %q", got)
	}
	must(t, <-ended)
}

// What never ends is broken off by the deadline, and the stop is clean all the
// same.
func TestAStopHasADeadline(t *testing.T) {
	arrived, never := make(chan struct{}), make(chan struct{})
	defer close(never)
	a, stop, ended := stoppable(t, 5*time.Second, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(arrived)
		<-never
	}))
	go http.Get(a.URL()) // its end is not what this test is about
	<-arrived
	stop()
	select {
	case err := <-ended:
		must(t, err)
	case <-time.After(time.Minute):
		t.Fatal("it goes on")
	}
}

// hanging sends half a photo, so that the server has something to wait for.
func hanging(t *testing.T, p *process) {
	t.Helper()
	body, end := io.Pipe()
	t.Cleanup(func() { end.Close() })
	go func() {
		resp, err := http.Post(p.url+"/api/v1/classify", "multipart/form-data; boundary=x", body)
		if err == nil {
			resp.Body.Close()
		}
	}()
	_, err := io.WriteString(end, "--x\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"a\"\r\n\r\n"+strings.Repeat("x", 1<<16))
	must(t, err)
}

// waitUntilStopping returns when the server takes no more connections.
func (p *process) waitUntilStopping(t *testing.T) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for until := time.Now().Add(20 * time.Second); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		resp, err := client.Get(p.url + "/healthz")
		if err != nil {
			return
		}
		resp.Body.Close()
	}
	t.Fatal("it goes on to answer")
}

func TestHealthcheck(t *testing.T) {
	a := startAppWith(t, Config{Data: t.TempDir(), Addr: "127.0.0.1:0"})
	var out, errs bytes.Buffer
	addr := a.listener.Addr().String()
	if code := run(t.Context(), []string{"healthcheck", "--addr", addr}, &out, &errs); code != 0 || out.String() != "ready\n" {
		t.Errorf("ready: %d, %s%s", code, out.String(), errs.String())
	}
	a.ready.stopping.Store(true)
	if code := run(t.Context(), []string{"healthcheck", "--addr", addr}, &out, &errs); code != 1 || !strings.Contains(errs.String(), "stopping") {
		t.Errorf("stopping: %d, %s", code, errs.String())
	}
	if code := run(t.Context(), []string{"healthcheck", "--alive", "--addr", addr}, &out, &errs); code != 0 {
		t.Errorf("alive while it stops: %d", code)
	}
	for addr, want := range map[string]string{":80": "http://127.0.0.1:80/readyz", "0.0.0.0:8080": "http://127.0.0.1:8080/readyz", "[::]:1": "http://127.0.0.1:1/readyz", "10.1.2.3:4": "http://10.1.2.3:4/readyz"} {
		if got, err := healthAddress(addr, false, false); got != want || err != nil {
			t.Errorf("%s: %s, %v", addr, got, err)
		}
	}
}

func TestLogFormats(t *testing.T) {
	var out bytes.Buffer
	o := Operating{LogFormat: "json", LogLevel: slog.LevelWarn}
	log, err := o.logger(&out)
	must(t, err)
	log.Info("no")
	log.Warn("yes")
	var line struct{ Msg string }
	if must(t, json.Unmarshal(out.Bytes(), &line)); line.Msg != "yes" {
		t.Errorf("%s", out.String())
	}
	o.LogFormat = "xml"
	if _, err := o.logger(&out); !errors.Is(err, errUsage) {
		t.Errorf("xml: %v", err)
	}
	for args, want := range map[string]int{"--log-format=xml": 2, "--log-level=loud": 2, "--grace=soon": 2} {
		if code := run(t.Context(), []string{"serve", args, "--data", t.TempDir()}, io.Discard, io.Discard); code != want {
			t.Errorf("%s: exit status %d", args, code)
		}
	}
}
