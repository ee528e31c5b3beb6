package web

import (
	"net/http"
	"strconv"

	"fieldmark/internal/identify"
)

// photo serves the picture of an observation, or one that says that it came
// without. The bytes behind an address never
// change, but who may see them does: the browser keeps them, nobody between.
func (s *site) photo(w http.ResponseWriter, r *http.Request) error {
	id, err := idParam(r, "id")
	if err != nil {
		return err
	}
	size := r.URL.Query().Get("size")
	if size == "" {
		size = "original"
	}
	data, mediaType, err := s.Service.PhotoFile(r.Context(), identify.ObservationID(id), size)
	if identify.KindOf(err) == identify.NotFound {
		o, missing := s.Service.Observation(r.Context(), identify.ObservationID(id))
		if missing == nil && !o.Photo.HasFile() {
			http.Redirect(w, r, s.static.base+"/icons/no-photo.svg", http.StatusFound)
			return nil
		}
	}
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Content-Length", strconv.Itoa(len(data)))
	h.Set("Cache-Control", "private, max-age=31536000, immutable")
	// The reader has gone if this fails: there is nobody to tell.
	_, _ = w.Write(data)
	return nil
}
