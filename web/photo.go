package web

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"time"

	"fieldmark/internal/identify"
)

// photo serves the picture of an observation, or one that says that it came
// without. The bytes behind an address never change for whoever asks, but who may
// see which does: the browser of whoever is signed in keeps them, and nobody between;
// what stands in for a photo that may come yet is asked about each time. Whatever
// the file is, it is shown as a picture and nothing else: it runs nothing, and no other
// site embeds it.
func (s *site) photo(w http.ResponseWriter, r *http.Request) error {
	id, err := idParam(r, "id")
	if err != nil {
		return err
	}
	form := r.URL.Query().Get("size")
	if form == "" || form == identify.PhotoOriginal {
		form = identify.PhotoShown
	}
	p, err := s.Service.PhotoFile(r.Context(), s.User(r), identify.ObservationID(id), form)
	if identify.KindOf(err) == identify.NotFound {
		o, missing := s.Service.Observation(r.Context(), s.User(r), identify.ObservationID(id))
		if missing == nil && !o.Photo.HasFile() {
			http.Redirect(w, r, s.static.base+"/icons/no-photo.svg", http.StatusFound)
			return nil
		}
	}
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", p.MediaType)
	h.Set("Content-Disposition", fmt.Sprintf(`inline; filename="observation-%d%s"`, id, extension(p.MediaType)))
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cache-Control", "private, max-age=31536000, immutable")
	if p.Glimpse {
		h.Set("Cache-Control", "private, no-cache")
	}
	h.Add("Vary", "Cookie")
	h.Set("ETag", `"`+p.Tag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(p.Data))
	return nil
}

// extension is what the name of a file of an image type ends in; "" if no photo is of
// that type.
func extension(mediaType string) string {
	for _, kind := range identify.PhotoKinds() {
		if kind.MediaType == mediaType {
			return kind.Endings[0]
		}
	}
	return ""
}

// acceptedFiles is what the dialogue of a file field offers: whatever is read as a photo.
// What takes long to decode goes by the endings of its files' names, which is what a
// computer's dialogue goes by: named as a type, a phone that has photos as HEIC, and sends
// those as JPEG to whoever asks for JPEG, would send HEIC.
func acceptedFiles() string {
	var list []string
	for _, kind := range identify.PhotoKinds() {
		if kind.Sandboxed {
			list = append(list, kind.Endings...)
		} else {
			list = append(list, kind.MediaType)
		}
	}
	return strings.Join(list, ",")
}
