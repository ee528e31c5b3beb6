// Package status says which HTTP status each kind of error has, for the pages
// and the API alike.
package status

import (
	"net/http"

	"fieldmark/internal/identify"
)

// Of returns the status of a kind of error: 500 for one that is not meant for
// people.
func Of(kind identify.ErrorKind) int {
	switch kind {
	case identify.Invalid:
		return http.StatusUnprocessableEntity
	case identify.NotFound:
		return http.StatusNotFound
	case identify.Conflict:
		return http.StatusConflict
	case identify.TooLarge:
		return http.StatusRequestEntityTooLarge
	case identify.NotAPhoto:
		return http.StatusUnsupportedMediaType
	case identify.Forbidden:
		return http.StatusForbidden
	case identify.NotReady, identify.Busy:
		return http.StatusServiceUnavailable
	case identify.Unwritable:
		return http.StatusInsufficientStorage
	case identify.Overloaded:
		return http.StatusTooManyRequests
	}
	return http.StatusInternalServerError
}
