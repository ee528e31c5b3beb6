// Package photofetch gets photos by their web addresses, which others wrote: only
// over HTTP, only from public addresses unless told otherwise, only so large and
// so long.
package photofetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"fieldmark/internal/identify"
)

// Options say what is allowed. Zero fields mean their defaults.
type Options struct {
	Private  bool          // addresses of this machine and of private networks too
	MaxBytes int64         // of one photo; 0 means 16 MiB, what the domain takes
	Timeout  time.Duration // for one photo; 0 means a minute
}

const (
	defaultMaxBytes = 16 << 20
	defaultTimeout  = time.Minute
	maxRedirects    = 5
)

// Client gets photos. It is safe for concurrent use.
type Client struct {
	http     *http.Client
	maxBytes int64
}

// New returns a client. It takes no proxy from the environment: one would reach
// what the client refuses to.
func New(o Options) *Client {
	if o.MaxBytes <= 0 {
		o.MaxBytes = defaultMaxBytes
	}
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	if !o.Private {
		// After the name was resolved, so that no name leads to a private address.
		dialer.Control = func(_, address string, _ syscall.RawConn) error { return publicOnly(address) }
	}
	return &Client{maxBytes: o.MaxBytes, http: &http.Client{
		Timeout: o.Timeout,
		Transport: &http.Transport{DialContext: dialer.DialContext, TLSHandshakeTimeout: 10 * time.Second,
			ResponseHeaderTimeout: 30 * time.Second, MaxConnsPerHost: 4, MaxResponseHeaderBytes: 64 << 10},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects {
				return fmt.Errorf("it was sent on more than %d times", maxRedirects)
			}
			return overHTTP(r.URL)
		},
	}}
}

// Fetch writes the photo at an address to w. Its errors are *identify.Error, but
// for those of w and of ctx.
func (c *Client) Fetch(ctx context.Context, address string, w io.Writer) error {
	u, err := url.Parse(address)
	if err == nil {
		err = overHTTP(u)
	}
	if err != nil {
		return refused("It is no web address that can be gone to (%v).", err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return refused("It is no web address that can be gone to (%v).", err)
	}
	r.Header.Set("User-Agent", "Fieldmark")
	r.Header.Set("Accept", "image/*")
	answer, err := c.http.Do(r)
	if err != nil {
		return failed(ctx, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return refused("The web server answers %s.", answer.Status)
	}
	if kind, _, _ := strings.Cut(answer.Header.Get("Content-Type"), "/"); strings.EqualFold(kind, "text") {
		return refused("The web server sends a page (%s), not a photo.", answer.Header.Get("Content-Type"))
	}
	if answer.ContentLength > c.maxBytes {
		return refused("It has more than %d MB.", c.maxBytes>>20)
	}
	n, err := io.Copy(w, &answerReader{ctx, io.LimitReader(answer.Body, c.maxBytes+1)})
	switch {
	case err != nil:
		return err
	case n > c.maxBytes:
		return refused("It has more than %d MB.", c.maxBytes>>20)
	case answer.ContentLength >= 0 && n != answer.ContentLength:
		return refused("It broke off after %d of %d bytes.", n, answer.ContentLength)
	}
	return nil
}

// answerReader words the errors of an answer, as opposed to those of a writer.
type answerReader struct {
	ctx context.Context
	io.Reader
}

func (a *answerReader) Read(p []byte) (int, error) {
	n, err := a.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = failed(a.ctx, err)
	}
	return n, err
}

func failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if at := (*url.Error)(nil); errors.As(err, &at) {
		err = at.Err
	}
	return refused("It cannot be fetched (%v).", err)
}

func refused(format string, args ...any) error {
	return identify.Errorf(identify.Invalid, "file", format, args...)
}

func overHTTP(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("only http and https are spoken, not %q", u.Scheme)
	case u.Hostname() == "":
		return errors.New("it names no server")
	case u.User != nil:
		return errors.New("it holds a name or a password")
	}
	return nil
}

// publicOnly refuses addresses that are not the public internet's.
func publicOnly(address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	ip := at.Addr().Unmap()
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || reserved(ip) {
		return fmt.Errorf("%s is an address of this machine or of a private network; --fetch-private allows it", ip)
	}
	return nil
}

// reserved reports further blocks that lead nowhere public: shared address space,
// protocol assignments, benchmarks and addresses that embed others (RFC 6890).
func reserved(ip netip.Addr) bool {
	for _, block := range []string{"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "198.18.0.0/15", "240.0.0.0/4", "64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32"} {
		if netip.MustParsePrefix(block).Contains(ip) {
			return true
		}
	}
	return false
}
