package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"time"
)

// client is one person at their machine.
type client struct {
	http    *http.Client
	url     string
	token   string // "" on loopback without sign-in
	address string // whom a proxy would say that it is, "" without one
}

// newHTTP returns an HTTP client for as many people as are at it at once.
func newHTTP(people int) *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConns, t.MaxIdleConnsPerHost, t.Proxy = people, people, nil
	return &http.Client{Transport: t, Timeout: time.Minute, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// answer is how a request ended.
type answer struct {
	status     int
	retryAfter string
	took       time.Duration
	body       []byte
	err        error // of the connection
}

// ok reports whether it was answered as asked.
func (a answer) ok() bool { return a.err == nil && a.status >= 200 && a.status < 300 }

// refused reports whether it was turned away with the word when to come again.
func (a answer) refused() bool {
	return a.err == nil && (a.status == http.StatusServiceUnavailable || a.status == http.StatusTooManyRequests) && a.retryAfter != ""
}

func (a answer) String() string {
	if a.err != nil {
		return a.err.Error()
	}
	return fmt.Sprintf("status %d: %.200s", a.status, a.body)
}

// into reads the answer's JSON.
func (a answer) into(v any) error {
	if !a.ok() {
		return fmt.Errorf("%v", a)
	}
	return json.Unmarshal(a.body, v)
}

func (c *client) do(ctx context.Context, method, path, contentType string, body []byte) answer {
	start := time.Now()
	r, err := http.NewRequestWithContext(ctx, method, c.url+path, bytes.NewReader(body))
	if err != nil {
		return answer{err: err}
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	if c.address != "" {
		r.Header.Set("X-Forwarded-For", c.address)
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return answer{err: err, took: time.Since(start)}
	}
	defer resp.Body.Close()
	a := answer{status: resp.StatusCode, retryAfter: resp.Header.Get("Retry-After")}
	a.body, a.err = io.ReadAll(resp.Body)
	a.took = time.Since(start)
	return a
}

func (c *client) get(ctx context.Context, path string) answer {
	return c.do(ctx, http.MethodGet, path, "", nil)
}

// observe sends a photo to be kept and named.
func (c *client) observe(ctx context.Context, photo []byte) answer {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("photo", "drawn.jpg")
	if err != nil {
		return answer{err: err}
	}
	part.Write(photo) // a buffer takes everything
	w.Close()
	return c.do(ctx, http.MethodPost, "/api/v1/observations", w.FormDataContentType(), form.Bytes())
}

// correct says what an observation shows.
func (c *client) correct(ctx context.Context, observation int64, label string) answer {
	body, err := json.Marshal(struct {
		Label string `json:"label"`
	}{label})
	if err != nil {
		return answer{err: err}
	}
	return c.do(ctx, http.MethodPost, fmt.Sprintf("/api/v1/observations/%d/identifications", observation), "application/json", body)
}

// labels are names that people give: of the vocabulary, and of their own.
func labels() []string {
	return strings.Split("Luna Moth,Monarch,House Sparrow,Mallard,Red Fox,European Robin,Great Tit,Seven-spot Ladybird,"+
		"the moss on the north wall,Anna's beetle,Bramble A,Bramble B,Gall 12,Station 4 lichen,small brown moth,the third fern", ",")
}
