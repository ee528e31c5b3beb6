package api

import (
	"fmt"
	"net/http"
	"strings"
)

// wording says in a sentence, and what to do, what huma says of an input in
// short. operation is the path of the operation as the document has it, field
// the input's name, empty for the body as a whole.
func wording(operation string, status int, field, message string) string {
	if field == "" {
		return bodyWording(status, message)
	}
	if strings.HasPrefix(message, "expected required property ") {
		return fmt.Sprintf("Give %s: it is missing.", field)
	}
	if what := idOf(operation, field); what != "" {
		return what + "'s id is a number, 1 or larger."
	}
	short := fmt.Sprintf("%.60s", field)
	for _, w := range inputWordings {
		if rest, is := strings.CutPrefix(message, w.prefix); is {
			return fmt.Sprintf(w.sentence, short, strings.Trim(rest, `"`))
		}
	}
	return sentence(short + ": " + message)
}

// idOf names what an id in the path is of, empty for another input.
func idOf(operation, field string) string {
	switch {
	case field == "iid":
		return "An identification"
	case field != "id":
		return ""
	case strings.Contains(operation, "/observations/"):
		return "An observation"
	case strings.Contains(operation, "/label-sets/"):
		return "A label set"
	case strings.Contains(operation, "/taxa/"):
		return "A taxon"
	}
	return ""
}

// inputWordings are the beginnings of huma's messages and what is said instead,
// of the input's name and the rest of the message.
var inputWordings = [...]struct{ prefix, sentence string }{
	{"expected string", "%s is text, in quotation marks.%.0s"},
	{"expected integer", "%s is a whole number, without quotation marks.%.0s"},
	{"invalid integer", "%s is a whole number.%.0s"},
	{"expected boolean", "%s is true or false, without quotation marks.%.0s"},
	{"invalid boolean", "%s is true or false.%.0s"},
	{"expected array", "%s is a list, in square brackets.%.0s"},
	{"expected object", "%s is an object, in curly brackets.%.0s"},
	{"expected number >= ", "%s is a number of %s or more."},
	{"expected number <= ", "%s is a number of %s or less."},
	{"expected length <= ", "%s has at most %s characters."},
	{"expected value to be one of ", "%s is one of: %s."},
	{"unexpected property", "There is nothing named %s to give here: check its spelling. /api/openapi.json lists what there is.%.0s"},
}

// bodyWording is wording for a body that cannot be read at all.
func bodyWording(status int, message string) string {
	var limit int64
	if n, _ := fmt.Sscanf(message, "request body is too large limit=%d bytes", &limit); n == 1 {
		return fmt.Sprintf("The body of this request is too large: it may have %d MB. Send less at a time.", limit>>20)
	}
	switch status {
	case http.StatusRequestTimeout:
		return "The body of this request did not arrive in time. Send it again."
	case http.StatusUnsupportedMediaType:
		return "Send the body of this request as JSON, with Content-Type: application/json."
	case http.StatusBadRequest:
		if message == "request body is required" {
			return "This request needs a body. /api/openapi.json lists what goes into it."
		}
		return "The body of this request is not valid JSON. Check its quotation marks, commas and brackets."
	}
	if strings.HasPrefix(message, "expected object") {
		return "The body of this request is a JSON object, in curly brackets. /api/openapi.json lists what goes into it."
	}
	return sentence(message)
}
