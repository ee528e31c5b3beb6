package api

import (
	"net/http"
	"strings"
	"testing"

	"fieldmark/internal/identify"
)

func TestErrorsAreSentences(t *testing.T) {
	const identifications = "/api/v1/observations/1/identifications"
	tests := []struct{ method, path, body, want string }{
		{"GET", "/api/v1/observations/abc", "", "An observation's id is a number, 1 or larger."},
		{"GET", "/api/v1/observations/-1/photo", "", "An observation's id is a number, 1 or larger."},
		{"GET", "/api/v1/taxa/abc", "", "A taxon's id is a number, 1 or larger."},
		{"GET", "/api/v1/label-sets/0", "", "A label set's id is a number, 1 or larger."},
		{"DELETE", identifications + "/x", "", "An identification's id is a number, 1 or larger."},
		{"POST", identifications, "{x", "The body of this request is not valid JSON. Check its quotation marks, commas and brackets."},
		{"POST", identifications, "", "This request needs a body. /api/openapi.json lists what goes into it."},
		{"POST", identifications, "[]", "The body of this request is a JSON object, in curly brackets. /api/openapi.json lists what goes into it."},
		{"POST", identifications, `{"label":"` + strings.Repeat("x", 2<<20) + `"}`, "The body of this request is too large: it may have 1 MB. Send less at a time."},
		{"POST", identifications, `{"label":5}`, "label is text, in quotation marks."},
		{"POST", identifications, `{"taxon_id":"5"}`, "taxon_id is a whole number, without quotation marks."},
		{"POST", identifications, `{"label":"x","from_suggestion":1}`, "from_suggestion is true or false, without quotation marks."},
		{"POST", identifications, `{"lable":"x"}`, "There is nothing named lable to give here: check its spelling. /api/openapi.json lists what there is."},
		{"POST", identifications + "?long_tail=x", `{"label":"x"}`, "long_tail is true or false."},
		{"POST", "/api/v1/label-sets", `{}`, "Give name: it is missing."},
		{"POST", "/api/v1/label-sets", `{"name":"x","taxon_ids":5}`, "taxon_ids is a list, in square brackets."},
		{"POST", "/api/v1/label-sets", `{"name":"x","taxon_ids":["5"]}`, "taxon_ids[0] is a whole number, without quotation marks."},
		{"GET", "/api/v1/observations?limit=x", "", "limit is a whole number."},
		{"GET", "/api/v1/observations?limit=201", "", "limit is a number of 200 or less."},
		{"GET", "/api/v1/observations?limit=0", "", "limit is a number of 1 or more."},
		{"GET", "/api/v1/observations?status=maybe", "", "status is one of: identified, unidentified."},
		{"GET", "/api/v1/observations?q=" + strings.Repeat("x", 1001), "", "q has at most 1000 characters."},
	}
	h := handler(t, &fake{})
	for _, tt := range tests {
		w := ask(h, curator, tt.method, tt.path, "application/json", tt.body)
		p := problemOf(t, w)
		if p.Detail != tt.want || len(p.Errors) > 0 && (p.Errors[0].Field == "" || p.Errors[0].Message != tt.want) {
			t.Errorf("%s %.60s %.60s: %+v, want %q", tt.method, tt.path, tt.body, p, tt.want)
		}
	}
	p := problemOf(t, ask(h, curator, http.MethodPost, identifications, "text/csv", "a,b"))
	if want := "Send the body of this request as JSON, with Content-Type: application/json."; p.Detail != want || p.Errors != nil {
		t.Errorf("%+v, want %q", p, want)
	}
}

// The domain's names of inputs are told as the request has them.
func TestErrorsNameTheFieldsOfTheRequest(t *testing.T) {
	taxa := &fake{err: identify.Errorf(identify.Invalid, "taxa", "There is no taxon with the id 5.")}
	for method, path := range map[string]string{http.MethodPost: "/api/v1/label-sets", http.MethodPut: "/api/v1/label-sets/1"} {
		wantProblem(t, method, ask(handler(t, taxa), curator, method, path, "application/json", `{"name":"x","taxon_ids":[5]}`), 422, "taxon_ids")
	}
	id := &fake{err: identify.Errorf(identify.NotFound, "identification", "This observation has no such identification.")}
	wantProblem(t, "withdraw", ask(handler(t, id), curator, http.MethodDelete, "/api/v1/observations/1/identifications/2", "", ""), 404, "iid")
}
