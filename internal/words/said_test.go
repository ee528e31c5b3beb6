package words

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// said is where a sentence is said, by sentence.
type said map[string]string

// TestEverySentenceIsTranslated reads the program's own source: each sentence that it
// says is in each language's catalogue with the same places for values, and the
// catalogues hold nothing else.
func TestEverySentenceIsTranslated(t *testing.T) {
	pages, scripts := everySentence(t)
	for _, language := range []string{"de"} {
		translated, inScripts, err := read(messages, "messages/"+language)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, language, pages, formsOf(translated), regexp.MustCompile(`%[-+# 0]*(\[\d\])?[\d.]*[a-zA-Z%]|\{\d\}`))
		compare(t, language+" scripts", scripts, scriptForms(t, inScripts), regexp.MustCompile(`\{\d\}`))
	}
	english, _, err := read(messages, "messages/en")
	if err != nil {
		t.Fatal(err)
	}
	for key := range english {
		if _, is := pages[key]; !is {
			t.Errorf("en: nobody says %q", key)
		}
	}
}

// everySentence reads what the program says, on its pages and in its scripts.
func everySentence(t *testing.T) (pages, scripts said) {
	t.Helper()
	pages, scripts = said{}, said{}
	for _, folder := range []string{"templates", "web", "internal", "cmd/webapp"} {
		goSentences(t, filepath.Join("../..", folder), pages)
	}
	scriptSentences(t, "../../web/static/js", scripts)
	return pages, scripts
}

// TestYetIsSaidInOneTense: what has not come about yet is said in the present perfect on
// every page, "Nothing has been taught yet", and nowhere as "Nothing was taught yet".
func TestYetIsSaidInOneTense(t *testing.T) {
	past := regexp.MustCompile(`\b(was|were)\b[^.:;]*\byet\b`)
	pages, scripts := everySentence(t)
	for _, all := range []said{pages, scripts} {
		for key, where := range all {
			if past.MatchString(key) {
				t.Errorf("%s says %q in the past", where, key)
			}
		}
	}
}

// compare finds what is missing, what nobody says, and what has other places.
func compare(t *testing.T, catalogue string, want said, have map[string][]string, place *regexp.Regexp) {
	t.Helper()
	for key, where := range want {
		forms, is := have[key]
		if !is && strings.ContainsFunc(place.ReplaceAllString(key, ""), unicode.IsLetter) {
			t.Errorf("%s: %s says %q, which is not translated", catalogue, where, key)
		}
		for _, form := range forms {
			if a, b := places(place, key), places(place, form); !slices.Equal(a, b) {
				t.Errorf("%s: %q has the places %q, its translation %q has %q", catalogue, key, a, form, b)
			}
		}
	}
	for key := range have {
		if _, is := want[key]; !is {
			t.Errorf("%s: nobody says %q", catalogue, key)
		}
	}
}

// places are the places for values in a sentence, each once, in order; %s is the same
// as %[1]s where it is the first.
func places(place *regexp.Regexp, sentence string) []string {
	var list []string
	next := 1
	for _, found := range place.FindAllString(sentence, -1) {
		if strings.HasPrefix(found, "%") && found != "%%" {
			verb := found[len(found)-1:]
			if i := strings.Index(found, "["); i >= 0 {
				next, _ = strconv.Atoi(found[i+1 : strings.Index(found, "]")])
			}
			found = "%[" + strconv.Itoa(next) + "]" + verb
			next++
		}
		if !slices.Contains(list, found) {
			list = append(list, found)
		}
	}
	slices.Sort(list)
	return list
}

func formsOf(sentences map[string]sentence) map[string][]string {
	all := map[string][]string{}
	for key, s := range sentences {
		all[key] = append(all[key], s.one)
		if s.forms != nil {
			// The singular may leave its number out: "ein Foto".
			all[key] = []string{s.forms["other"]}
		}
	}
	return all
}

func scriptForms(t *testing.T, sentences map[string]any) map[string][]string {
	t.Helper()
	plain := map[string]sentence{}
	for key, s := range sentences {
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var one sentence
		if err := json.Unmarshal(b, &one); err != nil {
			t.Fatal(err)
		}
		plain[key] = one
	}
	return formsOf(plain)
}

// goSentences finds what the Go code of a folder says: literals given to T, t and
// rich, those made a Key, and the sentences of errors that people are shown.
func goSentences(t *testing.T, folder string, found said) {
	t.Helper()
	each(t, folder, ".go", func(name string, source []byte) {
		if strings.HasSuffix(name, "_test.go") || strings.Contains(name, "/web/api/") || strings.Contains(name, "/identifytest/") {
			return
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, name, source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(name, "/internal/photo/") {
			photoSentences(file, files, found)
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, is := n.(*ast.CallExpr); is {
				if i, speaks := speaker(call); speaks && i < len(call.Args) {
					if text, is := literal(call.Args[i]); is && text != "" {
						found[text] = files.Position(call.Pos()).String()
					}
				}
			}
			return true
		})
	})
}

// photoSentences finds what internal/photo, which knows nothing of languages, tells
// people: every literal that reads as a sentence, or as several.
func photoSentences(file *ast.File, files *token.FileSet, found said) {
	sentence := regexp.MustCompile(`^[A-Z].*\.$`)
	ast.Inspect(file, func(n ast.Node) bool {
		e, is := n.(ast.Expr)
		if !is {
			return true
		}
		text, is := literal(e)
		for part := range strings.SplitAfterSeq(text, ". ") {
			if part = strings.TrimSpace(part); is && sentence.MatchString(part) {
				found[part] = files.Position(e.Pos()).String()
			}
		}
		return !is
	})
}

// speaker says which argument of a call is a sentence.
func speaker(call *ast.CallExpr) (argument int, is bool) {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		switch f.Name {
		case "t", "T":
			return 1, true
		case "rich":
			return 0, true
		case "Errorf", "allow":
			return 2, true
		case "badRow", "badArchive", "refuse", "Noticef":
			return 0, true
		case "hasProblem", "damaged":
			return 1, true
		case "Key":
			return 0, true
		}
	case *ast.SelectorExpr:
		pkg, ok := f.X.(*ast.Ident)
		switch {
		case f.Sel.Name == "degrees":
			return 2, true
		case f.Sel.Name == "refuse":
			return 1, true
		case ok && pkg.Name == "words" && f.Sel.Name == "T":
			return 1, true
		case ok && pkg.Name == "words" && (f.Sel.Name == "Key" || f.Sel.Name == "English"):
			return 0, true
		case ok && pkg.Name == "identify" && f.Sel.Name == "Errorf":
			return 2, true
		case ok && pkg.Name == "identify" && f.Sel.Name == "Noticef":
			return 0, true
		}
	}
	return 0, false
}

// literal is the value of a string literal, or of several joined by +.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		a, one := literal(e.X)
		b, two := literal(e.Y)
		return a + b, one && two && e.Op == token.ADD
	}
	return "", false
}

// scriptSentences finds what scripts say: t("…"), and tn("one", "many").
func scriptSentences(t *testing.T, folder string, found said) {
	t.Helper()
	text := `"((?:[^"\\]|\\.)*)"`
	one := regexp.MustCompile(`\bt\(\s*` + text)
	many := regexp.MustCompile(`\btn\(\s*` + text + `,\s*` + text)
	each(t, folder, ".js", func(name string, source []byte) {
		for _, m := range one.FindAllSubmatch(source, -1) {
			found[unquoted(t, m[1])] = name
		}
		for _, m := range many.FindAllSubmatch(source, -1) {
			found[unquoted(t, m[2])] = name
		}
	})
}

func unquoted(t *testing.T, inside []byte) string {
	t.Helper()
	s, err := strconv.Unquote(`"` + string(inside) + `"`)
	if err != nil {
		t.Fatalf("%s: %v", inside, err)
	}
	return s
}

// each reads the files of a folder and of those below that end so.
func each(t *testing.T, folder, ending string, read func(name string, source []byte)) {
	t.Helper()
	err := filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ending) {
			return err
		}
		source, err := os.ReadFile(name)
		if err == nil {
			read(filepath.ToSlash(name), source)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
