package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"

	"github.com/go-chi/chi/v5"
)

// embedded holds our own files, and under vendor those that make setup fetches.
//
//go:embed static
var embedded embed.FS

// fetched are the files without which the pages do not work.
var fetched = [...]string{
	"vendor/htmx.min.js",
	"vendor/fonts/source-sans-3-latin-wght-normal.woff2",
	"vendor/fonts/source-serif-4-latin-wght-normal.woff2",
	"vendor/fonts/source-serif-4-latin-wght-italic.woff2",
}

// frame is css/frame.css: the style sheets that every page needs, in their order, as
// one file. Each further request would cost a phone a round trip before it paints.
var frame = [...]string{"css/tokens.css", "css/layout.css", "css/components.css", "css/card.css", "css/encoders.css"}

// static serves the embedded files under an address that has the digest of them
// all in it, so that a browser may keep them for good: when one changes, all
// addresses do. Files name each other by relative paths.
type static struct {
	base   string // "/static/DIGEST"
	digest string
	files  map[string]staticFile
}

type staticFile struct {
	mediaType    string
	data, zipped []byte // zipped is nil where it would gain nothing
}

func loadStatic() (*static, error) {
	root, err := fs.Sub(embedded, "static")
	if err != nil {
		return nil, err
	}
	for _, name := range fetched {
		if _, err := fs.Stat(root, name); err != nil {
			return nil, fmt.Errorf("this binary was built without %s: run make setup, which fetches it, then build again", path.Base(name))
		}
	}
	s := &static{files: map[string]staticFile{}}
	sum := sha256.New()
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%s %d\n", name, len(data))
		sum.Write(data)
		s.files[name], err = newStaticFile(name, data)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("static files: %w", err)
	}
	var together []byte
	for _, name := range frame {
		together = append(together, s.files[name].data...)
	}
	if s.files["css/frame.css"], err = newStaticFile("css/frame.css", together); err != nil {
		return nil, fmt.Errorf("static files: %w", err)
	}
	s.digest = hex.EncodeToString(sum.Sum(nil)[:8])
	s.base = "/static/" + s.digest
	return s, nil
}

func newStaticFile(name string, data []byte) (staticFile, error) {
	f := staticFile{mediaType: mediaType(name), data: data}
	if !strings.HasPrefix(f.mediaType, "text/") && !strings.HasPrefix(f.mediaType, "image/svg") {
		return f, nil
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return staticFile{}, err
	}
	if _, err := z.Write(data); err != nil {
		return staticFile{}, err
	}
	if err := z.Close(); err != nil {
		return staticFile{}, err
	}
	if b.Len() < len(data) {
		f.zipped = b.Bytes()
	}
	return f, nil
}

// mediaType does not ask the machine's tables first: they differ.
func mediaType(name string) string {
	switch ext := path.Ext(name); ext {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".woff2":
		return "font/woff2"
	case ".txt", ".md":
		return "text/plain; charset=utf-8"
	default:
		return mime.TypeByExtension(ext)
	}
}

func (s *static) serve(w http.ResponseWriter, r *http.Request) {
	f, ok := s.files[chi.URLParam(r, "*")]
	if !ok || chi.URLParam(r, "digest") != s.digest {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", f.mediaType)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Vary", "Accept-Encoding")
	data := f.data
	if f.zipped != nil && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		data = f.zipped
	}
	// The reader has gone if this fails: there is nobody to tell.
	_, _ = w.Write(data)
}
