package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"fieldmark/internal/identify"
)

// noChecklists takes none.
type noChecklists struct{}

func (noChecklists) PlanChecklist(context.Context, identify.User, identify.Checklist) (identify.ChecklistPlan, error) {
	return identify.ChecklistPlan{}, identify.Errorf(identify.Conflict, "", "Not now.")
}

func (noChecklists) TakeChecklist(context.Context, identify.User, identify.Checklist, identify.ChecklistChoice, func(identify.ImportProgress)) (identify.TakenChecklist, error) {
	return identify.TakenChecklist{}, nil
}

// checklist sends one and reads the lines of the answer.
func checklist(t *testing.T, h http.Handler, u identify.User, query, table string) (lines []checklistLine) {
	t.Helper()
	w := ask(h, u, http.MethodPost, "/api/v1/checklists?"+query, "application/octet-stream", table)
	if w.Code != 200 || w.Header().Get("Content-Type") != "application/x-ndjson" {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	for dec := json.NewDecoder(w.Body); dec.More(); {
		var line checklistLine
		if err := dec.Decode(&line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	return lines
}

// A checklist is planned, then taken in with its progress and a label set; what is bad
// is told by line.
func TestChecklist(t *testing.T) {
	h, ben := whole(t)
	var table strings.Builder
	table.WriteString("scientificName,vernacularName,taxonRank\nPasser montanus,Field Sparrow,species\n,Magpie,species\n")
	for i := range 1200 {
		fmt.Fprintf(&table, "Corvus novus%d,,species\n", i)
	}
	lines := checklist(t, h, ben, "name=x.csv", table.String())
	p := lines[0].Plan
	if len(lines) != 1 || p.Rows != 1202 || p.New != 1200 || p.Changed != 1 || p.LeftOut != 1 || len(p.Bad) != 1 || p.Bad[0].Field != "line 3" {
		t.Fatalf("%+v, %+v", lines, p)
	}
	if c := p.Changes[0]; c.TaxonID != 3 || c.In != "English name" || c.Before != "Tree Sparrow" || c.After != "Field Sparrow" {
		t.Errorf("%+v", c)
	}
	found := func() bool {
		return strings.Contains(ask(h, ben, http.MethodGet, "/api/v1/taxa?q=Corvus+novus7", "", "").Body.String(), "Corvus novus7")
	}
	if found() {
		t.Error("a plan changed something")
	}
	lines = checklist(t, h, ben, "name=x.csv&yes=true&changes=true&label_set=Reserve", table.String())
	last := lines[len(lines)-1]
	if len(lines) != 4 || lines[1].Progress.Done != 500 || lines[2].Progress.Rows != 1201 || last.Checklist == nil ||
		last.Checklist.New != 1200 || last.Checklist.Changed != 1 || last.Checklist.LabelSetID == 0 || !found() {
		t.Errorf("%+v; found %v", lines, found())
	}
	lines = checklist(t, h, ben, "yes=true&label_set=Reserve", table.String())
	if last := lines[len(lines)-1]; last.Problem == nil || last.Problem.Status != http.StatusConflict {
		t.Errorf("a label set of that name: %+v", last)
	}
}

func TestChecklistsAreRefused(t *testing.T) {
	h := handler(t, &fake{})
	wantProblem(t, "an expert", ask(h, expert, http.MethodPost, "/api/v1/checklists", "", "scientificName\nPica pica\n"), 403, "")
	for name, body := range map[string]string{"no file": "", "no names": "colour\nred\n", "no archive": "PK\x03\x04 torn"} {
		wantProblem(t, name, ask(h, curator, http.MethodPost, "/api/v1/checklists?name=x.csv", "", body), 422, "file")
	}
}
