package web

import (
	"net/http"
	"slices"
	"strings"
)

// Reach says how other devices reach the server.
type Reach struct {
	Local      bool     // they do not: it listens for its own machine alone
	SelfSigned bool     // browsers warn of its certificate
	Origins    []string // "http://192.168.1.7:8080", likeliest first; where Local, what they would be
	Listen     string   // what --addr would have to be, where Local
}

// origins are those at which phones may reach the server: the one at which whoever asks
// does, if that is no loopback, then the others.
func (s *site) origins(r *http.Request, reach Reach) []string {
	list := slices.Clone(reach.Origins)
	here := origin(r)
	if host := r.Host; reach.Local || strings.HasPrefix(host, "localhost") || strings.HasPrefix(host, "127.") || strings.HasPrefix(host, "[::1]") {
		return list
	}
	if i := slices.Index(list, here); i >= 0 {
		list = slices.Delete(list, i, i+1)
	}
	return slices.Insert(list, 0, here)
}

// chosenOrigin is the one of list that was asked for, or the first; "" of none.
func chosenOrigin(list []string, asked string) string {
	switch {
	case len(list) == 0:
		return ""
	case slices.Contains(list, asked):
		return asked
	}
	return list[0]
}
