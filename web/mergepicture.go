package web

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"fieldmark/internal/identify"
)

// mergePicture serves a small picture of a photo that came with a bundle which waits.
func (s *site) mergePicture(w http.ResponseWriter, r *http.Request) error {
	x, err := s.waiting(r)
	if err != nil {
		return err
	}
	f, b, _, err := s.Shelf.Bundle(x)
	if err != nil {
		return err
	}
	defer f.Close() // it was only read
	data, err := s.Bundles.MergePicture(r.Context(), s.User(r), b, identify.PhotoHash(chi.URLParam(r, "photo")))
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "image/jpeg")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cache-Control", "private, max-age=86400, immutable") // as long as the bundle waits
	h.Add("Vary", "Cookie")
	_, err = w.Write(data)
	return err
}

// bundlePicture is where a photo of a bundle that waits can be looked at.
func bundlePicture(id string, photo identify.PhotoHash) string {
	return bundleAddress(id) + "/photos/" + string(photo)
}
