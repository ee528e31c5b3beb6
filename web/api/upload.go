package api

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"fieldmark/internal/identify"
)

const (
	// formOverhead is how many bytes a form may have besides its photo.
	formOverhead = 1 << 20
	// drained is how much of a refused upload is read, and drainTime for how
	// long, so that the client has sent it and listens for the answer.
	drained   = 256 << 20
	drainTime = 10 * time.Second
	// uploadTime is how long an upload may take: a full-size photo over a phone.
	uploadTime = 5 * time.Minute
)

// readUpload reads the form of an upload into memory, within its limits, before
// the operation sees it. It ends the request with a problem if it cannot.
func (s *server) readUpload(ctx huma.Context, next func(huma.Context)) {
	r, w := humachi.Unwrap(ctx)
	limit := s.maxPhoto + formOverhead
	body := r.Body
	if r.ContentLength > limit {
		s.refuseUpload(w, r, body, r.ContentLength)
		return
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(uploadTime)) // fails only where there is no connection
	r.Body = http.MaxBytesReader(w, body, limit)
	err := r.ParseMultipartForm(limit)
	if err == nil { // else what is left would be waited for without end
		_ = control.SetReadDeadline(time.Time{})
	}
	var tooLong *http.MaxBytesError
	switch {
	case err == nil:
		next(ctx)
	case errors.As(err, &tooLong):
		s.refuseUpload(w, r, body, 0)
	case errors.Is(err, http.ErrNotMultipart) || errors.Is(err, http.ErrMissingBoundary):
		writeProblem(w, newProblem(http.StatusUnsupportedMediaType, "Send the photo in the field \"photo\" of a form: Content-Type multipart/form-data.", "photo"))
	default:
		s.log.InfoContext(r.Context(), "broken upload", "error", err)
		writeProblem(w, newProblem(http.StatusBadRequest, "The upload broke off before its end or is no proper form. Nothing was stored; send it again.", "photo"))
	}
}

// refuseUpload answers an upload that is too large. A client that asks first
// (Expect: 100-continue) is told at once; others are heard out, since many
// report a broken connection rather than an answer that comes before they are
// done.
func (s *server) refuseUpload(w http.ResponseWriter, r *http.Request, body io.Reader, size int64) {
	w.Header().Set("Connection", "close")
	if r.Header.Get("Expect") == "" {
		// Both fail only where the connection cannot do it or is broken.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(drainTime))
		_, _ = io.CopyN(io.Discard, body, drained)
	}
	writeProblem(w, s.tooLarge(size))
}

// tooLarge is the problem of too many bytes, size of them if that is known.
func (s *server) tooLarge(size int64) *Problem {
	upload := "This upload"
	if size > 0 {
		upload = fmt.Sprintf("This upload has %.1f MB, which", float64(size)/(1<<20))
	}
	return newProblem(http.StatusRequestEntityTooLarge,
		fmt.Sprintf("%s is too large: a photo may have %d MB. Export it at a smaller size or quality.", upload, s.maxPhoto>>20), "photo")
}

// photo returns the bytes of an uploaded file, none if there is none.
func (s *server) photo(f huma.FormFile) ([]byte, error) {
	if !f.IsSet {
		return nil, nil
	}
	defer f.Close()
	if f.Size > s.maxPhoto {
		return nil, s.tooLarge(f.Size)
	}
	data := make([]byte, f.Size) // no more: as many photos as there are uploads are held
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, fmt.Errorf("reading the photo: %w", err)
	}
	return data, nil
}

// when reads a time that was typed: RFC 3339, or a day, which begins in UTC.
func when(field, value string) (*time.Time, error) {
	if value == "" {
		return nil, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, value); err == nil && t.Year() >= 1000 {
			return &t, nil
		}
	}
	return nil, identify.Errorf(identify.Invalid, field, "Write the time as 2026-05-03T14:30:00+02:00, or the day as 2026-05-03.")
}
