package words

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEnglish: where nobody's language is known, a count has its form, and is not grouped.
func TestEnglish(t *testing.T) {
	for _, c := range []struct {
		want, key string
		args      []any
	}{
		{"1 exemplar", "%d exemplars", []any{1}},
		{"0 exemplars", "%d exemplars", []any{0}},
		{"1240 exemplars", "%d exemplars", []any{int64(1240)}},
		{"taught once", "taught %d times", []any{1}},
		{"taught twice", "taught %d times", []any{2}},
		{"1 exemplar of a, b", "%d exemplars of %s", []any{1, "a, b"}},
		{"row 1", "row %d", []any{1}},
	} {
		if got := English(c.key, c.args...); got != c.want {
			t.Errorf("%q of %v is said as %q, want %q", c.key, c.args, got, c.want)
		}
	}
}

// counted is a number before a noun in the plural: "%d new taxa", "%[2]d rows". A number
// that says how many there may be at most, and one of units, is never 1.
var (
	counted = regexp.MustCompile(`(\S+ )?%(?:\[(\d)\])?d (?:more |new |good |bad |other |hidden |different |exact )*(?:[a-z]+s|taxa|people)\b`)
	limit   = regexp.MustCompile(`(?i)\b(most|than|least|to|every) $`)
	unit    = regexp.MustCompile(`d (numbers|bytes|characters|pixels|points|ms|times its|is|was|has|as|does)\b`)
)

// several are sentences that are said of more than one, or of none.
var several = []string{
	"%d taxa here have this name: %s", "its meta.xml names %d files for one table", // else nothing is wrong
	"This checklist has %d rows; at most %d are taken at once. Split it.",
	"This checklist lists %d taxa, and a label set holds at most %d. Take it without a label set.",
	"%d of %d exemplars, evenly spread.", "%d of %d exemplars were judged, evenly spread: more would take too long.", // of thousands
}

// TestCountsHaveTheirForms: whatever counts things is said by the plural forms of each
// language, so that nobody reads "1 exemplars". They go by the first value: a count that
// comes later is a clause of its own, given as a text.
func TestCountsHaveTheirForms(t *testing.T) {
	english, _, err := read(messages, "messages/en")
	if err != nil {
		t.Fatal(err)
	}
	german, _, err := read(messages, "messages/de")
	if err != nil {
		t.Fatal(err)
	}
	pages, _ := everySentence(t)
	found := 0
	for key, where := range pages {
		if slices.Contains(several, key) {
			continue
		}
		for _, m := range counted.FindAllStringSubmatchIndex(key, -1) {
			text, before := key[m[0]:m[1]], key[:m[0]+strings.Index(key[m[0]:m[1]], "%")]
			if limit.MatchString(before) || unit.MatchString(text) {
				continue
			}
			found++
			switch first := strings.Index(key, "%"); {
			case len(before) != first && !strings.Contains(text, "%[1]d"):
				t.Errorf("%s: %q counts, but not first", where, key)
			case english[key].forms["one"] == "" || german[key].forms["one"] == "":
				t.Errorf("%s: %q lacks a form for 1, in English or in German", where, key)
			}
		}
	}
	if found < 50 {
		t.Errorf("only %d counts were found", found)
	}
}

// TestCommandsCountByForms: what the commands print counts by words.English.
func TestCommandsCountByForms(t *testing.T) {
	each(t, "../../cmd/webapp", ".go", func(name string, source []byte) {
		if strings.HasSuffix(name, "_test.go") {
			return
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, name, source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, is := n.(*ast.CallExpr)
			if !is {
				return true
			}
			if f, is := call.Fun.(*ast.SelectorExpr); !is || packageOf(f) != "fmt" {
				return true
			}
			for _, arg := range call.Args {
				if text, _ := literal(arg); counted.MatchString(text) && !unit.MatchString(text) {
					t.Errorf("%s: %q counts without its forms", files.Position(call.Pos()), text)
				}
			}
			return true
		})
	})
}

// packageOf is what stands before the dot, where that is a name.
func packageOf(f *ast.SelectorExpr) string {
	if x, is := f.X.(*ast.Ident); is {
		return x.Name
	}
	return ""
}
