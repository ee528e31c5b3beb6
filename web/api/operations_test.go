package api

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

func TestClassify(t *testing.T) {
	f := &fake{}
	contentType, body := form(t, "photo", "bytes", "label", "House Sparrow", "label", "", "label", "a cloud",
		"fusion", "avg-prob", "system", "knn-mv", "long_tail", "true", "top", "7")
	p := decode[Prediction](t, ask(handler(t, f), curator, http.MethodPost, "/api/v1/classify", contentType, body), 200)
	q := f.question
	if string(f.photo) != "bytes" || !slices.Equal(q.Labels, []string{"House Sparrow", "a cloud"}) || q.Rule != "avg-prob" ||
		q.System != "knn-mv" || !q.LongTail || q.Top != 7 || q.LabelSet != 0 {
		t.Errorf("asked %+v about %q", q, f.photo)
	}
	if len(p.Predictions) != 2 || p.Predictions[0].TaxonID != 4 || p.Predictions[0].Probability != 0.75 || p.MemorySeq != 11 ||
		p.Model != "test" || p.WeightExemplar != 0.5 || p.Neighbours[0].ObservationID != 3 || p.Compared != 2 {
		t.Errorf("%+v", p)
	}
}

// The names of DESIGN's contract, as they are on the wire.
func TestNamesOnTheWire(t *testing.T) {
	h := handler(t, &fake{})
	contentType, body := form(t, "photo", "x", "label_set", "3", "top", "", "fusion", "")
	for _, c := range []struct {
		method, path, contentType, body string
		want                            []string
	}{
		{"POST", "/classify", contentType, body, []string{"predictions.0.label", "predictions.0.taxon_id", "predictions.0.probability",
			"predictions.0.zero_shot", "predictions.0.exemplar", "weight_exemplar", "neighbours.0.observation_id",
			"neighbours.0.label", "neighbours.0.similarity", "memory_seq", "model", "timings_ms"}},
		{"POST", "/observations", contentType, body, []string{"id", "predictions.0.label", "memory_seq"}},
		{"POST", "/observations/1/identifications", "application/json", `{"label":"x"}`,
			[]string{"id", "memory_seq", "learned_ms", "before.0.label", "after.0.probability"}},
		{"DELETE", "/observations/1/identifications/2", "", "", []string{"before.0.label", "after.0.probability", "memory_seq"}},
		{"GET", "/stats", "", "", []string{"memory_seq", "exemplars", "labels", "leaves", "pending", "encoder"}},
		{"GET", "/taxa?q=x", "", "", []string{"taxa.0.id", "taxa.0.label", "taxa.0.matched_name"}},
		{"GET", "/taxa/4", "", "", []string{"id", "ancestors.0.english_name", "vernacular_names.0.language", "vernacular_names.0.name"}},
		{"GET", "/label-sets", "", "", []string{"label_sets.0.id", "label_sets.0.seen"}},
	} {
		w := ask(h, curator, c.method, "/api/v1"+c.path, c.contentType, c.body)
		var answer any
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code >= 300 {
			t.Errorf("%s %s: status %d, %v: %s", c.method, c.path, w.Code, err, w.Body)
			continue
		}
		for _, name := range c.want {
			if !has(answer, strings.Split(name, ".")) {
				t.Errorf("%s %s: there is no %s in %s", c.method, c.path, name, w.Body)
			}
		}
	}
}

// has reports whether a decoded answer has a value at a path; "0" is the first
// of a list.
func has(v any, path []string) bool {
	if len(path) == 0 {
		return true
	}
	switch v := v.(type) {
	case map[string]any:
		x, there := v[path[0]]
		return there && has(x, path[1:])
	case []any:
		return path[0] == "0" && len(v) > 0 && has(v[0], path[1:])
	}
	return false
}

func TestObserve(t *testing.T) {
	f := &fake{}
	contentType, body := form(t, "photo", "bytes", "observed_at", "2026-05-03T07:30:00+02:00", "latitude", "48.1", "longitude", "-11.5",
		"license", "CC0-1.0", "rights_holder", "Ann", "notes", "on the wall")
	w := ask(handler(t, f), curator, http.MethodPost, "/api/v1/observations", contentType, body)
	if got := decode[observed](t, w, 201); got.ID != 7 || len(got.Predictions) != 2 {
		t.Errorf("%+v", got)
	}
	if at := w.Header().Get("Location"); at != "/api/v1/observations/7" {
		t.Errorf("Location %q", at)
	}
	up := f.upload
	if f.user != curator || string(up.Photo) != "bytes" || *up.Latitude != 48.1 || *up.Longitude != -11.5 || up.License != "CC0-1.0" ||
		up.RightsHolder != "Ann" || up.Notes != "on the wall" || up.ObservedAt.Format(time.RFC3339) != "2026-05-03T07:30:00+02:00" {
		t.Errorf("user %+v, upload %+v", f.user, up)
	}
	for field, value := range map[string]string{
		"latitude": "north", "longitude": "1,5", "observed_at": "May", "top": "0", "label_set": "-1",
		"fusion": "cold", "system": "forest", "long_tail": "maybe",
	} {
		contentType, body := form(t, "photo", "bytes", field, value)
		wantProblem(t, field, ask(handler(t, f), curator, http.MethodPost, "/api/v1/observations", contentType, body), 422, field)
	}
	contentType, body = form(t, "photo", "bytes", "fusion", "cold")
	if w := ask(handler(t, f), curator, http.MethodPost, "/api/v1/observations", contentType, body); !strings.Contains(w.Body.String(), `"There is no fusion rule \"cold\". The rules are: zero-shot, `) {
		t.Error(w.Body)
	}
}

func TestIdentifyAndWithdraw(t *testing.T) {
	f := &fake{}
	h := handler(t, f)
	w := ask(h, curator, http.MethodPost, "/api/v1/observations/7/identifications?fusion=near&top=3&label=a&label=b%2Cc", "application/json",
		`{"taxon_id":4,"from_suggestion":true}`)
	got := decode[correction](t, w, 201)
	if got.ID != 8 || got.MemorySeq != 12 || got.LearnedMS != 1.5 || len(got.Before) != 2 || len(got.After) != 2 {
		t.Errorf("%+v", got)
	}
	if at := w.Header().Get("Location"); at != "/api/v1/observations/7/identifications/8" {
		t.Errorf("Location %q", at)
	}
	if f.user != curator || f.answer != (identify.Answer{Taxon: 4, FromSuggestion: true}) || f.question.Rule != "near" || f.question.Top != 3 ||
		!slices.Equal(f.question.Labels, []string{"a", "b,c"}) {
		t.Errorf("%+v answered %+v to %+v", f.user, f.answer, f.question)
	}
	w = ask(h, curator, http.MethodDelete, "/api/v1/observations/7/identifications/5", "", "")
	if got := decode[correction](t, w, 200); got.ID != 5 || got.MemorySeq != 12 {
		t.Errorf("%+v", got)
	}
}

func TestList(t *testing.T) {
	f := &fake{observations: []identify.Observation{{ID: 9}, {ID: 8}}, more: true}
	h := handler(t, f)
	type page struct {
		Observations []observation
		NextCursor   string `json:"next_cursor"`
	}
	w := ask(h, curator, http.MethodGet, "/api/v1/observations?taxon_id=4&status=identified&observer_id=2&from=2026-05-03&to=2026-05-04T00:00:00Z&q=wall&cursor=12&limit=2", "", "")
	if got := decode[page](t, w, 200); len(got.Observations) != 2 || got.NextCursor != "8" {
		t.Errorf("%+v", got)
	}
	x := f.filter
	if x.Taxon != 4 || x.Status != "identified" || x.Observer != 2 || x.From.Day() != 3 || x.To.Day() != 4 || x.Query != "wall" || x.Before != 12 || x.Limit != 2 {
		t.Errorf("%+v", x)
	}
	ask(h, curator, http.MethodGet, "/api/v1/observations?to=2024-05-03", "", "")
	if end := time.Date(2024, 5, 4, 0, 0, 0, 0, time.UTC); !f.filter.To.Equal(end) {
		t.Errorf("to a day means before %v, want %v: the day is within", f.filter.To, end)
	}
	f.more, f.observations = false, nil
	w = ask(h, curator, http.MethodGet, "/api/v1/observations", "", "")
	if got := w.Body.String(); got != "{\"observations\":[]}\n" || f.filter.Limit != 50 {
		t.Errorf("%s, limit %d", got, f.filter.Limit)
	}
}

func TestPhoto(t *testing.T) {
	h := handler(t, &fake{})
	for query, want := range map[string]string{"": "photo original", "?size=thumb": "photo thumb", "?size=display": "photo display", "?size=small": "photo small"} {
		w := ask(h, curator, http.MethodGet, "/api/v1/observations/1/photo"+query, "", "")
		if w.Body.String() != want || w.Header().Get("Content-Type") != "image/png" ||
			!strings.Contains(w.Header().Get("Cache-Control"), "immutable") || w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%q: %q, %v", query, w.Body, w.Header())
		}
	}
}

func TestLabelSets(t *testing.T) {
	f := &fake{}
	h := handler(t, f)
	w := ask(h, curator, http.MethodPost, "/api/v1/label-sets", "application/json", `{"name":"Mine","labels":["House Sparrow"],"taxon_ids":[5]}`)
	if got := decode[wholeLabelSet](t, w, 201); got.ID != 9 || got.Size != 1 || got.TaxonIDs[0] != 5 || w.Header().Get("Location") != "/api/v1/label-sets/9" {
		t.Errorf("%+v, %v", got, w.Header())
	}
	if f.user != curator || !slices.Equal(f.labels, []string{"House Sparrow"}) || !slices.Equal(f.taxa, []identify.TaxonID{5}) {
		t.Errorf("%+v %q %v", f.user, f.labels, f.taxa)
	}
	w = ask(h, curator, http.MethodPost, "/api/v1/label-sets/file?name=Pond", "text/csv", "scientificName,family\nParus major,Paridae\n")
	if got := decode[wholeLabelSet](t, w, 201); got.ID != 9 || w.Header().Get("Location") != "/api/v1/label-sets/9" || !slices.Equal(f.labels, []string{"Parus major"}) {
		t.Errorf("of a file: %+v, %v, %q", got, w.Header(), f.labels)
	}
	wantProblem(t, "a file without a name", ask(h, curator, http.MethodPost, "/api/v1/label-sets/file", "text/csv", "Robin\n"), 422, "name")
	wantProblem(t, "a file that is no text", ask(h, curator, http.MethodPost, "/api/v1/label-sets/file?name=x", "text/csv", "M\xf6we\n"), 422, "labels")
	w = ask(h, curator, http.MethodPut, "/api/v1/label-sets/9", "application/json", `{"name":"Ours"}`)
	if got := decode[wholeLabelSet](t, w, 200); got.ID != 9 || got.Name != "Ours" || got.TaxonIDs == nil {
		t.Errorf("%+v", got)
	}
	if w := ask(h, curator, http.MethodDelete, "/api/v1/label-sets/9", "", ""); w.Code != 204 || w.Body.Len() != 0 {
		t.Errorf("status %d, %q", w.Code, w.Body)
	}
	type list struct {
		LabelSets []LabelSet `json:"label_sets"`
	}
	sets := decode[list](t, ask(h, curator, http.MethodGet, "/api/v1/label-sets", "", ""), 200)
	if len(sets.LabelSets) != 2 || *sets.LabelSets[0].Seen != 1 || sets.LabelSets[1].Seen != nil || sets.LabelSets[0].Size != 2 {
		t.Errorf("%+v", sets)
	}
}

func TestHead(t *testing.T) {
	server := serve(t, handler(t, &fake{}))
	resp, err := http.Head(server.URL + "/api/v1/stats")
	if err != nil || resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "application/json" || resp.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%v, %v", resp, err)
	}
}

func TestHealth(t *testing.T) {
	w := httptest.NewRecorder()
	Healthz(w, nil)
	if w.Code != 200 || w.Body.String() != "ok\n" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	for _, c := range []struct {
		err  error
		want int
	}{{nil, 200}, {identify.Errorf(identify.NotReady, "", "Folding the log."), 503}} {
		w = httptest.NewRecorder()
		Readyz(func() error { return c.err })(w, nil)
		if w.Code != c.want || w.Body.Len() == 0 {
			t.Errorf("%v: %d %s", c.err, w.Code, w.Body)
		}
	}
}
