package api

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestOpenAPI(t *testing.T) {
	w := ask(handler(t, &fake{}), curator, http.MethodGet, "/api/openapi.json", "", "")
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/json" {
		t.Fatalf("status %d, %s", w.Code, w.Header().Get("Content-Type"))
	}
	golden := filepath.Join("testdata", "openapi.json")
	if *update {
		if err := os.WriteFile(golden, w.Body.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(w.Body.Bytes(), want) {
		t.Errorf("the document differs from %s; run with -update if that is meant", golden)
	}
}

// document is what the structure test looks at.
type document struct {
	OpenAPI string
	Info    struct{ Title, Version string }
	Paths   map[string]map[string]struct {
		OperationID string
		Summary     string
		Parameters  []struct{ Name, In string }
		RequestBody *struct {
			Content map[string]json.RawMessage
		}
		Responses map[string]struct {
			Description string
			Content     map[string]json.RawMessage
		}
	}
	Components struct{ Schemas map[string]json.RawMessage }
}

func TestOpenAPIStructure(t *testing.T) {
	raw := ask(handler(t, &fake{}), curator, http.MethodGet, "/api/openapi.json", "", "").Body.Bytes()
	var d document
	if err := json.Unmarshal(raw, &d); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(d.OpenAPI, "3.1.") || d.Info.Title == "" || d.Info.Version == "" {
		t.Errorf("openapi %q, info %+v", d.OpenAPI, d.Info)
	}
	seen := map[string]bool{}
	for path, methods := range d.Paths {
		for method, op := range methods {
			where := method + " " + path
			if op.OperationID == "" || seen[op.OperationID] || op.Summary == "" {
				t.Errorf("%s: id %q (each is wanted once), summary %q", where, op.OperationID, op.Summary)
			}
			seen[op.OperationID] = true
			inPath := 0
			for _, p := range op.Parameters {
				if p.In == "path" {
					inPath++
					if !strings.Contains(path, "{"+p.Name+"}") {
						t.Errorf("%s: parameter %s is not in the path", where, p.Name)
					}
				}
			}
			if inPath != strings.Count(path, "{") {
				t.Errorf("%s: %d parameters of the path are described", where, inPath)
			}
			success := 0
			for status, r := range op.Responses {
				if strings.HasPrefix(status, "2") {
					success++
				} else if _, problem := r.Content["application/problem+json"]; !problem || r.Description == "" {
					t.Errorf("%s: the answer %s is no problem: %+v", where, status, r)
				}
			}
			if success != 1 || op.Responses["401"].Description == "" {
				t.Errorf("%s: answers %v", where, op.Responses)
			}
		}
	}
	for _, id := range []string{"classify", "observe", "list-observations", "get-observation", "get-photo", "identify", "withdraw", "search-taxa",
		"list-label-sets", "add-label-set", "change-label-set", "delete-label-set", "export", "import", "list-imports", "withdraw-import", "stats", "list-encoders", "use-encoder", "pause-encoder", "resume-encoder"} {
		if !seen[id] {
			t.Errorf("the operation %s is missing", id)
		}
	}
	for _, ref := range refs(raw) {
		name, ok := strings.CutPrefix(ref, "#/components/schemas/")
		if _, there := d.Components.Schemas[name]; !ok || !there {
			t.Errorf("the reference %s leads nowhere", ref)
		}
	}
	if _, theirs := d.Components.Schemas["ErrorModel"]; theirs {
		t.Error("errors are described in huma's form, not in ours")
	}
}

// refs lists the values of all "$ref" properties.
func refs(raw []byte) []string {
	var list []string
	dec := json.NewDecoder(bytes.NewReader(raw))
	for after := false; ; {
		token, err := dec.Token()
		if err != nil {
			return list
		}
		text, is := token.(string)
		if after && is {
			list = append(list, text)
		}
		after = is && text == "$ref"
	}
}
