package architecture

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "fieldmark/"

// mayImport lists, for each of our packages, which others of ours its code (not
// its tests) may import. A package that is not listed is an error: whoever adds
// one says here where it stands. A "/..." covers the packages below.
var mayImport = map[string][]string{
	"internal/vec":                 {},
	"internal/nearest":             {"internal/vec"},
	"internal/coderhnsw":           {"internal/nearest", "internal/vec"},
	"internal/nearest/nearesttest": {},
	"internal/probe":               {"internal/vec"},
	"internal/tree":                {"internal/vec", "internal/nearest", "internal/probe"},
	"internal/grouping":            {"internal/vec"},
	"internal/fusion":              {"internal/vec"},
	"internal/doubt":               {"internal/nearest", "internal/probe"},
	"internal/projection":          {"internal/vec"},
	"internal/eval":                {"internal/vec", "internal/nearest", "internal/probe", "internal/tree", "internal/fusion"},
	"internal/protocol": {"internal/vec", "internal/nearest", "internal/probe", "internal/tree", "internal/fusion",
		"internal/eval"},
	"internal/dataset":             {"internal/vec", "internal/fusion", "internal/eval", "internal/protocol", "internal/clip", "internal/photo", "internal/exchange"},
	"internal/report":              {"internal/tree", "internal/fusion", "internal/eval", "internal/protocol"},
	"internal/dynlib":              {},
	"internal/turbojpeg":           {"internal/dynlib"},
	"internal/sandbox":             {"internal/dynlib"},
	"internal/sandbox/sandboxtest": {"internal/sandbox", "internal/photo"},
	"internal/heif":                {"internal/sandbox"},
	"internal/avif":                {"internal/sandbox"},
	"internal/photo":               {},
	"internal/beetles":             {},
	"internal/clip":                {"internal/vec", "internal/dynlib"},
	"internal/onnx":                {"internal/vec"},
	"internal/onnx/onnxtest":       {"internal/onnx", "internal/vec"},
	"internal/fetch":               {"internal/durable"},
	"internal/catalogue":           {},
	"internal/durable":             {},
	"internal/procfs":              {},
	"internal/adopt":               {"internal/clip", "internal/durable", "internal/exchange", "internal/onnx", "internal/vec"},
	"internal/vocabulary":          {},
	"internal/bundle":              {},
	"internal/words":               {},
	"internal/identify": {"internal/vec", "internal/nearest", "internal/probe", "internal/tree",
		"internal/fusion", "internal/photo", "internal/grouping", "internal/doubt", "internal/projection", "internal/bundle", "internal/eval", "internal/words"},
	"internal/identify/identifytest": {"internal/vec", "internal/nearest/nearesttest", "internal/identify",
		"internal/photofile", "internal/snapshotfile", "internal/store"},
	"internal/photofile":    {"internal/durable", "internal/identify"},
	"internal/photofetch":   {"internal/identify"},
	"internal/password":     {"internal/identify"},
	"internal/backup":       {"internal/identify"},
	"internal/snapshotfile": {"internal/durable"},
	"internal/exchange":     {"internal/identify"},
	"internal/store":        {"internal/identify", "migrations"},
	"internal/architecture": {},
	"migrations":            {},
	"models":                {},
	"templates":             {"internal/identify", "internal/words"},
	"web":                   {"internal/identify", "internal/beetles", "internal/fusion", "internal/exchange", "templates", "web/...", "internal/bundle", "internal/words"},
	"web/auth":              {"web/requests", "internal/identify"},
	"web/status":            {"internal/identify"},
	"web/spool":             {"internal/identify", "internal/bundle"},
	"web/jobs":              {"internal/identify"},
	"web/metrics":           {"internal/identify"},
	"web/requests":          {},
	"web/api":               {"web/requests", "internal/identify", "internal/fusion", "internal/exchange", "web/auth", "web/spool", "web/status", "internal/bundle"},
	"web/browsertest":       {"cmd/...", "internal/...", "web"},
	"tools/icons":           {},
	"tools/dist":            {},
	"cmd/webapp":            {"internal/...", "web/...", "web", "models", "migrations", "templates"},
	"cmd/evaluate":          {"internal/...", "models"},
	"cmd/bench":             {"internal/..."},
	"cmd/soak":              {"internal/identify", "internal/password", "internal/procfs", "internal/store"},
}

// pure packages compute: they touch no machine, no clock and no log.
var pure = []string{"internal/vec", "internal/nearest", "internal/probe", "internal/tree", "internal/fusion", "internal/eval",
	"internal/protocol", "internal/grouping", "internal/doubt", "internal/projection"}

var impure = []string{"os", "os/exec", "net", "net/http", "time", "database/sql", "log", "log/slog", "syscall",
	"math/rand", "github.com/yalue/onnxruntime_go", "github.com/mattn/go-sqlite3"}

type pkg struct {
	ImportPath string
	Imports    []string
}

func TestImportsGoOneWay(t *testing.T) {
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		allowed, known := mayImport[name]
		if !known {
			t.Errorf("%s has no place in the house: add it to mayImport", name)
			continue
		}
		for _, imp := range p.Imports {
			if ours, is := strings.CutPrefix(imp, module); is && !covers(allowed, ours) {
				t.Errorf("%s must not import %s", name, ours)
			}
		}
	}
}

func TestThePureCoreIsPure(t *testing.T) {
	seen := 0
	for _, p := range packages(t) {
		if !slices.Contains(pure, strings.TrimPrefix(p.ImportPath, module)) {
			continue
		}
		seen++
		for _, imp := range p.Imports {
			if slices.Contains(impure, imp) {
				t.Errorf("%s is pure and must not import %s", p.ImportPath, imp)
			}
		}
	}
	if seen != len(pure) {
		t.Errorf("%d of the %d pure packages exist", seen, len(pure))
	}
}

func covers(allowed []string, name string) bool {
	return slices.ContainsFunc(allowed, func(a string) bool {
		below, tree := strings.CutSuffix(a, "/...")
		return a == name || tree && strings.HasPrefix(name, below+"/")
	})
}

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "./...")
	cmd.Dir = filepath.Join("..", "..")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var list []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
}
