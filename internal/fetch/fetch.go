// Package fetch downloads single large files over HTTP: what is broken off is
// taken up again, and nothing counts as fetched before its size and digest are
// those that were expected.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// A File is something to download.
type File struct {
	URL    string
	Bytes  int64  // exact size; 0 if not known
	SHA256 string // in lower-case hexadecimal; "" if not known
}

// A Fetcher downloads files. Its zero value is ready for use.
type Fetcher struct {
	// Client sends the requests; nil means NewClient's.
	Client *http.Client
	// Progress is told how many bytes are there, and of how many (0: not
	// known), often; nil tells nobody.
	Progress func(done, total int64)
	// Pause is how long to wait before a failed attempt is repeated, the n-th
	// in a row that brought nothing; nil means 1, 2, 4 and 8 seconds.
	Pause func(n int) time.Duration
}

const (
	// attempts is how often in a row nothing may come of a request.
	attempts = 5
	// silence is how long a server may send nothing.
	silence = 60 * time.Second
)

// NewClient returns a client for large files: through the proxy that the
// environment names (HTTPS_PROXY, HTTP_PROXY, NO_PROXY), impatient with servers
// that do not answer, patient with slow ones, and never led from https to http.
func NewClient() *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           (&net.Dialer{Timeout: 30 * time.Second}).DialContext,
			ForceAttemptHTTP2:     true,
			TLSHandshakeTimeout:   30 * time.Second,
			ResponseHeaderTimeout: silence,
		},
		CheckRedirect: func(to *http.Request, via []*http.Request) error {
			if len(via) >= 10 {
				return errors.New("too many redirects")
			}
			if via[0].URL.Scheme == "https" && to.URL.Scheme != "https" {
				return fmt.Errorf("it redirects to %s without encryption", to.URL.Host)
			}
			return nil
		},
	}
}

// Fetch downloads f to path, whose folder is made if need be, and returns the
// file's SHA-256. What has come is kept beside it in path.part until it is
// whole: when a download is broken off, by a failure or by ctx, the next Fetch
// goes on from there if the server lets it. A file that is there already is
// downloaded again only if its digest is another one.
func (t *Fetcher) Fetch(ctx context.Context, f File, path string) (digest string, err error) {
	if digest, ok, err := whole(path, f); ok || err != nil {
		return digest, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	p, err := openPart(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	for again := true; ; again = false {
		if err := t.complete(ctx, f, p); err != nil {
			return "", err
		}
		wrong := p.check(f)
		if wrong == nil {
			return p.digest(), p.rename(path)
		}
		joined := p.joined
		if err := p.restart(); err != nil {
			return "", errors.Join(wrong, err)
		}
		if !joined || !again {
			return "", fmt.Errorf("%s: %w; nothing of it was kept", f.URL, wrong)
		}
	}
}

// whole reports a file that is there, and is what it should be.
func whole(path string, f File) (digest string, ok bool, err error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	} else if err != nil {
		return "", false, err
	}
	if f.Bytes > 0 && info.Size() != f.Bytes {
		return "", false, nil
	}
	digest, err = digestOf(path)
	return digest, err == nil && (f.SHA256 == "" || digest == f.SHA256), err
}

// complete repeats attempts until the part has everything that the server has.
func (t *Fetcher) complete(ctx context.Context, f File, p *part) error {
	for failed := 0; ; {
		before := p.size
		err := t.attempt(ctx, f, p)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("stopped after %.1f MB, which are kept: %w", float64(p.size)/1e6, context.Cause(ctx))
		}
		if final := (*finalError)(nil); errors.As(err, &final) {
			return fmt.Errorf("%s: %w", f.URL, final.cause)
		}
		if failed++; p.size > before {
			failed = 1
		}
		if failed >= attempts {
			return fmt.Errorf("%s: %w; try again later, it goes on from the %.1f MB that have come", f.URL, err, float64(p.size)/1e6)
		}
		select {
		case <-ctx.Done():
		case <-time.After(t.pause(failed)):
		}
	}
}

func (t *Fetcher) pause(n int) time.Duration {
	if t.Pause != nil {
		return t.Pause(n)
	}
	return time.Second << (n - 1)
}

// A finalError is one that another attempt would only meet again.
type finalError struct{ cause error }

func (e *finalError) Error() string { return e.cause.Error() }
