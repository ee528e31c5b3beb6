package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// runHealthcheck asks the server of this machine, or container, whether it is
// ready: an image needs no other program for that.
func runHealthcheck(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	fs := flagSet("healthcheck", stderr)
	addr := fs.String("addr", "127.0.0.1:8080", "`address` that the server listens on")
	secure := fs.Bool("tls", false, "the server speaks https")
	alive := fs.Bool("alive", false, "ask only whether the process runs (/healthz), not whether it can answer (/readyz)")
	within := fs.Duration("within", 4*time.Second, "`time` in which it must have answered")
	if err := parse(fs, args); err != nil {
		return err
	}
	if err := noArgs(fs); err != nil {
		return err
	}
	address, err := healthAddress(*addr, *secure, *alive)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, *within)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	// The certificate is the server's own and names not this address; who answers
	// on this machine's loopback is not in doubt, and nothing secret is sent.
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	resp, err := client.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(resp.Body, 1000)) // what there is of it
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", resp.Status, strings.TrimSpace(string(said)))
	}
	fmt.Fprintln(stdout, strings.TrimSpace(string(said)))
	return nil
}

// healthAddress is where a server that listens on addr is asked.
func healthAddress(addr string, secure, alive bool) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", fmt.Errorf("%w: --addr: %w", errUsage, err)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	scheme, path := "http://", "/readyz"
	if secure {
		scheme = "https://"
	}
	if alive {
		path = "/healthz"
	}
	return scheme + net.JoinHostPort(host, port) + path, nil
}
