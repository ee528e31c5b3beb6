package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"time"

	grouping "golang.org/x/text/number"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
	"fieldmark/web/requests"
	"fieldmark/web/status"
)

// statusError is an error of HTTP itself.
type statusError struct {
	status int
	reason *identify.Error
}

func (e *statusError) Error() string { return e.reason.Message }

// problem turns an error into what a person is shown. What is not meant for
// people is not shown to them.
func problem(ctx context.Context, err error) templates.Problem {
	var tooLong *http.MaxBytesError
	if errors.As(err, &tooLong) {
		return templates.Problem{Status: http.StatusRequestEntityTooLarge, Title: words.T(ctx, "Too much at once"),
			Message: words.T(ctx, "At most %s are taken at once. Send less at a time.", megabytes(tooLong.Limit))}
	}
	var ofHTTP *statusError
	if errors.As(err, &ofHTTP) {
		return templates.Problem{Status: ofHTTP.status, Title: words.T(ctx, titleOfStatus(ofHTTP.status)), Message: sentence(ctx, ofHTTP.reason)}
	}
	var e *identify.Error
	if errors.As(err, &e) {
		return templates.Problem{Status: status.Of(e.Kind), Title: words.T(ctx, titleOf(e.Kind)), Message: sentence(ctx, e)}
	}
	return templates.Problem{Status: http.StatusInternalServerError, Title: words.T(ctx, "Something broke"),
		Message: words.T(ctx, "Fieldmark could not do this, and it is not your doing. What was saved before is safe; try again, and if it stays, look into the server's log.")}
}

// sentence is what an error of the domain says, in the reader's language.
func sentence(ctx context.Context, e *identify.Error) string {
	if e.Format == "" {
		return e.Message
	}
	return say(ctx, identify.Notice{Format: e.Format, Args: e.Args})
}

// say says a notice in the reader's language, "" if it is none.
func say(ctx context.Context, n identify.Notice) string {
	if n.Format == "" {
		return ""
	}
	args := make([]any, len(n.Args))
	for i, a := range n.Args {
		args[i] = saidArg(ctx, a)
	}
	return words.T(ctx, n.Format, args...)
}

// saidArg is an argument of a notice in the reader's language. A number that is a name
// is not grouped: observation 1240.
func saidArg(ctx context.Context, arg any) any {
	switch arg := arg.(type) {
	case *identify.Error:
		return sentence(ctx, arg)
	case identify.Notice:
		return say(ctx, arg)
	case identify.TaxonName:
		return calledOf(ctx, arg)
	case identify.Rank:
		return rankWord(ctx, arg)
	case identify.Role:
		return roleWord(ctx, arg)
	case time.Time:
		return words.DateTime(ctx, arg.Local())
	case identify.ObservationID, identify.IdentificationID, identify.TaxonID, identify.ImportID, identify.LabelSetID, identify.InvitationID, identify.WorkshopID, identify.Numeral:
		return grouping.Decimal(reflect.ValueOf(arg).Int(), grouping.NoSeparator())
	}
	return arg
}

// titleOf heads the page of an error.
func titleOf(kind identify.ErrorKind) words.Key {
	switch kind {
	case identify.Invalid:
		return words.Key("Not quite right")
	case identify.NotFound:
		return words.Key("Not found")
	case identify.Conflict:
		return words.Key("Already so")
	case identify.TooLarge:
		return words.Key("Too large")
	case identify.NotAPhoto:
		return words.Key("Not a photo")
	case identify.Forbidden:
		return words.Key("Not allowed")
	case identify.NotReady:
		return words.Key("Not ready yet")
	case identify.Busy:
		return words.Key("Busy at this moment")
	case identify.Unwritable:
		return words.Key("Nothing can be saved just now")
	case identify.Overloaded:
		return words.Key("Too much at once")
	}
	return words.Key("Something broke")
}

// fieldOf is the input that an error is about, "" if none.
func fieldOf(err error) string {
	var e *identify.Error
	if errors.As(err, &e) {
		return e.Field
	}
	return ""
}

// titleOfStatus heads the page of an error of HTTP itself.
func titleOfStatus(status int) words.Key {
	switch status {
	case http.StatusUnauthorized:
		return words.Key("Unauthorized")
	case http.StatusForbidden:
		return words.Key("Not allowed")
	case http.StatusMethodNotAllowed:
		return words.Key("Method Not Allowed")
	case http.StatusMisdirectedRequest:
		return words.Key("Misdirected Request")
	case http.StatusTooManyRequests:
		return words.Key("Too much at once")
	}
	return words.Key("Not ready yet")
}

func megabytes(n int64) string { return fmt.Sprintf("%d MB", n>>20) }

// renderError shows an error: a page, or a notice for htmx, which is put into
// the page's place for notices wherever the request was going to.
func (s *site) renderError(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return // whoever asked has left: there is nobody to tell, and nothing is wrong
	}
	p := problem(r.Context(), err)
	if p.Status >= http.StatusInternalServerError {
		s.Log.ErrorContext(r.Context(), "request failed", "error", err)
		p.Reference = requests.ID(r.Context())
	}
	if (p.Status == http.StatusServiceUnavailable || p.Status == http.StatusTooManyRequests) && w.Header().Get("Retry-After") == "" {
		w.Header().Set("Retry-After", "2")
	}
	if isFragment(r) {
		w.Header().Set("HX-Retarget", "#notices")
		w.Header().Set("HX-Reswap", "innerHTML")
		err = s.render(w, r, p.Status, templates.ErrorNotice(p))
	} else {
		err = s.render(w, r, p.Status, templates.ErrorPage(s.page(r, p.Title, ""), p))
	}
	if err != nil {
		s.Log.ErrorContext(r.Context(), "rendering an error failed", "error", err)
		http.Error(w, p.Message, p.Status)
	}
}
