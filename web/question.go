package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"fieldmark/internal/identify"
	"fieldmark/templates"
)

// question is how photos are read on one page: the label set or the names that
// were typed, and which other observations the page shows.
type question struct {
	set    identify.LabelSetID
	labels []string                 // typed for one look; they go before set
	next   string                   // page that forms lead back to; "" for the observation's own
	shown  []identify.ObservationID // on the first page
	more   int                      // how many the first page leaves to the list
	known  []identify.ObservationID // of shown, those that were here before the upload
}

func (q question) domain() identify.Question {
	return identify.Question{LabelSet: q.set, Labels: q.labels}
}

func (q question) view() templates.Question {
	return templates.Question{LabelSet: int64(q.set), Labels: q.labels}
}

// path is the page that a form leads back to without JavaScript.
func (q question) path(id identify.ObservationID) string {
	anchor := fmt.Sprintf("#o%d", id)
	if q.next != "" {
		return strings.TrimSuffix(q.next, anchor) + anchor
	}
	if len(q.shown) > 0 {
		return q.shownPath() + anchor
	}
	return observationPath(id) + q.query("?")
}

// query is the question as parameters of an address, begun with a first
// character, "?" or "&"; "" for the default question.
func (q question) query(first string) string {
	v := url.Values{}
	if q.set != 0 {
		v.Set("label_set", strconv.FormatInt(int64(q.set), 10))
	}
	if len(q.labels) > 0 {
		v["label"] = q.labels
	}
	if len(v) == 0 {
		return ""
	}
	return first + v.Encode()
}

func setQuery(set identify.LabelSetID) string {
	if set == 0 {
		return ""
	}
	return fmt.Sprintf("?label_set=%d", set)
}

// shownPath is the first page with the answers to the observations of shown.
func (q question) shownPath() string {
	path := "/?shown=" + idList(q.shown) + q.query("&")
	if len(q.known) > 0 {
		path += "&known=" + idList(q.known)
	}
	return path
}

func idList(ids []identify.ObservationID) string {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = strconv.FormatInt(int64(id), 10)
	}
	return strings.Join(list, ",")
}

func observationPath(id identify.ObservationID) string { return fmt.Sprintf("/observations/%d", id) }

func taxonPath(id identify.TaxonID) string { return fmt.Sprintf("/observations?taxon=%d", id) }

// labelSetParam reads label_set of a query or a form; "" and "0" are the default.
func labelSetParam(value string) (identify.LabelSetID, error) {
	if value == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 0 {
		return 0, identify.Errorf(identify.Invalid, "label_set", "The label set is not a number. Choose one from the list.")
	}
	return identify.LabelSetID(n), nil
}

// labelsParam reads the names of a question for one look: parameters of the same
// name, each a name or several between commas, semicolons, lines or the word "or", as
// people ask: "A, B or C". Each is kept once. How many and how long they may be is the
// domain's to say.
func labelsParam(values []string) []string {
	var labels []string
	add := func(words []string) {
		if name := strings.Join(words, " "); name != "" && !slices.Contains(labels, name) {
			labels = append(labels, name)
		}
	}
	for _, value := range values {
		for part := range strings.FieldsFuncSeq(value, func(r rune) bool { return strings.ContainsRune(",;\n\r", r) }) {
			words := strings.Fields(part)
			for i := slices.IndexFunc(words, isOr); i >= 0; i = slices.IndexFunc(words, isOr) {
				add(words[:i])
				words = words[i+1:]
			}
			add(words)
		}
	}
	return labels
}

// isOr says whether a word stands between the last two of a list, in a language of the
// pages; no name has such a word within.
func isOr(word string) bool { return word == "or" || word == "oder" }

// maxShown bounds the answers of one first page.
const maxShown = 60

// shownParam reads the ids of the first page's observations, each once.
func shownParam(value string) ([]identify.ObservationID, error) {
	var ids []identify.ObservationID
	for text := range strings.SplitSeq(value, ",") {
		if text == "" {
			continue
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 1 || len(ids) == maxShown {
			return nil, identify.Errorf(identify.Invalid, "shown", "This address does not name observations. Start from the first page.")
		}
		if id := identify.ObservationID(n); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// moreParam reads how many observations came in with those of shown but are
// more than one page shows; 0 for what is no such number.
func moreParam(value string) int {
	n, err := strconv.Atoi(value)
	if err != nil {
		return 0
	}
	return max(0, n)
}

// idParam reads an id out of the path.
func idParam(r *http.Request, name string) (int64, error) {
	n, err := strconv.ParseInt(chi.URLParam(r, name), 10, 64)
	if err != nil || n < 1 {
		return 0, identify.Errorf(identify.NotFound, name, "There is nothing at this address: %q is not a number.", chi.URLParam(r, name))
	}
	return n, nil
}

// localPath returns path if it is an address within this site, fallback if not.
func localPath(path, fallback string) string {
	u, err := url.Parse(path)
	if err != nil || u.Scheme != "" || u.Host != "" || !strings.HasPrefix(path, "/") ||
		strings.HasPrefix(path, "//") || strings.ContainsAny(path, "\\\r\n\t") {
		return fallback
	}
	return path
}
