package auth

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/go-chi/httprate"

	"fieldmark/internal/identify"
	"fieldmark/web/requests"
)

// How often one may try. Thirty phones in one room share an address, so what an
// address may do is failures only, and what people may do is counted for each
// of them. Failures are counted when they have happened: as many more as can
// wait for a password's hash at once slip through.
const (
	failureWindow   = 10 * time.Minute
	addressFailures = 60  // wrong passwords, tokens and codes from one address
	nameFailures    = 20  // wrong passwords for one name, from anywhere; changes of a password
	codeFailures    = 100 // wrong codes, from anywhere: it bounds guessing them (identify.codeLength)

	workWindow      = time.Minute
	uploads         = 600 // photos that one person sends to be kept
	classifications = 600 // and to be looked at
)

// Limits counts what is tried too often. Its methods are safe for concurrent
// use.
type Limits struct {
	trustProxy                 bool
	byAddress, byName, ofCodes tally
	routes                     chi.Router       // finds the pattern of what is limited, as the handlers' router does
	checks                     map[string]check // by method and pattern
}

// NewLimits returns limits that nothing has been counted against. With
// trustProxy the address of a request is the one that the proxy before us saw.
func NewLimits(trustProxy bool) *Limits {
	l := &Limits{
		trustProxy: trustProxy,
		byAddress:  newTally(addressFailures, failureWindow),
		byName:     newTally(nameFailures, failureWindow),
		ofCodes:    newTally(codeFailures, failureWindow),
		routes:     chi.NewRouter(),
	}
	kept, looked := newTally(uploads, workWindow), newTally(classifications, workWindow)
	l.checks = map[string]check{
		"POST /observations":        kept.perPerson,
		"POST /api/v1/observations": kept.perPerson,
		"POST /compare":             looked.perPerson,
		"POST /api/v1/classify":     looked.perPerson,
		"POST /account/password":    newTally(nameFailures, failureWindow).perPerson,
		"GET /join/{code}":          l.code,
		"POST /join/{code}":         l.code,
		"GET /setup/{code}":         l.code,
		"POST /setup/{code}":        l.code,
	}
	for route := range l.checks {
		method, pattern, _ := strings.Cut(route, " ")
		l.routes.Method(method, pattern, http.NotFoundHandler()) // is looked up and never served
	}
	return l
}

// check decides about one request: it returns how long to wait, or what to do
// after it was answered with a status (nil: nothing).
type check func(r *http.Request) (after func(status int), wait time.Duration)

// checkOf returns the check of a request, nil if it is not limited. What is
// asked with HEAD is answered as GET is.
func (l *Limits) checkOf(r *http.Request) check {
	method, path := r.Method, r.URL.RawPath
	if method == http.MethodHead {
		method = http.MethodGet
	}
	if path == "" {
		path = r.URL.Path
	}
	return l.checks[method+" "+l.routes.Find(chi.NewRouteContext(), method, path)]
}

// code counts what was not found: a wrong code.
func (l *Limits) code(r *http.Request) (func(int), time.Duration) {
	address := l.address(r)
	if l.byAddress.full(address) || l.ofCodes.full("") {
		return nil, failureWindow
	}
	return func(status int) {
		if status == http.StatusNotFound {
			l.byAddress.add(r, address)
			l.ofCodes.add(r, "")
		}
	}, 0
}

// handler lets requests through that are not too many.
func (l *Limits) handler(next http.Handler, refuse Refusal) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		decide := l.checkOf(r)
		if decide == nil {
			next.ServeHTTP(w, r)
			return
		}
		after, wait := decide(r)
		if wait > 0 {
			retryAfter(w, wait)
			refuse(w, r, http.StatusTooManyRequests, tooOften(wait))
			return
		}
		if after == nil {
			next.ServeHTTP(w, r)
			return
		}
		ww := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		next.ServeHTTP(ww, r)
		after(ww.Status())
	})
}

// mayTry returns an error of kind Overloaded if too many tries to sign in have
// failed, from an address or for a name, whether or not anyone has it.
func (l *Limits) mayTry(w http.ResponseWriter, r *http.Request, name string) error {
	if !l.byAddress.full(l.address(r)) && (name == "" || !l.byName.full(nameKey(name))) {
		return nil
	}
	retryAfter(w, failureWindow)
	return tooOften(failureWindow)
}

// failed counts a try to sign in that failed.
func (l *Limits) failed(r *http.Request, name string) {
	l.byAddress.add(r, l.address(r))
	if name != "" {
		l.byName.add(r, nameKey(name))
	}
}

// nameKey is the same for spellings that people take for the same name.
func nameKey(name string) string { return strings.ToLower(strings.Join(strings.Fields(name), "")) }

func retryAfter(w http.ResponseWriter, wait time.Duration) {
	w.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)))
}

func tooOften(wait time.Duration) *identify.Error {
	if wait <= time.Minute {
		return identify.Errorf(identify.Overloaded, "", "This is more than one person may ask for in a minute. Nothing was lost of what came before; go on in a minute.")
	}
	return identify.Errorf(identify.Overloaded, "", "This was tried too often. Wait ten minutes, then try again.")
}

// address is who sent a request; of IPv6 the part that one network shares.
func (l *Limits) address(r *http.Request) string {
	return httprate.CanonicalizeIP(requests.Address(r, l.trustProxy))
}

// tally counts by key over a sliding window.
type tally struct {
	*httprate.RateLimiter
	limit  int
	window time.Duration
}

// newTally returns a tally that sends no headers of its own, so that it needs no
// http.ResponseWriter.
func newTally(limit int, window time.Duration) tally {
	return tally{httprate.NewRateLimiter(limit, window, httprate.WithResponseHeaders(httprate.ResponseHeaders{})), limit, window}
}

// full reports whether one more would be too many.
func (t tally) full(key string) bool {
	_, rate, err := t.Status(key)
	return err != nil || int(rate)+1 > t.limit
}

// add counts one, unless it would be too many, which it reports.
func (t tally) add(r *http.Request, key string) (over bool) { return t.OnLimit(nil, r, key) }

// perPerson counts each request of whoever is signed in.
func (t tally) perPerson(r *http.Request) (func(int), time.Duration) {
	u := UserFrom(r.Context())
	if u.Role != "" && t.add(r, strconv.FormatInt(int64(u.ID), 10)) {
		return nil, t.window
	}
	return nil, 0
}
