package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var named = regexp.MustCompile(`\b([a-z]+)\.(Test[A-Za-z]+)\b`)

// Every test that doc/security.md and doc/exchange.md name is in a package of that name.
func TestTheTableNamesTests(t *testing.T) {
	root := filepath.Join("..", "..")
	var list [][]string
	for _, name := range []string{"security.md", "exchange.md"} {
		text, err := os.ReadFile(filepath.Join(root, "doc", name))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, named.FindAllStringSubmatch(string(text), -1)...)
	}
	if len(list) < 50 {
		t.Errorf("only %d tests are named", len(list))
	}
	grep := exec.Command("git", "grep", "-oE", "--untracked", `^func Test[A-Za-z]+\(`, "--", "*_test.go")
	grep.Dir = root
	out, err := grep.Output()
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		file, function, _ := strings.Cut(strings.TrimSpace(line), ":func ")
		there[filepath.Base(filepath.Dir(file))+"."+strings.TrimSuffix(function, "(")] = true
	}
	for _, n := range list {
		if !there[n[1]+"."+n[2]] {
			t.Errorf("there is no %s.%s", n[1], n[2])
		}
	}
}
