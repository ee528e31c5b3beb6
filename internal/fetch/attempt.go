package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// errSilence ends a transfer that stands still.
var errSilence = errors.New("the server sends nothing any more")

// attempt sends one request and appends what it brings.
func (t *Fetcher) attempt(ctx context.Context, f File, p *part) error {
	if f.Bytes > 0 && p.size == f.Bytes || p.size > 0 && p.digest() == f.SHA256 {
		return nil // it was broken off after the last byte
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(2*silence, func() { cancel(errSilence) })
	defer watch.Stop()
	request, err := newRequest(ctx, f, p)
	if err != nil {
		return &finalError{err}
	}
	client := t.Client
	if client == nil {
		client = NewClient()
		defer client.CloseIdleConnections()
	}
	response, err := client.Do(request)
	if with := (*url.Error)(nil); errors.As(err, &with) {
		err = with.Err // without the address, which Fetch says
	}
	if err != nil {
		return causeOf(ctx, err)
	}
	defer response.Body.Close()
	total, err := p.accept(response)
	if err != nil {
		return err
	}
	if f.Bytes > 0 {
		if total > 0 && total != f.Bytes {
			return errors.Join(&finalError{fmt.Errorf("the file has %d bytes there, not %d: it is not the one that is meant", total, f.Bytes)}, p.restart())
		}
		total = f.Bytes
	}
	if err := p.makeRoom(total - p.size); err != nil {
		return &finalError{err}
	}
	body := &watched{Reader: response.Body, ended: ctx.Err, watch: watch, read: func(n int) {
		if t.Progress != nil {
			t.Progress(p.size+int64(n), max(total, 0))
		}
	}}
	return causeOf(ctx, p.append(body, total))
}

// newRequest asks for what is missing. Range alone would join two versions of
// a file: If-Range makes the server send a changed one anew, and without
// something to tell versions by, only a digest would show it.
func newRequest(ctx context.Context, f File, p *part) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, f.URL, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept-Encoding", "identity") // ranges are of the file itself
	request.Header.Set("User-Agent", "fieldmark")
	if p.size > 0 && (p.validator != "" || f.SHA256 != "") {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", p.size))
		if p.validator != "" {
			request.Header.Set("If-Range", p.validator)
		}
	}
	return request, nil
}

// accept prepares the part for a response's body and returns the size of the
// whole file, -1 if the server does not say it.
func (p *part) accept(r *http.Response) (total int64, err error) {
	switch r.StatusCode {
	case http.StatusOK: // all of it, whatever was asked for
		if err := p.restart(); err != nil {
			return 0, &finalError{err}
		}
		if err := p.setValidator(strongValidator(r.Header)); err != nil {
			return 0, &finalError{err}
		}
		return r.ContentLength, nil
	case http.StatusPartialContent:
		from, total, ok := contentRange(r.Header.Get("Content-Range"))
		if !ok || from != p.size {
			return 0, errors.Join(fmt.Errorf("the server sent %q for the bytes from %d on", r.Header.Get("Content-Range"), p.size), p.restart())
		}
		p.joined = true
		return total, nil
	case http.StatusRequestedRangeNotSatisfiable: // it has become shorter
		return 0, errors.Join(errors.New("the server's file is not the one that was begun"), p.restart())
	case http.StatusRequestTimeout, http.StatusTooManyRequests:
		return 0, fmt.Errorf("the server answered %q", r.Status)
	case http.StatusUnauthorized, http.StatusForbidden:
		return 0, &finalError{fmt.Errorf("the server answered %q: it gives this file only to people who signed in there or took its licence; "+
			"fetch it with a browser, then use `webapp models add`", r.Status)}
	case http.StatusNotFound, http.StatusGone:
		return 0, &finalError{fmt.Errorf("the server answered %q: the file is not there any more", r.Status)}
	}
	if err := fmt.Errorf("the server answered %q", r.Status); r.StatusCode < 500 {
		return 0, &finalError{err}
	} else {
		return 0, err
	}
}

// strongValidator is what tells a changed file from the same one (RFC 9110,
// 13.1.5): a strong ETag, or nothing. Dates are too coarse.
func strongValidator(h http.Header) string {
	if tag := h.Get("ETag"); strings.HasPrefix(tag, `"`) {
		return tag
	}
	return ""
}

// contentRange reads "bytes 100-199/1000"; total is -1 for "*".
func contentRange(s string) (from, total int64, ok bool) {
	spec, is := strings.CutPrefix(s, "bytes ")
	span, size, has := strings.Cut(spec, "/")
	first, _, dash := strings.Cut(span, "-")
	from, errFrom := strconv.ParseInt(first, 10, 64)
	total, errTotal := strconv.ParseInt(size, 10, 64)
	if size == "*" {
		total, errTotal = -1, nil
	}
	return from, total, is && has && dash && errFrom == nil && errTotal == nil
}

// watched is a body that tells of each piece, and puts off the end of patience.
type watched struct {
	io.Reader
	ended func() error
	watch *time.Timer
	read  func(n int)
}

func (w *watched) Read(b []byte) (int, error) {
	if err := w.ended(); err != nil { // what has been buffered would still come
		return 0, err
	}
	n, err := w.Reader.Read(b)
	if n > 0 {
		w.watch.Reset(silence)
		w.read(n)
	}
	return n, err
}

// causeOf gives errSilence its due, and makes a full disk final.
func causeOf(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), errSilence) {
		return errSilence
	}
	if errors.Is(err, syscall.ENOSPC) {
		return &finalError{fmt.Errorf("the disk is full: %w; free some space and try again, it goes on from there", err)}
	}
	return err
}
