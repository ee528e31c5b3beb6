package api

import (
	"context"
	"encoding/json"
	"fmt"
	"image/color"
	"net/http"
	"strings"
	"testing"

	"fieldmark/internal/bundle"
	"fieldmark/internal/identify"
)

// fakeBundles has none, and says who may.
type fakeBundles struct{}

func (fakeBundles) Bundle(_ context.Context, u identify.User, _ identify.BundleRequest) (*identify.OutgoingBundle, error) {
	if !u.Role.Allows(identify.Curator) {
		return nil, identify.Errorf(identify.Forbidden, "", "Not with this role.")
	}
	return nil, identify.Errorf(identify.Conflict, "", "There is no lesson.")
}

func (fakeBundles) PlanMerge(context.Context, identify.User, identify.ImportSource, *bundle.Bundle, identify.MergeDecisions, func(identify.ImportProgress)) (identify.MergePlan, error) {
	return identify.MergePlan{}, identify.Errorf(identify.Conflict, "", "Not now.")
}

func (fakeBundles) RunMerge(context.Context, identify.User, identify.MergePlan, func(identify.ImportProgress)) (identify.Import, error) {
	return identify.Import{}, nil
}

func TestBundlesAreForCurators(t *testing.T) {
	h := handler(t, &fake{})
	for method, body := range map[string]string{http.MethodGet: "", http.MethodPost: "PK"} {
		wantProblem(t, method, ask(h, expert, method, "/api/v1/bundle", "application/zip", body), 403, "")
	}
	wantProblem(t, "nothing to export", ask(h, curator, http.MethodGet, "/api/v1/bundle", "", ""), 409, "")
}

// lesson stores a photo of one colour and teaches it a name.
func lesson(t *testing.T, h http.Handler, u identify.User, c color.Color, name string) {
	t.Helper()
	contentType, body := form(t, "photo", plainPNG(t, c))
	o := decode[observed](t, ask(h, u, http.MethodPost, "/api/v1/observations", contentType, body), 201)
	ask(h, u, http.MethodPost, fmt.Sprintf("/api/v1/observations/%d/identifications", o.ID), "application/json", `{"label":"`+name+`"}`)
}

// merged sends a bundle and reads the lines of the answer.
func merged(t *testing.T, h http.Handler, u identify.User, data, query string) (plan *MergePlan, m *imported) {
	t.Helper()
	w := ask(h, u, http.MethodPost, "/api/v1/bundle?"+query, "application/zip", data)
	if w.Code != 200 {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	for dec := json.NewDecoder(w.Body); dec.More(); {
		var line mergeLine
		if err := dec.Decode(&line); err != nil {
			t.Fatal(err)
		}
		if line.Problem != nil {
			t.Fatalf("%+v", line.Problem)
		}
		if line.Plan != nil {
			plan = line.Plan
		}
		if line.Import != nil {
			m = line.Import
		}
	}
	return plan, m
}

// What one Fieldmark learned is shown to another, decided about by group, and taken
// in.
func TestFromOneToAnother(t *testing.T) {
	a, ann := whole(t)
	b, ben := whole(t)
	red, green := color.RGBA{200, 10, 10, 255}, color.RGBA{10, 200, 10, 255}
	lesson(t, a, ann, red, "House Sparrow")
	lesson(t, a, ann, green, "Wall Rocket")
	lesson(t, b, ben, red, "Tree Sparrow")

	w := ask(a, ann, http.MethodGet, "/api/v1/bundle?photos=true", "", "")
	if w.Code != 200 || !strings.Contains(w.Header().Get("Content-Disposition"), ".fieldmark") {
		t.Fatalf("status %d, %v: %.200s", w.Code, w.Header(), w.Body)
	}
	data := w.Body.String()
	plan, m := merged(t, b, ben, data, "name=a.fieldmark")
	if m != nil || plan.Rows != 2 || plan.New != 1 || len(plan.Conflicts) != 1 || len(plan.Unknown) != 1 || plan.Signer != "" || plan.Own {
		t.Fatalf("%+v, %+v", plan, m)
	}
	g := plan.Conflicts[0]
	if g.Kind != "photo" || g.Theirs != "House Sparrow" || g.Ours != "Tree Sparrow" || g.Rows != 1 || plan.Unknown[0].Name != "Wall Rocket" {
		t.Errorf("%+v, %+v", g, plan.Unknown)
	}
	type counts struct{ Exemplars int }
	exemplars := func() int {
		return decode[counts](t, ask(b, ben, http.MethodGet, "/api/v1/stats", "", ""), 200).Exemplars
	}
	if exemplars() != 1 {
		t.Errorf("a plan taught something: %d exemplars", exemplars())
	}
	wantProblem(t, "a group that is none", ask(b, ben, http.MethodPost, "/api/v1/bundle?yes=true&leave=none-such", "application/zip", data), 422, "leave")

	if _, m = merged(t, b, ben, data, "yes=true&leave_new=true&take="+g.Key); m == nil || m.Taught != 1 || exemplars() != 2 {
		t.Errorf("the group alone: %+v, %d exemplars", m, exemplars())
	}
	b, ben = whole(t)
	lesson(t, b, ben, red, "Tree Sparrow")
	rocket := plan.Unknown[0]
	if rocket.What != "create" || rocket.TaxonID != 0 {
		t.Errorf("%+v", rocket)
	}
	for what, field := range map[string]string{"taxa=99999:create": "taxa", fmt.Sprintf("taxa=%d:99999", rocket.ID): "taxa", "taxa=what": "taxa", fmt.Sprintf("taxa=%d:Yeti", rocket.ID): "taxa", fmt.Sprintf("taxa=%d:0", rocket.ID): "taxa"} {
		wantProblem(t, what, ask(b, ben, http.MethodPost, "/api/v1/bundle?yes=true&"+what, "application/zip", data), 422, field)
	}
	// Whole kinds, and names instead of numbers.
	for query, take := range map[string]int{"leave=photo": 1, "leave=photo&take=" + g.Key: 2, "taxa=leave": 1, "leave=photo&leave_new=true&taxa=create": 0,
		fmt.Sprintf("leave=photo&taxa=leave&taxa=%d:Tree+Sparrow", rocket.ID): 1} {
		if plan, _ := merged(t, b, ben, data, query); plan.Take != take {
			t.Errorf("%s: %d would be taught, want %d", query, plan.Take, take)
		}
	}
	left, m := merged(t, b, ben, data, fmt.Sprintf("taxa=%d:leave", rocket.ID))
	if left.Take != 1 || left.Unknown[0].What != "leave" || m != nil {
		t.Errorf("without the taxon: %+v", left)
	}
	sparrow := decode[struct{ Taxa []struct{ ID int64 } }](t, ask(b, ben, http.MethodGet, "/api/v1/taxa?q=Tree+Sparrow", "", ""), 200).Taxa[0].ID
	if as, m := merged(t, b, ben, data, fmt.Sprintf("yes=true&leave=%s&taxa=%d:%d", g.Key, rocket.ID, sparrow)); m == nil || m.Taught != 1 || as.Unknown[0].TaxonID != sparrow {
		t.Errorf("as another taxon: %+v, %+v", m, as.Unknown)
	}
	if found := ask(b, ben, http.MethodGet, "/api/v1/taxa?q=Wall+Rocket", "", "").Body.String(); strings.Contains(found, "Wall Rocket") {
		t.Errorf("it was made a taxon all the same: %s", found)
	}
	b, ben = whole(t)
	lesson(t, b, ben, red, "Tree Sparrow")
	if _, m = merged(t, b, ben, data, "yes=true&leave="+g.Key); m == nil || m.Taught != 1 || exemplars() != 2 {
		t.Errorf("without the group: %+v, %d exemplars", m, exemplars())
	}
}

// A bundle that is not what was signed is refused, and teaches nothing.
func TestALyingBundleIsRefused(t *testing.T) {
	a, ann := whole(t)
	b, ben := whole(t)
	lesson(t, a, ann, color.RGBA{200, 10, 10, 255}, "House Sparrow")
	data := ask(a, ann, http.MethodGet, "/api/v1/bundle", "", "").Body.String()
	at := len(data) / 3 // within a member
	lies := map[string]string{"cut short": data[:len(data)-40], "no zip": "these are no lessons",
		"a bit flipped": data[:at] + string([]byte{data[at] ^ 1}) + data[at+1:]}
	for name, lie := range lies {
		wantProblem(t, name, ask(b, ben, http.MethodPost, "/api/v1/bundle?yes=true", "application/zip", lie), 422, "file")
	}
	type counts struct{ Exemplars, Observations int }
	if n := decode[counts](t, ask(b, ben, http.MethodGet, "/api/v1/stats", "", ""), 200); n.Exemplars != 0 || n.Observations != 0 {
		t.Errorf("%+v", n)
	}
}

// A preview of many rows says how far it has come before it says what it found.
func TestAPreviewSaysHowFarItIs(t *testing.T) {
	a, ann := whole(t)
	b, ben := whole(t)
	var labels []string
	var vectors [][]float32
	for i := range 250 {
		labels, vectors = append(labels, "Tree Sparrow"), append(vectors, []float32{1, float32(i), 0, 0.1})
	}
	file := npzOf(t, colours{}.Info().Digest, labels, vectors...)
	if w := ask(a, ann, http.MethodPost, "/api/v1/import?yes=true", "application/octet-stream", file); w.Code != 200 || !strings.Contains(w.Body.String(), `"complete"`) {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	data := ask(a, ann, http.MethodGet, "/api/v1/bundle", "", "").Body.String()
	var lines []string
	for dec := json.NewDecoder(ask(b, ben, http.MethodPost, "/api/v1/bundle", "application/zip", data).Body); dec.More(); {
		var line mergeLine
		if err := dec.Decode(&line); err != nil {
			t.Fatal(err)
		}
		switch {
		case line.Progress != nil:
			lines = append(lines, fmt.Sprintf("%d of %d", line.Progress.Done, line.Progress.Rows))
		case line.Plan != nil:
			lines = append(lines, fmt.Sprintf("%d new", line.Plan.New))
		}
	}
	if got := strings.Join(lines, ", "); got != "100 of 250, 200 of 250, 250 new" {
		t.Error(got)
	}
}
