package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
)

// freeAddress is an address of this machine that nothing listens at.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// inUse is the memory, in bytes, that a server at rest holds on to: what is alive of
// Go's heap after a collection, and what of the process's own is not Go's (SQLite, ONNX
// Runtime, libjpeg-turbo). What is resident swings by a hundred MiB between two
// collections, and would hide a leak, or look like one.
func (s *server) inUse(ctx context.Context) (float64, error) {
	if _, err := s.ask(ctx, "/debug/pprof/heap?gc=1"); err != nil {
		return 0, err
	}
	text, err := s.ask(ctx, "/metrics")
	if err != nil {
		return 0, err
	}
	alive, fromSystem, givenBack := metric(text, "go_memstats_heap_alloc_bytes"), metric(text, "go_memstats_sys_bytes"), metric(text, "go_memstats_heap_released_bytes")
	if alive == 0 || fromSystem == 0 {
		return 0, fmt.Errorf("the server's metrics do not tell of its memory")
	}
	_, own := resident(s.cmd.Process.Pid)
	return alive + max(0, own-(fromSystem-givenBack)), nil
}

// ask gets something from the address of who runs the server.
func (s *server) ask(ctx context.Context, path string) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.admin+path, nil)
	if err != nil {
		return "", err
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", path, resp.Status)
	}
	return string(body), err
}

// metric is the value of a metric without labels in Prometheus's text; 0 if it is not
// there.
func metric(text, name string) float64 {
	for line := range strings.Lines(text) {
		if key, value, _ := strings.Cut(strings.TrimSpace(line), " "); key == name {
			x, err := strconv.ParseFloat(value, 64)
			if err != nil {
				return 0
			}
			return x
		}
	}
	return 0
}
